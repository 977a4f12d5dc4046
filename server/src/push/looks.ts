const KEPT_MS = 1_000
/** A look that took long is taken less often: no more than a fiftieth of the time goes into it. */
const REST = 50

/** What people look at, by its id: read at most once a second, however many look. */
export class Looks<V> {
  readonly #now: () => number
  readonly #kept = new Map<number, { until: number; look: Promise<V> }>()

  /** `now`: in milliseconds from any beginning. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get(id: number, read: () => Promise<V>): Promise<V> {
    const now = this.#now()
    for (const [other, { until }] of this.#kept) if (until <= now) this.#kept.delete(other)
    const kept = this.#kept.get(id)
    if (kept) return kept.look
    const look = read()
    void this.#keep(id, look, now)
    return look
  }

  async #keep(id: number, look: Promise<V>, startedAt: number): Promise<void> {
    const entry = { until: Infinity, look }
    this.#kept.set(id, entry)
    try {
      await look
      const now = this.#now()
      entry.until = startedAt + Math.max(KEPT_MS, REST * (now - startedAt))
    } catch {
      this.#kept.delete(id) // whoever waits is told; the next one asks again
    }
  }
}
