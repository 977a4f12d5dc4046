import type { Clock } from '../clock.ts'

const MOST_KEPT = 100_000

/**
 * Devices that their vendor asked to leave alone for a while. A batch is due again as soon as the first of its devices
 * is, and the next task may be for the same device: neither may reach it before its time.
 */
export class Resting {
  readonly #clock: Clock
  readonly #until = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(account: string, deviceId: number, until: number): void {
    const key = keyOf(account, deviceId)
    this.#until.set(key, Math.max(until, this.#until.get(key) ?? 0))
    if (this.#until.size > MOST_KEPT) this.#until.delete(this.#until.keys().next().value!)
  }

  /** Until when; undefined for the rested and for all others. */
  until(account: string, deviceId: number): number | undefined {
    const key = keyOf(account, deviceId)
    const until = this.#until.get(key)
    if (until === undefined || until > this.#clock.now()) return until
    this.#until.delete(key)
    return undefined
  }

  get isEmpty(): boolean {
    return this.#until.size === 0
  }
}

const keyOf = (account: string, deviceId: number): string => `${account} ${deviceId}`
