import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { after, suite, test } from 'node:test'
import fc from 'fast-check'
import { type Carillon, startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import type { Node } from './harness/node.ts'
import {
  connectMute, connectPacket, greet, openSocket, packet, packetType, publishPacket, subscribePacket, type RawSocket,
} from './harness/raw-socket.ts'

const carillon = await startCarillon({ after }, { CARILLON_GREETINGS_PER_ADDRESS: '64' })

const newDevice = async (name: string) => {
  const userId = await carillon.addUser(name)
  const login = await carillon.tokenFor(userId, `phone of ${name}`)
  const send = (title: string): Promise<number> =>
    carillon.notify({ audience: { user_id: [userId] }, message: { title } })
  return { userId, login, send }
}

/** The code a CONNECT is answered with; the server must hang up then if it is not 0. */
const answerTo = async (
  t: test.TestContext,
  version: 4 | 5,
  credentials: { username?: string; password?: string },
): Promise<number> => {
  const raw = await openSocket(t, carillon)
  raw.send(connectPacket(version, credentials))
  const answer = await raw.next()
  t.assert.equal(answer?.type, packetType.connack)
  const code = answer!.body[1]!
  if (code !== 0) await raw.closed()
  return code
}

/** The reason the server gives before it hangs up; MQTT 3.1.1 has none. */
const farewell = async (raw: RawSocket): Promise<number | undefined> => {
  await raw.closed()
  const last = raw.packets.at(-1)
  return last?.type === packetType.disconnect ? last.body[0] : undefined
}

// Loopback has many addresses: tests that use up what one address may have come from others.
suite('the door for devices', { concurrency: 16 }, () => {
  for (const version of [4, 5] as const) {
    const name = version === 5 ? 'MQTT 5' : 'MQTT 3.1.1'

    test(`${name}: missing credentials and wrong ones are refused and the connection is closed`, async (t) => {
      const { login } = await newDevice(`credentials ${version}`)
      const [missing, wrong] = version === 5 ? [0x86, 0x87] : [4, 5]
      const { push_token: username, token: password } = login
      t.assert.equal(await answerTo(t, version, {}), missing)
      t.assert.equal(await answerTo(t, version, { username }), missing)
      t.assert.equal(await answerTo(t, version, { username, password: '' }), missing)
      t.assert.equal(await answerTo(t, version, { username, password: 'wrong' }), wrong)
      t.assert.equal(await answerTo(t, version, { username: 'unknown', password }), wrong)
      t.assert.equal(await answerTo(t, version, { username: password, password: username }), wrong)
      t.assert.equal(await answerTo(t, version, { username, password }), 0)
    })

    test(`${name}: a filter other than push is refused, and nothing else happens`, async (t) => {
      const { login, send } = await newDevice(`filters ${version}`)
      const raw = await greet(t, carillon, login, { version })
      const names = ['#', '+', 'push/#', 'Push', 'receipt', '$SYS/#', '$share/all/push']
      const filters = names.map((filter) => ({ filter, qos: 1 }))
      raw.send(subscribePacket(version, filters))
      const answer = await raw.next()
      const codes = [...answer!.body.subarray(version === 5 ? 3 : 2)]
      t.assert.equal(answer!.type, packetType.suback)
      t.assert.equal(codes.length, filters.length)
      t.assert.equal(codes.every((code) => (version === 5 ? code >= 0x80 : code === 0x80)), true)

      const task = await send('for subscribers')
      t.assert.equal((await carillon.task(task)).waiting, 1)
      raw.send(packet(0xc0)) // a ping: what was sent to it before is there when the answer is
      t.assert.equal((await raw.next())!.type, packetType.pingresp)
      t.assert.deepEqual(raw.tasks, [])

      raw.send(subscribePacket(version, [{ filter: '#', qos: 0 }, { filter: 'push', qos: 2 }]))
      const mixed = (await raw.next())!.body
      t.assert.equal(mixed.at(-2)! >= 0x80, true)
      t.assert.equal(mixed.at(-1), 1)
      await raw.has(1)
      t.assert.deepEqual(raw.tasks, [task])
    })

    test(`${name}: a device that publishes anything but receipts is closed, and nobody gets it`, async (t) => {
      const { login } = await newDevice(`publishing ${version}`)
      const victim = await newDevice(`listening ${version}`)
      const other = await connectMute(t, carillon, victim.login)
      for (const topic of ['push', 'receipt/', '$SYS/x', '']) {
        const raw = await greet(t, carillon, login, { version })
        raw.send(publishPacket(version, topic, '{"task_id":1,"title":"forged"}'))
        const reason = await farewell(raw)
        if (version === 5 && topic !== '') t.assert.equal(reason, 0x87)
      }
      const task = await victim.send('real')
      await other.has(1)
      t.assert.deepEqual(other.tasks, [task])
    })

    test(`${name}: a packet larger than the door takes is not waited for`, async (t) => {
      const { login } = await newDevice(`huge ${version}`)
      const beforeConnect = await openSocket(t, carillon)
      beforeConnect.send(Buffer.of(0x10, 0xff, 0xff, 0xff, 0x7f)) // a CONNECT of 256 MiB, announced
      await beforeConnect.closed()
      const long = await openSocket(t, carillon)
      long.send(connectPacket(version, { username: login.push_token, password: 'x'.repeat(17 * 1024) }))
      await long.closed()
      t.assert.deepEqual([...beforeConnect.packets, ...long.packets], [])

      const device = await greet(t, carillon, login, { version })
      device.send(publishPacket(version, 'receipt', Buffer.alloc(65 * 1024, ' ')).subarray(0, 100))
      t.assert.equal(await farewell(device), version === 5 ? 0x95 : undefined)
    })

    test(`${name}: who is silent for longer than its keep-alive is closed; who pings stays`, async (t) => {
      const silent = await newDevice(`silent ${version}`)
      const alive = await newDevice(`alive ${version}`)
      const pinging = await connectDevice(t, carillon, alive.login, { protocolVersion: version, keepalive: 1 })
      const raw = await connectMute(t, carillon, silent.login, { version, keepAlive: 1 })
      t.assert.equal(await farewell(raw), version === 5 ? 0x8d : undefined)
      t.assert.equal(pinging.client.connected, true)
      const task = await alive.send('still here')
      await pinging.has(1)
      t.assert.deepEqual(pinging.tasks, [task])
    })
  }

  test('who does not finish its CONNECT in time is closed', async (t) => {
    const nothing = await openSocket(t, carillon, { from: '127.0.0.2' })
    const half = await openSocket(t, carillon, { from: '127.0.0.2' })
    half.send(connectPacket(4, { username: 'x', password: 'x' }).subarray(0, 10))
    await Promise.all([nothing.closed(), half.closed()])
    await carillon.ok('/health/live') // it was not the server that ended
  })

  test('one address has only so many connections that have not shown who they are; others come in', async (t) => {
    const from = '127.0.0.3'
    const { login, send } = await newDevice('neighbour')
    const [gateway] = carillon.nodes as [Node] // each counts its own
    const known = await openSocket(t, gateway, { from })
    const credentials = { username: login.push_token, password: login.token }
    known.send(connectPacket(4, credentials), subscribePacket(4, [{ filter: 'push', qos: 1 }]))
    t.assert.equal((await known.next())!.body[1], 0)

    const crowd = await Promise.all(Array.from({ length: 65 }, () => openSocket(t, gateway, { from })))
    await Promise.race(crowd.map((raw) => raw.closed()))
    t.assert.equal(crowd.filter((raw) => raw.isClosed).length, 1)
    const upgrade = await upgradeFrom(carillon, from)
    t.assert.deepEqual([upgrade.status, upgrade.code], [429, 42900])

    const elsewhere = await newDevice('elsewhere')
    const device = await connectDevice(t, carillon, elsewhere.login)
    const tasks = [await elsewhere.send('from elsewhere'), await send('known already')]
    await Promise.all([device.has(1), known.has(1)])
    t.assert.deepEqual([device.tasks, known.tasks], [[tasks[0]], [tasks[1]]])

    for (const raw of crowd) raw.socket.destroy()
    await carillon.until(() => upgradeFrom(carillon, from), ({ status }) => status === 101)
  })

  test('random bytes, before a CONNECT and after one, hurt nobody', async (t) => {
    const { login, send } = await newDevice('noisy')
    const bystander = await newDevice('bystander')
    const device = await connectDevice(t, carillon, bystander.login)
    const connect = connectPacket(4, { username: login.push_token, password: login.token })
    const noise = fc.uint8Array({ minLength: 1, maxLength: 300 })
    // A likely first byte gets past the first check.
    const packetLike = fc.tuple(fc.integer({ min: 1, max: 15 }), fc.integer({ min: 0, max: 15 }), noise)
      .map(([type, flags, body]) => packet((type << 4) | flags, Buffer.from(body)))
    const attack = fc.tuple(fc.boolean(), fc.oneof(noise, packetLike))
    await fc.assert(
      fc.asyncProperty(attack, async ([greeted, bytes]) => {
        const raw = await openSocket(t, carillon, { from: '127.0.0.4' })
        raw.socket.end(Buffer.concat([greeted ? connect : Buffer.alloc(0), bytes]))
        await raw.closed()
      }),
      { numRuns: 200 },
    )
    const tasks = [await bystander.send('unharmed'), await send('neither')]
    await device.has(1)
    t.assert.deepEqual(device.tasks, [tasks[0]])
    const back = await connectDevice(t, carillon, login)
    await back.has(1)
    t.assert.deepEqual(back.tasks, [tasks[1]])
    t.assert.doesNotMatch(carillon.log, /could not be handled/)
  })

  test('who reads nothing fills no memory and holds up nobody, and gets what it missed when it is back', async (t) => {
    const PUSHES = 700
    const BODY = 'x'.repeat(60 * 1024)
    const slow = await newDevice('reading nothing')
    const quick = await newDevice('reading all')
    await carillon.setApp({ inbox_limit: PUSHES })
    // At QoS 0 no acknowledgement is missing: nothing but the socket itself holds pushes back.
    const stuck = await connectMute(t, carillon, slow.login, { qos: 0 })
    stuck.socket.pause()
    const device = await connectDevice(t, carillon, quick.login)
    const audience = { user_id: [slow.userId, quick.userId] }
    const tasks: number[] = []
    const ask = async (): Promise<void> => {
      while (tasks.length < PUSHES) {
        const at = tasks.push(0) - 1
        tasks[at] = await carillon.notify({ audience, message: { body: BODY } })
      }
    }
    await Promise.all(Array.from({ length: 8 }, ask))
    await device.has(PUSHES)
    tasks.sort((a, b) => a - b)
    const isIn = (rows: Record<string, number>[]): boolean => rows.every((row) => row.nativepush_received === 1)
    const stored = await carillon.until(() => countersOf(tasks), isIn)
    // What was written for it fills the kernel's buffers and little of ours; everything after that stays in the store.
    const missed = tasks.filter((_, i) => stored[i]!.nativepush_sent === 1)
    t.assert.equal(missed.length > (PUSHES * 3) / 4 && missed.length < PUSHES, true, `${missed.length} were missed`)
    // A push that the busy session gave back is on its way into the inbox; all of them are there when no task is under way.
    await carillon.until(() => carillon.ok('/push/task/list?state=sending', { token: carillon.admin }), (rows) => rows.length === 0)
    stuck.socket.destroy()
    const back = await connectDevice(t, carillon, slow.login)
    await back.has(missed.length)
    t.assert.deepEqual(back.tasks, missed)
  })
})

/** The counters of many tasks, in their order. */
const countersOf = async (tasks: number[]): Promise<Record<string, number>[]> => {
  const rows: Record<string, number>[] = []
  for (let i = 0; i < tasks.length; i += 500) {
    const body = { list: tasks.slice(i, i + 500) }
    rows.push(...(await carillon.ok('/push/task/detail', { token: carillon.admin, body })))
  }
  return rows
}

/** How a WebSocket from that address is answered. */
const upgradeFrom = (server: Carillon, from: string): Promise<{ status: number; code?: number }> => {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; code?: number }>()
  const headers = {
    connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-protocol': 'mqtt',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
  }
  request(`${server.http}/mqtt`, { localAddress: from, headers })
    .on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve({ status: 101 })
    })
    .on('response', (response) => {
      const answer = json(response) as Promise<{ code: number }>
      answer.then(({ code }) => resolve({ status: response.statusCode!, code }), reject)
    })
    .on('error', reject)
    .end()
  return promise
}
