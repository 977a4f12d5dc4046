import type { Clock } from '../clock.ts'
import type { Rate } from './rate.ts'

/** The most that is taken at once, unless a single request needs more: others have their turn after it. */
const LONGEST_MS = 250
/** The least: what is less than a few microseconds is lost in rounding. */
const SHORTEST_MS = 0.1
/**
 * A request may begin a little before or after its time. What nobody has used by then is lost: kept for later it could
 * be sent on top of everybody else's. For any second this allows a tenth more than the rate, as on a single node.
 */
const EARLY_MS = 20
const LATE_MS = 80
/** Who takes time for so many requests at once does not wait for the next stretch: it is taken when half is used. */
const AHEAD_REQUESTS = 4
const IDLE_MS = 1_000
const AGAIN_MS = 250
const LONGEST_LEAD_MS = 1_000
/** Stretches are whole microseconds. */
const TINY_MS = 0.002

/** Time that is this node's alone. */
interface Stretch {
  at: number
  end: number
}

/** Takes the lane's next stretch of this length, from `fromUs` on or later; where it ends. In Unix microseconds. */
export type TakeTime = (fromUs: number, lengthUs: number) => Promise<number>

/**
 * The rate of a lane that many nodes send through. Its time is given out by the store in stretches, each to one node:
 * so all together never send faster, however many they are, and one that is busy alone has all of it. A node takes what
 * it needs at first, and twice as much each time it has used up all. While the store is away nothing is sent.
 */
export class SharedRate implements Rate {
  readonly earlyMs = EARLY_MS
  readonly #unitMs: number
  readonly #clock: Clock
  readonly #takeTime: TakeTime
  /** In their order. */
  readonly #stretches: Stretch[] = []
  #asking: Promise<void> | undefined
  /** What was asked for last, and what has become of it since. */
  #asked = 0
  #askedAt = 0
  #used = 0
  #isLost = false
  /** How long the store took last: what is asked for begins when the answer is here. */
  #leadMs = 0

  constructor(perSecond: number, clock: Clock, takeTime: TakeTime) {
    this.#unitMs = 1000 / perSecond
    this.#clock = clock
    this.#takeTime = takeTime
  }

  get freeAt(): number {
    return this.#stretches[0]?.at ?? 0
  }

  next(units: number, now: number): number | undefined {
    this.#drop(now)
    const needed = units * this.#unitMs - TINY_MS
    while (this.#stretches.length > 1 && lengthOf(this.#stretches[0]!) < needed) this.#lose()
    const first = this.#stretches[0]
    return first && lengthOf(first) >= needed ? first.at : undefined
  }

  take(units: number, startAt: number): void {
    this.#stretches[0]!.at = startAt + units * this.#unitMs
    this.#used += units
    const left = this.#stretches.reduce((sum, stretch) => sum + lengthOf(stretch), 0)
    if (this.#asked >= AHEAD_REQUESTS * units && left < (this.#asked * this.#unitMs) / 2) void this.more(units)
  }

  more(units: number): Promise<void> {
    return (this.#asking ??= this.#ask(units).finally(() => (this.#asking = undefined)))
  }

  /** What is taken stays taken; by the time of the next request it is over. */
  reset(): void {}

  async #ask(units: number): Promise<void> {
    const now = this.#clock.now()
    const size = this.#sizeFor(units, now)
    this.#asked = size
    this.#askedAt = now
    this.#used = 0
    this.#isLost = false
    try {
      const endUs = await this.#takeTime(Math.ceil((now + this.#leadMs) * 1000), Math.ceil(size * this.#unitMs * 1000))
      this.#add({ at: endUs / 1000 - size * this.#unitMs, end: endUs / 1000 })
      this.#leadMs = Math.min(LONGEST_LEAD_MS, this.#clock.now() - now)
    } catch {
      // The store says itself that it is away. Whoever waits has a time after which it waits no more.
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }

  /** In whole requests: what is left of a stretch and too short for one helps nobody. */
  #sizeFor(units: number, now: number): number {
    const isIdle = now - this.#askedAt > IDLE_MS
    const wanted = isIdle ? 0 : 2 * (this.#isLost ? this.#used : this.#asked)
    const size = Math.max(units, SHORTEST_MS / this.#unitMs, Math.min(wanted, LONGEST_MS / this.#unitMs))
    return Math.ceil(size / units) * units
  }

  #add(stretch: Stretch): void {
    const last = this.#stretches.at(-1)
    if (last && stretch.at - last.end < TINY_MS) last.end = stretch.end
    else this.#stretches.push(stretch)
  }

  #drop(now: number): void {
    for (let first; (first = this.#stretches[0]) !== undefined; ) {
      const at = Math.max(first.at, now - LATE_MS)
      if (at > first.at) this.#isLost = true
      if (at < first.end - TINY_MS) {
        first.at = at
        return
      }
      this.#stretches.shift()
    }
  }

  #lose(): void {
    this.#isLost = true
    this.#stretches.shift()
  }
}

const lengthOf = ({ at, end }: Stretch): number => end - at
