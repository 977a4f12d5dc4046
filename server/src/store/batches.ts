import { type ChannelName, type VendorName, ownChannel } from '@carillon/protocol/names.ts'
import { raiseBadges } from './badges.ts'
import { certificateKey } from './certificate-key.ts'
import { tellTaskEnded } from './events.ts'
import { wakeDevices } from './frames.ts'
import { addPlaces, addToInbox } from './inbox.ts'
import { type DeliveryState, type Fold, SENT, byteOf, fold, isFinal, isPending, markOf, packBadges, packIds, unpackIds, withMark, withState } from './ledger.ts'
import { type Tx, list, rows } from './store.ts'

/** `held`: not routed yet (quiet hours). `none`: no channel could be chosen; the batch's reason says why. */
export type BatchChannel = ChannelName | 'held' | 'none'

/** How a task moves the badge. */
export type BadgeRule = { add: number } | { set: number } | null

export interface NewBatch {
  page: number
  channel: BatchChannel
  environment: number
  reason: string | null
  /** Channels tried before, so that no fallback comes back to one. */
  tried: ChannelName[]
  /** Ascending. */
  devices: number[]
  state: DeliveryState
  /** A child's, copied from its parent; a first batch's are raised by the task's rule. */
  badges: Int32Array | null
  node: number | null
  dueAt: number | null
}

export interface TaskPlace {
  id: number
  app: number
  urgent: boolean
  badge: BadgeRule
  inboxLimit: number
}

/** A batch as it was stored, with its badges raised. */
export interface WrittenBatch extends NewBatch {
  id: number
  /** Nodes that were told to look at their devices' inboxes. */
  told: readonly number[]
}

/** A batch this large has no inbox rows: its places are found through the ledger, by the task's page. */
export const WIDE = 64

/** What a batch is handed over within; the holds of a node that died are freed sooner. */
export const HOLD_MS = 60_000

/** One app at one vendor in one environment, as a number. */
export const laneOf = (app: number, environment: number): number => app * 2 + environment
export const placeOfLane = (lane: number): { app: number; environment: number } => ({ app: Math.floor(lane / 2), environment: lane % 2 })

const isVendor = (channel: BatchChannel): boolean => channel !== ownChannel && channel !== 'held' && channel !== 'none'

/** Writes first batches and children alike, with their inbox places and badges. Part of accept's, plan's and settle's transaction. */
export const insertBatches = async (tx: Tx, task: TaskPlace, batches: readonly NewBatch[]): Promise<WrittenBatch[]> => {
  const written: WrittenBatch[] = []
  const raised = await raisedBadges(tx, task, batches)
  for (const batch of batches) {
    const targeted = isTargeted(batch)
    const toSend = isToSend(batch)
    const badges = batch.badges ?? raised.get(batch) ?? null
    const row = await tx.get<{ id: number }>(
      `INSERT INTO batches (task_id, app, page, channel, environment, lane, reason, tried, devices, badges, node, due_at, urgent)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
      task.id, task.app, batch.page, batch.channel, batch.environment, isVendor(batch.channel) ? laneOf(task.app, batch.environment) : null, batch.reason, batch.tried.join(','),
      packIds(batch.devices), badges && packBadges(badges), batch.node, batch.dueAt, task.urgent ? 1 : 0,
    )
    const id = row!.id
    const count = batch.devices.length
    const inboxed = batch.channel === ownChannel && batch.state === 'waiting' && count < WIDE
    await tx.run(
      'INSERT INTO batch_states (batch_id, bytes, target, waiting, inboxed) VALUES (?, ?, ?, ?, ?)',
      id, new Uint8Array(count).fill(byteOf(batch.state)), targeted ? count : 0, batch.state === 'waiting' ? count : 0, inboxed ? 1 : 0,
    )
    if (inboxed) await addPlaces(tx, { taskId: task.id, batchId: id, devices: batch.devices, limit: task.inboxLimit })
    else if (batch.channel === ownChannel && toSend && count >= WIDE) await tx.run('UPDATE tasks SET wide = 1 WHERE id = ? AND wide = 0', task.id)
    written.push({ ...batch, id, badges, told: [] })
  }
  for (const batch of written) {
    if (batch.channel === ownChannel && batch.state === 'waiting') batch.told = await wakeDevices(tx, batch.devices)
  }
  return written
}

const isTargeted = ({ channel }: NewBatch): boolean => channel !== 'held' && channel !== 'none'
const isToSend = ({ state }: NewBatch): boolean => state === 'pending' || state === 'waiting'

/** All at once and in the order of the devices: two pages planned at the same time must not wait for one another's counters. */
const raisedBadges = async (tx: Tx, { badge }: TaskPlace, batches: readonly NewBatch[]): Promise<Map<NewBatch, Int32Array>> => {
  const first = batches.filter((batch) => isTargeted(batch) && isToSend(batch) && !batch.badges && batch.tried.length === 0)
  if (!badge || first.length === 0) return new Map()
  if (first.length === 1) return new Map([[first[0]!, await raiseBadges(tx, { ids: first[0]!.devices, by: badge })]])
  const ids = first.flatMap(({ devices }) => devices).sort((a, b) => a - b)
  const counts = await raiseBadges(tx, { ids, by: badge })
  const countOf = new Map(ids.map((id, i) => [id, counts[i]!]))
  return new Map(first.map((batch) => [batch, Int32Array.from(batch.devices, (id) => countOf.get(id)!)]))
}

export interface ClaimedBatch {
  id: number
  task_id: number
  app: number
  page: number
  channel: BatchChannel
  environment: number
  tried: string
  devices: Uint8Array
  badges: Uint8Array | null
  attempt: number
  bytes: Uint8Array
}

/** Takes what was held back and is to be routed now. */
export const claimHeld = async (
  tx: Tx,
  { node, limit, now }: { node: number; limit: number; now: number },
): Promise<ClaimedBatch[]> => {
  const due = await tx.all<{ id: number }>(
    `SELECT id FROM batches WHERE channel = 'held' AND lane IS NULL AND due_at <= ?1 AND held_until <= ?1
     ORDER BY urgent DESC, due_at LIMIT ?2 for update skip locked`,
    now, limit,
  )
  const claimed: ClaimedBatch[] = []
  for (const { id } of due) claimed.push(await hold(tx, id, node, now))
  return claimed
}

/**
 * Takes what is due on the own channel: it belongs to the node that holds the sessions, or to nobody. It is not held,
 * but due again for its acknowledgements, as a batch is that was written where its devices are: handing over needs no
 * second write, and the sweep is the recovery.
 */
export const claimOwn = async (
  tx: Tx,
  { node, limit, ackAt, now }: { node: number; limit: number; ackAt: number; now: number },
): Promise<ClaimedBatch[]> => {
  const due = await tx.all<{ id: number; urgent: number }>(
    `SELECT id, urgent FROM batches WHERE channel = 'nativepush' AND lane IS NULL AND due_at <= ?1 AND held_until <= ?1
       AND (node IS NULL OR node = ?2)
     ORDER BY urgent DESC, due_at LIMIT ?3 for update skip locked`,
    now, node, limit,
  )
  due.sort((a, b) => b.urgent - a.urgent || a.id - b.id) // as they were sent, whatever the clocks of those who took them say
  if (due.length === 0) return []
  const ids = list(due.map(({ id }) => id))
  const rows = await tx.all<ClaimedBatch>(
    `UPDATE batches SET due_at = ?2, node = ?3, attempt = attempt + 1 WHERE id any_int(?1)
     RETURNING id, task_id, app, page, channel, environment, tried, devices, badges, attempt`,
    ids, ackAt, node,
  )
  const states = await tx.all<{ batch_id: number; bytes: Uint8Array }>('SELECT batch_id, bytes FROM batch_states WHERE batch_id any_int(?1)', ids)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const bytesOf = new Map(states.map(({ batch_id, bytes }) => [batch_id, bytes]))
  return due.map(({ id }) => ({ ...byId.get(id)!, bytes: bytesOf.get(id)! }))
}

const hold = async (tx: Tx, id: number, node: number, now: number): Promise<ClaimedBatch> => {
  const row = await tx.get<ClaimedBatch>(
    `UPDATE batches SET held_by = ?2, held_until = ?3, attempt = attempt + 1 WHERE id = ?1
     RETURNING id, task_id, app, page, channel, environment, tried, devices, badges, attempt`,
    id, node, now + HOLD_MS,
  )
  const state = await tx.get<{ bytes: Uint8Array }>('SELECT bytes FROM batch_states WHERE batch_id = ?', id)
  return { ...row!, bytes: state!.bytes }
}

/** Takes the next due batch of one lane: lists before `all` and tags, and among those the one due first. */
export const claimFromLane = async (
  tx: Tx,
  { channel, lane, node, now }: { channel: VendorName; lane: number; node: number; now: number },
): Promise<ClaimedBatch | undefined> => {
  for (const urgent of [1, 0]) {
    const due = await tx.get<{ id: number }>(
      `SELECT id FROM batches WHERE channel = ?1 AND lane = ?2 AND lane IS NOT NULL AND urgent = ?3 AND due_at <= ?4 AND held_until <= ?4
       ORDER BY due_at LIMIT 1 for update skip locked`,
      channel, lane, urgent, now,
    )
    if (due) return hold(tx, due.id, node, now)
  }
  return undefined
}

/** What waits in a lane for a later time is due now: what it waited for may have changed. */
export const wakeLane = async (
  tx: Tx,
  { channel, lane, now }: { channel: VendorName; lane: number; now: number },
): Promise<void> => {
  await tx.run(
    'UPDATE batches SET due_at = ?3 WHERE channel = ?1 AND lane = ?2 AND lane IS NOT NULL AND due_at > ?3 AND held_until <= ?3',
    channel, lane, now,
  )
}

/** The vendor's first lane after this one that has anything left to do, now or later. */
export const nextLane = async (tx: Tx, { channel, after }: { channel: VendorName; after: number }): Promise<number | undefined> => {
  const row = await tx.get<{ lane: number | null }>(
    'SELECT min(lane) AS lane FROM batches WHERE channel = ?1 AND lane > ?2 AND lane IS NOT NULL AND due_at IS NOT NULL', channel, after,
  )
  return row?.lane ?? undefined
}

export interface LogEntry {
  at: number
  what: string
  /** How many deliveries it speaks of. */
  count: number
  /** Which ones, by their place in the batch, where it is not all of them. */
  places?: number[]
  why?: string
}

const LOG_ENTRIES = 24 // the first attempts and the latest ones tell the story; the middle of a long one does not

const extendLog = (log: string, entries: readonly LogEntry[]): string => {
  const all = JSON.parse(log) as LogEntry[]
  for (const entry of entries) {
    const last = all.at(-1)
    // Receipts trickle in: one line for a run of them.
    if (last && last.what === entry.what && last.why === entry.why && !entry.places && !last.places) last.count += entry.count
    else all.push(entry)
  }
  return JSON.stringify(all.length > LOG_ENTRIES ? [...all.slice(0, LOG_ENTRIES / 2), ...all.slice(-LOG_ENTRIES / 2)] : all)
}

/** A batch whose holder died with it: what it had handed over, nobody knows. */
export const freeBatch = async (tx: Tx, id: number, now: number): Promise<void> => {
  const row = await tx.get<{ log: string; bytes: Uint8Array }>('SELECT log, bytes FROM batch_states WHERE batch_id = ? for update', id)
  const entry = { at: now, what: 'lost', count: fold(row!.bytes).pending, why: 'the node ended while it was handing over' }
  await tx.run('UPDATE batch_states SET log = ?2 WHERE batch_id = ?1', id, extendLog(row!.log, [entry]))
  await tx.run('UPDATE batches SET held_until = 0 WHERE id = ?', id)
}

export interface Change {
  index: number
  state: DeliveryState
  /** The delivery was handed over, whatever became of it then. */
  sent: boolean
}

export interface Settlement {
  batchId: number
  attempt: number
  task: TaskPlace
  changes: Change[]
  children: NewBatch[]
  /** When what is still pending is due again; null when nothing should be. */
  dueAt: number | null
  /** By which certificate it was handed over to a vendor; null where that is none. */
  certificate: string | null
  log: LogEntry[]
  now: number
}

interface Settled {
  settled: boolean
  children: WrittenBatch[]
  /** Nodes that were told to look at their devices' inboxes. */
  told: number[]
  /** How many more of it count as handed over now. */
  sent: number
  finished: number
}

/**
 * Writes what became of a batch: the bytes, the fallbacks' batches and the next due time, in one transaction. If somebody
 * else has claimed the batch since, nothing happens: what they do counts.
 */
export const settleBatch = async (tx: Tx, s: Settlement): Promise<Settled> => {
  const isReplaced = s.certificate !== null && s.dueAt !== null && (await wasReplaced(tx, s.batchId, s.certificate))
  // The states are held before the batch, here and wherever both are: marks may close a batch at the same moment.
  const row = await tx.get<{ bytes: Uint8Array; log: string; sent: number }>('SELECT bytes, log, sent FROM batch_states WHERE batch_id = ? for update', s.batchId)
  const batch = await tx.get<{ devices: Uint8Array; channel: BatchChannel }>(
    'SELECT devices, channel FROM batches WHERE id = ? AND attempt = ? AND due_at IS NOT NULL for update', s.batchId, s.attempt,
  )
  if (!row || !batch) return { settled: false, children: [], told: [], sent: 0, finished: 0 }
  const { bytes } = row
  const devices = unpackIds(batch.devices)
  const toInbox: number[] = []
  for (const { index, state, sent } of s.changes) {
    const before = bytes[index]!
    if (!isPending(before)) continue // acknowledged, cancelled or expired meanwhile
    const after = withState(sent ? withMark(before, markOf(SENT, false)) : before, state)
    bytes[index] = after
    if (state === 'waiting') toInbox.push(devices[index]!)
    else if (state !== 'pending' && batch.channel === ownChannel) {
      await tx.run('DELETE FROM inbox WHERE device_id = ? AND task_id = ?', devices[index]!, s.task.id)
    }
  }
  const sum = fold(bytes)
  // Whichever comes first, this or the gathered marks, tells of it.
  const handedOver: LogEntry[] = sum.sent > row.sent ? [{ at: s.now, what: 'sent', count: sum.sent - row.sent }] : []
  await tx.run(
    'UPDATE batch_states SET bytes = ?2, sent = ?3, received = ?4, waiting = ?5, log = ?6 WHERE batch_id = ?1',
    s.batchId, bytes, sum.sent, sum.received, sum.waiting, extendLog(row.log, [...handedOver, ...s.log]),
  )
  if (toInbox.length > 0) {
    if (devices.length >= WIDE) await tx.run('UPDATE tasks SET wide = 1 WHERE id = ? AND wide = 0', s.task.id)
    else await addToInbox(tx, { taskId: s.task.id, batchId: s.batchId, devices: toInbox, limit: s.task.inboxLimit })
  }
  const children = await insertBatches(tx, s.task, s.children)
  const again = isReplaced ? Math.min(s.dueAt!, s.now + HEARD_MS) : (s.dueAt ?? s.now)
  const dueAt = sum.pending > 0 ? again : null
  await tx.run('UPDATE batches SET due_at = ?2, held_until = 0 WHERE id = ?1', s.batchId, dueAt)
  const finished = dueAt === null ? await finishTask(tx, s.task.id, s.now) : 0
  return { settled: true, children, told: await wakeDevices(tx, toInbox), sent: sum.sent - row.sent, finished }
}

/** By then every node goes by a certificate that has just been set. */
const HEARD_MS = 1_000

/**
 * Whether the vendor has another certificate by now. What it was put off for, under the old one, does not concern the new
 * one, and whoever set that has woken only what nobody had under way. The certificate is held before batches, as there.
 */
const wasReplaced = async (tx: Tx, batchId: number, key: string): Promise<boolean> => {
  const now = await tx.get<{ id: number; vendor: VendorName; secrets: Uint8Array }>(
    `SELECT c.id, c.vendor, c.secrets FROM batches b
     JOIN certificates c ON c.app = b.app AND c.vendor = b.channel AND c.environment = b.environment
     WHERE b.id = ? for share of c`,
    batchId,
  )
  return now !== undefined && certificateKey(now) !== key
}

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

/** A planned task with no batch left to work on is done: 1. Inbox places keep it alive until they expire. */
export const finishTask = (tx: Tx, taskId: number, now: number): Promise<number> => finishTasks(tx, [taskId], now)

/** How many of them are done. A look at each task's batches, one after the other: joined, all open ones might be walked. */
const finishTasks = async (tx: Tx, ids: readonly number[], now: number): Promise<number> => {
  if (ids.length === 0) return 0
  // Held before the look at their batches: of two that close the last two at once, each would see the other's still open.
  await tx.hold('SELECT id FROM tasks WHERE id any_int(?1) ORDER BY id for update', list(ids))
  const finished = await tx.all<{ id: number; listened: number }>(
    `UPDATE tasks SET state = 'done', finished_at = ?2,
       live = CASE WHEN (SELECT b.id FROM batches b JOIN batch_states s ON s.batch_id = b.id
                         WHERE b.task_id = tasks.id AND s.waiting > 0 LIMIT 1) IS NULL THEN 0 ELSE 1 END
     WHERE id any_int(?1) AND state = 'sending'
       AND (SELECT b.id FROM batches b WHERE b.task_id = tasks.id AND b.due_at IS NOT NULL LIMIT 1) IS NULL
     RETURNING id, (SELECT count(*) FROM webhooks w WHERE w.app = tasks.app) AS listened`,
    list(ids), now,
  )
  await Promise.all(finished.filter(({ listened }) => listened > 0).map(({ id }) => tellTaskEnded(tx, id, now)))
  return finished.length
}
