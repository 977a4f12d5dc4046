// Longer than any transaction may last, a commit that waits for a second server included.
const AWAITED_MS = 600_000
// More ids than transactions under way could have drawn. A longer run of missing ones is a jump of the counter.
const MOST_AWAITED = 1_000

/**
 * Which changes have been heard of. Many nodes draw ids at once and commit in any order, so an id below one already
 * heard may still appear: an id that is missing is asked for by name, until nobody can be about to commit it any more.
 */
export class Heard {
  #newest: number
  readonly #awaited = new Map<number, number>()

  /** Nothing up to `newest` is news, `present` being what is there of the last ids; what is missing among them is awaited. */
  constructor(newest: number, present: readonly number[], now: number) {
    this.#newest = newest
    const there = new Set(present)
    for (let id = Math.max(1, newest - MOST_AWAITED); id < newest; id += 1) if (!there.has(id)) this.#awaited.set(id, now)
  }

  get newest(): number {
    return this.#newest
  }

  /** The last ids that somebody who begins at `newest` should look at. */
  static before(newest: number): number {
    return Math.max(0, newest - MOST_AWAITED - 1)
  }

  /** What to ask for next. */
  wanted(now: number): { after: number; missing: number[] } {
    for (const [id, since] of this.#awaited) {
      if (since + AWAITED_MS > now) break // they stand in the order in which they were missed
      this.#awaited.delete(id)
    }
    return { after: this.#newest, missing: [...this.#awaited.keys()] }
  }

  /** Whether this id is news; ids of one look come in ascending order. */
  hear(id: number, now: number): boolean {
    if (id <= this.#newest) return this.#awaited.delete(id)
    for (let missed = Math.max(this.#newest + 1, id - MOST_AWAITED); missed < id; missed += 1) this.#awaited.set(missed, now)
    this.#newest = id
    return true
  }
}
