import type { Tx } from './store.ts'

/**
 * How a bucket of attempts is paced.
 * ladder  some failures are free, then each one doubles the wait
 * rate    a burst is free, then one attempt per interval; what was spent grows back at that rate
 */
export type Pace =
  | { kind: 'ladder'; free: number; firstMs: number; capMs: number; forgetMs: number }
  | { kind: 'rate'; burst: number; everyMs: number }

export interface AttemptLane {
  bucket: string
  pace: Pace
}

export interface Blocked {
  bucket: string
  next_at: number
}

/** A look that costs no write, so that a blocked flood stays cheap. */
export const blockedAttempts = async (
  tx: Tx,
  { lanes, now }: { lanes: AttemptLane[]; now: number },
): Promise<Blocked | undefined> => {
  const blocked = 'SELECT bucket, next_at FROM attempts WHERE bucket = ?1 AND next_at > ?2'
  for (const { bucket } of lanes) {
    const row = await tx.get<Blocked>(blocked, bucket, now)
    if (row) return row
  }
  return undefined
}

/** Counts one attempt as failed in every lane, before anybody knows; or in none, if one lane is blocked. */
export const reserveAttempt = async (
  tx: Tx,
  { lanes, now }: { lanes: AttemptLane[]; now: number },
): Promise<Blocked | undefined> => {
  const reserved: AttemptLane[] = []
  for (const lane of lanes) {
    const row = await tx.get<{ failures: number; next_at: number }>(
      `INSERT INTO attempts (bucket, failures, next_at, forgets_at) VALUES (?1, 1, 0, 0)
       ON CONFLICT (bucket) DO UPDATE
         SET failures = CASE WHEN attempts.forgets_at <= ?2 THEN 1 ELSE attempts.failures + 1 END
         WHERE attempts.next_at <= ?2
       RETURNING failures, next_at`,
      lane.bucket,
      now,
    )
    if (!row) {
      await releaseAttempt(tx, { lanes: reserved })
      return blockedAttempts(tx, { lanes: [lane], now })
    }
    const { nextAt, forgetsAt } = after(lane.pace, row.failures, row.next_at, now)
    await tx.run('UPDATE attempts SET next_at = ?2, forgets_at = ?3 WHERE bucket = ?1', lane.bucket, nextAt, forgetsAt)
    reserved.push(lane)
  }
  return undefined
}

/** Takes a reservation back: the attempt turned out not to be a failure, or was not made at all. */
export const releaseAttempt = async (tx: Tx, { lanes }: { lanes: AttemptLane[] }): Promise<void> => {
  for (const { bucket, pace } of lanes) {
    // An attempt that was allowed found nothing to wait for.
    const [next, ms] = pace.kind === 'rate' ? ['next_at - ?2', pace.everyMs] : ['?2', 0]
    await tx.run(`UPDATE attempts SET failures = failures - 1, next_at = ${next} WHERE bucket = ?1`, bucket, ms)
  }
}

/** The right password: `reset` lanes begin anew, `release` lanes get this attempt back. */
export const forgiveAttempts = async (
  tx: Tx,
  { reset, release }: { reset: string[]; release: AttemptLane[] },
): Promise<void> => {
  for (const bucket of reset) await tx.run('DELETE FROM attempts WHERE bucket = ?1', bucket)
  await releaseAttempt(tx, { lanes: release })
}

export const purgeAttempts = async (tx: Tx, { now }: { now: number }): Promise<number> =>
  tx.run('DELETE FROM attempts WHERE forgets_at <= ?1', now)

const after = (pace: Pace, failures: number, nextAt: number, now: number): { nextAt: number; forgetsAt: number } => {
  if (pace.kind === 'rate') {
    // The time of the next attempt lies a whole burst in the past while nothing is spent, and moves up with each one.
    const burstMs = pace.burst * pace.everyMs
    const next = Math.max(nextAt, now - burstMs) + pace.everyMs
    return { nextAt: next, forgetsAt: next + burstMs }
  }
  const costly = failures - pace.free
  const waitMs = Math.min(pace.capMs, pace.firstMs * 2 ** (costly - 1))
  // A free one is waited for on nobody's clock: the node of the next attempt may be behind the one of this.
  return costly <= 0 ? { nextAt: 0, forgetsAt: now + pace.forgetMs } : { nextAt: now + waitMs, forgetsAt: now + waitMs + pace.forgetMs }
}
