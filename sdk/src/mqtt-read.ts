import { Cursor, decode, Malformed } from './mqtt-bytes.ts'

/** What a server says to a device; everything else of MQTT 5 is none of its business. */
export type Packet =
  | { type: 'connack'; code: number; keepAliveSeconds: number | undefined; receiveMaximum: number }
  | { type: 'suback'; id: number; codes: number[] }
  | { type: 'publish'; qos: 0 | 1; id: number; dup: boolean; expirySeconds: number | undefined; payload: Uint8Array }
  | { type: 'puback'; id: number; code: number; why: string }
  | { type: 'pingresp' }
  | { type: 'disconnect'; code: number; why: string }

const property = {
  messageExpiry: 0x02,
  serverKeepAlive: 0x13,
  reasonString: 0x1f,
  receiveMaximum: 0x21,
} as const

/** `body` is what follows the length of the packet whose first byte is `first`. */
export const readPacket = (first: number, body: Uint8Array): Packet => {
  const cursor = new Cursor(body)
  switch (first >> 4) {
    case 2:
      return readConnack(cursor)
    case 3:
      return readPublish(first & 0x0f, cursor)
    case 4:
      return readPuback(cursor)
    case 9:
      return readSuback(cursor)
    case 13:
      return { type: 'pingresp' }
    case 14:
      return readDisconnect(cursor)
    default:
      throw new Malformed(`a packet that begins with ${first}`)
  }
}

const readConnack = (cursor: Cursor): Packet => {
  cursor.byte() // session present: none outlives its connection
  const code = cursor.byte()
  // A server that speaks only MQTT 3.1.1 answers in its own form, without properties.
  const found = cursor.left > 0 ? readProperties(cursor) : new Map<number, number | string>()
  return {
    type: 'connack',
    code,
    keepAliveSeconds: found.get(property.serverKeepAlive) as number | undefined,
    receiveMaximum: (found.get(property.receiveMaximum) as number | undefined) ?? 0xffff,
  }
}

const readPublish = (flags: number, cursor: Cursor): Packet => {
  const qos = (flags >> 1) & 3
  if (qos > 1) throw new Malformed(`a push at QoS ${qos}`)
  cursor.text() // the topic: there is but one
  const id = qos === 1 ? cursor.word() : 0
  const expirySeconds = readProperties(cursor).get(property.messageExpiry) as number | undefined
  const payload = cursor.take(cursor.left)
  return { type: 'publish', qos: qos as 0 | 1, id, dup: (flags & 8) !== 0, expirySeconds, payload }
}

const readPuback = (cursor: Cursor): Packet => ({ type: 'puback', id: cursor.word(), ...readReason(cursor) })

const readDisconnect = (cursor: Cursor): Packet => ({ type: 'disconnect', ...readReason(cursor) })

/** Code and properties may be left out when they say nothing (3.4.2.1, 3.14.2.1). */
const readReason = (cursor: Cursor): { code: number; why: string } => {
  const code = cursor.left > 0 ? cursor.byte() : 0
  const why = cursor.left > 0 ? readProperties(cursor).get(property.reasonString) : undefined
  return { code, why: (why as string | undefined) ?? '' }
}

const readSuback = (cursor: Cursor): Packet => {
  const id = cursor.word()
  readProperties(cursor)
  return { type: 'suback', id, codes: [...cursor.take(cursor.left)] }
}

type Read = (cursor: Cursor) => number | string

const byte: Read = (cursor) => cursor.byte()
const word: Read = (cursor) => cursor.word()
const long: Read = (cursor) => cursor.long()
const text: Read = (cursor) => decode(cursor.binary())
const binary: Read = (cursor) => cursor.binary().length
const pair: Read = (cursor) => cursor.binary().length + cursor.binary().length

/** MQTT 5.0, table 2-4: how long each property is has to be known even where its value is not wanted. */
const forms: Record<number, Read> = {
  0x01: byte, 0x02: long, 0x03: text, 0x08: text, 0x09: binary, 0x0b: (cursor) => cursor.variable(), 0x11: long,
  0x12: text, 0x13: word, 0x15: text, 0x16: binary, 0x17: byte, 0x18: long, 0x19: byte, 0x1a: text, 0x1c: text,
  0x1f: text, 0x21: word, 0x22: word, 0x23: word, 0x24: byte, 0x25: byte, 0x26: pair, 0x27: long, 0x28: byte,
  0x29: byte, 0x2a: byte,
}

const readProperties = (cursor: Cursor): Map<number, number | string> => {
  const list = new Cursor(cursor.take(cursor.variable()))
  const found = new Map<number, number | string>()
  while (list.left > 0) {
    const name = list.variable()
    const read = forms[name]
    if (read === undefined) throw new Malformed(`property ${name}`)
    found.set(name, read(list))
  }
  return found
}
