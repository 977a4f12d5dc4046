import test from 'node:test'
import { Refused } from '@carillon/protocol/errors.ts'
import { Events, RawDevice, receiptPacket, startGateway } from './gateway.fixture.ts'

test('a malformed receipt is refused with a reason where MQTT has a way, and acknowledged where not', async (t) => {
  const house = await startGateway(t)
  house.ports.receipt = async () => {
    throw new Refused('badParameter', 'event must be one of received, shown')
  }
  const device = await new RawDevice(house.port, 5).come(1)
  device.send(receiptPacket(1, '{"task_id":'), receiptPacket(2, '{}'))
  t.assert.equal((await device.next('puback')).reasonCode, 0x99)
  const refused = await device.next('puback')
  t.assert.equal(refused.reasonCode, 0x83)
  t.assert.equal(refused.properties?.reasonString, 'event must be one of received, shown')

  const quiet = await new RawDevice(house.port, 5).come(2, { properties: { requestProblemInformation: false } })
  quiet.send(receiptPacket(1, '{}'))
  t.assert.equal((await quiet.next('puback')).properties?.reasonString, undefined)

  const old = await new RawDevice(house.port).come(3)
  old.send(receiptPacket(1, 'nonsense'), receiptPacket(2, '{}'))
  t.assert.equal((await old.next('puback')).messageId, 1)
  t.assert.equal((await old.next('puback')).messageId, 2)
  t.assert.equal(house.logged.some((line) => line.includes('nonsense')), false)
})

test('receipts are acknowledged in the order they came, each only when it is stored', async (t) => {
  const house = await startGateway(t)
  const storing = new Events<() => void>()
  house.ports.receipt = () => new Promise<void>((resolve) => storing.add(resolve))
  const device = await new RawDevice(house.port).come(1)
  device.send(receiptPacket(1), receiptPacket(2))
  const [first, second] = await storing.take(2)
  second!()
  await device.settle()
  t.assert.deepEqual(device.packets.rest, [])
  first!()
  t.assert.deepEqual((await device.packets.take(2)).map(({ messageId }) => messageId), [1, 2])
})

test('a receipt that could not be stored ends the connection, so that the device says it again', async (t) => {
  const house = await startGateway(t)
  house.ports.receipt = async () => {
    throw new Error('store is gone')
  }
  const device = await new RawDevice(house.port, 5).come(1)
  device.send(receiptPacket(1))
  t.assert.equal((await device.next('disconnect')).reasonCode, 0x80)
  await device.closed
})

test('a flood of receipts is taken as fast as it can be stored, all of it', async (t) => {
  const house = await startGateway(t)
  let open = 0
  let most = 0
  let stored = 0
  house.ports.receipt = async () => {
    open += 1
    most = Math.max(most, open)
    await new Promise((resolve) => setImmediate(resolve))
    open -= 1
    stored += 1
  }
  const device = await new RawDevice(house.port).come(1)
  const all = Array.from({ length: 20_000 }, (_, i) => i + 1)
  device.send(...all.map((id) => receiptPacket(id)))
  t.assert.deepEqual((await device.packets.take(all.length)).map(({ messageId }) => messageId), all)
  t.assert.equal(stored, all.length)
  t.assert.equal(most < 5000, true, `${most} at once`)
})

test('MQTT 3.1.1 may send a receipt at QoS 2', async (t) => {
  const house = await startGateway(t)
  const device = await new RawDevice(house.port).come(1)
  device.send(receiptPacket(9, '{"task_id":9}', 2))
  t.assert.equal((await device.next('pubrec')).messageId, 9)
  t.assert.deepEqual((await house.ports.receipts.next()).item, { task_id: 9 })
  device.send({ cmd: 'pubrel', messageId: 9 })
  t.assert.equal((await device.next('pubcomp')).messageId, 9)
})
