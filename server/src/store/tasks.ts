import type { AudienceKind, TaskState } from '@carillon/protocol/names.ts'
import { type BadgeRule, type NewBatch, type WrittenBatch, insertBatches } from './batches.ts'
import { finishTask } from './finish.ts'
import { tellTaskEnded } from './events.ts'
import type { ScopeKind } from './scope.ts'
import { type Tx, list } from './store.ts'

export interface NewTask {
  app: number
  scopeKind: ScopeKind
  scopeId: number
  requestId: string | null
  /** JSON, as stored. */
  audience: string
  audienceKind: AudienceKind
  /** Where it asks for one user or one device alone. */
  soleUser: number | null
  soleDevice: number | null
  /** The beginning of what is shown, for lists. */
  title: string | null
  setting: string
  message: string
  collapseId: string | null
  dryRun: boolean
  acceptedAt: number
  planAt: number
  expiresAt: number
  urgent: boolean
  badge: BadgeRule
  inboxLimit: number
}

/**
 * Stores a task; with it, its request_id, and its batches when the audience was small enough to plan at once. The same
 * request_id again gets the first task's id and stores nothing.
 */
export const insertTask = async (
  tx: Tx,
  { task, batches }: { task: NewTask; batches: NewBatch[] | null },
): Promise<{ id: number; first: boolean; state: TaskState; batches: WrittenBatch[] | null }> => {
  const open = batches === null || batches.some((batch) => batch.dueAt !== null)
  const state = batches === null ? 'accepted' : open ? 'sending' : 'done'
  const id = await tx.insert(
    `INSERT INTO tasks (app, scope_kind, scope_id, audience, setting, message, collapse_id, dry_run, state, accepted_at, plan_at,
                        expires_at, finished_at, live, audience_kind, sole_user, sole_device, title)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    task.app, task.scopeKind, task.scopeId, task.audience, task.setting, task.message, task.collapseId, task.dryRun ? 1 : 0,
    state, task.acceptedAt, batches === null ? task.planAt : null,
    task.expiresAt, open ? null : task.acceptedAt, open || batches.some((batch) => batch.state === 'waiting') ? 1 : 0,
    task.audienceKind, task.soleUser, task.soleDevice, task.title,
  )
  if (task.requestId !== null) {
    const isNew = await tx.run(
      'INSERT INTO requests (app, scope_kind, scope_id, request_id, task_id) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      task.app, task.scopeKind, task.scopeId, task.requestId, id,
    )
    if (isNew === 0) {
      await tx.run('DELETE FROM tasks WHERE id = ?', id)
      return { id: (await findRequest(tx, { ...task, requestId: task.requestId }))!, first: false, state, batches: null }
    }
  }
  const place = { id, app: task.app, urgent: task.urgent, badge: task.badge, inboxLimit: task.inboxLimit }
  const written = batches && (await insertBatches(tx, place, batches))
  if (state === 'done') await tellTaskEnded(tx, id, task.acceptedAt)
  return { id, first: true, state, batches: written }
}

/** The task a request_id was used for, if it was. */
export const findRequest = async (
  tx: Tx,
  { app, scopeKind, scopeId, requestId }: { app: number; scopeKind: ScopeKind; scopeId: number; requestId: string },
): Promise<number | undefined> =>
  (
    await tx.get<{ task_id: number }>(
      'SELECT task_id FROM requests WHERE app = ? AND scope_kind = ? AND scope_id = ? AND request_id = ?', app, scopeKind, scopeId, requestId,
    )
  )?.task_id

export interface TaskRow {
  id: number
  app: number
  scope_kind: ScopeKind
  scope_id: number
  audience: string | null
  setting: string | null
  message: string | null
  collapse_id: string | null
  dry_run: number
  state: TaskState
  accepted_at: number
  plan_at: number | null
  expires_at: number
  finished_at: number | null
  plan_cursor: number
}

const COLUMNS = `id, app, scope_kind, scope_id, audience, setting, message, collapse_id, dry_run, state, accepted_at, plan_at,
  expires_at, finished_at, plan_cursor`

export const readTask = async (tx: Tx, { id }: { id: number }): Promise<TaskRow | undefined> =>
  tx.get<TaskRow>(`SELECT ${COLUMNS} FROM tasks WHERE id = ?`, id)

/** Renewed with every page. */
export const PLAN_HOLD_MS = 30_000

/** Takes the task that has waited longest for planning. */
export const claimTask = async (tx: Tx, { node, now }: { node: number; now: number }): Promise<TaskRow | undefined> => {
  const due = await tx.get<{ id: number }>(
    'SELECT id FROM tasks WHERE plan_at <= ?1 AND held_until <= ?1 ORDER BY plan_at LIMIT 1 for update skip locked', now,
  )
  if (!due) return undefined
  return tx.get<TaskRow>(
    `UPDATE tasks SET held_by = ?2, held_until = ?3, state = 'planning' WHERE id = ?1 RETURNING ${COLUMNS}`,
    due.id, node, now + PLAN_HOLD_MS,
  )
}

/** A task this node took and could not plan is free again. */
export const releaseTask = async (tx: Tx, { taskId, node }: { taskId: number; node: number }): Promise<void> => {
  await tx.run('UPDATE tasks SET held_until = 0 WHERE id = ? AND held_by = ? AND plan_at IS NOT NULL', taskId, node)
}

/** Moves the plan cursor on; false when the task is no longer this node's to plan. */
export const moveCursor = async (
  tx: Tx,
  { taskId, node, from, to, now }: { taskId: number; node: number; from: number; to: number; now: number },
): Promise<boolean> => {
  const moved = await tx.run(
    `UPDATE tasks SET plan_cursor = ?4, held_until = ?5 WHERE id = ?1 AND held_by = ?2 AND plan_cursor = ?3 AND state = 'planning'`,
    taskId, node, from, to, now + PLAN_HOLD_MS,
  )
  return moved > 0
}

export const endPlanning = async (
  tx: Tx,
  { taskId, node, now }: { taskId: number; node: number; now: number },
): Promise<{ sending: number; finished: number }> => {
  const mine = await tx.run(
    `UPDATE tasks SET state = 'sending', plan_at = NULL, held_until = 0 WHERE id = ?1 AND held_by = ?2 AND state = 'planning'`, taskId, node,
  )
  return { sending: mine, finished: mine > 0 ? await finishTask(tx, taskId, now) : 0 }
}

/** What a caller may see: the scope that made a task, and the app's admin. */
export interface Viewer {
  app: number
  scopeKind: ScopeKind
  scopeId: number
}

const VISIBLE = `app = ?1 AND (?2 = 'app' OR (scope_kind = ?2 AND scope_id = ?3))`

export const visibleTask = async (tx: Tx, { viewer, id }: { viewer: Viewer; id: number }): Promise<TaskRow | undefined> =>
  tx.get<TaskRow>(`SELECT ${COLUMNS} FROM tasks WHERE ${VISIBLE} AND id = ?4`, viewer.app, viewer.scopeKind, viewer.scopeId, id)

export interface ChannelTally {
  task_id: number
  channel: string
  target: number
  sent: number
  received: number
}

/** Tallies by channel of the visible ones of these tasks; the first list tells which tasks are visible at all. */
export const readTallies = async (
  tx: Tx,
  { viewer, ids }: { viewer: Viewer; ids: number[] },
): Promise<{ visible: number[]; tallies: ChannelTally[] }> => {
  const rows = await tx.all<{ id: number }>(
    `SELECT id FROM tasks WHERE ${VISIBLE} AND id any_int(?4)`, viewer.app, viewer.scopeKind, viewer.scopeId, list(ids),
  )
  const visible = rows.map((row) => row.id)
  const tallies = await tx.all<ChannelTally>(
    `SELECT b.task_id AS task_id, b.channel AS channel, sum(s.target) AS target, sum(s.sent) AS sent, sum(s.received) AS received
     FROM batches b JOIN batch_states s ON s.batch_id = b.id WHERE b.task_id any_int(?1) GROUP BY b.task_id, b.channel
     UNION ALL SELECT task_id, channel, target, sent, received FROM tallies WHERE task_id any_int(?1)`,
    list(visible),
  )
  return { visible, tallies }
}
