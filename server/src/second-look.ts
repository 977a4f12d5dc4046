import type { Clock } from './clock.ts'

/**
 * A push planned at the moment its device arrives may call it away and reach its inbox after that was read: its planning
 * commits a moment after it has looked. Soon enough for nobody to notice; and once more when no transaction that was under
 * way can be left (store/postgres/session.ts), for the one that hung.
 */
const AFTER_MS = [2_000, 60_000] as const
const EACH_MS = 500

/** Reads the inboxes of devices once more, some time after they arrived. For nodes on a store that others write to. */
export class SecondLook {
  readonly #clock: Clock
  readonly #waiting = AFTER_MS.map((afterMs) => ({ afterMs, arrivals: [] as { deviceId: number; at: number }[] }))
  readonly #timer: NodeJS.Timeout

  constructor(clock: Clock, wake: (deviceId: number) => void) {
    this.#clock = clock
    this.#timer = setInterval(() => {
      for (const deviceId of this.#due()) wake(deviceId)
    }, EACH_MS)
  }

  add(deviceId: number): void {
    const at = this.#clock.now()
    for (const { arrivals } of this.#waiting) arrivals.push({ deviceId, at })
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #due(): number[] {
    const now = this.#clock.now()
    return this.#waiting.flatMap(({ afterMs, arrivals }) => {
      const later = arrivals.findIndex(({ at }) => at + afterMs > now)
      return arrivals.splice(0, later < 0 ? arrivals.length : later).map(({ deviceId }) => deviceId)
    })
  }
}
