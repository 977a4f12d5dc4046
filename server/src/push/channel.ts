import type { ChannelName, VendorName } from '@carillon/protocol/names.ts'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import type { Grounds } from '@carillon/protocol/sentences/reasons.ts'

/** What a channel is handed: one task's message, the same for every target. */
export interface Push {
  taskId: number
  appId: number
  message: Message
  setting: Setting
  acceptedAt: number
  expiresAt: number
}

/** One delivery inside a batch. */
export interface Target {
  /** Its place in the batch. */
  index: number
  deviceId: number
  /** The number to show; null leaves the badge alone. */
  badge: number | null
  /** The vendor token; the own channel has none. */
  address: string | null
}

/**
 * What became of one handing over.
 * sent     the channel took it; nothing more to do
 * written  own channel: on its way down a live connection, acknowledgement awaited
 * queued   own channel: the device is here but busy; its session will take it from the inbox
 * later    not now; try again at that time
 * away     own channel: the device is not here
 * dead     the vendor says this address is gone for good
 * refused  this push will never be taken
 * denied   our credentials were not accepted, or not yet: the lane's matter, not the push's. Tried again at that time
 * lost     the answer was lost: it may have been taken. Tried again at that time, because a lost push is worse than a
 *          double one
 * unknown  the channel said nothing of it, or failed in a way nobody foresaw: tried again, a few times
 */
export type Outcome =
  | { kind: 'sent' | 'written' | 'queued' | 'away' }
  | ({ kind: 'later' | 'denied' | 'lost'; at: number } & Grounds)
  | ({ kind: 'dead' | 'refused' | 'unknown' } & Grounds)

/** What a channel is told of the batch beside its targets. */
export interface Handing {
  batchId: number
  environment: number
  /** After this nothing new is begun: what is left comes back as `later`. */
  until: number
  /** The target at this place of the batch was taken. Told as it happens, so that a crash repeats little. */
  sent(index: number): void
  /** A vendor's channel says by which certificate it hands over, before it does. */
  by(certificate: string): void
}

/** One way out. */
export interface Channel {
  readonly name: ChannelName
  /** One outcome per target, in their order. Expected failures are outcomes; what it throws is a surprise. */
  hand(push: Push, handing: Handing, targets: readonly Target[]): Promise<Outcome[]>
}

/** A vendor in one environment, as routing chooses it. */
export interface Road {
  vendor: VendorName
  environment: number
}

/** The vendors, as the path sees them. */
export interface Vendors {
  readonly names: readonly VendorName[]
  /** Those for which the app has a certificate and that have a way to carry this message. */
  roads(app: number, message: Message): Promise<readonly Road[]>
  channel(name: VendorName): Channel | undefined
  /** Whether the lane takes anything at the moment. */
  isOpen(name: VendorName, app: number, environment: number): boolean
}
