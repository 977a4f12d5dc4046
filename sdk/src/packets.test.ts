import { test } from 'node:test'
import fc from 'fast-check'
import { generate, parser, type Packet as TheirPacket } from 'mqtt-packet'
import { Malformed } from './mqtt-bytes.ts'
import type { Packet } from './mqtt-read.ts'
import {
  DISCONNECT,
  PACKET_MAXIMUM,
  PINGREQ,
  writeConnect,
  writePuback,
  writePublish,
  writeSubscribe,
} from './mqtt-write.ts'
import { Packets } from './packets.ts'

const id = fc.integer({ min: 1, max: 0xffff })
const refusal = fc.constantFrom(0x80, 0x83, 0x87, 0x8b, 0x8e, 0x98)
const reasonString = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => text !== '')

type Saying = [theirs: TheirPacket, ours: Packet]

const limits = { serverKeepAlive: fc.option(id, { nil: undefined }), receiveMaximum: fc.option(id, { nil: undefined }) }
const connack = fc.record(limits).map(({ serverKeepAlive, receiveMaximum }): Saying => {
  const others = { assignedClientIdentifier: 'x', maximumQoS: 1, userProperties: { a: 'b' } }
  const properties = { serverKeepAlive, receiveMaximum, ...others }
  return [
    { cmd: 'connack', sessionPresent: false, reasonCode: 0, properties },
    { type: 'connack', code: 0, keepAliveSeconds: serverKeepAlive, receiveMaximum: receiveMaximum ?? 0xffff },
  ]
})

const expiry = fc.integer({ min: 1, max: 0xffffffff })
const pushed = fc.tuple(id, fc.boolean(), fc.uint8Array({ maxLength: 400 }), expiry)
const publish = pushed.map(([messageId, dup, payload, expirySeconds]): Saying => {
  const properties = { messageExpiryInterval: expirySeconds, userProperties: { task_id: '7' } }
  return [
    { cmd: 'publish', topic: 'push', qos: 1, dup, retain: false, messageId, payload: Buffer.from(payload), properties },
    { type: 'publish', qos: 1, id: messageId, dup, expirySeconds, payload },
  ]
})

const refusedReceipt = fc.tuple(id, refusal, reasonString).map(([messageId, code, why]): Saying => [
  { cmd: 'puback', messageId, reasonCode: code, properties: { reasonString: why } },
  { type: 'puback', id: messageId, code, why },
])

/** What a server may say, as somebody else writes it, and as we have to read it. */
const said: fc.Arbitrary<Saying> = fc.oneof(
  connack,
  publish,
  refusedReceipt,
  id.map((id): Saying => [{ cmd: 'suback', messageId: id, granted: [1] }, { type: 'suback', id, codes: [1] }]),
  id.map((id): Saying => [{ cmd: 'puback', messageId: id }, { type: 'puback', id, code: 0, why: '' }]),
  fc.constant<Saying>([{ cmd: 'pingresp' }, { type: 'pingresp' }]),
  refusal.map((code): Saying => [{ cmd: 'disconnect', reasonCode: code }, { type: 'disconnect', code, why: '' }]),
)

/** Cuts bytes at these places, and delivers the pieces one by one. */
const readInPieces = (bytes: Uint8Array, cuts: number[]): Packet[] => {
  const packets = new Packets()
  const read: Packet[] = []
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  for (let i = 1; i < places.length; i += 1) {
    packets.read(bytes.slice(places[i - 1], places[i]), (packet) => {
      read.push(packet.type === 'publish' ? { ...packet, payload: new Uint8Array(packet.payload) } : packet)
    })
  }
  return read
}

test('packets are read the same however their bytes are cut or joined', (t) => {
  fc.assert(
    fc.property(fc.array(said, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 40 }), (sayings, cuts) => {
      const bytes = Buffer.concat(sayings.map(([theirs]) => generate(theirs, { protocolVersion: 5 })))
      t.assert.deepEqual(readInPieces(bytes, cuts), sayings.map(([, ours]) => ours))
    }),
  )
})

test('a large push that comes byte by byte is read', (t) => {
  const payload = Buffer.alloc(70_000, 0x61)
  const head = { topic: 'push', qos: 1, dup: false, retain: false, messageId: 9 } as const
  const bytes = generate({ cmd: 'publish', ...head, payload }, { protocolVersion: 5 })
  const packets = new Packets()
  const read: Packet[] = []
  for (const byte of bytes) packets.read(Uint8Array.of(byte), (packet) => read.push(packet))
  t.assert.equal(read.length, 1)
  t.assert.deepEqual(Buffer.from((read[0] as Extract<Packet, { type: 'publish' }>).payload), payload)
})

test('any bytes at all are either packets or refused, never anything else', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 6 }), (chunks) => {
      const packets = new Packets()
      try {
        for (const chunk of chunks) packets.read(chunk, () => {})
      } catch (error) {
        return error instanceof Malformed
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a packet longer than a device takes is refused before it is gathered', (t) => {
  const length = PACKET_MAXIMUM + 1
  const head = Uint8Array.of(0x30, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14)
  t.assert.throws(() => new Packets().read(head, () => {}), Malformed)
})

/** Reads what a device writes, with somebody else's codec. */
const theirReading = (bytes: Uint8Array): TheirPacket => {
  const read: TheirPacket[] = []
  const reader = parser({ protocolVersion: 5 })
  reader.on('packet', (packet) => read.push(packet))
  reader.on('error', (error: Error) => {
    throw error
  })
  reader.parse(Buffer.from(bytes))
  return read[0]!
}

test('what a device writes is understood by others', (t) => {
  const connect = theirReading(writeConnect({ pushToken: 'pt-ü', accessToken: 'at' }, 60))
  t.assert.partialDeepStrictEqual(connect, {
    cmd: 'connect', protocolVersion: 5, clean: true, keepalive: 60, clientId: '', username: 'pt-ü',
    properties: { maximumPacketSize: PACKET_MAXIMUM },
  })
  t.assert.equal(String((connect as { password?: Buffer }).password), 'at')
  t.assert.partialDeepStrictEqual(theirReading(writeSubscribe(1, 'push')), { cmd: 'subscribe', messageId: 1 })
  fc.assert(
    fc.property(id, fc.uint8Array({ maxLength: 300 }), (messageId, payload) => {
      const receipt = theirReading(writePublish(messageId, 'receipt', payload))
      const head = { cmd: 'publish', topic: 'receipt', qos: 1, messageId, dup: false, retain: false }
      t.assert.partialDeepStrictEqual(receipt, head)
      t.assert.deepEqual((receipt as { payload: Buffer }).payload, Buffer.from(payload))
      t.assert.partialDeepStrictEqual(theirReading(writePuback(messageId)), { cmd: 'puback', messageId })
    }),
  )
  t.assert.equal(theirReading(PINGREQ).cmd, 'pingreq')
  t.assert.equal(theirReading(DISCONNECT).cmd, 'disconnect')
})
