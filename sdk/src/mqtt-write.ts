import { bytesOf, join, lengthFirst, variable, word } from './mqtt-bytes.ts'

/** The longest packet a device takes, told to the server: a message of 64 KiB fits several times. */
export const PACKET_MAXIMUM = 256 * 1024

export type Bytes = Uint8Array<ArrayBuffer>

const VERSION = 5
const CLEAN_USER_PASSWORD = 0xc2
const MAXIMUM_PACKET_SIZE = 0x27

const packet = (first: number, ...parts: Uint8Array[]): Bytes => {
  const body = join(parts)
  return join([Uint8Array.of(first), variable(body.length), body])
}

const text = (value: string): Uint8Array => lengthFirst(bytesOf(value))

const NO_PROPERTIES = Uint8Array.of(0)

export interface Credentials {
  pushToken: string
  accessToken: string
}

/** The client id is left to the server: a device is known by its push token. */
export const writeConnect = ({ pushToken, accessToken }: Credentials, keepAliveSeconds: number): Bytes => {
  const limit = join([Uint8Array.of(MAXIMUM_PACKET_SIZE), word(PACKET_MAXIMUM >>> 16), word(PACKET_MAXIMUM & 0xffff)])
  return packet(
    0x10,
    text('MQTT'),
    Uint8Array.of(VERSION, CLEAN_USER_PASSWORD),
    word(keepAliveSeconds),
    variable(limit.length),
    limit,
    text(''),
    text(pushToken),
    text(accessToken),
  )
}

export const writeSubscribe = (id: number, filter: string): Bytes =>
  packet(0x82, word(id), NO_PROPERTIES, text(filter), Uint8Array.of(1))

/** QoS 1, always new to this connection: none outlives another, so there is nothing to mark as repeated. */
export const writePublish = (id: number, topic: string, payload: Uint8Array): Bytes =>
  packet(0x32, text(topic), word(id), NO_PROPERTIES, payload)

export const writePuback = (id: number): Bytes => packet(0x40, word(id))

export const PINGREQ: Bytes = Uint8Array.of(0xc0, 0)

/** Without a reason it says: normal, nothing more to come. */
export const DISCONNECT: Bytes = Uint8Array.of(0xe0, 0)
