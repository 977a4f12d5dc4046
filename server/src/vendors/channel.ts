import { plainly } from '@carillon/protocol/sentences/reasons.ts'
import type { Channel, Handing, Outcome, Push, Target } from '../push/channel.ts'
import { DENIED_MS } from '../push/retry.ts'
import type { Desk } from './desk.ts'
import { Round } from './round.ts'
import type { Vendor, VendorPush } from './vendor.ts'

/** A vendor as one of the ways out. */
export const vendorChannel = (desk: Desk, vendor: Vendor): Channel => ({
  name: vendor.name,
  hand: async (push: Push, handing: Handing, targets: readonly Target[]): Promise<Outcome[]> => {
    const { name, accounts } = await desk.accounts.of(push.appId)
    const account = accounts.find((one) => one.vendor === vendor.name && one.environment === handing.environment)
    const now = desk.clock.now()
    const all = (outcome: Outcome): Outcome[] => targets.map(() => outcome)
    handing.by(account?.key ?? 'none')
    if (!account) return all({ kind: 'denied', ...plainly('no_certificate'), at: now + DENIED_MS })
    const { taskId, message, setting, expiresAt } = push
    const vendorPush: VendorPush = { taskId, message, setting, appName: name, now, expiresAt, receiptUrl: desk.receiptUrl(push.appId, vendor.name) }
    const shownFrom = (message.show_begin_time ?? 0) * 1000
    if (shownFrom > now && !vendor.presents?.(vendorPush, account)) {
      return all({ kind: 'later', ...plainly('shown_later'), at: shownFrom })
    }
    return new Round(desk, vendor, account, vendorPush, handing).send(targets)
  },
})
