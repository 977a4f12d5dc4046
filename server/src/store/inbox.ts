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

interface Places {
  taskId: number
  batchId: number
  devices: readonly number[]
  limit: number
}

/** Gives devices a place for a task. The oldest places beyond the limit end as overflow. */
export const addToInbox = async (tx: Tx, places: Places): Promise<void> => {
  await markInboxed(tx, [places.batchId])
  await addPlaces(tx, places)
}

/** The same, of a batch that is known to have inbox rows. */
export const addPlaces = async (tx: Tx, { taskId, batchId, devices, limit }: Places): Promise<void> => {
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
  const kept = places.filter(({ batchId, index }) => isDeliverable(bytesOf.get(batchId)?.[index] ?? 0xff)).sort((a, b) => a.batchId - b.batchId)
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

/** A device that wants to know what waits for it: at most `count`, of tasks above `afterTask`. */
export interface InboxReader {
  app: number
  deviceId: number
  afterTask: number
  count: number
  /** Places the inbox has. */
  limit: number
}

export interface InboxPage {
  /** Oldest first. */
  items: InboxItem[]
  /** What must end unread: replaced by a newer one of the same collapse_id, or beyond the limit. */
  ended: EndedPlace[]
}

interface WideTask {
  task_id: number
  scope_kind: string
  scope_id: number
  collapse_id: string | null
}

interface Candidate extends WideTask {
  batch_id: number
  /** Where it was found in the ledger; of an inbox row that is looked up later, if it is wanted at all. */
  item?: InboxItem
}

interface LedgerBatch {
  id: number
  devices: Uint8Array
  badges: Uint8Array | null
  bytes: Uint8Array
}

/**
 * What waits for each of some devices: their inbox rows, and the live wide tasks probed by page. Many at once, because on
 * PostgreSQL devices come by the thousand when a node has died, and most of them share their pages with one another.
 */
export const readInboxes = async (tx: Tx, { readers, now }: { readers: readonly InboxReader[]; now: number }): Promise<InboxPage[]> => {
  const candidates = new Map<number, Candidate[]>(readers.map(({ deviceId }) => [deviceId, []]))
  const rows = await tx.all<Candidate & { device_id: number }>(
    `SELECT i.device_id, i.task_id, i.batch_id, t.scope_kind, t.scope_id, t.collapse_id FROM inbox i JOIN tasks t ON t.id = i.task_id
     WHERE i.device_id any_int(?1) AND t.expires_at > ?2`,
    list([...candidates.keys()]), now,
  )
  for (const row of rows) candidates.get(row.device_id)!.push(row)
  for (const app of new Set(readers.map((reader) => reader.app))) await probeWide(tx, app, readers, candidates, now)
  const sorted = readers.map((reader) => sortPlaces(candidates.get(reader.deviceId)!, reader))
  const items = await findItems(tx, readers.map((reader, i) => ({ ...reader, places: sorted[i]!.kept })))
  return sorted.map(({ ended }, i) => ({ items: items[i]!, ended }))
}

/** Adds what the wide tasks of an app have for its devices among these. */
const probeWide = async (tx: Tx, app: number, readers: readonly InboxReader[], candidates: ReadonlyMap<number, Candidate[]>, now: number): Promise<void> => {
  const tasks = await tx.all<WideTask>(
    'SELECT id AS task_id, scope_kind, scope_id, collapse_id FROM tasks WHERE app = ? AND wide = 1 AND live = 1 AND expires_at > ?', app, now,
  )
  if (tasks.length === 0) return
  const devices = [...new Set(readers.flatMap((reader) => (reader.app === app ? [reader.deviceId] : [])))].sort((a, b) => a - b)
  for (const task of tasks) {
    const ids = devices.filter((id) => candidates.get(id)!.every(({ task_id }) => task_id !== task.task_id))
    for (let at = 0; at < ids.length; ) {
      // Windows of a task do not overlap: the first page from a device on is the one it may be in.
      const page = await tx.get<{ page: number }>('SELECT page FROM batches WHERE task_id = ? AND page >= ? ORDER BY page LIMIT 1', task.task_id, ids[at]!)
      if (!page) break
      const batches = await tx.all<LedgerBatch>(
        `SELECT b.id, b.devices, b.badges, s.bytes FROM batches b JOIN batch_states s ON s.batch_id = b.id
         WHERE b.task_id = ? AND b.page = ? AND b.channel = ? AND (s.waiting > 0 OR b.due_at IS NOT NULL) ORDER BY b.id`,
        task.task_id, page.page, ownChannel,
      )
      for (; at < ids.length && ids[at]! <= page.page; at += 1) {
        for (const batch of batches) {
          const item = itemOf(batch, task.task_id, ids[at]!)
          if (item) candidates.get(ids[at]!)!.push({ ...task, batch_id: batch.id, item })
        }
      }
    }
  }
}

/** What stays, oldest first, and what ends. */
const sortPlaces = (candidates: readonly Candidate[], { afterTask, limit }: InboxReader): { kept: Candidate[]; ended: EndedPlace[] } => {
  const ended: EndedPlace[] = []
  const newest = new Set<string>()
  const kept: Candidate[] = []
  for (const row of candidates.toSorted((a, b) => b.task_id - a.task_id)) {
    const key = row.collapse_id === null ? null : `${row.scope_kind} ${row.scope_id} ${row.collapse_id}`
    if (key !== null && newest.has(key)) ended.push({ task_id: row.task_id, batch_id: row.batch_id, state: 'replaced' })
    else if (kept.length >= limit) ended.push({ task_id: row.task_id, batch_id: row.batch_id, state: 'overflow' })
    else kept.push(row)
    if (key !== null) newest.add(key)
  }
  return { kept: kept.reverse().filter(({ task_id }) => task_id > afterTask), ended }
}

/** The first ones of each that are still to be had. */
const findItems = async (tx: Tx, wanted: readonly (InboxReader & { places: Candidate[] })[]): Promise<InboxItem[][]> => {
  const found = wanted.map((): InboxItem[] => [])
  for (let from = wanted.map(() => 0); ; ) {
    const parts = wanted.map(({ places, count }, i) => places.slice(from[i]!, from[i]! + count - found[i]!.length))
    const unknown = parts.flatMap((part) => part.flatMap(({ item, batch_id }) => (item ? [] : [batch_id])))
    const batches = unknown.length === 0 ? [] : await tx.all<LedgerBatch>(
      'SELECT b.id, b.devices, b.badges, s.bytes FROM batches b JOIN batch_states s ON s.batch_id = b.id WHERE b.id any_int(?1)', list(unknown),
    )
    const byId = new Map(batches.map((batch) => [batch.id, batch]))
    parts.forEach((part, i) => {
      for (const { item, batch_id, task_id } of part) {
        const batch = byId.get(batch_id)
        const there = item ?? (batch && itemOf(batch, task_id, wanted[i]!.deviceId))
        if (there) found[i]!.push(there)
      }
    })
    from = from.map((at, i) => at + parts[i]!.length)
    if (wanted.every(({ places, count }, i) => found[i]!.length === count || from[i] === places.length)) return found
  }
}

/** Undefined: nothing of it is to be had by the device. */
const itemOf = ({ id, devices, badges, bytes }: LedgerBatch, task_id: number, deviceId: number): InboxItem | undefined => {
  const index = placeOf(unpackIds(devices), deviceId)
  if (index < 0 || !isDeliverable(bytes[index]!)) return undefined
  return { task_id, batch_id: id, index, badge: badges ? (unpackBadges(badges)[index] ?? null) : null, again: levelOf(bytes[index]!) >= SENT }
}
