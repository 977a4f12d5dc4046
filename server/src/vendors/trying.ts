import type { VendorName } from '@carillon/protocol/names.ts'
import type { Desk } from './desk.ts'
import type { Addressed, Vendor, VendorPush, Verdict } from './vendor.ts'
import { vendors } from './vendors.ts'

/** What a vendor thinks of an app's credentials, in words. */
export interface Tried {
  ok: boolean
  words: string
}

/** Tries an app's credentials with the vendor. Nobody gets a push: the address is made up. Undefined: there are none. */
export const tryAccount = async (desk: Desk, app: number, name: VendorName, environment: number): Promise<Tried | undefined> => {
  const account = await desk.accounts.find(app, name, environment)
  if (!account) return undefined
  const vendor = vendors[name]
  const region = ''
  const access = await desk.tokens.getNew(vendor, account, region) // one of yesterday says nothing of today's credentials
  if (typeof access !== 'string') return withoutAccess(vendor, access)
  if (!vendor.probe) return { ok: true, words: `${vendor.title} gave an access token for these credentials` }
  const now = desk.clock.now()
  const push: VendorPush = {
    taskId: 0, message: { title: 'Carillon', body: 'Carillon' }, setting: {}, appName: 'Carillon', now, expiresAt: now + 60_000, receiptUrl: undefined,
  }
  const { token, variant } = vendor.probe
  const to: Addressed = { push, account, addresses: [{ token, deviceId: 0, badge: null }], region, access, variant, prepared: '' }
  const exchanged = await desk.exchange(vendor, account, region, vendor.request(to))
  if (exchanged.kind !== 'reply') return { ok: false, words: `${vendor.title} could not be reached: ${exchanged.why}` }
  const [verdict] = vendor.read(exchanged.reply, to)
  return inWords(vendor, verdict ?? { kind: 'unknown', why: 'an answer without a verdict' })
}

/** Whoever was not given a token has not been told yet whether the credentials are good, unless they were refused. */
const withoutAccess = (vendor: Vendor, verdict: Verdict): Tried =>
  verdict.kind === 'limited' || verdict.kind === 'exhausted'
    ? { ok: false, words: `${vendor.title} could not be asked: ${verdict.why}` }
    : inWords(vendor, verdict)

/** An answer that finds fault with the made-up address alone shows that the credentials are good. */
const inWords = ({ title }: Vendor, verdict: Verdict): Tried => {
  switch (verdict.kind) {
    case 'sent':
    case 'dead':
    case 'refused':
    case 'adapt':
      return { ok: true, words: `${title} accepts these credentials` }
    case 'denied':
    case 'renew':
      return { ok: false, words: `${title} does not accept these credentials: ${verdict.why}` }
    case 'limited':
    case 'exhausted':
      return { ok: true, words: `${title} accepts these credentials, but takes no more at the moment: ${verdict.why}` }
    case 'down':
      return { ok: false, words: `${title} could not be asked: ${verdict.why}` }
    case 'unknown':
      return { ok: false, words: `${title} answered what nobody knows: ${verdict.why}` }
  }
}
