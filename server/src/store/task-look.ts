import type { BatchChannel } from './batches.ts'
import type { Tx } from './store.ts'

/** A part of a task's batches: about `some`, after this page of theirs. */
export interface Part {
  taskId: number
  after: number
  some: number
}

/**
 * The last page of a part; null when there is nothing more. A broadcast has thousands of batches, and whoever reads
 * them all at once keeps everybody else waiting.
 */
const endOf = async (tx: Tx, { taskId, after, some }: Part): Promise<number | null> => {
  const last = await tx.get<{ page: number | null }>(
    `SELECT max(page) AS page
     FROM (SELECT page FROM batches WHERE task_id = ?1 AND page > ?2 ORDER BY page LIMIT ?3) q`,
    taskId, after, some,
  )
  return last?.page ?? null
}

const IN_PART = `FROM batches b JOIN batch_states s ON s.batch_id = b.id
  WHERE b.task_id = ?1 AND b.page > ?2 AND b.page <= ?3 ORDER BY b.page, b.id`

/** One batch, as far as it tells what became of its task. */
export interface SeenBatch {
  channel: BatchChannel
  reason: string | null
  bytes: Uint8Array
  target: number
  sent: number
  received: number
}

/** Some of a task's batches. `next`: after which page to go on; null at the end. */
export const lookAtBatches = async (tx: Tx, part: Part): Promise<{ batches: SeenBatch[]; next: number | null }> => {
  const next = await endOf(tx, part)
  if (next === null) return { batches: [], next }
  const columns = 'b.channel, b.reason, s.bytes, s.target, s.sent, s.received'
  return { batches: await tx.all<SeenBatch>(`SELECT ${columns} ${IN_PART}`, part.taskId, part.after, next), next }
}

interface BatchLog {
  channel: BatchChannel
  /** JSON. */
  log: string
}

/** The same, of what was written down on the way. */
export const readLogs = async (tx: Tx, part: Part): Promise<{ logs: BatchLog[]; next: number | null }> => {
  const next = await endOf(tx, part)
  if (next === null) return { logs: [], next }
  return { logs: await tx.all<BatchLog>(`SELECT b.channel, s.log ${IN_PART}`, part.taskId, part.after, next), next }
}

/** Over all channels. */
export interface TaskSum {
  target: number
  sent: number
  received: number
}

const FEW = 20

/** The sums of tasks, in their order; null for one with more than a few batches: those are added up part by part. */
export const sumTasks = async (tx: Tx, { ids }: { ids: readonly number[] }): Promise<(TaskSum | null)[]> => {
  const sums: (TaskSum | null)[] = []
  for (const id of ids) {
    const rows = await tx.all<TaskSum>(
      `SELECT s.target, s.sent, s.received FROM batches b JOIN batch_states s ON s.batch_id = b.id WHERE b.task_id = ?1
       UNION ALL SELECT target, sent, received FROM tallies WHERE task_id = ?1 LIMIT ${FEW + 1}`,
      id,
    )
    sums.push(rows.length > FEW ? null : rows.reduce(addSum, NOTHING_YET))
  }
  return sums
}

/** The sums of some of a task's batches. */
export const sumPart = async (tx: Tx, part: Part): Promise<{ sum: TaskSum; next: number | null }> => {
  const next = await endOf(tx, part)
  if (next === null) return { sum: NOTHING_YET, next }
  const rows = await tx.all<TaskSum>(`SELECT s.target, s.sent, s.received ${IN_PART}`, part.taskId, part.after, next)
  return { sum: rows.reduce(addSum, NOTHING_YET), next }
}

const NOTHING_YET: TaskSum = { target: 0, sent: 0, received: 0 }

export const addSum = (a: TaskSum, b: TaskSum): TaskSum => ({
  target: a.target + b.target,
  sent: a.sent + b.sent,
  received: a.received + b.received,
})
