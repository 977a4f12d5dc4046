/** How often what a channel failed with in a way nobody foresaw is tried before the push counts as refused. */
export const UNKNOWN_ATTEMPTS = 3

/** How often a device that is here but busy is given another wait for its acknowledgement. */
export const QUEUED_ATTEMPTS = 2

/** When a lane whose credentials were not accepted is tried again by itself; a new certificate is a new lane. */
export const DENIED_MS = 60_000

const FIRST_MS = 1_000
const LONGEST_MS = 300_000

/** Doubling, with jitter so that what failed together does not come back together. `chance` is in [0, 1). */
export const backoffMs = (attempt: number, chance: number): number => {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, attempt - 1))
  return Math.round(full / 2 + (full / 2) * chance)
}
