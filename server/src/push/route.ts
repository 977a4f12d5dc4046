import { type ChannelName, type Strategy, type VendorName, ownChannel } from '@carillon/protocol/names.ts'
import type { PlainReason } from '@carillon/protocol/sentences/reasons.ts'
import type { Road } from './channel.ts'
import type { QuietHours } from './quiet.ts'

/** What routing needs of a task: plain data, so that it can be done where the store is. */
export interface Plan {
  strategy: Strategy
  /** Vendors in the caller's order. */
  sequence: readonly VendorName[]
  /** Those the app can send this message by. */
  roads: readonly Road[]
  /** Whether an away device may have it later. */
  inbox: boolean
  /** Quiet hours do not hold it. */
  urgent: boolean
  /** Those of users who have none of their own. */
  quiet: QuietHours
  dryRun: boolean
  expiresAt: number
}

/** A device as routing sees it. */
export interface Routed {
  platform: string
  online: boolean
  loggedIn: boolean
  pushEnabled: boolean
  /** Where it has a usable vendor token. */
  tokens: readonly Road[]
}

/** Where a delivery goes next. */
export type Direction =
  | { to: 'channel'; channel: ChannelName; environment: number }
  | { to: 'inbox' }
  | { to: 'none'; reason: PlainReason }

const PRODUCTION = 1

/** The best road not tried yet: pure, so that every combination can be tested. */
export const route = (plan: Plan, device: Routed, tried: readonly ChannelName[] = []): Direction => {
  if (!device.loggedIn) return { to: 'none', reason: 'logged_out' }
  if (!device.pushEnabled) return { to: 'none', reason: 'push_off' }

  const { strategy } = plan
  if (strategy !== 'ospush_only' && device.online && !tried.includes(ownChannel)) {
    return { to: 'channel', channel: ownChannel, environment: PRODUCTION }
  }
  if (strategy !== 'nativepush_only' && device.tokens.length > 0) {
    for (const vendor of vendorsFor(device, plan)) {
      if (tried.includes(vendor)) continue
      const token = device.tokens.find((t) => t.vendor === vendor && leads(plan.roads, t))
      if (token) return { to: 'channel', channel: vendor, environment: token.environment }
    }
  }
  if (strategy === 'ospush_only') {
    return { to: 'none', reason: tried.length > 0 ? 'no_vendor_left' : 'no_vendor' }
  }
  return plan.inbox ? { to: 'inbox' } : { to: 'none', reason: 'now_or_never' }
}

const leads = (roads: readonly Road[], { vendor, environment }: Road): boolean =>
  roads.some((road) => road.vendor === vendor && road.environment === environment)

/** An iOS device has one vendor, whatever the sequence says. */
const vendorsFor = (device: Routed, plan: Plan): readonly VendorName[] => {
  const isIos = device.platform === 'ios' || (device.platform === 'other' && device.tokens.some((t) => t.vendor === 'apns'))
  return isIos ? ['apns'] : plan.sequence
}
