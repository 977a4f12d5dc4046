import { freeBatch } from './batch-log.ts'
import { type Tx, list } from './store.ts'

/** Many nodes on one store: each says every second that it lives. What a silent one held belongs to the others. */
export const BEAT_MS = 1_000
/** Four beats missed and a second for the slowest commit. Nodes' clocks must agree to a second or two. */
export const SILENT_MS = 5_000
/** In one transaction: some 50,000 single pushes may be on their way to a node's devices when it dies. */
const FREED_AT_ONCE = 1_000

/** A new incarnation beside others; whatever these hold stays theirs. */
export const joinNode = async (tx: Tx, { parts, address, now }: { parts: readonly string[]; address: string; now: number }): Promise<number> => {
  return tx.insert('INSERT INTO nodes (started_at, beat_at, parts, address) VALUES (?1, ?1, ?2, ?3)', now, parts.join(','), address)
}

/**
 * The same node under a new number, because the others took the old one for dead: its sessions are still here, unless
 * their devices have connected elsewhere, and what it was told meanwhile is still for it.
 */
export const renewNode = async (
  tx: Tx,
  { before, ...joining }: { before: number; parts: readonly string[]; address: string; now: number },
): Promise<number> => {
  const node = await joinNode(tx, joining)
  await moveOver(tx, { before, node })
  return node
}

/** What was written under the old number of a node, perhaps while it got a new one, is the new one's. */
export const moveOver = async (tx: Tx, { before, node }: { before: number; node: number }): Promise<void> => {
  await tx.run('UPDATE devices SET presence_node = ?2 WHERE presence_node = ?1', before, node)
  await tx.run('UPDATE frames SET node = ?2 WHERE node = ?1', before, node)
}

/** False: the others have taken this incarnation for dead and its work for theirs. It must end, and may join as a new one. */
export const beat = async (tx: Tx, { node, now }: { node: number; now: number }): Promise<boolean> =>
  (await tx.run('UPDATE nodes SET beat_at = ?2 WHERE id = ?1', node, now)) > 0

export interface LivingNode {
  id: number
  parts: string[]
  address: string
  startedAt: number
  beatAt: number
}

export const livingNodes = async (tx: Tx, { now }: { now: number }): Promise<LivingNode[]> => {
  const rows = await tx.all<{ id: number; parts: string; address: string; started_at: number; beat_at: number }>(
    'SELECT id, parts, address, started_at, beat_at FROM nodes WHERE beat_at > ? ORDER BY id', now - SILENT_MS,
  )
  return rows.map(({ id, parts, address, started_at, beat_at }) => ({
    id, parts: parts === '' ? [] : parts.split(','), address, startedAt: started_at, beatAt: beat_at,
  }))
}

/**
 * Incarnations to reap: the silent ones, and those that are gone although pushes wait for them, because somebody who
 * still took one for living planned them at the moment it was reaped.
 */
export const silentNodes = async (tx: Tx, { now }: { now: number }): Promise<number[]> => {
  const rows = await tx.all<{ id: number }>(
    `SELECT id FROM nodes WHERE beat_at <= ?1
     UNION SELECT b.node AS id FROM batches b
       WHERE b.channel = 'nativepush' AND b.lane IS NULL AND b.due_at <= ?2 AND b.node IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = b.node)
     ORDER BY id`,
    now - SILENT_MS, now,
  )
  return rows.map(({ id }) => id)
}

/** What became of a node: it lives, or some of what it held is free and there is more, or all of it is free. */
export type Reaped = 'living' | 'more' | 'done'

/**
 * Frees what a silent incarnation held. Nobody clears its presence: only living incarnations' sessions count. Any number
 * of nodes may reap the same one at once; whoever is told that there is more calls again.
 */
export const reapNode = async (tx: Tx, { node, now }: { node: number; now: number }): Promise<Reaped> => {
  // First, and in the same transaction: from here on its beats fail, so it cannot come back to life between two pages.
  await tx.run('DELETE FROM nodes WHERE id = ? AND beat_at <= ?', node, now - SILENT_MS)
  if (await tx.get('SELECT id FROM nodes WHERE id = ?', node)) return 'living'
  return freeAll(tx, node, now)
}

/** The clean stop of a node that has finished or handed back its work: its devices' pushes go another way at once. */
export const leaveNode = async (tx: Tx, { node, now }: { node: number; now: number }): Promise<Reaped> => {
  await tx.run('DELETE FROM nodes WHERE id = ?', node)
  return freeAll(tx, node, now)
}

const freeAll = async (tx: Tx, node: number, now: number): Promise<Reaped> => {
  // Own-channel pushes are due at once, for nobody in particular; a vendor's keep the time they were waiting for.
  const own = await tx.all<{ id: number }>(
    `SELECT id FROM batches WHERE channel = 'nativepush' AND lane IS NULL AND due_at IS NOT NULL
       AND (node = ?1 OR (held_by = ?1 AND held_until > 0)) ORDER BY id LIMIT ?2`,
    node, FREED_AT_ONCE,
  )
  if (own.length > 0) {
    const ids = list(own.map(({ id }) => id))
    // The states are held before the batches, in the order of their ids, as by everybody who needs both.
    await tx.hold('SELECT batch_id FROM batch_states WHERE batch_id any_int(?1) ORDER BY batch_id for update', ids)
    await tx.run(
      `UPDATE batches SET held_until = 0, node = NULL, due_at = ?3
       WHERE id any_int(?1) AND due_at IS NOT NULL AND (node = ?2 OR (held_by = ?2 AND held_until > 0))`,
      ids, node, now,
    )
  }
  if (own.length === FREED_AT_ONCE) return 'more'
  const held = await tx.all<{ id: number }>(
    'SELECT id FROM batches WHERE due_at IS NOT NULL AND held_by = ? AND held_until > 0 ORDER BY id LIMIT ?', node, FREED_AT_ONCE,
  )
  for (const { id } of held) await freeBatch(tx, id, now)
  await tx.run('UPDATE tasks SET held_until = 0 WHERE plan_at IS NOT NULL AND held_by = ? AND held_until > 0', node)
  return held.length === FREED_AT_ONCE ? 'more' : 'done'
}
