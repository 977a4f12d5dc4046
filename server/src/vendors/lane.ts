import { type Grounds, groundsIn } from '@carillon/protocol/sentences/reasons.ts'
import type { Clock } from '../clock.ts'
import { backoffMs } from '../push/retry.ts'
import type { Judged } from '../store/guard.ts'
import type { Rate } from './rate.ts'
import type { Limits } from './vendor.ts'

/** Requests in a row that failed on the vendor's side, after which it counts as down. */
const BREAKS_AFTER = 5
const LONGEST_BREAK_MS = 60_000

/**
 * open    takes work
 * paused  takes none until a time: asked to wait, out of allowance, denied, or broken
 * trying  after a break, one request at a time until one succeeds
 */
export type LaneState = 'open' | 'paused' | 'trying'

/** What a lane with so many failures in a row is. */
export const laneState = (pausedUntil: number, failures: number, now: number): LaneState => {
  if (now < pausedUntil) return 'paused'
  return failures >= BREAKS_AFTER ? 'trying' : 'open'
}

/** Why a lane is not open, and until when. */
export interface LaneTrouble extends Grounds {
  until: number
}

/** Says when too many of the answers call a token dead. */
interface LaneGuard {
  readonly since: number | undefined
  count(now: number, answers: number, dead: number): Judged
}

/** One app at one vendor in one environment: how much at once, how fast, and whether at all. */
export class Lane {
  readonly guard: LaneGuard
  readonly #limits: Limits
  readonly #clock: Clock
  readonly #rate: Rate
  #underWay = 0
  /** Those who wait for room. */
  readonly #waiting: (() => void)[] = []
  /** Those who have room and wait for the rate. */
  readonly #asleep = new Set<() => void>()
  #pausedUntil = 0
  #grounds: Grounds = { why: '' }
  #failures = 0
  #successes = 0
  /** What the operator was last told of it. */
  #told = ''

  constructor(limits: Limits, clock: Clock, rate: Rate, guard: LaneGuard) {
    this.#limits = limits
    this.#clock = clock
    this.#rate = rate
    this.guard = guard
  }

  get state(): LaneState {
    return laneState(this.#pausedUntil, this.#failures, this.#clock.now())
  }

  /** In a row. */
  get failures(): number {
    return this.#failures
  }

  /** How often the vendor has answered sensibly. */
  get successes(): number {
    return this.#successes
  }

  get underWay(): number {
    return this.#underWay
  }

  /** Until when it is paused, and why; what was last said of it while it tries again. */
  get trouble(): LaneTrouble | undefined {
    return this.state === 'open' ? undefined : { until: this.#pausedUntil, ...this.#grounds }
  }

  /** When it may be tried again, in whole milliseconds: not before its pause is over, nor before the rate has room. */
  get resumesAt(): number {
    return Math.ceil(Math.max(this.#clock.now(), this.#pausedUntil, this.#rate.freeAt))
  }

  /** Takes a place where there is nothing to wait for: the usual case, without a promise. */
  enterNow(devices: number, until: number): boolean {
    if (this.#waiting.length > 0 || this.#underWay >= this.#room() || !this.takesWork(until)) return false
    const units = this.#unitsOf(devices)
    const now = this.#clock.now()
    const startAt = this.#rate.next(units, now)
    if (startAt === undefined || startAt >= until || startAt - now > this.#rate.earlyMs) return false
    this.#take(units, startAt)
    return true
  }

  /** Waits for its turn. False: the lane is paused now, or `until` is over. */
  async enter(devices: number, until: number): Promise<boolean> {
    const units = this.#unitsOf(devices)
    for (;;) {
      while (this.#underWay >= this.#room()) {
        if (!this.takesWork(until)) return false
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
      const now = this.#clock.now()
      const startAt = this.takesWork(until) ? this.#rate.next(units, now) : until
      if (startAt === undefined) {
        await this.#rate.more(units)
        continue // meanwhile others may have come or gone
      }
      if (startAt >= until) {
        this.#waiting.shift()?.() // its turn goes to the next, who may have more time
        return false
      }
      this.#take(units, startAt)
      if (startAt - now <= this.#rate.earlyMs) return true
      await this.#sleep(startAt - now)
      if (this.takesWork(until)) return true
      this.leave()
      return false
    }
  }

  leave(): void {
    this.#underWay -= 1
    this.#waiting.shift()?.()
  }

  /** The vendor answered sensibly: there is room for all again. */
  works(): void {
    const wasTrying = this.#failures >= BREAKS_AFTER
    this.#failures = 0
    this.#successes += 1
    this.#told = ''
    if (wasTrying) this.#wakeForRoom()
  }

  /** What other nodes have found out about it. */
  learn({ pausedUntil, failures, ...heard }: Grounds & { pausedUntil: number; failures: number }): void {
    const wasTrying = this.#failures >= BREAKS_AFTER
    if (failures >= BREAKS_AFTER) this.#failures = Math.max(this.#failures, failures)
    else if (wasTrying) this.#failures = 0
    if (pausedUntil > this.#pausedUntil) this.pause(pausedUntil, groundsIn(heard))
    if (wasTrying && this.state === 'open') this.#wakeForRoom()
  }

  #wakeForRoom(): void {
    for (const wake of this.#waiting.splice(0, this.#limits.concurrency - this.#underWay)) wake()
  }

  /** It did not. True when the lane has just been given a break for it. */
  fails(grounds: Grounds, chance: number): boolean {
    // Begun before the pause: a connection that takes hundreds of requests with it is one failure, not hundreds.
    if (this.state === 'paused') return false
    this.#failures += 1
    if (this.#failures < BREAKS_AFTER) return false
    const breakMs = Math.min(LONGEST_BREAK_MS, backoffMs(this.#failures - BREAKS_AFTER + 1, chance))
    return this.pause(this.#clock.now() + breakMs, grounds)
  }

  /** Takes nothing until then. A shorter pause does not cut a longer one. True when it was open before. */
  pause(until: number, grounds: Grounds): boolean {
    const wasOpen = this.state !== 'paused'
    if (until > this.#pausedUntil) {
      this.#pausedUntil = until
      this.#grounds = grounds
    }
    if (this.state !== 'paused') return wasOpen
    for (const wake of [...this.#waiting.splice(0), ...this.#asleep]) wake()
    this.#rate.reset()
    return wasOpen
  }

  /** Whether the operator does not know this yet. It is the same trouble until something has worked. */
  isNews(why: string): boolean {
    const isNews = this.#told !== why
    this.#told = why
    return isNews
  }

  /** Whether something may begin now that has to begin before then. */
  takesWork(until: number): boolean {
    const now = this.#clock.now()
    return now >= this.#pausedUntil && now < until
  }

  #unitsOf(devices: number): number {
    return this.#limits.counts === 'devices' ? devices : 1
  }

  #take(units: number, startAt: number): void {
    this.#rate.take(units, startAt)
    this.#underWay += 1
  }

  #room(): number {
    return this.state === 'trying' ? 1 : this.#limits.concurrency
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#asleep.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      this.#asleep.add(wake)
    })
  }
}
