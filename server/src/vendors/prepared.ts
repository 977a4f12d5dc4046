import type { Clock } from '../clock.ts'
import type { Verdict } from './vendor.ts'

/** A stored body keeps the time to live it was stored with: not used for much longer than it took to store. */
const KEPT_MS = 300_000
const MOST_KEPT = 1_000

/** Bodies stored at a vendor, by what they were stored for. */
export class Prepared {
  readonly #clock: Clock
  readonly #kept = new Map<string, { at: number; prepared: Promise<string | Verdict> }>()

  /** Accounts that may store nothing more until then, and what to do instead. */
  readonly #closed = new Map<string, { until: number; verdict: Verdict }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  close(account: string, verdict: Verdict, until: number): void {
    this.#closed.set(account, { until, verdict })
  }

  closed(account: string): Verdict | undefined {
    const closed = this.#closed.get(account)
    if (closed && closed.until <= this.#clock.now()) this.#closed.delete(account)
    return closed && closed.until > this.#clock.now() ? closed.verdict : undefined
  }

  /** Stored once for all who ask for the same; what failed is tried again by the next. */
  async get(key: string, store: () => Promise<string | Verdict>): Promise<string | Verdict> {
    const now = this.#clock.now()
    const kept = this.#kept.get(key)
    if (kept && now - kept.at < KEPT_MS) return kept.prepared
    const entry = { at: now, prepared: store() }
    this.#kept.set(key, entry)
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    let stored: string | Verdict | undefined
    try {
      stored = await entry.prepared
      return stored
    } finally {
      if (typeof stored !== 'string' && this.#kept.get(key) === entry) this.#kept.delete(key)
    }
  }
}
