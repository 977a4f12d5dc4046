/** When a lane's requests may begin, so that the vendor never gets more a second than it allows. */
export interface Rate {
  /** So much earlier than its time a request may begin: shorter bursts are nobody's trouble. */
  readonly earlyMs: number
  /** The time of the next request, which counts for so many; undefined: there is none yet, wait for `more`. */
  next(units: number, now: number): number | undefined
  /** It begins at that time, as `next` gave it. */
  take(units: number, startAt: number): void
  /** Resolves when it is worth while to ask again. */
  more(units: number): Promise<void>
  /** Before then there is no time left, as far as is known. */
  readonly freeAt: number
  /** Whoever waited for their time will not use it. */
  reset(): void
}

const BURST_MS = 100

/** The rate of a node that has the lane to itself. */
export class OwnRate implements Rate {
  readonly earlyMs = BURST_MS
  readonly #unitMs: number
  #freeAt = 0

  constructor(perSecond: number) {
    this.#unitMs = 1000 / perSecond
  }

  get freeAt(): number {
    return this.#freeAt
  }

  next(_units: number, now: number): number {
    return Math.max(now, this.#freeAt)
  }

  /** It waits for those before it, never for its own size: one too large for the time given would wait for ever. */
  take(units: number, startAt: number): void {
    this.#freeAt = startAt + units * this.#unitMs
  }

  /** There is always a next one. */
  more(): Promise<void> {
    return Promise.resolve()
  }

  reset(): void {
    this.#freeAt = 0
  }
}
