import { Refused } from '@carillon/protocol/errors.ts'
import type { Clock } from '../clock.ts'
import { throttled } from '../metrics.ts'
import {
  type AttemptLane,
  type Blocked,
  blockedAttempts,
  forgiveAttempts,
  releaseAttempt,
  reserveAttempt,
} from '../store/attempts.ts'
import type { Store } from '../store/store.ts'
import { sourceOf } from './source.ts'

export interface ThrottleOptions {
  /** Failures of an account that cost nothing; each one after them doubles the wait. */
  accountFree: number
  accountFirstMs: number
  accountCapMs: number
  /** So long after the last failure an account has a clean sheet. */
  accountForgetMs: number
  /** Failures of a source address that cost nothing; they grow back one per interval. */
  addressBurst: number
  addressEveryMs: number
  /** How much wider the bucket of registrations is. */
  registrationFactor: number
  /** Attempts that may wait for the outcome of others. */
  waiting: number
}

const standard: ThrottleOptions = {
  accountFree: 5,
  accountFirstMs: 1_000,
  accountCapMs: 900_000,
  accountForgetMs: 86_400_000,
  addressBurst: 60,
  addressEveryMs: 5_000,
  registrationFactor: 10,
  waiting: 200,
}

export interface Guess {
  /** Whose password is tried, as text: a user's id, or the name somebody thought of. */
  account: string
  /** A device this user has used before: it is not locked out by what others do to the account. */
  knownDevice?: string
  address: string
}

type Reserved = { leave: () => void; blocked?: never } | { leave?: never; blocked: Blocked }

/**
 * Guessing is slow: every attempt is counted as a failure before its hash is computed, so that attempts side by side
 * cannot slip through, and taken back when it turns out right.
 */
export class Throttle {
  readonly #store: Store
  readonly #clock: Clock
  readonly #options: ThrottleOptions
  /** Attempts of this node whose outcome is open, by bucket. */
  readonly #underWay = new Map<string, Set<Promise<void>>>()
  #waiting = 0

  constructor(store: Store, clock: Clock, options: Partial<ThrottleOptions> = {}) {
    this.#store = store
    this.#clock = clock
    this.#options = { ...standard, ...options }
  }

  /** Runs `check` if there is an attempt left. A locked account is a wrong password; a locked address is told so. */
  async guess({ account, knownDevice, address }: Guess, check: () => Promise<boolean>): Promise<boolean> {
    const own = this.#accountLane(knownDevice === undefined ? `account:${account}` : `device:${account}:${knownDevice}`)
    const source = this.#addressLane(`address:${sourceOf(address)}`, 1)
    const lanes = [source, own]
    const { leave, blocked } = await this.#reserve(lanes)
    if (blocked?.bucket === own.bucket) {
      throttled.account.value += 1
      return false
    }
    if (blocked) throw this.#tooMany('address', 'too many failed attempts from this address', blocked)
    try {
      const right = await check()
      if (right) {
        const reset = [`account:${account}`, own.bucket]
        await this.#store.write(forgiveAttempts, { reset, release: [source] })
      }
      return right
    } catch (error) {
      await this.#store.write(releaseAttempt, { lanes })
      throw error
    } finally {
      leave()
    }
  }

  /** Counts a registration; throws when the address has made too many. */
  async registration(address: string): Promise<void> {
    const lanes = [this.#addressLane(`registration:${sourceOf(address)}`, this.#options.registrationFactor)]
    const now = this.#clock.now()
    const blocked =
      (await this.#store.read(blockedAttempts, { lanes, now })) ??
      (await this.#store.write(reserveAttempt, { lanes, now }))
    if (blocked) throw this.#tooMany('registration', 'too many registrations from this address', blocked)
  }

  /**
   * A lane may be blocked only by attempts that are still under way, and those may be right: then it waits for one of
   * them and looks again. So a user who logs in ten times at once is let in ten times.
   */
  async #reserve(lanes: AttemptLane[]): Promise<Reserved> {
    for (;;) {
      const now = this.#clock.now()
      let blocked = await this.#store.read(blockedAttempts, { lanes, now })
      if (!blocked) {
        const leave = this.#enter(lanes)
        try {
          blocked = await this.#store.write(reserveAttempt, { lanes, now })
        } catch (error) {
          leave()
          throw error
        }
        if (!blocked) return { leave }
        leave()
      }
      const others = this.#underWay.get(blocked.bucket)
      if (!others) return { blocked }
      if (this.#waiting >= this.#options.waiting) throw this.#tooMany('waiting', 'too many attempts at once', blocked)
      this.#waiting += 1
      await Promise.race(others)
      this.#waiting -= 1
    }
  }

  #enter(lanes: AttemptLane[]): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const { bucket } of lanes) {
      const here = this.#underWay.get(bucket) ?? new Set()
      this.#underWay.set(bucket, here.add(promise))
    }
    return () => {
      for (const { bucket } of lanes) {
        const here = this.#underWay.get(bucket)!
        here.delete(promise)
        if (here.size === 0) this.#underWay.delete(bucket)
      }
      resolve()
    }
  }

  #accountLane(bucket: string): AttemptLane {
    const { accountFree: free, accountFirstMs: firstMs, accountCapMs: capMs, accountForgetMs: forgetMs } = this.#options
    return { bucket, pace: { kind: 'ladder', free, firstMs, capMs, forgetMs } }
  }

  #addressLane(bucket: string, wider: number): AttemptLane {
    const { addressBurst, addressEveryMs } = this.#options
    return { bucket, pace: { kind: 'rate', burst: addressBurst * wider, everyMs: Math.ceil(addressEveryMs / wider) } }
  }

  #tooMany(lane: keyof typeof throttled, message: string, blocked: Blocked): Refused {
    throttled[lane].value += 1
    const retryAfter = Math.max(1, Math.ceil((blocked.next_at - this.#clock.now()) / 1000))
    return new Refused('tooMany', message, { retryAfter })
  }
}
