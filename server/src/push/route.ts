import { type ChannelName, type VendorName, ownChannel } from '@carillon/protocol/names.ts'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import { keepsInInbox, sequenceOf, strategyOf } from './task.ts'

/** What routing asks of the channels of this node and of the app's certificates. */
export interface Roads {
  /** Whether a vendor is there at all and can carry this message. */
  carries(vendor: VendorName, message: Message): boolean
  /** Whether the app has a certificate for that vendor and environment. */
  certified(vendor: VendorName, environment: number): boolean
}

/** A device as routing sees it. */
export interface Routed {
  platform: string
  online: boolean
  loggedIn: boolean
  pushEnabled: boolean
  /** Usable vendor tokens. */
  tokens: readonly { vendor: VendorName; environment: number }[]
}

/** Where a delivery goes next. */
export type Direction =
  | { to: 'channel'; channel: ChannelName; environment: number }
  | { to: 'inbox' }
  | { to: 'none'; reason: string }

const PRODUCTION = 1

/** The best road not tried yet: pure, so that every combination can be tested. */
export const route = (
  message: Message,
  setting: Setting,
  device: Routed,
  roads: Roads,
  tried: readonly ChannelName[] = [],
): Direction => {
  if (!device.loggedIn) return { to: 'none', reason: 'the device is logged out' }
  if (!device.pushEnabled) return { to: 'none', reason: 'the user has switched push off' }

  const strategy = strategyOf(setting)
  if (strategy !== 'ospush_only' && device.online && !tried.includes(ownChannel)) {
    return { to: 'channel', channel: ownChannel, environment: PRODUCTION }
  }
  if (strategy !== 'nativepush_only') {
    for (const vendor of vendorsFor(device, setting)) {
      if (tried.includes(vendor) || !roads.carries(vendor, message)) continue
      const token = device.tokens.find((t) => t.vendor === vendor && roads.certified(vendor, t.environment))
      if (token) return { to: 'channel', channel: vendor, environment: token.environment }
    }
  }
  if (strategy === 'ospush_only') {
    return { to: 'none', reason: tried.length > 0 ? 'no other vendor is left to try' : 'no vendor can reach the device' }
  }
  return keepsInInbox(setting) ? { to: 'inbox' } : { to: 'none', reason: 'the device is away and the message is for now or never' }
}

/** An iOS device has one vendor, whatever the sequence says. */
const vendorsFor = (device: Routed, setting: Setting): readonly VendorName[] => {
  const isIos = device.platform === 'ios' || (device.platform === 'other' && device.tokens.some((t) => t.vendor === 'apns'))
  return isIos ? ['apns'] : sequenceOf(setting)
}
