import { tellTaskEnded } from './events.ts'
import { type Tx, list } from './store.ts'

/** A planned task with no batch left to work on is done: 1. Inbox places keep it alive until they expire. */
export const finishTask = (tx: Tx, taskId: number, now: number): Promise<number> => finishTasks(tx, [taskId], now)

/** How many of them are done. A look at each task's batches, one after the other: joined, all open ones might be walked. */
export const finishTasks = async (tx: Tx, ids: readonly number[], now: number): Promise<number> => {
  if (ids.length === 0) return 0
  // Held before the look at their batches: of two that close the last two at once, each would see the other's still open.
  await tx.hold('SELECT id FROM tasks WHERE id any_int(?1) ORDER BY id for update', list(ids))
  const finished = await tx.all<{ id: number; listened: number }>(
    `UPDATE tasks SET state = 'done', finished_at = ?2,
       live = CASE WHEN (SELECT b.id FROM batches b JOIN batch_states s ON s.batch_id = b.id
                         WHERE b.task_id = tasks.id AND s.waiting > 0 LIMIT 1) IS NULL THEN 0 ELSE 1 END
     WHERE id any_int(?1) AND state = 'sending'
       AND (SELECT b.id FROM batches b WHERE b.app = tasks.app AND b.task_id = tasks.id AND b.due_at IS NOT NULL LIMIT 1) IS NULL
     RETURNING id, (SELECT count(*) FROM webhooks w WHERE w.app = tasks.app) AS listened`,
    list(ids), now,
  )
  await Promise.all(finished.filter(({ listened }) => listened > 0).map(({ id }) => tellTaskEnded(tx, id, now)))
  return finished.length
}
