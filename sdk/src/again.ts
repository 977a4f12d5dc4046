import { CarillonError } from './call.ts'
import { type Clock, systemClock } from './clock.ts'
import { pauseMs, type Pauses, usualPauses } from './pauses.ts'

/** How long to keep asking. */
export interface Patience {
  /** In all, the first one included. */
  attempts: number
  pauses: Partial<Pauses>
  clock: Clock
  chance: () => number
}

const ATTEMPTS = 6
const TOO_MANY = 42900
const CANNOT_STORE = 50300

/** Asks again while the network fails or the server cannot take it now. Only for what may be asked twice. */
export const again = async <D>(
  ask: () => Promise<D>,
  { attempts = ATTEMPTS, pauses = {}, clock = systemClock, chance = Math.random }: Partial<Patience>,
): Promise<D> => {
  for (let failures = 1; ; failures += 1) {
    try {
      return await ask()
    } catch (error) {
      if (!isPassing(error) || failures >= attempts) throw error
      // The server knows better than we when it can; jitter on top, because it told others the same second.
      const asked = (error.retryAfterSeconds ?? 0) * 1000
      const { promise, resolve } = Promise.withResolvers<void>()
      clock.after(asked + pauseMs({ ...usualPauses, ...pauses }, failures, chance), resolve)
      await promise
    }
  }
}

/** 0 is no answer of Carillon's, and so nothing is known: the request_id makes asking again harmless. */
const isPassing = (error: unknown): error is CarillonError =>
  error instanceof CarillonError && [0, TOO_MANY, CANNOT_STORE].includes(error.code)
