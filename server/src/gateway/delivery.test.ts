import test from 'node:test'
import { deliveryOf, Events, pushOf, RawDevice, startGateway, targetOf, taskOf, type House } from './gateway.fixture.ts'

const turn = ({ gateway }: House, seconds: number): void => {
  for (let i = 0; i < seconds; i += 1) gateway.wheel.turn()
}

const hand = ({ gateway }: House, taskId: number, title?: string): string =>
  gateway.sessions.hand(pushOf(taskId, title ? { title } : undefined), taskId * 10, [targetOf(1)])[0]!.kind

/** As the push path does: what is queued is stored, then the session is told. */
const queue = (house: House, taskId: number): void => {
  house.ports.inboxes.set(1, [...(house.ports.inboxes.get(1) ?? []), deliveryOf(taskId)])
  house.gateway.sessions.wake(1)
}

const ids = (packets: { messageId?: number }[]): number[] => packets.map(({ messageId }) => messageId!)

test('nothing is granted or delivered before the arrival is stored; then what came meanwhile is', async (t) => {
  const house = await startGateway(t)
  const stored = new Events<() => void>()
  house.ports.arrived = () => new Promise<void>((resolve) => stored.add(resolve))
  const device = new RawDevice(house.port)
  device.send(device.connectPacket(1), device.subscribePacket())
  await device.next('connack')
  const store = await stored.next()
  t.assert.equal(hand(house, 1), 'queued')
  t.assert.deepEqual(house.ports.reads, [])
  queue(house, 1)
  await device.settle()
  t.assert.deepEqual(device.packets.rest, [])
  store()
  await device.next('suback')
  t.assert.equal(taskOf(await device.next('publish')), 1)
})

test('a device never has more unacknowledged than its receive maximum; the rest follows from its inbox', async (t) => {
  const house = await startGateway(t)
  const device = await new RawDevice(house.port, 5).come(1, { properties: { receiveMaximum: 2 } })
  await house.ports.arrivals.next()
  await device.settle()
  t.assert.deepEqual([1, 2, 3, 4].map((taskId) => hand(house, taskId)), ['written', 'written', 'queued', 'queued'])
  queue(house, 3)
  queue(house, 4)
  const first = [await device.next('publish'), await device.next('publish')]
  await device.settle()
  t.assert.deepEqual(device.packets.rest, [])

  for (const id of ids(first)) device.acknowledge(id)
  const second = [await device.next('publish'), await device.next('publish')]
  t.assert.deepEqual([...first, ...second].map(taskOf), [1, 2, 3, 4])
  for (const id of ids(second)) device.acknowledge(id)
  t.assert.deepEqual((await house.ports.acknowledged.take(4)).map(({ push }) => push.taskId), [1, 2, 3, 4])
  t.assert.equal(hand(house, 5), 'written')
})

test('an inbox of hundreds comes in order, each once, through the window', async (t) => {
  const house = await startGateway(t)
  house.ports.inboxes.set(1, Array.from({ length: 300 }, (_, i) => deliveryOf(i + 1)))
  // The store is slow to hear of acknowledgements: it offers the same ones again.
  house.ports.received = (delivery) => house.ports.acknowledged.add(delivery)
  const device = await new RawDevice(house.port).come(1)
  const tasks: number[] = []
  for (let i = 0; i < 300; i += 1) {
    const packet = await device.next('publish')
    tasks.push(taskOf(packet))
    if (i === 100) house.gateway.sessions.wake(1)
    device.acknowledge(packet.messageId!)
  }
  t.assert.deepEqual(tasks, Array.from({ length: 300 }, (_, i) => i + 1))
  await device.settle()
  t.assert.deepEqual(device.packets.rest, [])
  t.assert.equal(Math.max(...house.ports.reads.map(({ limit }) => limit)), 32)
})

test('nothing overtakes an inbox that is still being read', async (t) => {
  const house = await startGateway(t)
  const reading = new Events<() => void>()
  const inbox = house.ports.inbox.bind(house.ports)
  house.ports.inbox = async (...asked) => {
    await new Promise<void>((resolve) => reading.add(resolve))
    return inbox(...asked)
  }
  house.ports.inboxes.set(1, [deliveryOf(1), deliveryOf(2)])
  const device = await new RawDevice(house.port).come(1)
  const goOn = await reading.next()
  t.assert.equal(hand(house, 3), 'queued')
  queue(house, 3)
  goOn()
  ;(await reading.next())()
  const packets = [await device.next('publish'), await device.next('publish'), await device.next('publish')]
  t.assert.deepEqual(packets.map(taskOf), [1, 2, 3])
})

test('a task this connection carries or has carried is not written again', async (t) => {
  const house = await startGateway(t)
  const device = await new RawDevice(house.port).come(1)
  await device.settle()
  t.assert.equal(hand(house, 1), 'written')
  const packet = await device.next('publish')
  t.assert.equal(hand(house, 1), 'written')
  queue(house, 1)
  device.acknowledge(packet.messageId!)
  await house.ports.acknowledged.next()
  t.assert.equal(hand(house, 1), 'written')
  t.assert.equal((await house.ports.acknowledged.next()).push.taskId, 1) // told again, in case it was lost
  await device.settle()
  t.assert.deepEqual(device.packets.rest, [])
})

test('what was not acknowledged when the connection ends is handed back', async (t) => {
  const house = await startGateway(t)
  const device = await new RawDevice(house.port).come(1)
  await device.settle()
  for (const taskId of [1, 2, 3]) hand(house, taskId)
  await device.next('publish')
  device.acknowledge((await device.next('publish')).messageId!)
  await house.ports.acknowledged.next()
  device.socket.destroy()
  t.assert.deepEqual((await house.ports.lost.next()).map(({ push }) => push.taskId), [1, 3])
  t.assert.equal(await house.ports.departures.next(), 1)
  t.assert.equal(hand(house, 4), 'away')
})

test('UNSUBSCRIBE stops delivery; an acknowledgement that comes after it still counts', async (t) => {
  const house = await startGateway(t)
  const device = await new RawDevice(house.port, 5).come(1)
  await device.settle()
  hand(house, 1)
  const { messageId } = await device.next('publish')
  device.send({ cmd: 'unsubscribe', messageId: 5, unsubscriptions: ['push', 'push', 'other'] })
  t.assert.deepEqual((await device.next('unsuback')).granted, [0, 0x11, 0x11])
  t.assert.equal(await house.ports.departures.next(), 1)
  t.assert.equal(hand(house, 2), 'away')
  device.acknowledge(messageId!)
  t.assert.equal((await house.ports.acknowledged.next()).push.taskId, 1)

  queue(house, 2)
  device.send(device.subscribePacket())
  await device.next('suback')
  t.assert.equal(taskOf(await device.next('publish')), 2)
})

test('a device that let a push time out is away until it sends anything, then gets what waited', async (t) => {
  const house = await startGateway(t)
  const device = await new RawDevice(house.port).come(1)
  await house.ports.arrivals.next()
  await device.settle()
  hand(house, 1)
  await device.next('publish')
  house.gateway.sessions.timedOut(1, 1)
  t.assert.equal(await house.ports.departures.next(), 1)
  t.assert.equal(hand(house, 2), 'away')
  queue(house, 2)
  t.assert.deepEqual(house.ports.arrivals.rest, [])
  await device.settle()
  t.assert.equal(await house.ports.arrivals.next(), 1)
  t.assert.equal(taskOf(await device.next('publish')), 2)
})

test('a reader that does not drain is closed after 20 s, and its pushes are handed back', async (t) => {
  const house = await startGateway(t)
  const device = await new RawDevice(house.port).come(1)
  await device.settle()
  device.socket.pause()
  const large = 'x'.repeat(1024 * 1024) // a window of these is more than any kernel buffers
  let written = 0
  while (hand(house, written + 1, large) === 'written') written += 1
  const other = await new RawDevice(house.port).come(2)
  await other.settle()
  turn(house, 19)
  t.assert.equal(house.gateway.sessions.count, 2)
  turn(house, 1)
  const handedBack = (await house.ports.lost.next()).length
  t.assert.equal(handedBack, written)
  t.assert.notEqual(handedBack, 32)
  t.assert.equal(house.gateway.sessions.count, 1)
  await other.settle()
  device.socket.destroy()
})

test('a slow reader that catches up gets everything, from its inbox', async (t) => {
  const house = await startGateway(t)
  const device = await new RawDevice(house.port).come(1, { qos: 0 })
  await device.settle()
  device.socket.pause()
  const title = 'x'.repeat(60_000)
  let handed = 0
  while (hand(house, handed + 1, title) === 'sent') handed += 1
  for (let i = 1; i <= 20; i += 1) queue(house, handed + i)
  device.socket.resume()
  const tasks: number[] = []
  while (tasks.length < handed + 20) tasks.push(taskOf(await device.next('publish')))
  t.assert.deepEqual(tasks, Array.from({ length: handed + 20 }, (_, i) => i + 1))
  turn(house, 60)
  await device.settle()
})

test('a client that pings and reads nothing does not fill our memory', async (t) => {
  const house = await startGateway(t)
  const device = await new RawDevice(house.port).come(1)
  device.socket.pause()
  const pings = Buffer.alloc(64 * 1024, Buffer.from([0xc0, 0]))
  while (device.socket.writableLength < 16 * 1024 * 1024) device.socket.write(pings)
  // The kernel's buffers take some of the answers; then we stop reading, and 20 s later we stop altogether.
  while (house.gateway.sessions.count > 0) {
    turn(house, 1)
    await new Promise((resolve) => setImmediate(resolve))
  }
  device.socket.destroy()
})

test('a push larger than the device takes is refused, not sent', async (t) => {
  const house = await startGateway(t)
  const device = await new RawDevice(house.port, 5).come(1, { properties: { maximumPacketSize: 500 } })
  await device.settle()
  t.assert.equal(hand(house, 1, 'x'.repeat(500)), 'refused')
  house.ports.inboxes.set(1, [deliveryOf(2, { push: pushOf(2, { title: 'x'.repeat(500) }) })])
  queue(house, 3)
  t.assert.equal(taskOf(await device.next('publish')), 3)
})

test('a store that fails for a moment delays arrival and inbox, and loses neither', async (t) => {
  const house = await startGateway(t)
  const { arrived, inbox } = house.ports
  house.ports.arrived = async () => {
    throw new Error('store is gone')
  }
  house.ports.inboxes.set(1, [deliveryOf(1)])
  const device = await new RawDevice(house.port).come(1)
  await device.settle()
  house.ports.arrived = arrived
  house.ports.inbox = async () => {
    throw new Error('store is gone')
  }
  turn(house, 2)
  await house.ports.arrivals.next()
  await device.settle()
  house.ports.inbox = inbox
  turn(house, 2)
  t.assert.equal(taskOf(await device.next('publish')), 1)
})

test('a device that acknowledged while it was called too late stays here', async (t) => {
  const house = await startGateway(t)
  const device = await new RawDevice(house.port).come(1)
  await house.ports.arrivals.next()
  await device.settle()
  hand(house, 1)
  const { messageId } = (await device.next('publish')) as { messageId: number }
  device.acknowledge(messageId)
  await house.ports.acknowledged.next()
  house.gateway.sessions.timedOut(1, 1)
  t.assert.equal(hand(house, 2), 'written')
  t.assert.deepEqual(house.ports.departures.rest, [])
})
