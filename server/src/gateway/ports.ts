import type { Push } from '../push/channel.ts'

/** One push on its way to one device: where its byte stands in the ledger, and what to write. */
export interface Delivery {
  batchId: number
  index: number
  badge: number | null
  push: Push
  /** It was written to an earlier connection already: the packet says so (DUP). */
  again?: boolean
}

/** The device behind a connection, once its credentials were found good. */
export interface DeviceCaller {
  appId: number
  userId: number
  deviceId: number
  /** The access token it showed: when that ends, the connection ends. */
  tokenId: number
}

/** What the gateway needs of the house. main.ts fills it. */
export interface GatewayPorts {
  /** undefined: unknown push token, or the access token is not a living one of its owner. */
  authenticate(pushToken: string, accessToken: string): Promise<DeviceCaller | undefined>
  /** The device is subscribed here. Resolves once that is stored: only then may the inbox be read (no lost wake-up). */
  arrived(deviceId: number, session: number): Promise<void>
  /** The session has ended, or let a push time out: not here any more, unless another session already is. */
  left(deviceId: number, session: number): void
  /** Waiting pushes with a task id above `afterTask`, oldest first, at most `limit`. */
  inbox(caller: DeviceCaller, afterTask: number, limit: number): Promise<Delivery[]>
  /** Written to the connection. `final`: QoS 0, no acknowledgement will come. */
  sent(delivery: Delivery, final: boolean): void
  /** Acknowledged by the device. */
  received(delivery: Delivery): void
  /** The session ended before these were acknowledged: they wait for the device again. */
  unacknowledged(deviceId: number, deliveries: Delivery[]): void
  /** A receipt the device published, as it came. Throws Refused when it is malformed. */
  receipt(caller: DeviceCaller, item: unknown): Promise<void>
}
