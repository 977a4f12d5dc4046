import { seconds } from './exchange.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** When the next connection may be tried, after some that came to nothing: hammering a vendor gets one locked out. */
export class Reconnect {
  #failures = 0
  #until = 0
  #why = ''

  /** Pauses: 1 s, 2 s, 4 s … 60 s, each shortened by up to a half so that nodes do not come back all at once. */
  failed(why: string, now: number, chance: number): void {
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures)
    this.#failures += 1
    this.#until = now + pause * (1 - chance / 2)
    this.#why = why
  }

  worked(): void {
    this.#failures = 0
    this.#until = 0
  }

  /** Why not now; undefined when it may be tried. */
  pause(now: number): string | undefined {
    return now < this.#until ? `${this.#why}; the next try is in ${seconds(this.#until - now)}` : undefined
  }
}
