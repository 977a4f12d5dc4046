import type { AudienceKind, TaskState } from '@carillon/protocol/names.ts'
import type { ScopeKind } from './scope.ts'
import { type Tx, type Value, list } from './store.ts'

/** Which tasks of an app are asked for; null: whichever. */
export interface TaskQuestion {
  app: number
  /** Only tasks with a smaller id. */
  before: number
  limit: number
  state: TaskState | null
  audienceKind: AudienceKind | null
  /** Accepted at this time or later, and before that one. */
  from: number | null
  to: number | null
  requestId: string | null
}

export interface ListedTask {
  id: number
  scope_kind: ScopeKind
  scope_id: number
  dry_run: number
  state: TaskState
  accepted_at: number
  plan_at: number | null
  expires_at: number
  finished_at: number | null
  purged: number
  audience_kind: AudienceKind | null
  title: string | null
}

const COLUMNS = `id, scope_kind, scope_id, dry_run, state, accepted_at, plan_at, expires_at, finished_at,
  CASE WHEN message IS NULL THEN 1 ELSE 0 END AS purged, audience_kind, title`

/** Newest first, paged by id. */
export const listTasks = async (tx: Tx, question: TaskQuestion): Promise<ListedTask[]> => {
  const { app, limit, state, audienceKind, from, to, requestId } = question
  // One upper end: of two conditions an index is walked by one, and what the other leaves out is looked at.
  const end = to === null ? question.before : await firstSince(tx, app, to + CLOCKS_DIFFER_MS)
  const before = Math.min(question.before, end)
  const values: Value[] = [app, before]
  const bind = (value: Value): string => `?${values.push(value)}`
  const where = ['app = ?1', 'id < ?2']
  if (requestId !== null) where.push(`id any_int(${bind(list(await tasksOfRequest(tx, app, requestId)))})`)
  if (state !== null) where.push(`state = ${bind(state)}`)
  if (state !== null && state !== 'done' && state !== 'sending') where.push(`state <> 'done' AND state <> 'sending'`) // the index's own condition
  if (audienceKind !== null) {
    // What is not done is little, and its index leads there: not the one of this kind, with all that is done.
    const isFew = state !== null && state !== 'done'
    where.push(`${isFew ? `coalesce(audience_kind, '')` : 'audience_kind'} = ${bind(audienceKind)}`)
  }
  if (from !== null) {
    const first = await firstSince(tx, app, from - CLOCKS_DIFFER_MS)
    where.push(`id >= ${bind(first)}`, `accepted_at >= ${bind(from)}`)
  }
  if (to !== null) where.push(`accepted_at < ${bind(to)}`)
  const read = (conditions: string[], all: Value[]): Promise<ListedTask[]> =>
    tx.all<ListedTask>(`SELECT ${COLUMNS} FROM tasks WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT ?${all.length}`, ...all)
  if (state !== 'sending') return read(where, [...values, limit])

  const found: ListedTask[] = []
  let open: number[]
  let below = before
  do {
    open = await openTasks(tx, app, below)
    found.push(...(await read([...where, `id any_int(?${values.length + 1})`], [...values, list(open), limit])))
    below = open.at(-1) ?? 0
  } while (open.length === OPEN_AT_ONCE && found.length < limit)
  return found.slice(0, limit)
}

const OPEN_AT_ONCE = 500

/** Tasks with a batch that is not done with, newest first: what is being sent is among them. */
const openTasks = async (tx: Tx, app: number, before: number): Promise<number[]> => {
  const rows = await tx.all<{ task_id: number }>(
    `SELECT DISTINCT task_id FROM batches WHERE app = ?1 AND due_at IS NOT NULL AND task_id < ?2 ORDER BY task_id DESC LIMIT ${OPEN_AT_ONCE}`,
    app, before,
  )
  return rows.map(({ task_id }) => task_id)
}

const REQUESTS_SHOWN = 500

/** In every scope of the app the same request_id is another task's. */
const tasksOfRequest = async (tx: Tx, app: number, requestId: string): Promise<number[]> => {
  const rows = await tx.all<{ task_id: number }>(
    `SELECT task_id FROM requests WHERE app = ?1 AND request_id = ?2 LIMIT ${REQUESTS_SHOWN}`, app, requestId,
  )
  return rows.map(({ task_id }) => task_id)
}

// Ids rise with the time of acceptance, but for what nodes' clocks differ by and what is accepted at the same moment.
const CLOCKS_DIFFER_MS = 5_000

/** The first id from which on tasks were accepted since then: found by halving, so that no index of times is needed. */
const firstSince = async (tx: Tx, app: number, at: number): Promise<number> => {
  const newest = await tx.get<{ id: number }>('SELECT id FROM tasks WHERE app = ?1 ORDER BY id DESC LIMIT 1', app)
  let [before, from] = [0, (newest?.id ?? 0) + 1]
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    const task = await tx.get<{ id: number; accepted_at: number }>(
      'SELECT id, accepted_at FROM tasks WHERE app = ?1 AND id >= ?2 AND id < ?3 ORDER BY id LIMIT 1',
      app, middle, from,
    )
    if (task && task.accepted_at < at) before = task.id
    else from = middle
  }
  return from
}
