import { type Tx, list } from './store.ts'

/**
 * What a node is told of a device whose session it holds.
 * wake      its inbox has something
 * moved     it has connected elsewhere; `number` is the session that is over
 * received  it has said by other means than its connection that it got the task `number`
 */
export interface Frame {
  kind: 'wake' | 'moved' | 'received'
  deviceId: number
  number: number
}

/** Each node once, to be nudged. */
const once = (rows: readonly { node: number }[]): number[] => [...new Set(rows.map(({ node }) => node))]

/**
 * Something was put into the inboxes of these devices. Last in its transaction: a device that connected since it was
 * looked for is found here. Which nodes were told; of a single node nobody.
 */
export const wakeDevices = async (tx: Tx, devices: readonly number[]): Promise<number[]> => {
  if (!tx.shared || devices.length === 0) return []
  return once(
    await tx.all<{ node: number }>(
      `INSERT INTO frames (node, kind, device_id, number)
       SELECT d.presence_node, 'wake', d.id, 0 FROM devices d JOIN nodes n ON n.id = d.presence_node WHERE d.id any_int(?1)
       RETURNING node`,
      list(devices),
    ),
  )
}

/**
 * These devices, held by the caller, arrive at `node`: where another one still holds a session of theirs, it is told that
 * this is over.
 */
export const tellMoved = async (tx: Tx, node: number, devices: readonly number[]): Promise<number[]> => {
  if (!tx.shared || devices.length === 0) return []
  return once(
    await tx.all<{ node: number }>(
      `INSERT INTO frames (node, kind, device_id, number)
       SELECT d.presence_node, 'moved', d.id, d.presence_session FROM devices d JOIN nodes n ON n.id = d.presence_node
       WHERE d.id any_int(?1) AND d.presence_node <> ?2
       RETURNING node`,
      list(devices), node,
    ),
  )
}

/**
 * A device has said by HTTP that it got a task: the node that holds its stream, if another one does, need not wait for it.
 * One that let a push time out counts as away, and only the node that holds it knows: so all gateways are told.
 */
export const tellReceived = async (
  tx: Tx,
  { node, deviceId, taskId }: { node: number; deviceId: number; taskId: number },
): Promise<number[]> => {
  if (!tx.shared) return []
  return once(
    await tx.all<{ node: number }>(
      `INSERT INTO frames (node, kind, device_id, number)
       SELECT n.id, 'received', d.id, ?3 FROM devices d
       JOIN nodes n ON n.id = d.presence_node OR (d.presence_node IS NULL AND n.parts LIKE '%gateway%')
       WHERE d.id = ?1 AND n.id <> ?2
       RETURNING node`,
      deviceId, node, taskId,
    ),
  )
}

/** What this node was told, oldest first. It stays until it is dropped: told twice is better than not at all. */
export const readFrames = async (tx: Tx, { node, limit }: { node: number; limit: number }): Promise<(Frame & { id: number })[]> => {
  const rows = await tx.all<{ id: number; kind: Frame['kind']; device_id: number; number: number }>(
    'SELECT id, kind, device_id, number FROM frames WHERE node = ? ORDER BY id LIMIT ?', node, limit,
  )
  return rows.map(({ id, kind, device_id, number }) => ({ id, kind, deviceId: device_id, number }))
}

export const dropFrames = async (tx: Tx, { ids }: { ids: readonly number[] }): Promise<void> => {
  await tx.run('DELETE FROM frames WHERE id any_int(?1)', list(ids))
}

/** Nobody will read what was told to a node that is gone. */
export const purgeFrames = async (tx: Tx, _: object): Promise<number> =>
  tx.run('DELETE FROM frames WHERE NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = frames.node)')
