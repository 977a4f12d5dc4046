import { finishTask } from './finish.ts'
import { tellTaskEnded } from './events.ts'
import { type DeliveryState, NOTHING, fold, levelOf, stateOf, withState } from './ledger.ts'
import type { Tx } from './store.ts'

// How tasks end before their time or after it: cancelled, expired, purged. A large task is ended a part at a time, so
// that no transaction keeps the writer for long.
const BATCHES_A_PART = 100

/** Ends what is pending or waiting in some batches of a task. Tells whether anything had never been handed over. */
const endBatches = async (tx: Tx, taskId: number, state: DeliveryState): Promise<{ more: boolean; unsent: boolean; ended: number }> => {
  const batches = await tx.all<{ id: number; bytes: Uint8Array }>(
    `SELECT b.id AS id, s.bytes AS bytes FROM batches b JOIN batch_states s ON s.batch_id = b.id
     WHERE b.task_id = ? AND (b.due_at IS NOT NULL OR s.waiting > 0) ORDER BY b.page, b.id LIMIT ? for update of s`,
    taskId, BATCHES_A_PART,
  )
  let unsent = false
  let ended = 0
  for (const { id, bytes } of batches) {
    bytes.forEach((byte, i) => {
      const before = stateOf(byte)
      if (before !== 'pending' && before !== 'waiting') return
      if (before === 'pending' && levelOf(byte) === NOTHING) unsent = true
      bytes[i] = withState(byte, state)
      ended++
    })
    const sum = fold(bytes)
    await tx.run('UPDATE batch_states SET bytes = ?2, waiting = ?3 WHERE batch_id = ?1', id, bytes, sum.waiting)
    await tx.run('UPDATE batches SET due_at = NULL WHERE id = ?', id)
    await tx.run('DELETE FROM inbox WHERE batch_id = ?', id)
  }
  return { more: batches.length === BATCHES_A_PART, unsent, ended }
}

/** Cancels a part of a task; call again while there is more. What was handed over stays handed over. */
export const cancelTask = async (tx: Tx, { taskId, now }: { taskId: number; now: number }): Promise<{ more: boolean; cancelled: number }> => {
  const stopped = await tx.run(
    `UPDATE tasks SET state = 'cancelled', plan_at = NULL, finished_at = ?2
     WHERE id = ?1 AND state IN ('accepted', 'planning', 'sending')`,
    taskId, now,
  )
  const { more, ended } = await endBatches(tx, taskId, 'cancelled')
  // A task that was done but still had places in inboxes: those end too, and the task says so.
  const emptied = stopped === 0 && ended > 0 ? await tx.run(`UPDATE tasks SET state = 'cancelled' WHERE id = ? AND state <> 'cancelled'`, taskId) : 0
  if (!more) await tx.run('UPDATE tasks SET live = 0 WHERE id = ?', taskId)
  if (stopped + emptied > 0) await tellTaskEnded(tx, taskId, now)
  return { more, cancelled: stopped + emptied }
}

/** How many tasks ended, and how; `more`: there is more to end at once. */
export interface Expiry {
  more: boolean
  expired: number
  finished: number
}

/** Ends a part of a task that has outlived its time; call again while there is more. Expired: something was left to try. */
export const expireTask = async (tx: Tx, { taskId, now }: { taskId: number; now: number }): Promise<Expiry> => {
  const { more, unsent } = await endBatches(tx, taskId, 'expired')
  const expired = await tx.run(
    `UPDATE tasks SET state = 'expired', plan_at = NULL, finished_at = ?2
     WHERE id = ?1 AND expires_at <= ?2 AND state IN ('accepted', 'planning', 'sending') AND (?3 = 1 OR plan_at IS NOT NULL)`,
    taskId, now, unsent ? 1 : 0,
  )
  if (expired > 0) await tellTaskEnded(tx, taskId, now)
  let finished = 0
  if (!more) {
    finished = await finishTask(tx, taskId, now)
    await tx.run('UPDATE tasks SET live = 0 WHERE id = ?', taskId)
  }
  return { more, expired, finished }
}

/** Ends a part of what has outlived its time. */
export const expireTasks = async (tx: Tx, { now, tasks }: { now: number; tasks: number }): Promise<Expiry> => {
  const due = await tx.all<{ id: number }>('SELECT id FROM tasks WHERE live = 1 AND expires_at <= ? ORDER BY expires_at LIMIT ?', now, tasks)
  const sum: Expiry = { more: due.length === tasks, expired: 0, finished: 0 }
  for (const { id } of due) {
    const { more, expired, finished } = await expireTask(tx, { taskId: id, now })
    sum.more ||= more
    sum.expired += expired
    sum.finished += finished
  }
  return sum
}

/**
 * Drops the content of old tasks: message, audience, ledger. Tallies and request_ids stay. Retention is the app's
 * setting, so the caller passes one app and its limit.
 */
export const purgeTasks = async (tx: Tx, { app, before, tasks }: { app: number; before: number; tasks: number }): Promise<{ more: boolean }> => {
  const old = await tx.all<{ id: number }>(
    'SELECT id FROM tasks WHERE app = ? AND message IS NOT NULL AND live = 0 AND plan_at IS NULL AND accepted_at < ? LIMIT ?', app, before, tasks,
  )
  for (const { id } of old) {
    await tx.run(
      `INSERT INTO tallies (task_id, channel, target, sent, received)
       SELECT b.task_id, b.channel, sum(s.target), sum(s.sent), sum(s.received)
       FROM batches b JOIN batch_states s ON s.batch_id = b.id
       WHERE b.task_id = ? AND b.channel NOT IN ('held', 'none') GROUP BY b.task_id, b.channel`,
      id,
    )
    await tx.run('DELETE FROM batch_states WHERE batch_id IN (SELECT id FROM batches WHERE task_id = ?)', id)
    await tx.run('DELETE FROM batches WHERE task_id = ?', id)
    await tx.run('UPDATE tasks SET audience = NULL, setting = NULL, message = NULL, title = NULL WHERE id = ?', id)
  }
  return { more: old.length === tasks }
}
