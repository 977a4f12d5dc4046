import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type TestContext } from 'node:test'
import { Refused } from '@carillon/protocol/errors.ts'
import { deliveryOf, Events, pushOf, RawDevice, startGateway, targetOf, type House } from './gateway.fixture.ts'
import { openStream } from './stream.ts'

const BEAT_SECONDS = 20
const STALLED_SECONDS = 20

/** A house whose HTTP door knows one path. */
const startHouse = async (t: TestContext): Promise<House & { url: string }> => {
  const house = await startGateway(t)
  const http = createServer((request, response) => {
    const deviceId = Number(request.headers['device'])
    const qos = request.url === '/0' ? 0 : 1
    const credentials = { pushToken: `push-${deviceId}`, accessToken: `access-${deviceId}`, qos } as const
    openStream(house.gateway, credentials, response).catch((error: unknown) => {
      response.writeHead(error instanceof Refused ? error.http : 500).end()
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  t.after(() => http.close())
  return { ...house, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` }
}

/** A reader of events: each one as its fields, a heart-beat as {}. */
class Reader {
  readonly events = new Events<Record<string, string>>()
  readonly closed: Promise<void>
  readonly response: IncomingMessage

  constructor(response: IncomingMessage) {
    this.response = response
    this.closed = new Promise((resolve) => response.once('close', resolve))
    response.on('error', () => {}) // cut off by us, at the end of a test
    let text = ''
    response.setEncoding('utf8').on('data', (chunk) => {
      const events = (text + String(chunk)).split('\n\n')
      text = events.pop()!
      for (const event of events) this.events.add(fieldsOf(event))
    })
  }

  async tasks(count: number): Promise<number[]> {
    return (await this.events.take(count)).map(({ id }) => Number(id))
  }
}

const fieldsOf = (event: string): Record<string, string> => {
  const lines = event.split('\n').filter((line) => !line.startsWith(':'))
  return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]))
}

const read = async (t: TestContext, house: { url: string }, deviceId: number, path = '/'): Promise<Reader> => {
  const request = get(house.url + path, { headers: { device: String(deviceId) }, agent: false })
  t.after(() => request.destroy())
  request.on('error', () => {})
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  t.assert.equal(response.statusCode, 200)
  const reader = new Reader(response)
  t.assert.deepEqual(await reader.events.next(), {}) // it begins with a heart-beat: its head must not wait for a push
  return reader
}

test('a stream brings the inbox first, then what is handed over, as events with the payload of MQTT', async (t) => {
  const house = await startHouse(t)
  house.ports.inboxes.set(1, [deliveryOf(11), deliveryOf(12, { badge: 4 })])
  const reader = await read(t, house, 1)
  t.assert.equal(await house.ports.arrivals.next(), 1)
  t.assert.deepEqual(await reader.tasks(2), [11, 12])
  t.assert.deepEqual((await house.ports.written.take(2)).map(({ final }) => final), [false, false])

  const push = pushOf(13, { title: 'zwei\nZeilen' })
  t.assert.deepEqual(house.gateway.sessions.hand(push, 130, [targetOf(1, 9)]), [{ kind: 'written' }])
  const device = await new RawDevice(house.port).come(2)
  t.after(() => device.socket.destroy())
  await house.ports.arrivals.next()
  house.gateway.sessions.hand(push, 130, [targetOf(2, 9)])
  const data = (await device.next('publish')).payload.toString()
  t.assert.deepEqual(await reader.events.next(), { id: '13', event: 'push', data })
})

test('what a stream brought is acknowledged by task; the rest waits for the device when the stream ends', async (t) => {
  const house = await startHouse(t)
  house.ports.inboxes.set(1, [deliveryOf(11), deliveryOf(12)])
  const reader = await read(t, house, 1)
  await reader.tasks(2)
  const { sessions } = house.gateway
  t.assert.equal(sessions.acknowledged(1, 11), true)
  t.assert.equal((await house.ports.acknowledged.next()).push.taskId, 11)
  for (const [deviceId, taskId] of [[1, 11], [1, 99], [2, 12]] as const) {
    t.assert.equal(sessions.acknowledged(deviceId, taskId), false)
  }
  reader.response.destroy()
  t.assert.deepEqual((await house.ports.lost.next()).map(({ push }) => push.taskId), [12])
  t.assert.equal(await house.ports.departures.next(), 1)
  t.assert.equal(sessions.count, 0)
})

test('no more than the window is unacknowledged at once, and acknowledgements let the rest through', async (t) => {
  const house = await startHouse(t)
  const all = Array.from({ length: 50 }, (_, i) => i + 1)
  house.ports.inboxes.set(1, all.map((taskId) => deliveryOf(taskId)))
  const reader = await read(t, house, 1)
  t.assert.deepEqual(await reader.tasks(32), all.slice(0, 32))
  t.assert.deepEqual(house.gateway.sessions.hand(pushOf(51), 510, [targetOf(1)]), [{ kind: 'queued' }])
  t.assert.deepEqual(reader.events.rest, [])
  for (const taskId of all.slice(0, 32)) house.gateway.sessions.acknowledged(1, taskId)
  t.assert.deepEqual(await reader.tasks(18), all.slice(32))
})

test('at QoS 0 a push is final once written', async (t) => {
  const house = await startHouse(t)
  house.ports.inboxes.set(1, [deliveryOf(11)])
  const reader = await read(t, house, 1, '/0')
  t.assert.deepEqual(await reader.tasks(1), [11])
  t.assert.equal((await house.ports.written.next()).final, true)
  t.assert.deepEqual(house.gateway.sessions.hand(pushOf(12), 120, [targetOf(1)]), [{ kind: 'sent' }])
  t.assert.deepEqual(await reader.tasks(1), [12])
})

test('a device that let a push time out is away until it sends a receipt', async (t) => {
  const house = await startHouse(t)
  const reader = await read(t, house, 1)
  await house.ports.arrivals.next()
  const { sessions } = house.gateway
  sessions.hand(pushOf(11), 110, [targetOf(1)])
  await reader.tasks(1)
  sessions.timedOut(1, 11)
  t.assert.equal(await house.ports.departures.next(), 1)
  t.assert.deepEqual(sessions.hand(pushOf(12), 120, [targetOf(1)]), [{ kind: 'away' }])
  house.ports.inboxes.set(1, [deliveryOf(12)])
  t.assert.equal(sessions.acknowledged(1, 11), true)
  t.assert.equal(await house.ports.arrivals.next(), 1)
  t.assert.deepEqual(await reader.tasks(1), [12])
})

test('one connection a device, whatever it speaks: the newer one takes over', async (t) => {
  const house = await startHouse(t)
  const first = await read(t, house, 1)
  const second = await new RawDevice(house.port, 5).come(1)
  t.assert.deepEqual(await first.events.next(), { event: 'end', data: '{"reason":"taken over by a newer connection"}' })
  await first.closed
  const third = await read(t, house, 1)
  t.assert.equal((await second.next('disconnect')).reasonCode, 0x8e)
  await second.closed
  t.assert.equal(house.gateway.sessions.count, 1)
  house.gateway.sessions.closeToken(2001)
  t.assert.deepEqual(await third.events.next(), { event: 'end', data: '{"reason":"its access token has ended"}' })
  await third.closed
  t.assert.equal(house.gateway.sessions.count, 0)
})

test('a stream that has nothing to say says so every twenty seconds', async (t) => {
  const house = await startHouse(t)
  const reader = await read(t, house, 1)
  for (let second = 0; second < 2 * BEAT_SECONDS; second += 1) house.gateway.wheel.turn()
  t.assert.deepEqual(await reader.events.take(2), [{}, {}])
})

test('who does not read is closed, and what was not acknowledged waits', async (t) => {
  const house = await startHouse(t)
  const reader = await read(t, house, 1, '/0')
  await house.ports.arrivals.next()
  reader.response.pause()
  const long = { title: 'x'.repeat(60_000) }
  const { sessions, wheel } = house.gateway
  let taskId = 0
  let kind = ''
  while (kind !== 'queued') {
    taskId += 1
    kind = sessions.hand(pushOf(taskId, long), taskId, [targetOf(1)])[0]!.kind
    if (taskId % 50 === 0) await new Promise(setImmediate) // lets the kernel take what it can
  }
  for (let second = 0; second <= STALLED_SECONDS; second += 1) wheel.turn()
  t.assert.equal(sessions.count, 0)
  t.assert.deepEqual(sessions.hand(pushOf(taskId + 1), 1, [targetOf(1)]), [{ kind: 'away' }])
})

test('bad credentials are refused before anything is streamed, and so is everybody while closing', async (t) => {
  const house = await startHouse(t)
  house.ports.revokedTokens.add(2001)
  const statusOf = async (deviceId: number): Promise<number | undefined> => {
    const request = get(house.url, { headers: { device: String(deviceId) }, agent: false })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }
  t.assert.equal(await statusOf(1), 404)
  const reader = await read(t, house, 2)
  const closing = house.gateway.close()
  t.assert.deepEqual(await reader.events.next(), { event: 'end', data: '{"reason":"shutting down"}' })
  t.assert.equal(await statusOf(2), 429)
  await closing
})
