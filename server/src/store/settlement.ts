import { type VendorName, ownChannel } from '@carillon/protocol/names.ts'
import { type LogEntry, extendLog } from './batch-log.ts'
import { type BatchChannel, type NewBatch, type TaskPlace, type WrittenBatch, WIDE, insertBatches } from './batches.ts'
import { certificateKey } from './certificate-key.ts'
import { finishTask } from './finish.ts'
import { wakeDevices } from './frames.ts'
import { addToInbox } from './inbox.ts'
import { type DeliveryState, SENT, fold, isPending, markOf, unpackIds, withMark, withState } from './ledger.ts'
import type { Tx } from './store.ts'

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
