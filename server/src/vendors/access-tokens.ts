import type { Clock } from '../clock.ts'
import type { OpenAccount } from './accounts.ts'
import type { Exchanged } from './exchange.ts'
import type { AccessToken, Vendor, VendorRequest, Verdict } from './vendor.ts'

type Asked = AccessToken | Verdict

interface Held {
  token: AccessToken | undefined
  /** A new one is on its way: everybody waits for the same one. */
  asking: Promise<Asked> | undefined
  /** While a token still works, a vendor that gave no new one is not asked again before then. */
  askAgainAt: number
}

type Exchange = (vendor: Vendor, account: OpenAccount, region: string, request: VendorRequest) => Promise<Exchanged>

const MOST_KEPT = 10_000
const RENEWAL_PAUSE_MS = 10_000

/** Access tokens of all accounts, each asked for once however many need it. */
export class AccessTokens {
  readonly #clock: Clock
  readonly #exchange: Exchange
  readonly #held = new Map<string, Held>()

  constructor(clock: Clock, exchange: Exchange) {
    this.#clock = clock
    this.#exchange = exchange
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
    const held = this.#of(account, region)
    const now = this.#clock.now()
    const { token } = held
    if (token && now < token.renewAt) return token.value
    if (token && now < token.endsAt) {
      // Good for a while yet; the new one comes beside the work.
      if (now >= held.askAgainAt) void this.#ask(held, vendor, account, region)
      return token.value
    }
    return valueOf(await this.#ask(held, vendor, account, region))
  }

  /** Asked for now, whether or not there is one: what the vendor thinks of these credentials today. */
  async getNew(vendor: Vendor, account: OpenAccount, region: string): Promise<string | Verdict> {
    if (!vendor.access) return ''
    return valueOf(await this.#ask(this.#of(account, region), vendor, account, region))
  }

  /** The vendor does not take this one any more. One that has been replaced meanwhile is left alone. */
  drop(account: OpenAccount, region: string, value: string): void {
    const held = this.#held.get(`${account.key} ${region}`)
    if (held?.token?.value === value) held.token = undefined
  }

  forget({ key }: OpenAccount): void {
    for (const name of this.#held.keys()) if (name.startsWith(`${key} `)) this.#held.delete(name)
  }

  #of(account: OpenAccount, region: string): Held {
    const name = `${account.key} ${region}`
    let held = this.#held.get(name)
    if (!held) {
      held = { token: undefined, asking: undefined, askAgainAt: 0 }
      this.#held.set(name, held)
      if (this.#held.size > MOST_KEPT) this.#held.delete(this.#held.keys().next().value!)
    }
    return held
  }

  #ask(held: Held, vendor: Vendor, account: OpenAccount, region: string): Promise<Asked> {
    held.asking ??= this.#fetch(vendor, account, region)
      .then((asked) => {
        if ('value' in asked) held.token = asked
        else held.askAgainAt = this.#clock.now() + RENEWAL_PAUSE_MS
        return asked
      })
      .finally(() => (held.asking = undefined))
    return held.asking
  }

  async #fetch(vendor: Vendor, account: OpenAccount, region: string): Promise<Asked> {
    const access = vendor.access!
    try {
      if ('make' in access) return access.make(account, this.#clock.now())
      const exchanged = await this.#exchange(vendor, account, region, access.request(account, region, this.#clock.now()))
      if (exchanged.kind !== 'reply') return { kind: 'down', why: `no access token: ${exchanged.why}` }
      const asked = access.read(exchanged.reply, this.#clock.now())
      if ('value' in asked) return asked
      const { retryAfterMs } = exchanged
      return asked.kind === 'limited' && retryAfterMs !== undefined ? { ...asked, waitMs: retryAfterMs } : asked
    } catch (error) {
      // A credential that cannot be used although it was checked when it was set.
      return { kind: 'denied', why: `no access token can be made: ${error instanceof Error ? error.message : String(error)}` }
    }
  }
}

const valueOf = (asked: Asked): string | Verdict => ('value' in asked ? asked.value : asked)
