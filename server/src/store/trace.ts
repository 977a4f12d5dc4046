import type { ChannelName } from '@carillon/protocol/names.ts'
import type { LogEntry } from './batch-log.ts'
import type { BatchChannel } from './batches.ts'
import { placeOf, unpackIds } from './ledger.ts'
import type { ScopeKind } from './scope.ts'
import type { Tx } from './store.ts'

interface Found {
  id: number
  channel: BatchChannel
  reason: string | null
  devices: Uint8Array
  bytes: Uint8Array
  log: string
  attempt: number
  due_at: number | null
}

/** A task's batches of the page that a device is in; windows of a task do not overlap. */
const batchesAround = async (tx: Tx, taskId: number, deviceId: number): Promise<Found[]> => {
  const page = await tx.get<{ page: number }>('SELECT page FROM batches WHERE task_id = ? AND page >= ? ORDER BY page LIMIT 1', taskId, deviceId)
  if (!page) return []
  return tx.all<Found>(
    `SELECT b.id AS id, b.channel AS channel, b.reason AS reason, b.devices AS devices, b.attempt AS attempt, b.due_at AS due_at,
            s.bytes AS bytes, s.log AS log
     FROM batches b JOIN batch_states s ON s.batch_id = b.id WHERE b.task_id = ? AND b.page = ? ORDER BY b.id`,
    taskId, page.page,
  )
}

export interface TracedBatch {
  channel: BatchChannel
  reason: string | null
  byte: number
  attempt: number
  dueAt: number | null
  log: LogEntry[]
}

/** All that is written down of one task and one device, oldest first. Log lines about other places are left out. */
export const traceDelivery = async (tx: Tx, { taskId, deviceId }: { taskId: number; deviceId: number }): Promise<TracedBatch[]> => {
  const traced: TracedBatch[] = []
  for (const batch of await batchesAround(tx, taskId, deviceId)) {
    const index = placeOf(unpackIds(batch.devices), deviceId)
    if (index < 0) continue
    const log = (JSON.parse(batch.log) as LogEntry[]).filter(({ places }) => !places || places.includes(index))
    traced.push({ channel: batch.channel, reason: batch.reason, byte: batch.bytes[index]!, attempt: batch.attempt, dueAt: batch.due_at, log })
  }
  return traced
}

/** Where the byte of a delivery stands; without a channel, on the newest one used for that device. */
export const findDelivery = async (
  tx: Tx,
  { app, taskId, deviceId, channel }: { app: number; taskId: number; deviceId: number; channel: string | null },
): Promise<{ batchId: number; index: number; channel: ChannelName; acceptedAt: number } | undefined> => {
  const task = await tx.get<{ accepted_at: number }>('SELECT accepted_at FROM tasks WHERE id = ? AND app = ?', taskId, app)
  if (!task) return undefined
  for (const batch of (await batchesAround(tx, taskId, deviceId)).reverse()) {
    if (batch.channel === 'held' || batch.channel === 'none' || (channel !== null && batch.channel !== channel)) continue
    const index = placeOf(unpackIds(batch.devices), deviceId)
    if (index >= 0) return { batchId: batch.id, index, channel: batch.channel, acceptedAt: task.accepted_at }
  }
  return undefined
}

/** The same for many at once, in their order: a vendor reports a thousand in one call. */
export const findDeliveries = (tx: Tx, { asked }: { asked: Parameters<typeof findDelivery>[1][] }) =>
  Promise.all(asked.map((one) => findDelivery(tx, one)))

/** The device behind a push token, if the caller's scope reaches it. */
export const deviceInScope = async (
  tx: Tx,
  { app, scopeKind, scopeId, pushTokenHash }: { app: number; scopeKind: ScopeKind; scopeId: number; pushTokenHash: Uint8Array },
): Promise<number | undefined> =>
  (
    await tx.get<{ id: number }>(
      `SELECT id FROM devices WHERE push_token_hash = ?1 AND app = ?2
         AND (?3 = 'app' OR (?3 = 'user' AND user_id = ?4)
              OR (?3 = 'group' AND user_id IN (SELECT user_id FROM group_members WHERE group_id = ?4)))`,
      pushTokenHash, app, scopeKind, scopeId,
    )
  )?.id
