/** Chance that can be repeated: the same seed gives the same draws in the same order. */
export class Chance {
  readonly seed: number
  #state: number

  /** `SEED=123` in the environment repeats a run. */
  constructor(seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))) {
    this.seed = seed
    this.#state = seed
  }

  /** In [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let z = this.#state
    z = Math.imul(z ^ (z >>> 15), z | 1)
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61)
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 to just below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  some<T>(items: readonly T[], count: number): T[] {
    return Array.from({ length: count }, () => this.pick(items))
  }
}
