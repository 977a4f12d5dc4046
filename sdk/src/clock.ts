/** Time as the SDK uses it; tests bring one they move by hand. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Does the work once, later; the answer takes it back. */
  after(ms: number, work: () => void): () => void
}

/** Timers cannot wait longer than this in one go; beyond it they would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, work) {
    let timer: ReturnType<typeof setTimeout>
    const wait = (left: number): void => {
      timer = setTimeout(() => (left > LONGEST_MS ? wait(left - LONGEST_MS) : work()), Math.min(left, LONGEST_MS))
    }
    wait(ms)
    return () => clearTimeout(timer)
  },
}
