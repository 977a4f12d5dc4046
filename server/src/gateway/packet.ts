import { reason, Violation } from './reason.ts'

/** The high half of a packet's first byte. */
export const packetType = {
  publish: 3,
  puback: 4,
  pubrel: 6,
  subscribe: 8,
  unsubscribe: 10,
  pingreq: 12,
  disconnect: 14,
} as const

/** The first byte of a CONNECT: it has no flags there. */
export const CONNECT = 0x10

/** MQTT 3.1.1 or 5, by the level CONNECT names. */
export type Version = 4 | 5

export const typeOf = (data: Buffer, at: number): number => data[at]! >> 4

/** How long the packet at `at` is, header included; 0: its length is not all here yet. */
export const packetLength = (data: Buffer, at: number): number => {
  let length = 0
  for (let i = 1; i <= 4; i += 1) {
    const byte = data[at + i]
    if (byte === undefined) return 0
    length |= (byte & 0x7f) << (7 * (i - 1))
    if (byte < 0x80) return 1 + i + length
  }
  throw new Violation(reason.malformed, 'a packet length of more than four bytes')
}

/** Where the packet's own content begins, after type and length. */
export const bodyOf = (data: Buffer, at: number): number => {
  let body = at + 1
  while (data[body]! >= 0x80) body += 1
  return body + 1
}

/** A device's PUBLISH, by places in the bytes it came in: nothing is copied. */
export interface Published {
  qos: number
  retain: boolean
  /** 0 at QoS 0. */
  id: number
  topicAt: number
  topicEnd: number
  payloadAt: number
}

export const readPublish = (data: Buffer, at: number, end: number, version: Version): Published => {
  const flags = data[at]! & 0x0f
  const qos = (flags >> 1) & 3
  if (qos === 3 || (qos === 0 && flags & 8)) throw new Violation(reason.malformed, 'publish flags')
  const topicAt = bodyOf(data, at) + 2
  if (topicAt > end) throw new Violation(reason.malformed, 'publish without a topic')
  const topicEnd = topicAt + data.readUInt16BE(topicAt - 2)
  let next = topicEnd
  let id = 0
  if (qos > 0) {
    next += 2
    if (next > end) throw new Violation(reason.malformed, 'publish without a packet id')
    id = readId(data, topicEnd)
  }
  if (version === 5) next = skipPublishProperties(data, next, end)
  if (next > end) throw new Violation(reason.malformed, 'publish is cut short')
  return { qos, retain: (flags & 1) === 1, id, topicAt, topicEnd, payloadAt: next }
}

/** The packet id of a PUBACK or PUBREL; what MQTT 5 may add after it changes nothing for us. */
export const readAcknowledged = (data: Buffer, at: number, end: number, version: Version): number => {
  const body = bodyOf(data, at)
  const length = end - body
  if (length < 2 || (version === 4 && length !== 2)) throw new Violation(reason.malformed, 'acknowledgement length')
  return readId(data, body)
}

const readId = (data: Buffer, at: number): number => {
  const id = data.readUInt16BE(at)
  if (id === 0) throw new Violation(reason.protocolError, 'packet id 0')
  return id
}

const TOPIC_ALIAS = 0x23

/** Returns where the payload begins. */
const skipPublishProperties = (data: Buffer, at: number, end: number): number => {
  let length = 0
  let next = at
  for (let shift = 0; ; shift += 7) {
    if (next >= end || shift > 21) throw new Violation(reason.malformed, 'length of properties')
    const byte = data[next]!
    next += 1
    length |= (byte & 0x7f) << shift
    if (byte < 0x80) break
  }
  const stop = next + length
  if (stop > end) throw new Violation(reason.malformed, 'properties are cut short')
  while (next < stop) {
    const property = data[next]!
    // We announce a topic alias maximum of 0.
    if (property === TOPIC_ALIAS) throw new Violation(reason.topicAliasInvalid, 'topic alias')
    next = skipPublishProperty(data, property, next + 1, stop)
    if (next > stop) throw new Violation(reason.malformed, 'a property is cut short')
  }
  return next
}

const skipPublishProperty = (data: Buffer, property: number, at: number, stop: number): number => {
  switch (property) {
    case 0x01: // payload format indicator
      return at + 1
    case 0x02: // message expiry interval
      return at + 4
    case 0x03: // content type
    case 0x08: // response topic
    case 0x09: // correlation data
      return skipText(data, at, stop)
    case 0x26: // user property
      return skipText(data, skipText(data, at, stop), stop)
    default:
      throw new Violation(reason.protocolError, `property ${property} in a publish`)
  }
}

const skipText = (data: Buffer, at: number, stop: number): number =>
  at + 2 > stop ? stop + 1 : at + 2 + data.readUInt16BE(at)

export const PINGRESP = Buffer.from([0xd0, 0])

/** PUBACK (4), PUBREC (5) or PUBCOMP (7) that says success: the same bytes in both versions. */
export const acknowledgement = (type: 4 | 5 | 7, id: number): Buffer => Buffer.from([type << 4, 2, id >> 8, id & 0xff])

/** The server's DISCONNECT exists in MQTT 5 only. */
export const disconnect = (code: number): Buffer => Buffer.from([0xe0, 2, code, 0])
