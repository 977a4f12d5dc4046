import { freeBatch } from './batches.ts'
import type { Tx } from './store.ts'

/**
 * A new incarnation of the only node: whatever an earlier one held is free again, and its sessions are gone. Own-channel
 * pushes it had under way are due at once; a vendor's keep the time they were waiting for.
 */
export const startNode = async (tx: Tx, { now }: { now: number }): Promise<number> => {
  const node = (await tx.get<{ id: number }>('INSERT INTO nodes (started_at) VALUES (?) RETURNING id', now))!.id
  await tx.run('DELETE FROM nodes WHERE id <> ?', node)
  await tx.run(`UPDATE batches SET held_until = 0, node = NULL, due_at = ? WHERE channel = 'nativepush' AND due_at IS NOT NULL`, now)
  const held = await tx.all<{ id: number }>('SELECT id FROM batches WHERE due_at IS NOT NULL AND held_until > 0')
  for (const { id } of held) await freeBatch(tx, id, now)
  await tx.run('UPDATE tasks SET held_until = 0 WHERE plan_at IS NOT NULL AND held_until > 0')
  return node
}

interface Arrival {
  deviceId: number
  session: number
}

const byDevice = (a: Arrival, b: Arrival): number => a.deviceId - b.deviceId

/**
 * Writes a group of arrivals and departures. A departure counts only where that session is still the one written down.
 * In the order of the devices: when many move from one node to another, both write of the same ones, and must not wait
 * for one another.
 */
export const writePresence = async (
  tx: Tx,
  { node, arrived, left, now }: { node: number; arrived: Arrival[]; left: Arrival[]; now: number },
): Promise<void> => {
  for (const { deviceId, session } of left.toSorted(byDevice)) {
    await tx.run(
      `UPDATE devices SET presence_node = NULL, presence_session = NULL, seen_at = ?4
       WHERE id = ?1 AND presence_node = ?2 AND presence_session = ?3`,
      deviceId, node, session, now,
    )
  }
  for (const { deviceId, session } of arrived.toSorted(byDevice)) {
    await tx.run(
      `UPDATE devices SET presence_node = ?2, presence_session = ?3, seen_at = ?4
       WHERE id = ?1 AND (presence_node IS NULL OR presence_node <> ?2 OR presence_session < ?3)`,
      deviceId, node, session, now,
    )
  }
}

/**
 * Whether the store takes changes now: touches the disk, changes nothing. There and back again, because SQLite writes
 * no page for a row that is set to what it already holds, and a full disk would go unseen.
 */
export const touchNode = async (tx: Tx, { node }: { node: number }): Promise<void> => {
  await tx.run('UPDATE nodes SET started_at = started_at + 1 WHERE id = ?', node)
  await tx.run('UPDATE nodes SET started_at = started_at - 1 WHERE id = ?', node)
}
