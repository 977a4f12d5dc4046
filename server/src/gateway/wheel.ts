const SLOTS = 64 // a power of two; what is due later is looked at once a turn and put back

/** Something with deadlines. It is looked at when one may have passed, and asks again for the next one. */
export interface Watched {
  /** The second it will be looked at; 0: not watched. The wheel's own. */
  dueAt: number
  look(): void
}

/**
 * All deadlines of the gateway: one timer for all connections instead of one or two each. Seconds are counted, not read
 * from a clock: a process that stood still, or a clock that was set, expires nobody.
 */
export class Wheel {
  /** Seconds turned so far. */
  second = 1
  readonly #slots = Array.from({ length: SLOTS }, () => new Set<Watched>())
  #timer: NodeJS.Timeout | undefined

  start(): void {
    this.#timer ??= setInterval(() => this.turn(), 1000).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Looks at it in so many seconds, or sooner: an earlier date stands. */
  watch(item: Watched, seconds: number): void {
    const dueAt = this.second + Math.max(1, Math.min(seconds, SLOTS - 1))
    if (item.dueAt !== 0 && item.dueAt <= dueAt) return
    this.forget(item)
    item.dueAt = dueAt
    this.#slots[dueAt % SLOTS]!.add(item)
  }

  forget(item: Watched): void {
    if (item.dueAt === 0) return
    this.#slots[item.dueAt % SLOTS]!.delete(item)
    item.dueAt = 0
  }

  turn(): void {
    this.second += 1
    const slot = this.#slots[this.second % SLOTS]!
    // Nothing can be put back into this slot from here: no date is a whole turn away.
    for (const item of slot) {
      this.forget(item)
      item.look()
    }
  }
}
