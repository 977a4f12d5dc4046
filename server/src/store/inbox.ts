import { ownChannel } from '@carillon/protocol/names.ts'
import { wakeDevices } from './frames.ts'
import { type DeliveryState, SENT, fold, isDeliverable, levelOf, placeOf, unpackBadges, unpackIds, withState } from './ledger.ts'
import { type Tx, list, rows } from './store.ts'

interface Place {
  task_id: number
  batch_id: number
}

export interface EndedPlace extends Place {
  state: 'replaced' | 'overflow'
}

/** Gives devices a place for a task. The oldest places beyond the limit end as overflow. */
export const addToInbox = async (
  tx: Tx,
  { taskId, batchId, devices, limit }: { taskId: number; batchId: number; devices: readonly number[]; limit: number },
): Promise<void> => {
  await markInboxed(tx, [batchId])
  await tx.run(
    'INSERT INTO inbox (device_id, task_id, batch_id) SELECT d.value, ?2, ?3 FROM each_int(?1) d WHERE true ON CONFLICT DO NOTHING',
    list(devices), taskId, batchId,
  )
  const full = await tx.all<{ device_id: number }>(
    'SELECT device_id FROM inbox WHERE device_id any_int(?1) GROUP BY device_id HAVING count(*) > ?2', list(devices), limit,
  )
  for (const { device_id } of full) {
    const beyond = await tx.all<Place>(
      'SELECT task_id, batch_id FROM inbox WHERE device_id = ? ORDER BY task_id DESC LIMIT 100 OFFSET ?', device_id, limit,
    )
    for (const place of beyond) await endPlace(tx, device_id, place, 'overflow')
  }
}

/** One push that goes back to its device's inbox. */
interface Kept {
  deviceId: number
  taskId: number
  batchId: number
  index: number
}

/**
 * A session that ended before these were acknowledged, or is too busy to take them, finds them here. Returns the nodes
 * that were told to look.
 */
export const keepInInbox = async (tx: Tx, { rows: places }: { rows: readonly Kept[] }): Promise<number[]> => {
  // In the order of the batches, as whoever holds several of them does: else two could wait for one another.
  const states = await tx.all<{ batch_id: number; bytes: Uint8Array }>(
    'SELECT batch_id, bytes FROM batch_states WHERE batch_id any_int(?1) ORDER BY batch_id for update', list(places.map(({ batchId }) => batchId)),
  )
  const bytesOf = new Map(states.map(({ batch_id, bytes }) => [batch_id, bytes]))
  const kept = places.filter(({ batchId, index }) => isDeliverable(bytesOf.get(batchId)?.[index] ?? 0xff))
  if (kept.length > 0) {
    await markInboxed(tx, kept.map(({ batchId }) => batchId))
    await tx.run(
      `INSERT INTO inbox (device_id, task_id, batch_id)
       SELECT w.device_id, w.task_id, w.batch_id FROM each_row(?1) w (device_id int, task_id int, batch_id int) WHERE true
       ON CONFLICT DO NOTHING`,
      rows(kept.map(({ deviceId, taskId, batchId }) => [deviceId, taskId, batchId])),
    )
  }
  return wakeDevices(tx, places.map(({ deviceId }) => deviceId))
}

/** Whoever ends a delivery of these batches has rows to look for. */
const markInboxed = async (tx: Tx, batchIds: readonly number[]): Promise<void> => {
  await tx.run('UPDATE batch_states SET inboxed = 1 WHERE batch_id any_int(?1) AND inboxed = 0', list(batchIds))
}

const endPlace = async (tx: Tx, deviceId: number, { task_id, batch_id }: Place, state: DeliveryState): Promise<void> => {
  await tx.run('DELETE FROM inbox WHERE device_id = ? AND task_id = ?', deviceId, task_id)
  const batch = await tx.get<{ devices: Uint8Array; bytes: Uint8Array }>(
    'SELECT b.devices, s.bytes FROM batches b JOIN batch_states s ON s.batch_id = b.id WHERE b.id = ? for update of s', batch_id,
  )
  if (!batch) return
  const index = placeOf(unpackIds(batch.devices), deviceId)
  if (index < 0 || !isDeliverable(batch.bytes[index]!)) return
  batch.bytes[index] = withState(batch.bytes[index]!, state)
  const sum = fold(batch.bytes)
  await tx.run('UPDATE batch_states SET bytes = ?2, waiting = ?3 WHERE batch_id = ?1', batch_id, batch.bytes, sum.waiting)
  // Its acknowledgement may still have been awaited: the sweep then finds nothing pending and closes the batch.
}

/** Ends places that a newer task replaced, or that are beyond the inbox's limit. */
export const endPlaces = async (
  tx: Tx,
  { deviceId, places }: { deviceId: number; places: EndedPlace[] },
): Promise<void> => {
  for (const place of places) await endPlace(tx, deviceId, place, place.state)
}

export interface InboxItem {
  task_id: number
  batch_id: number
  index: number
  badge: number | null
  /** It was written to an earlier connection and not acknowledged there. */
  again: boolean
}

interface Candidate extends Place {
  scope_kind: string
  scope_id: number
  collapse_id: string | null
}

/**
 * What waits for a device, oldest first: its inbox rows, and the live wide tasks probed by page. Also what must end
 * unread: places replaced by a newer one of the same collapse_id, and those beyond the limit.
 */
export const readInbox = async (
  tx: Tx,
  { app, deviceId, afterTask, count, limit, now }: { app: number; deviceId: number; afterTask: number; count: number; limit: number; now: number },
): Promise<{ items: InboxItem[]; ended: EndedPlace[] }> => {
  const rows = await tx.all<Candidate>(
    `SELECT i.task_id, i.batch_id, t.scope_kind, t.scope_id, t.collapse_id FROM inbox i JOIN tasks t ON t.id = i.task_id
     WHERE i.device_id = ? AND t.expires_at > ?`,
    deviceId, now,
  )
  const known = new Set(rows.map((row) => row.task_id))
  const wide = await tx.all<Omit<Candidate, 'batch_id'>>(
    `SELECT id AS task_id, scope_kind, scope_id, collapse_id FROM tasks WHERE app = ? AND wide = 1 AND live = 1 AND expires_at > ?`,
    app, now,
  )
  for (const task of wide) {
    if (known.has(task.task_id)) continue
    for (const batch_id of await probe(tx, task.task_id, deviceId)) {
      if (await findItem(tx, { task_id: task.task_id, batch_id }, deviceId)) rows.push({ ...task, batch_id })
    }
  }
  rows.sort((a, b) => b.task_id - a.task_id)

  const ended: EndedPlace[] = []
  const newest = new Set<string>()
  const kept: Place[] = []
  for (const row of rows) {
    const key = row.collapse_id === null ? null : `${row.scope_kind} ${row.scope_id} ${row.collapse_id}`
    if (key !== null && newest.has(key)) ended.push({ task_id: row.task_id, batch_id: row.batch_id, state: 'replaced' })
    else if (kept.length >= limit) ended.push({ task_id: row.task_id, batch_id: row.batch_id, state: 'overflow' })
    else kept.push(row)
    if (key !== null) newest.add(key)
  }
  const items: InboxItem[] = []
  for (const row of kept.reverse()) {
    if (items.length === count) break
    const item = row.task_id > afterTask ? await findItem(tx, row, deviceId) : undefined
    if (item) items.push(item)
  }
  return { items, ended }
}

/** The batches of a task's page that may hold the device; windows of a task do not overlap. */
const probe = async (tx: Tx, taskId: number, deviceId: number): Promise<number[]> => {
  const page = await tx.get<{ page: number }>('SELECT page FROM batches WHERE task_id = ? AND page >= ? ORDER BY page LIMIT 1', taskId, deviceId)
  if (!page) return []
  const batches = await tx.all<{ id: number }>('SELECT id FROM batches WHERE task_id = ? AND page = ? AND channel = ?', taskId, page.page, ownChannel)
  return batches.map((batch) => batch.id)
}

const findItem = async (tx: Tx, { task_id, batch_id }: Place, deviceId: number): Promise<InboxItem | undefined> => {
  const batch = await tx.get<{ devices: Uint8Array; badges: Uint8Array | null; bytes: Uint8Array }>(
    'SELECT b.devices, b.badges, s.bytes FROM batches b JOIN batch_states s ON s.batch_id = b.id WHERE b.id = ?', batch_id,
  )
  if (!batch) return undefined
  const index = placeOf(unpackIds(batch.devices), deviceId)
  if (index < 0 || !isDeliverable(batch.bytes[index]!)) return undefined
  const badge = batch.badges ? (unpackBadges(batch.badges)[index] ?? null) : null
  return { task_id, batch_id, index, badge, again: levelOf(batch.bytes[index]!) >= SENT }
}
