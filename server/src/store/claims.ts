import type { VendorName } from '@carillon/protocol/names.ts'
import type { BatchChannel } from './batches.ts'
import { type Tx, list } from './store.ts'

/** What a batch is handed over within; the holds of a node that died are freed sooner. */
export const HOLD_MS = 60_000

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
