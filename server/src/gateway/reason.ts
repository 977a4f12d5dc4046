/** MQTT 5 reason codes we send (MQTT 5.0, section 2.4). */
export const reason = {
  success: 0x00,
  noSubscriptionExisted: 0x11,
  unspecified: 0x80,
  malformed: 0x81,
  protocolError: 0x82,
  implementationSpecific: 0x83,
  unsupportedProtocolVersion: 0x84,
  badCredentials: 0x86,
  notAuthorised: 0x87,
  serverUnavailable: 0x88,
  shuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  takenOver: 0x8e,
  topicAliasInvalid: 0x94,
  packetTooLarge: 0x95,
  administrative: 0x98,
  payloadFormatInvalid: 0x99,
  retainNotSupported: 0x9a,
  qosNotSupported: 0x9b,
  sharedNotSupported: 0x9e,
  subscriptionIdsNotSupported: 0xa1,
} as const

export type Reason = (typeof reason)[keyof typeof reason]

const names = new Map(Object.entries(reason).map(([name, code]) => [code, name]))

export const reasonName = (code: Reason): string => names.get(code)!

/** MQTT 3.1.1 return codes of CONNACK (section 3.2.2.3). */
export const returnCode = {
  accepted: 0,
  unsupportedProtocolVersion: 1,
  identifierRejected: 2,
  serverUnavailable: 3,
  badCredentials: 4,
  notAuthorised: 5,
} as const

/** MQTT 3.1.1 has one failure for a subscription. */
export const SUBACK_FAILURE = 0x80

/** The client broke the protocol: it is told why where its version has a way, and the connection ends. */
export class Violation extends Error {
  readonly reason: Reason

  constructor(code: Reason, message: string) {
    super(message)
    this.reason = code
  }
}
