import type { ChannelName } from '@carillon/protocol/names.ts'
import type { Message, Setting } from '@carillon/protocol/notify.ts'

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
 * denied   our credentials were not accepted: the lane's matter, not the push's
 * unknown  the answer was lost; it is tried again, because a lost push is worse than a double one
 */
export type Outcome =
  | { kind: 'sent' | 'written' | 'queued' | 'away' }
  | { kind: 'later'; why: string; at: number }
  | { kind: 'dead' | 'refused' | 'denied' | 'unknown'; why: string }

/** One way out. Adding a vendor is adding one of these. */
export interface Channel {
  readonly name: ChannelName
  /** Whether it has a way to carry this type of message (a pass-through does not exist everywhere). */
  carries(message: Message): boolean
  /** One outcome per target, in their order. Expected failures are outcomes; what it throws is a surprise. */
  hand(push: Push, batchId: number, targets: readonly Target[]): Promise<Outcome[]>
}
