import type { VendorName } from '@carillon/protocol/names.ts'
import type { Grounds } from '@carillon/protocol/sentences/reasons.ts'
import { inEnglish } from '@carillon/protocol/sentences/sentence.ts'
import { type TriedTold, triedSentences } from '@carillon/protocol/sentences/tried.ts'
import type { Desk } from './desk.ts'
import { unanswered } from './grounds.ts'
import type { Addressed, Vendor, VendorPush, Verdict } from './vendor.ts'
import { vendors } from './vendors.ts'

/** What a vendor thinks of an app's credentials, in words and by the name of the sentence. */
export interface Tried {
  ok: boolean
  words: string
  told: TriedTold
}

/** Tries an app's credentials with the vendor. Nobody gets a push: the address is made up. Undefined: there are none. */
export const tryAccount = async (desk: Desk, app: number, name: VendorName, environment: number): Promise<Tried | undefined> => {
  const account = await desk.accounts.find(app, name, environment)
  if (!account) return undefined
  const vendor = vendors[name]
  const region = ''
  const access = await desk.tokens.getNew(vendor, account, region) // one of yesterday says nothing of today's credentials
  if (typeof access !== 'string') return withoutAccess(vendor, access)
  if (!vendor.probe) return told(true, { name: 'token_given', values: { title: vendor.title } })
  const now = desk.clock.now()
  const push: VendorPush = {
    taskId: 0, message: { title: 'Carillon', body: 'Carillon' }, setting: {}, appName: 'Carillon', now, expiresAt: now + 60_000, receiptUrl: undefined,
  }
  const { token, variant } = vendor.probe
  const to: Addressed = { push, account, addresses: [{ token, deviceId: 0, badge: null }], region, access, variant, prepared: '' }
  const exchanged = await desk.exchange(vendor, account, region, vendor.request(to))
  if (exchanged.kind !== 'reply') return asked(false, 'not_reached', vendor, unanswered(exchanged))
  const [verdict] = vendor.read(exchanged.reply, to)
  return judged(vendor, verdict ?? { kind: 'unknown', why: 'an answer without a verdict' })
}

type Asked = Extract<TriedTold, { values: { words: string } }>['name']

const told = (ok: boolean, sentence: TriedTold): Tried => ({
  ok, words: inEnglish(triedSentences, sentence), told: sentence,
})

const asked = (ok: boolean, name: Asked, { title }: Vendor, { why, said = '' }: Grounds): Tried =>
  told(ok, { name, values: { title, words: why, said } })

/** Whoever was not given a token has not been told yet whether the credentials are good, unless they were refused. */
const withoutAccess = (vendor: Vendor, verdict: Verdict): Tried =>
  verdict.kind === 'limited' || verdict.kind === 'exhausted'
    ? asked(false, 'not_asked', vendor, verdict)
    : judged(vendor, verdict)

/** An answer that finds fault with the made-up address alone shows that the credentials are good. */
const judged = (vendor: Vendor, verdict: Verdict): Tried => {
  switch (verdict.kind) {
    case 'sent':
    case 'dead':
    case 'refused':
    case 'adapt':
      return told(true, { name: 'accepted', values: { title: vendor.title } })
    case 'denied':
    case 'renew':
      return asked(false, 'not_accepted', vendor, verdict)
    case 'limited':
    case 'exhausted':
      return asked(true, 'accepted_but_full', vendor, verdict)
    case 'down':
      return asked(false, 'not_asked', vendor, verdict)
    case 'unknown':
      return asked(false, 'not_understood', vendor, verdict)
  }
}
