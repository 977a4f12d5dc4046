import {
  generate,
  parser,
  type IConnackPacket,
  type IConnectPacket,
  type ISubscribePacket,
  type IUnsubscribePacket,
  type Packet,
} from 'mqtt-packet'
import { bodyOf, type Version } from './packet.ts'
import { reason, Violation } from './reason.ts'

/**
 * The packets of a connection's beginning and end go through mqtt-packet, whole; its parser lives for one packet.
 * It lets some broken values through (missing numbers as -1, missing text as null), so what we use is looked at again.
 */
const read = (packet: Buffer, version: Version): Packet => {
  let found: Packet | undefined
  let wrong: Error | undefined
  const once = parser({ protocolVersion: version })
  once.on('packet', (value) => (found = value))
  once.on('error', (error: Error) => (wrong = error))
  once.parse(packet)
  if (found === undefined || wrong !== undefined) throw new Violation(reason.malformed, wrong?.message ?? 'cut short')
  return found
}

/** What CONNECT asks of us. */
export interface Greeted {
  version: Version
  clientId: string
  clean: boolean
  keepAliveSeconds: number
  username: string
  password: string
  will: boolean
  enhancedAuthentication: boolean
  /** How many unacknowledged pushes it takes at once. */
  receiveMaximum: number
  /** The longest packet it takes. */
  packetMaximum: number
  /** Whether an acknowledgement may carry a reason in words. */
  wantsReasons: boolean
  asksSessionExpiry: boolean
}

/** The protocol level, read before anything else: unknown ones are answered, not parsed. */
export const readLevel = (data: Buffer, at: number, end: number): number => {
  const body = bodyOf(data, at)
  const nameEnd = body + 2 <= end ? body + 2 + data.readUInt16BE(body) : end
  if (nameEnd >= end) throw new Violation(reason.malformed, 'connect is cut short')
  const name = data.toString('latin1', body + 2, nameEnd)
  if (name !== 'MQTT' && name !== 'MQIsdp') throw new Violation(reason.malformed, 'not MQTT')
  return name === 'MQTT' ? data[nameEnd]! : 3
}

export const readConnect = (packet: Buffer, version: Version): Greeted => {
  const connect = read(packet, version) as IConnectPacket
  const properties = connect.properties ?? {}
  return {
    version,
    clientId: connect.clientId,
    clean: connect.clean === true,
    keepAliveSeconds: connect.keepalive ?? 0,
    username: connect.username ?? '',
    password: connect.password?.toString() ?? '',
    will: connect.will !== undefined,
    enhancedAuthentication: properties.authenticationMethod !== undefined,
    receiveMaximum: positive(properties.receiveMaximum, 0xffff),
    packetMaximum: positive(properties.maximumPacketSize, 0xffffffff),
    wantsReasons: properties.requestProblemInformation !== false,
    asksSessionExpiry: (properties.sessionExpiryInterval ?? 0) !== 0,
  }
}

/** A property whose 0 is a protocol error; given twice, the parser makes a list of it. */
const positive = (value: unknown, absent: number): number => {
  if (value === undefined) return absent
  if (typeof value !== 'number' || value < 1) throw new Violation(reason.protocolError, 'a property not above 0')
  return value
}

export interface Subscribe {
  id: number
  filters: { filter: string; qos: number }[]
  hasIdentifier: boolean
}

export const readSubscribe = (packet: Buffer, version: Version): Subscribe => {
  const subscribe = read(packet, version) as ISubscribePacket
  return {
    id: checkId(subscribe.messageId),
    filters: checkFilters(subscribe.subscriptions.map(({ topic, qos }) => ({ filter: topic, qos }))),
    hasIdentifier: subscribe.properties?.subscriptionIdentifier !== undefined,
  }
}

export const readUnsubscribe = (packet: Buffer, version: Version): { id: number; filters: string[] } => {
  const unsubscribe = read(packet, version) as IUnsubscribePacket
  return { id: checkId(unsubscribe.messageId), filters: checkFilters(unsubscribe.unsubscriptions) }
}

const checkId = (id: number | undefined): number => {
  if (id === undefined || id < 1) throw new Violation(reason.protocolError, 'packet id 0')
  return id
}

const checkFilters = <T>(filters: T[]): T[] => {
  if (filters.length === 0) throw new Violation(reason.protocolError, 'no filter')
  return filters
}

export const connack = (version: Version, code: number, properties?: IConnackPacket['properties']): Buffer =>
  generate(
    version === 5
      ? { cmd: 'connack', sessionPresent: false, reasonCode: code, properties }
      : { cmd: 'connack', sessionPresent: false, returnCode: code },
    { protocolVersion: version },
  )

export const suback = (version: Version, id: number, granted: number[]): Buffer =>
  generate({ cmd: 'suback', messageId: id, granted }, { protocolVersion: version })

export const unsuback = (version: Version, id: number, granted: number[]): Buffer =>
  generate({ cmd: 'unsuback', messageId: id, granted }, { protocolVersion: version })

/** MQTT 5 only: a PUBACK that says no. */
export const pubackRefusing = (id: number, code: number, why: string | undefined): Buffer =>
  generate(
    { cmd: 'puback', messageId: id, reasonCode: code, properties: why === undefined ? {} : { reasonString: why } },
    { protocolVersion: 5 },
  )
