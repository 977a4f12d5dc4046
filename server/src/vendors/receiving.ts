import type { VendorName } from '@carillon/protocol/names.ts'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { vendorReceipts } from '../metrics.ts'
import type { Receipts } from '../push/receipts.ts'
import { deviceOfToken, quarantineTokens, replaceToken } from '../store/quarantine.ts'
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
  await Promise.all(read.map((receipt) => take(parts, app, vendor, receipt)))
  return { outcome: 'taken', answer: receipts.answer }
}

const take = async ({ store, clock, receipts }: Parts, app: number, vendor: VendorName, receipt: VendorReceipt): Promise<void> => {
  const { taskId, token, event, replacedBy } = receipt
  const found = await store.read(deviceOfToken, { app, vendor, token })
  if (!found) return
  const { deviceId, environment } = found
  const place = { app, vendor, environment }
  const now = clock.now()
  if (event !== 'dead' && event !== 'failed') await receipts.report({ app, deviceId, taskId, event, channel: vendor })
  if (replacedBy === undefined && event !== 'dead') return
  // Only for a push of ours: else whoever knows the address and a token could take it away.
  const acceptedAt = await receipts.acceptedAt({ app, deviceId, taskId, channel: vendor })
  if (acceptedAt === undefined) return
  if (replacedBy !== undefined) await store.write(replaceToken, { place, token, by: replacedBy, now })
  // A report may come late or twice: a token that was bound anew since then is not the one it speaks of.
  else await store.write(quarantineTokens, { place, tokens: [{ deviceId, token, before: acceptedAt }], now })
}
