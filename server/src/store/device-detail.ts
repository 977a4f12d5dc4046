import type { VendorName } from '@carillon/protocol/names.ts'
import { writeAudit } from './audit.ts'
import { readBadges } from './badges.ts'
import type { BatchChannel } from './batches.ts'
import { type FoundDevice, readFound } from './device-search.ts'
import { eraseDeviceRows } from './erase.ts'
import { list, type Tx } from './store.ts'
import { traceDelivery } from './trace.ts'

/** A device of an app, by its push token. */
export interface DeviceOfApp {
  app: number
  pushTokenHash: Uint8Array
}

const idOf = async (tx: Tx, { app, pushTokenHash }: DeviceOfApp): Promise<number | undefined> => {
  const sql = 'SELECT id FROM devices WHERE push_token_hash = ?1 AND app = ?2'
  return (await tx.get<{ id: number }>(sql, pushTokenHash, app))?.id
}

export interface BoundToken {
  vendor: VendorName
  environment: number
  token: string
  bound_at: number
  quarantined_at: number | null
}

/** How a device's user wants to be reached. */
export interface PushWishes {
  push_enabled: number
  quiet_start: number | null
  quiet_end: number | null
  time_zone: string | null
}

export interface DeviceDetail extends FoundDevice, PushWishes {
  logged_in: number
  badge: number
  tokens: BoundToken[]
}

/** All there is to see of one device; undefined: the app has none with this push token. */
export const readDevice = async (tx: Tx, { device }: { device: DeviceOfApp }): Promise<DeviceDetail | undefined> => {
  const id = await idOf(tx, device)
  const [found] = id === undefined ? [] : await readFound(tx, { ids: [id] })
  if (!found) return undefined
  const wishes = await tx.get<PushWishes & { logged_in: number }>(
    `SELECT d.logged_in, u.push_enabled, u.quiet_start, u.quiet_end, u.time_zone
     FROM devices d JOIN users u ON u.id = d.user_id WHERE d.id = ?1`,
    found.id,
  )
  const tokens = await tx.all<BoundToken>(
    `SELECT vendor, environment, token, bound_at, quarantined_at FROM vendor_tokens
     WHERE device_id = ?1 ORDER BY vendor, environment`,
    found.id,
  )
  return { ...found, ...wishes!, badge: (await readBadges(tx, { ids: [found.id] }))[0]!, tokens }
}

/** Erases a device by an admin's word; false: the app has none with this push token. */
export const eraseDevice = async (
  tx: Tx,
  { device, actor, now }: { device: DeviceOfApp; actor: string; now: number },
): Promise<boolean> => {
  const id = await idOf(tx, device)
  if (id === undefined) return false
  const held = await tx.get<{ user_id: number; guid: string }>(
    'SELECT user_id, guid FROM devices WHERE id = ?1 for update', id,
  )
  if (!held) return false
  await eraseDeviceRows(tx, id, now)
  const detail = { device_id: id, user_id: held.user_id, device_guid: held.guid }
  await writeAudit(tx, { app: device.app, at: now, actor, action: 'device.remove', detail })
  return true
}

/** One task that meant a device, and where that stands. */
export interface PushToDevice {
  task_id: number
  title: string | null
  accepted_at: number
  channel: BatchChannel
  reason: string | null
  byte: number
}

/** As many tasks stand together in the indexes by device and by user: see migrations/0006-written-often.sql. */
const BLOCK = 4_096

/** A part of what an operation looks for. */
interface Part {
  pushes: PushToDevice[]
  /** Go on before this task; null at the end. */
  next: number | null
}

/** What was meant for a device or its user alone, newest first: the first `limit` in some blocks of tasks before this one. */
export const pushesToOne = async (
  tx: Tx,
  { deviceId, userId, before, blocks, limit }: { deviceId: number; userId: number; before: number; blocks: number; limit: number },
): Promise<Part> => {
  const newest = await tx.get<{ id: number | null }>('SELECT max(id) AS id FROM tasks WHERE id < ?1', before)
  if (!newest?.id) return { pushes: [], next: null }
  const last = Math.floor(newest.id / BLOCK)
  const first = Math.max(last - blocks + 1, 0)
  const numbers = list(Array.from({ length: last - first + 1 }, (_, i) => first + i))
  const taskIds = (column: string, of: number) =>
    tx.all<{ id: number }>(
      `SELECT id FROM tasks WHERE id / ${BLOCK} any_int(?1) AND ${column} = ?2 AND id < ?3 ORDER BY id DESC LIMIT ?4`, numbers, of, before, limit,
    )
  const found = [...(await taskIds('sole_device', deviceId)), ...(await taskIds('sole_user', userId))]
  const ids = found.map(({ id }) => id).sort((a, b) => b - a).slice(0, limit)
  const next = ids.length === limit ? ids.at(-1)! : first * BLOCK
  return { pushes: await pushesAmong(tx, deviceId, ids), next: next === 0 ? null : next }
}

/** What was meant for many, if it meant this device too: of `some` tasks before this one. */
export const pushesToMany = async (
  tx: Tx,
  { app, deviceId, before, some }: { app: number; deviceId: number; before: number; some: number },
): Promise<Part> => {
  const rows = await tx.all<{ id: number }>(
    `SELECT id FROM tasks WHERE app = ?1 AND id < ?2 AND sole_user IS NULL AND sole_device IS NULL
     ORDER BY id DESC LIMIT ?3`,
    app, before, some,
  )
  const ids = rows.map(({ id }) => id)
  return { pushes: await pushesAmong(tx, deviceId, ids), next: ids.length < some ? null : ids.at(-1)! }
}

/** Those of the tasks that meant the device, in their order; of each where it stands now. */
const pushesAmong = async (tx: Tx, deviceId: number, ids: readonly number[]): Promise<PushToDevice[]> => {
  const pushes: Omit<PushToDevice, 'title' | 'accepted_at'>[] = []
  for (const task_id of ids) {
    const traced = (await traceDelivery(tx, { taskId: task_id, deviceId })).at(-1)
    if (traced) pushes.push({ task_id, channel: traced.channel, reason: traced.reason, byte: traced.byte })
  }
  const rows = await tx.all<{ id: number; title: string | null; accepted_at: number }>(
    'SELECT id, title, accepted_at FROM tasks WHERE id any_int(?1)', list(pushes.map(({ task_id }) => task_id)),
  )
  const tasks = new Map(rows.map(({ id, ...task }) => [id, task]))
  return pushes.map((push) => ({ ...push, ...tasks.get(push.task_id)! }))
}
