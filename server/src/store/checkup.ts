import type { Tx } from './store.ts'

/** Certificates whose own date comes before `before`. */
export const expiringCertificates = async (
  tx: Tx,
  { before }: { before: number },
): Promise<{ app_id: string; vendor: string; environment: number; expires_at: number }[]> =>
  tx.all(
    `SELECT a.app_id, c.vendor, c.environment, c.expires_at FROM certificates c JOIN apps a ON a.id = c.app
     WHERE c.expires_at < ?1 ORDER BY c.expires_at, c.id`,
    before,
  )

/** Tasks that somebody should have planned or delivered before `before`, and how long the oldest has waited since. */
export const overdueTasks = async (
  tx: Tx,
  { before }: { before: number },
): Promise<{ count: number; oldest: number | null }> => {
  const row = await tx.get<{ count: number; oldest: number | null }>(
    `SELECT COUNT(DISTINCT id) AS count, MIN(since) AS oldest FROM (
       SELECT id, plan_at AS since FROM tasks WHERE plan_at < ?1 AND held_until < ?1
       UNION ALL SELECT task_id AS id, due_at AS since FROM batches WHERE due_at < ?1 AND held_until < ?1
     ) late`,
    before,
  )
  return row!
}
