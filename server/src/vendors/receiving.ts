import type { VendorName } from '@carillon/protocol/names.ts'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { vendorReceipts } from '../metrics.ts'
import type { Receipts } from '../push/receipts.ts'
import { devicesOfTokens, quarantineTokens, replaceToken } from '../store/quarantine.ts'
import type { Store } from '../store/store.ts'
import type { Accounts } from './accounts.ts'
import type { VendorReceipt } from './vendor.ts'
import { vendors } from './vendors.ts'

interface Parts {
  store: Store
  clock: Clock
  log: Logger
  accounts: Accounts
  receipts: Receipts
}

export interface VendorCall {
  app: number
  vendor: VendorName
  headers: Readonly<Record<string, string>>
  body: string
}

/** What a vendor's call was, and how it wants to be answered. */
export type Received = { outcome: 'taken'; answer: string } | { outcome: 'unknown' | 'forged' | 'malformed' }

/** Takes what a vendor reports. A token, task or device that does not belong together changes nothing. */
export const receiveReport = async (parts: Parts, { app, vendor, headers, body }: VendorCall): Promise<Received> => {
  const { receipts } = vendors[vendor]
  const accounts = (await parts.accounts.of(app)).accounts.filter((account) => account.vendor === vendor)
  if (!receipts || accounts.length === 0) return { outcome: 'unknown' }
  const read = receipts.read({ headers, body }, accounts)
  const outcome = typeof read === 'string' ? read : 'taken'
  vendorReceipts.of(vendor, outcome).value += 1
  if (typeof read === 'string') {
    parts.log.warn({ app, vendor, outcome }, 'a report of a vendor was not taken')
    return { outcome: read }
  }
  await takeAll(parts, app, vendor, read)
  return { outcome: 'taken', answer: receipts.answer }
}

const takeAll = async ({ store, clock, receipts }: Parts, app: number, vendor: VendorName, reported: readonly VendorReceipt[]): Promise<void> => {
  const found = await store.read(devicesOfTokens, { app, vendor, tokens: reported.map(({ token }) => token) })
  const byToken = new Map(found.map((device) => [device.token, device]))
  const known = reported.flatMap((receipt) => {
    const device = byToken.get(receipt.token)
    return device ? [{ ...receipt, ...device }] : []
  })
  await receipts.reportAll(
    known.flatMap(({ deviceId, taskId, event }) => (event === 'dead' || event === 'failed' ? [] : [{ app, deviceId, taskId, event, channel: vendor }])),
  )
  for (const { deviceId, environment, taskId, token, event, replacedBy } of known) {
    if (replacedBy === undefined && event !== 'dead') continue
    // Only for a push of ours: else whoever knows the address and a token could take it away.
    const acceptedAt = await receipts.acceptedAt({ app, deviceId, taskId, channel: vendor })
    if (acceptedAt === undefined) continue
    const place = { app, vendor, environment }
    const now = clock.now()
    if (replacedBy !== undefined) await store.write(replaceToken, { place, token, by: replacedBy, now })
    // A report may come late or twice: a token that was bound anew since then is not the one it speaks of.
    else await store.write(quarantineTokens, { place, tokens: [{ deviceId, token, before: acceptedAt }], now })
  }
}
