import type { Clock } from '../clock.ts'
import { DENIED_MS } from '../push/retry.ts'
import type { AccessShelf, Refusal, ShelvedToken } from './access-shelf.ts'
import type { OpenAccount } from './accounts.ts'
import type { Exchanged } from './exchange.ts'
import { unanswered, withWait } from './grounds.ts'
import { nextDay } from './next-day.ts'
import type { AccessToken, Vendor, VendorRequest, Verdict } from './vendor.ts'

type Asked = AccessToken | Verdict

interface Held {
  token: ShelvedToken | undefined
  /** When the last one was made that the vendor does not take any more. */
  dropped: number
  /** While a token still works, a vendor that gave no new one is not asked again before then. */
  refusal: Refusal | undefined
  /** A new one is on its way: everybody waits for the same one. */
  asking: Promise<Asked> | undefined
}

/** Whose token, and what to ask when there is none. */
interface Errand {
  vendor: Vendor
  account: OpenAccount
  region: string
  /** Also when there is one, or the vendor gave none lately. */
  anew: boolean
}

type Exchange = (vendor: Vendor, account: OpenAccount, region: string, request: VendorRequest) => Promise<Exchanged>

const MOST_KEPT = 10_000
const RENEWAL_PAUSE_MS = 10_000
const REFUSED_MS = 1_000
/** Another node asks: how often to look whether it has been answered, and for how long. */
const LOOK_MS = 150
const LONGEST_WAIT_MS = 30_000

/** Access tokens of all accounts, each asked for once however many need it, on however many nodes. */
export class AccessTokens {
  readonly #clock: Clock
  readonly #exchange: Exchange
  readonly #shelf: AccessShelf | undefined
  readonly #held = new Map<string, Held>()

  constructor(clock: Clock, exchange: Exchange, shelf?: AccessShelf) {
    this.#clock = clock
    this.#exchange = exchange
    this.#shelf = shelf
  }

  /** The same where nothing is to be asked for: the usual case, without a promise. */
  current(vendor: Vendor, account: OpenAccount, region: string): string | undefined {
    if (!vendor.access) return ''
    const token = this.#held.get(`${account.key} ${region}`)?.token
    return token && this.#clock.now() < token.renewAt ? token.value : undefined
  }

  /** The token to use now; '' where the vendor has none; or what stands in the way of getting one. */
  async get(vendor: Vendor, account: OpenAccount, region: string): Promise<string | Verdict> {
    if (!vendor.access) return ''
    const errand = { vendor, account, region, anew: false }
    const held = this.#of(account, region)
    const now = this.#clock.now()
    const { token, refusal } = held
    if (!token || now >= token.endsAt) return valueOf(await this.#ask(held, errand))
    // Good for a while yet; the new one comes beside the work.
    if (now >= token.renewAt && now >= (refusal?.until ?? 0)) void this.#ask(held, errand)
    return token.value
  }

  /**
   * Asked for now, whether or not there is one: what the vendor thinks of these credentials today. One that is made
   * here says nothing of that, and is not made more often than it has to be.
   */
  async getNew(vendor: Vendor, account: OpenAccount, region: string): Promise<string | Verdict> {
    if (!vendor.access || 'make' in vendor.access) return this.get(vendor, account, region)
    return valueOf(await this.#ask(this.#of(account, region), { vendor, account, region, anew: true }))
  }

  /** The vendor does not take this one any more. One that has been replaced meanwhile is left alone. */
  drop(account: OpenAccount, region: string, value: string): void {
    const held = this.#held.get(`${account.key} ${region}`)
    if (held?.token?.value !== value) return
    held.dropped = held.token.madeAt
    held.token = undefined
  }

  forget({ key }: OpenAccount): void {
    for (const name of this.#held.keys()) if (name.startsWith(`${key} `)) this.#held.delete(name)
  }

  #of(account: OpenAccount, region: string): Held {
    const name = `${account.key} ${region}`
    let held = this.#held.get(name)
    if (!held) {
      held = { token: undefined, dropped: 0, refusal: undefined, asking: undefined }
      this.#held.set(name, held)
      if (this.#held.size > MOST_KEPT) this.#held.delete(this.#held.keys().next().value!)
    }
    return held
  }

  #ask(held: Held, errand: Errand): Promise<Asked> {
    held.asking ??= this.#obtain(held, errand)
      .catch((error: unknown): Verdict =>
        ({ kind: 'down', reason, why: `no access token was found: ${messageOf(error)}` }))
      .finally(() => (held.asking = undefined))
    return held.asking
  }

  /** From those who have asked already, or else from the vendor. */
  async #obtain(held: Held, errand: Errand): Promise<Asked> {
    const found = await this.#fromOthers(held, errand)
    if (found) return found
    const asked = await this.#fetch(errand)
    const seat = { account: errand.account.key, region: errand.region }
    const now = this.#clock.now()
    if ('value' in asked) {
      held.refusal = undefined
      // Good for this node also when the store does not take it: then the next one asks again.
      const shelved = await this.#shelf?.keep(seat, asked).catch(() => undefined)
      held.token = shelved ?? { ...asked, madeAt: now }
    } else {
      const hasToken = held.token !== undefined && now < held.token.endsAt
      held.refusal = { verdict: asked, until: now + refusedMs(asked, now, hasToken) }
      await this.#shelf?.refuse(seat, held.refusal).catch(() => {})
    }
    return asked
  }

  /** Undefined: it is on us to ask. */
  async #fromOthers(held: Held, { account, region, anew }: Errand): Promise<Asked | undefined> {
    const shelf = this.#shelf
    const startedAt = this.#clock.now()
    if (!shelf) return held.refusal && !anew && startedAt < held.refusal.until ? this.#told(held.refusal) : undefined
    const seat = { account: account.key, region }
    let shelved = await shelf.look(seat)
    const before = shelved.madeAt
    for (let hasWaited = false; ; hasWaited = true) {
      const now = this.#clock.now()
      const { token, refusal } = shelved
      if (shelved.isSpoilt) held.dropped = shelved.madeAt // of no use to anybody
      const after = anew ? before : held.dropped
      const hasToken = held.token !== undefined && now < held.token.endsAt
      // One to be renewed soon is still better than none.
      if (token && token.madeAt > after && (now < token.renewAt || !hasToken)) return (held.token = token)
      // Whoever tries credentials anew heeds nothing but what the vendor itself asked for.
      if (refusal && (!anew || hasWaited || refusal.verdict.kind === 'limited' || refusal.verdict.retryAfterMs !== undefined)) {
        held.refusal = refusal
        return this.#told(refusal)
      }
      if (!shelved.isAsked && (await shelf.claim(seat, { after, dropped: held.dropped, anew }))) return undefined
      if (now - startedAt > LONGEST_WAIT_MS) {
        return { kind: 'down', reason, why: 'another node asks for an access token, and has no answer' }
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      shelved = await shelf.look(seat)
    }
  }

  /** As it was told, with what is left of the time it holds. */
  #told({ verdict, until }: Refusal): Verdict {
    const left = until - this.#clock.now()
    if (verdict.kind === 'limited') return { ...verdict, waitMs: left }
    return verdict.retryAfterMs === undefined ? verdict : { ...verdict, retryAfterMs: left }
  }

  async #fetch({ vendor, account, region }: Errand): Promise<Asked> {
    const access = vendor.access!
    try {
      if ('make' in access) return access.make(account, this.#clock.now())
      const request = access.request(account, region, this.#clock.now())
      const exchanged = await this.#exchange(vendor, account, region, request)
      if (exchanged.kind !== 'reply') {
        return withWait({ ...unanswered(exchanged), kind: 'down', reason, why: `no access token: ${exchanged.why}` }, exchanged)
      }
      const asked = access.read(exchanged.reply, this.#clock.now())
      return 'value' in asked ? asked : withWait(asked, exchanged)
    } catch (error) {
      // A credential that cannot be used although it was checked when it was set.
      return { kind: 'denied', reason, why: `no access token can be made: ${messageOf(error)}` }
    }
  }
}

/** Of all these verdicts: the vendor has not said anything. */
const reason = 'no_access_token'

const valueOf = (asked: Asked): string | Verdict => ('value' in asked ? asked.value : asked)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** How long nobody asks again: as long as the lane is paused for it, and longer while there is a token that works. */
const refusedMs = (verdict: Verdict, now: number, hasToken: boolean): number => {
  const least = Math.max(verdict.retryAfterMs ?? 0, hasToken ? RENEWAL_PAUSE_MS : REFUSED_MS)
  if (verdict.kind === 'denied') return Math.max(least, DENIED_MS)
  if (verdict.kind === 'exhausted') return nextDay(now) - now
  return verdict.kind === 'limited' ? Math.max(least, verdict.waitMs ?? 0) : least
}
