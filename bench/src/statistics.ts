import type { BarredRow } from './job.ts'

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export type Verdict = 'goal' | 'first bar' | 'below'

/** Which of its bars the median of a row holds. */
export const verdictOf = ({ better, firstBar, goal, values }: BarredRow): Verdict => {
  const value = median(values)
  const holds = (bar: number): boolean => (better === 'more' ? value >= bar : value <= bar)
  if (holds(goal)) return 'goal'
  return holds(firstBar) ? 'first bar' : 'below'
}

/** How much of the goal is reached: 1 is the goal, whichever way is better. */
export const shareOfGoal = (value: number, { better, goal }: Pick<BarredRow, 'better' | 'goal'>): number =>
  better === 'more' ? value / goal : goal / value
