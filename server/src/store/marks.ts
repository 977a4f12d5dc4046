import { type LogEntry, extendLog } from './batch-log.ts'
import { WIDE } from './batches.ts'
import { finishTasks } from './finish.ts'
import { type Fold, fold, isFinal, unpackIds, withMark } from './ledger.ts'
import { type Tx, list, rows } from './store.ts'

/** Marks of one batch: places and, in the same order, what is now known of each. */
export interface BatchMarks {
  batchId: number
  taskId: number
  places: Uint32Array
  marks: Uint8Array
  /** What was reported by somebody who may say when it happened. */
  told: Told[]
}

/** One report of one place. */
export interface Told {
  index: number
  event: string
  at: number
}

const BATCHES_A_STATEMENT = 1_000

/**
 * Sent, received, shown, clicked: of each batch once. Bytes only move forward, so whoever reports, and however often,
 * counts once. Tells how many tasks were finished by it, and how far it moved the tally of each batch.
 */
export const markDeliveries = async (tx: Tx, { batches, now }: { batches: BatchMarks[]; now: number }): Promise<{ finished: number; moved: Moved[] }> => {
  const closedIn = new Set<number>()
  const moved: Moved[] = []
  // In the order of the batches, and then of the tasks: two reports at once must not wait for one another.
  const ordered = batches.toSorted((a, b) => a.batchId - b.batchId)
  for (let i = 0; i < ordered.length; i += BATCHES_A_STATEMENT) {
    const part = new Map(ordered.slice(i, i + BATCHES_A_STATEMENT).map((batch) => [batch.batchId, batch]))
    // One that is not found was purged, or erased with its app.
    const states = await tx.all<StateRow>(
      'SELECT batch_id, bytes, log, sent, received, inboxed FROM batch_states WHERE batch_id any_int(?1) ORDER BY batch_id for update',
      list([...part.keys()]),
    )
    const marked = states.flatMap((row) => withMarks(row, part.get(row.batch_id)!, now) ?? [])
    if (marked.length === 0) continue
    moved.push(...marked.map(({ moved: one }) => one))
    await tx.run(
      `UPDATE batch_states SET bytes = w.bytes, sent = w.sent, received = w.received, waiting = w.waiting, log = w.log
       FROM each_row(?1) w (id int, bytes bytes, sent int, received int, waiting int, log text) WHERE batch_states.batch_id = w.id`,
      rows(marked.map(({ batchId, bytes, sum, log }) => [batchId, bytes, sum.sent, sum.received, sum.waiting, log])),
    )
    await leaveInbox(tx, marked.filter(({ inboxed }) => inboxed))
    for (const taskId of await closeBatches(tx, marked.filter(({ sum }) => sum.pending === 0))) closedIn.add(taskId)
  }
  return { finished: await finishTasks(tx, [...closedIn], now), moved }
}

interface StateRow {
  batch_id: number
  bytes: Uint8Array
  log: string
  sent: number
  received: number
  inboxed: number
}

/** How many more of a batch count as sent and as received. */
export interface Moved {
  batchId: number
  sent: number
  received: number
}

/** A batch that marks have changed. */
interface Marked {
  batchId: number
  taskId: number
  bytes: Uint8Array
  sum: Fold
  moved: Moved
  log: string
  inboxed: boolean
  /** Places where nothing more is to be done. */
  ended: number[]
}

/** Undefined: the marks are no news. */
const withMarks = ({ bytes, ...row }: StateRow, { batchId, taskId, places, marks, told }: BatchMarks, now: number): Marked | undefined => {
  let changed = false
  const ended: number[] = []
  const news = told.length > 0 ? new Set<number>() : undefined
  places.forEach((index, i) => {
    const before = bytes[index]
    if (before === undefined) return
    const after = withMark(before, marks[i]!)
    if (after === before) return
    changed = true
    news?.add(index)
    bytes[index] = after
    if (isFinal(marks[i]!)) ended.push(index)
  })
  if (!changed) return undefined
  const sum = fold(bytes)
  const moved = { batchId, sent: sum.sent - row.sent, received: sum.received - row.received }
  const log: LogEntry[] = []
  if (moved.sent > 0) log.push({ at: now, what: 'sent', count: moved.sent })
  if (moved.received > 0) log.push({ at: now, what: 'received', count: moved.received })
  for (const { index, event, at } of told) if (news!.has(index) && event !== 'received') log.push({ at, what: event, count: 1, places: [index] })
  return { batchId, taskId, bytes, sum, moved, log: extendLog(row.log, log), inboxed: row.inboxed === 1, ended }
}

const leaveInbox = async (tx: Tx, marked: readonly Marked[]): Promise<void> => {
  // Rows of a wide batch are a busy session's, and its device probes the ledger anyway.
  const [whole, partly] = [[], []] as [Marked[], Marked[]]
  for (const batch of marked) {
    if (batch.sum.pending + batch.sum.waiting === 0 || (batch.bytes.length >= WIDE && batch.ended.length > 0)) whole.push(batch)
    else if (batch.ended.length > 0) partly.push(batch)
  }
  if (whole.length > 0) await tx.run('DELETE FROM inbox WHERE batch_id any_int(?1)', list(whole.map(({ batchId }) => batchId)))
  if (partly.length === 0) return
  const found = await tx.all<{ id: number; devices: Uint8Array }>(
    'SELECT id, devices FROM batches WHERE id any_int(?1)', list(partly.map(({ batchId }) => batchId)),
  )
  const devicesOf = new Map(found.map(({ id, devices }) => [id, unpackIds(devices)]))
  await Promise.all(
    partly.map(({ batchId, taskId, ended }) =>
      tx.run('DELETE FROM inbox WHERE task_id = ?1 AND device_id any_int(?2)', taskId, list(ended.map((place) => devicesOf.get(batchId)![place]!))),
    ),
  )
}

/** Of which tasks these batches were, as far as they were open. */
const closeBatches = async (tx: Tx, marked: readonly Marked[]): Promise<number[]> => {
  if (marked.length === 0) return []
  const open = await tx.all<{ id: number; task_id: number }>(
    'SELECT id, task_id FROM batches WHERE id any_int(?1) AND due_at IS NOT NULL ORDER BY id for update', list(marked.map(({ batchId }) => batchId)),
  )
  if (open.length > 0) await tx.run('UPDATE batches SET due_at = NULL WHERE id any_int(?1)', list(open.map(({ id }) => id)))
  return open.map(({ task_id }) => task_id)
}
