import { suite, test } from 'node:test'
import { connectDevice, type DeviceState } from './device.ts'
import { startDevice } from './server.fixture.ts'

const waitedMs = (state: DeviceState | undefined, now: number): number | undefined =>
  state?.kind === 'waiting' ? state.until - now : undefined

suite('coming back', () => {
  test('pauses double up to the longest, and begin anew after a connection that lasted', async (t) => {
    const { clock, line, device } = startDevice()
    const pauses: (number | undefined)[] = []
    for (let i = 0; i < 8; i += 1) {
      line().cut()
      pauses.push(waitedMs(device.state, clock.now()))
      await clock.pass(pauses.at(-1)!)
    }
    t.assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000))
    line().welcome()
    await clock.pass(10_000)
    line().cut()
    t.assert.equal(waitedMs(device.state, clock.now()), 1_000)
  })

  test('a server that lets it in and drops it at once is not stormed', async (t) => {
    const { clock, line, device } = startDevice()
    const pauses: (number | undefined)[] = []
    for (let i = 0; i < 3; i += 1) {
      line().welcome()
      line().cut()
      pauses.push(waitedMs(device.state, clock.now()))
      await clock.pass(pauses.at(-1)!)
    }
    t.assert.deepEqual(pauses, [1_000, 2_000, 4_000])
  })

  test('chance decides about the whole of a pause', (t) => {
    const { clock, line, device } = startDevice({ chance: () => 0.25 })
    line().cut()
    t.assert.equal(waitedMs(device.state, clock.now()), 250)
  })

  test('when the server shuts down, devices come back spread over time', (t) => {
    const { clock, line, device } = startDevice({ chance: () => 0.5 })
    line().welcome()
    line().sendAway(0x8b)
    t.assert.equal(waitedMs(device.state, clock.now()), 15_000)
  })

  test('hurry ends a pause at once', (t) => {
    const { line, lines, device, states } = startDevice()
    line().cut()
    device.hurry()
    t.assert.equal(lines.length, 2)
    line().welcome()
    device.hurry()
    t.assert.equal(lines.length, 2)
    t.assert.deepEqual(states.map(({ kind }) => kind), ['waiting', 'connecting', 'online'])
  })

  test('a server that does not answer is given up after 20 s', async (t) => {
    const { clock, line, lines, device } = startDevice()
    await clock.pass(19_999)
    t.assert.equal(device.state.kind, 'connecting')
    await clock.pass(1)
    t.assert.equal(device.state.kind, 'waiting')
    t.assert.equal(lines[0]!.isClosed, true)
    await clock.pass(1_000)
    line().welcome()
    t.assert.equal(device.state.kind, 'online')
  })
})

suite('keep-alive', () => {
  test('it pings twice as often as promised, and a ping without an answer ends the connection', async (t) => {
    const { clock, line, device } = startDevice({ keepAliveSeconds: 60 })
    line().welcome()
    t.assert.equal(line().ofKind('connect')[0]!.keepalive, 60)
    await clock.pass(30_000)
    t.assert.equal(line().ofKind('pingreq').length, 1)
    line().say({ cmd: 'pingresp' })
    await clock.pass(40_000)
    t.assert.equal(line().ofKind('pingreq').length, 2)
    t.assert.equal(device.state.kind, 'online')
    await clock.pass(9_999)
    t.assert.equal(device.state.kind, 'online')
    await clock.pass(1)
    t.assert.equal(device.state.kind, 'waiting')
    t.assert.equal(line().isClosed, true)
  })

  test('the server may ask for another keep-alive', async (t) => {
    const { clock, line } = startDevice({ keepAliveSeconds: 60 })
    line().welcome({ serverKeepAlive: 10 })
    await clock.pass(5_000)
    t.assert.equal(line().ofKind('pingreq').length, 1)
  })
})

suite('stopping for good', () => {
  const stops: [how: string, code: number, why: string][] = [
    ['bad credentials', 0x86, 'refused'],
    ['not authorised', 0x87, 'refused'],
    ['an administrator', 0x98, 'signed out'],
    ['a newer connection', 0x8e, 'taken over'],
  ]
  for (const [how, code, why] of stops) {
    test(`${how} (0x${code.toString(16)}) ends it: ${why}, and it does not come back`, async (t) => {
      const { clock, line, lines, states } = startDevice()
      line().welcome()
      line().sendAway(code)
      const { kind, ...last } = states.at(-1)!
      t.assert.equal(kind, 'stopped')
      t.assert.equal((last as { why?: string }).why, why)
      await clock.pass(3_600_000)
      t.assert.equal(lines.length, 1)
      t.assert.equal(line().isClosed, true)
    })
  }

  for (const code of [0x86, 0x87]) {
    test(`a CONNACK of 0x${code.toString(16)} stops it, so that the app logs in again`, async (t) => {
      const { clock, line, lines, device } = startDevice()
      line().refuse(code)
      t.assert.partialDeepStrictEqual(device.state, { kind: 'stopped', why: 'refused' })
      await clock.pass(3_600_000)
      t.assert.equal(lines.length, 1)
    })
  }

  test('a server that is merely unavailable is tried again', (t) => {
    const { line, device } = startDevice()
    line().refuse(0x88)
    t.assert.equal(device.state.kind, 'waiting')
  })

  test('the app stops it with a good-bye, and nothing is waited for any more', async (t) => {
    const { clock, line, lines, device, states } = startDevice()
    line().welcome()
    device.stop()
    device.stop()
    t.assert.equal(line().ofKind('disconnect').length, 1)
    await clock.pass(3_600_000)
    t.assert.equal(lines.length, 1)
    t.assert.deepEqual(states.map(({ kind }) => kind), ['online', 'stopped'])
  })

  test('stopped by a listener at any step, it goes no further', async (t) => {
    for (const at of ['waiting', 'connecting', 'online'] as const) {
      const { clock, line, lines, device } = startDevice()
      device.on('state', ({ kind }) => kind === at && device.stop())
      line().cut()
      await clock.pass(1_000)
      if (at === 'online') line().welcome()
      await clock.pass(3_600_000)
      t.assert.equal(lines.length, at === 'online' ? 2 : 1)
      t.assert.equal(device.state.kind, 'stopped')
    }
  })

  test('stopped while it waits, it does not come back', async (t) => {
    const { clock, line, lines, device } = startDevice()
    line().cut()
    device.stop()
    await clock.pass(3_600_000)
    t.assert.equal(lines.length, 1)
  })
})

suite('receipts', () => {
  const events = (line: { ofKind(cmd: 'publish'): { payload: string | Buffer }[] }) =>
    line.ofKind('publish').map(({ payload }) => JSON.parse(String(payload)))

  test('a receipt waits for a connection, and comes again on the next one until it is answered', async (t) => {
    const { clock, line, device } = startDevice()
    const first = device.report({ task_id: 7, channel: 'apns' }, 'clicked')
    const reported = clock.now()
    line().welcome()
    t.assert.deepEqual(events(line()), [{ task_id: 7, event: 'clicked', channel: 'apns', at: reported }])
    line().cut()
    await clock.pass(1_000)
    line().welcome()
    t.assert.deepEqual(events(line()), [{ task_id: 7, event: 'clicked', channel: 'apns', at: reported }])
    line().say({ cmd: 'puback', messageId: line().ofKind('publish')[0]!.messageId! })
    t.assert.equal(await first, 'taken')
    line().cut()
    await clock.pass(2_000)
    line().welcome()
    t.assert.deepEqual(events(line()), [])
  })

  test('no more are under way than the server takes at once; a lost connection keeps their order', async (t) => {
    const { clock, line, device } = startDevice()
    for (let task_id = 1; task_id <= 5; task_id += 1) void device.report({ task_id }, 'shown')
    line().welcome({ receiveMaximum: 2 })
    t.assert.deepEqual(events(line()).map(({ task_id }) => task_id), [1, 2])
    line().say({ cmd: 'puback', messageId: line().ofKind('publish')[0]!.messageId! })
    t.assert.deepEqual(events(line()).map(({ task_id }) => task_id), [1, 2, 3])
    line().cut()
    await clock.pass(1_000)
    line().welcome({ receiveMaximum: 10 })
    t.assert.deepEqual(events(line()).map(({ task_id }) => task_id), [2, 3, 4, 5])
  })

  test('a receipt the server refuses is told and not repeated', async (t) => {
    const { line, device } = startDevice()
    const failures: unknown[] = []
    device.on('failure', ({ kind, error }) => failures.push([kind, (error as Error).message]))
    line().welcome()
    const outcome = device.report({ task_id: 7 }, 'shown')
    const properties = { reasonString: 'task_id must be a number' }
    line().say({ cmd: 'puback', messageId: 1, reasonCode: 0x83, properties })
    t.assert.equal(await outcome, 'refused')
    t.assert.deepEqual(failures, [['receipt', 'task_id must be a number']])
  })

  test('those that are left when it stops are dropped, and so are the oldest of too many', async (t) => {
    const { device } = startDevice()
    const outcomes = Array.from({ length: 1_001 }, (_, i) => device.report({ task_id: i }, 'shown'))
    t.assert.equal(await outcomes[0], 'dropped')
    device.stop()
    t.assert.equal(await outcomes[1_000], 'dropped')
    t.assert.equal(await device.report({ task_id: 5 }, 'shown'), 'dropped')
  })
})

suite('what cannot work is said at once', () => {
  const right = { url: 'https://server', pushToken: 'a', accessToken: 'b', onPush: () => {} }
  test('a scheme that the wire does not speak', (t) => {
    t.assert.throws(() => connectDevice({ ...right, url: 'mqtt://server' }), /overTcp/)
  })
  test('a keep-alive that MQTT cannot say', (t) => {
    t.assert.throws(() => connectDevice({ ...right, keepAliveSeconds: 0 }), /keepAliveSeconds/)
  })
})

test('a listener that throws is told as the trouble of the program, and the device goes on', (t) => {
  const later = t.mock.method(globalThis, 'queueMicrotask', () => {})
  const { line, device } = startDevice()
  device.on('state', () => {
    throw new Error('in the app')
  })
  line().welcome()
  t.assert.equal(device.state.kind, 'online')
  t.assert.throws(later.mock.calls[0]!.arguments[0] as () => void, /in the app/)
})
