/** What a name may use up in a stretch of time; when the next one begins, it has everything again. */
export interface Allowance {
  used(name: string): number
  /** False, and nothing is used, when it would be more than there is. */
  take(name: string, count: number, most: number): boolean
}

export const DAY_MS = 24 * 3600_000
/** The vendors' days begin at midnight in China, eight hours before UTC's. */
const CHINA_MS = 8 * 3600_000

export const allowance = (now: () => number, stretchMs: number): Allowance => {
  const byName = new Map<string, { stretch: number; count: number }>()
  const stretchOf = () => Math.floor((now() + CHINA_MS) / stretchMs)
  const used = (name: string): number => {
    const entry = byName.get(name)
    return entry?.stretch === stretchOf() ? entry.count : 0
  }
  return {
    used,
    take(name, count, most) {
      const sum = used(name) + count
      if (sum > most) return false
      byName.set(name, { stretch: stretchOf(), count: sum })
      return true
    },
  }
}
