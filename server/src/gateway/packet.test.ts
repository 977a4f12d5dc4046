import test from 'node:test'
import { generate, type IPublishPacket } from 'mqtt-packet'
import { receiptPacket } from './gateway.fixture.ts'
import { bodyOf, packetLength, readPublish } from './packet.ts'
import { reason, Violation } from './reason.ts'

const violates = (code: number) => (error: unknown) => error instanceof Violation && error.reason === code

test('the length of a packet is known as soon as its header is here, and not before', (t) => {
  for (const length of [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 268_435_455]) {
    const bytes: number[] = []
    for (let left = length; ; left >>>= 7) {
      bytes.push(left < 0x80 ? left : (left & 0x7f) | 0x80)
      if (left < 0x80) break
    }
    const header = Buffer.from([0x30, ...bytes])
    for (let cut = 1; cut < header.length; cut += 1) t.assert.equal(packetLength(header.subarray(0, cut), 0), 0)
    t.assert.equal(packetLength(header, 0), header.length + length)
    t.assert.equal(bodyOf(header, 0), header.length)
  }
})

test('a length of five bytes is malformed', (t) => {
  t.assert.throws(() => packetLength(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01]), 0), violates(reason.malformed))
})

const publish = (more: Partial<IPublishPacket>, version: 4 | 5): Buffer =>
  generate({ ...receiptPacket(300, '{"task_id":1}'), ...more }, { protocolVersion: version })

test('a publish is read in place, whatever properties it carries', (t) => {
  const properties = {
    payloadFormatIndicator: true,
    messageExpiryInterval: 9,
    contentType: 'application/json',
    responseTopic: 'somewhere',
    correlationData: Buffer.from('x'),
    userProperties: { a: ['1', '2'], b: 'y'.repeat(200) },
  }
  for (const [version, more] of [[4, {}], [5, {}], [5, { properties }]] as const) {
    const packet = Buffer.concat([Buffer.from('before'), publish(more, version)])
    const { topicAt, topicEnd, payloadAt, id, qos } = readPublish(packet, 6, packet.length, version)
    t.assert.equal(packet.toString('utf8', topicAt, topicEnd), 'receipt')
    t.assert.equal(packet.toString('utf8', payloadAt), '{"task_id":1}')
    t.assert.equal(id, 300)
    t.assert.equal(qos, 1)
  }
})

test('topic aliases and properties that do not belong are protocol errors', (t) => {
  const alias = publish({ properties: { topicAlias: 3 } }, 5)
  t.assert.throws(() => readPublish(alias, 0, alias.length, 5), violates(reason.topicAliasInvalid))
  const identifier = publish({ properties: { subscriptionIdentifier: 3 } }, 5)
  t.assert.throws(() => readPublish(identifier, 0, identifier.length, 5), violates(reason.protocolError))
})

test('a publish whose inside is cut anywhere is a violation, never a crash or a read beyond it', (t) => {
  const whole = publish({ properties: { contentType: 'a', userProperties: { a: 'b' } } }, 5)
  const shortest = whole.length - '{"task_id":1}'.length
  for (let end = 2; end < shortest; end += 1) {
    const cut = Buffer.concat([whole.subarray(0, end), Buffer.alloc(64, 0xff)])
    t.assert.throws(() => readPublish(cut, 0, end, 5), Violation, `cut at ${end}`)
  }
})
