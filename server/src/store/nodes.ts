import { freeBatch } from './batch-log.ts'
import { tellMoved } from './frames.ts'
import { type Tx, list, rows } from './store.ts'

/**
 * A new incarnation of the only node: whatever an earlier one held is free again, and its sessions are gone. Own-channel
 * pushes it had under way are due at once; a vendor's keep the time they were waiting for.
 */
export const startNode = async (tx: Tx, { now }: { now: number }): Promise<number> => {
  const node = await tx.insert('INSERT INTO nodes (started_at) VALUES (?)', now)
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

/**
 * Writes a group of departures and arrivals, in this order; each device arrives at most once. A departure counts only where
 * that session is still the one written down. The devices are held first, in their order: when many move from one node to
 * another, both write of the same ones, and must not wait for one another; and of two nodes at which one arrives at once,
 * the second sees the first. Returns the nodes that were told of sessions that are over.
 */
export const writePresence = async (
  tx: Tx,
  { node, arrived, left, now }: { node: number; arrived: Arrival[]; left: Arrival[]; now: number },
): Promise<number[]> => {
  const held = await tx.all<{ id: number; presence_node: number | null; presence_session: number | null }>(
    'SELECT id, presence_node, presence_session FROM devices WHERE id any_int(?1) ORDER BY id for update',
    list([...arrived, ...left].map(({ deviceId }) => deviceId)),
  )
  const told = await tellMoved(tx, node, arrived.map(({ deviceId }) => deviceId))
  /** The session at this node, 0 where there is none, of each device that is there at all. */
  const sessionOf = new Map(held.map(({ id, presence_node, presence_session }) => [id, presence_node === node ? presence_session! : 0]))
  const gone = new Set(left.flatMap(({ deviceId, session }) => (sessionOf.get(deviceId) === session ? [deviceId] : [])))
  for (const id of gone) sessionOf.set(id, 0)
  const here = arrived.filter(({ deviceId, session }) => (sessionOf.get(deviceId) ?? Infinity) < session)
  for (const { deviceId } of here) gone.delete(deviceId)
  if (gone.size > 0) {
    await tx.run('UPDATE devices SET presence_node = NULL, presence_session = NULL, seen_at = ?2 WHERE id any_int(?1)', list([...gone]), now)
  }
  if (here.length > 0) {
    await tx.run(
      `UPDATE devices SET presence_node = ?1, presence_session = w.session, seen_at = ?3
       FROM each_row(?2) w (id int, session int) WHERE devices.id = w.id`,
      node, rows(here.map(({ deviceId, session }) => [deviceId, session])), now,
    )
  }
  return told
}

/** Those of these devices that are at another node. */
export const devicesElsewhere = async (tx: Tx, { node, devices }: { node: number; devices: readonly number[] }): Promise<number[]> => {
  const rows = await tx.all<{ id: number }>('SELECT id FROM devices WHERE id any_int(?1) AND presence_node <> ?2 ORDER BY id', list(devices), node)
  return rows.map(({ id }) => id)
}

/**
 * Whether the store takes changes now: touches the disk, changes nothing. There and back again, because SQLite writes
 * no page for a row that is set to what it already holds, and a full disk would go unseen.
 */
export const touchNode = async (tx: Tx, { node }: { node: number }): Promise<void> => {
  await tx.run('UPDATE nodes SET started_at = started_at + 1 WHERE id = ?', node)
  await tx.run('UPDATE nodes SET started_at = started_at - 1 WHERE id = ?', node)
}
