import { answerSentences } from '@carillon/protocol/sentences/events.ts'
import { writeAudit } from './audit.ts'
import { type Tx, list } from './store.ts'

export type EventKind =
  | 'task.finished'
  | 'device.token_dead'
  | 'lane.paused'
  | 'lane.tokens_dying'
  | 'certificate.expiring'
  | 'webhook.test'

/** An event for an app that listens; for the others nothing is written. `once` keeps the same thing from being told twice. */
export const addEvent = async (
  tx: Tx,
  { app, kind, data, once, now }: { app: number; kind: EventKind; data: object; once?: string; now: number },
): Promise<void> => {
  await tx.run(
    `INSERT INTO events (app, kind, data, once, at, due_at) SELECT w.app, ?2, ?3, ?4, ?5, ?5 FROM webhooks w WHERE w.app = ?1
     ON CONFLICT DO NOTHING`,
    app, kind, JSON.stringify(data), once ?? null, now,
  )
}

/** Many events of one kind at once. */
export const addEvents = async (
  tx: Tx,
  { app, kind, data, now }: { app: number; kind: EventKind; data: readonly object[]; now: number },
): Promise<void> => {
  if (data.length === 0) return
  await tx.run(
    `INSERT INTO events (app, kind, data, at, due_at) SELECT h.app, ?2, d.value, ?4, ?4 FROM webhooks h CROSS JOIN each_text(?3) d WHERE h.app = ?1`,
    app, kind, list(data.map((event) => JSON.stringify(event))), now,
  )
}

/** Tells that a task has reached its end, with its tallies as they are now. Part of the transaction that ends it. */
export const tellTaskEnded = async (tx: Tx, taskId: number, now: number): Promise<void> => {
  const task = await tx.get<{ app: number; state: string; accepted_at: number; finished_at: number | null }>(
    'SELECT t.app, t.state, t.accepted_at, t.finished_at FROM tasks t JOIN webhooks w ON w.app = t.app WHERE t.id = ?', taskId,
  )
  if (!task) return
  const { app, ...rest } = task
  const channels = await tx.all<{ channel: string; target: number; sent: number; received: number }>(
    `SELECT b.channel AS channel, sum(s.target) AS target, sum(s.sent) AS sent, sum(s.received) AS received
     FROM batches b JOIN batch_states s ON s.batch_id = b.id WHERE b.task_id = ? GROUP BY b.channel HAVING sum(s.target) > 0`,
    taskId,
  )
  const counters = Object.fromEntries(channels.map(({ channel, ...tally }) => [channel, tally]))
  await addEvent(tx, { app, kind: 'task.finished', data: { task_id: taskId, ...rest, counters }, now })
}

/** Certificates that end before `before`: each is told once for each date it ends. */
export const tellExpiringCertificates = async (tx: Tx, { now, before }: { now: number; before: number }): Promise<void> => {
  const rows = await tx.all<{ id: number; app: number; vendor: string; environment: number; name: string; expires_at: number }>(
    'SELECT id, app, vendor, environment, name, expires_at FROM certificates WHERE expires_at < ?', before,
  )
  for (const { id, app, ...data } of rows) {
    await addEvent(tx, { app, kind: 'certificate.expiring', data, once: `${id} ${data.expires_at}`, now })
  }
}

export interface Webhook {
  url: string
  /** Sealed. */
  secret: Uint8Array
  updated_at: number
}

export const readWebhook = async (tx: Tx, { app }: { app: number }): Promise<Webhook | undefined> =>
  tx.get<Webhook>('SELECT url, secret, updated_at FROM webhooks WHERE app = ?', app)

export const setWebhook = async (
  tx: Tx,
  { app, url, secret, actor, now }: { app: number; url: string; secret: Uint8Array; actor: string; now: number },
): Promise<void> => {
  await tx.run(
    `INSERT INTO webhooks (app, url, secret, updated_at) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (app) DO UPDATE SET url = excluded.url, secret = excluded.secret, updated_at = excluded.updated_at`,
    app, url, secret, now,
  )
  await writeAudit(tx, { app, at: now, actor, action: 'webhook.set', detail: { url } })
}

/** False: there was none. What was not told yet is not told any more. */
export const deleteWebhook = async (tx: Tx, { app, actor, now }: { app: number; actor: string; now: number }): Promise<boolean> => {
  if ((await tx.run('DELETE FROM webhooks WHERE app = ?', app)) === 0) return false
  const answer = answerSentences.removed()
  await tx.run('UPDATE events SET due_at = NULL, answer = ?2 WHERE app = ?1 AND due_at IS NOT NULL', app, answer)
  await writeAudit(tx, { app, at: now, actor, action: 'webhook.delete', detail: {} })
  return true
}

export interface DueEvent {
  id: number
  app: number
  kind: EventKind
  data: string
  at: number
  attempt: number
  url: string
  secret: Uint8Array
}

// Longer than an attempt may take: if this process dies in the middle, the event is due again after it.
const HOLD_MS = 60_000

/** Takes due events, at most `each` of an app: one whose listener is slow does not keep the others waiting. */
export const claimEvents = async (tx: Tx, { each, now }: { each: number; now: number }): Promise<DueEvent[]> => {
  const apps = await tx.all<{ app: number }>('SELECT DISTINCT app FROM events WHERE due_at <= ?', now)
  const claimed: DueEvent[] = []
  for (const { app } of apps) {
    const due = await tx.all<DueEvent>(
      `SELECT e.id, e.app, e.kind, e.data, e.at, e.attempt + 1 AS attempt, w.url, w.secret
       FROM events e JOIN webhooks w ON w.app = e.app WHERE e.app = ? AND e.due_at <= ? ORDER BY e.id LIMIT ? for update of e skip locked`,
      app, now, each,
    )
    await tx.run('UPDATE events SET due_at = ?2, attempt = attempt + 1 WHERE id any_int(?1)', list(due.map(({ id }) => id)), now + HOLD_MS)
    claimed.push(...due)
  }
  return claimed
}

/** What became of one attempt; `dueAt` null with no `delivered`: given up. */
export const settleEvent = async (
  tx: Tx,
  { id, attempt, delivered, answer, dueAt, now }: { id: number; attempt: number; delivered: boolean; answer: string; dueAt: number | null; now: number },
): Promise<void> => {
  await tx.run(
    'UPDATE events SET due_at = ?3, delivered_at = ?4, answer = ?5 WHERE id = ?1 AND attempt = ?2',
    id, attempt, delivered ? null : dueAt, delivered ? now : null, answer,
  )
}

export interface ListedEvent {
  id: number
  kind: EventKind
  data: string
  at: number
  due_at: number | null
  attempt: number
  delivered_at: number | null
  answer: string | null
}

/** Newest first, paged by id. */
export const listEvents = async (tx: Tx, { app, before, limit }: { app: number; before: number; limit: number }): Promise<ListedEvent[]> =>
  tx.all<ListedEvent>(
    'SELECT id, kind, data, at, due_at, attempt, delivered_at, answer FROM events WHERE app = ? AND id < ? ORDER BY id DESC LIMIT ?', app, before, limit,
  )

/** Tells events again, whatever became of them. How many there were. */
export const replayEvents = async (tx: Tx, { app, ids, now }: { app: number; ids: number[]; now: number }): Promise<number> =>
  tx.run(
    `UPDATE events SET due_at = ?3, attempt = 0, delivered_at = NULL, answer = NULL
     WHERE app = ?1 AND id any_int(?2) AND EXISTS (SELECT 1 FROM webhooks WHERE app = ?1)`,
    app, list(ids), now,
  )

export const purgeEvents = async (tx: Tx, { before }: { before: number }): Promise<number> =>
  tx.run('DELETE FROM events WHERE at < ? AND due_at IS NULL', before)
