import { list, type Tx } from './store.ts'

/** The place in `ids` of the first one that is not a user of the app. */
const firstStranger = async (tx: Tx, app: number, ids: readonly number[]): Promise<number | undefined> => {
  const rows = await tx.all<{ id: number }>('SELECT id FROM users WHERE app = ?1 AND id any_int(?2)', app, list(ids))
  const known = new Set(rows.map((row) => row.id))
  const index = ids.findIndex((id) => !known.has(id))
  return index < 0 ? undefined : index
}

const join = async (tx: Tx, groupId: number, ids: readonly number[]): Promise<void> => {
  for (const id of ids) {
    await tx.run('INSERT INTO group_members (group_id, user_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING', groupId, id)
  }
}

export const groupExists = async (tx: Tx, { app, id }: { app: number; id: number }): Promise<boolean> =>
  (await tx.get('SELECT id FROM user_groups WHERE id = ?1 AND app = ?2', id, app)) !== undefined

export const createGroup = async (
  tx: Tx,
  { app, name, members, now }: { app: number; name: string; members: number[]; now: number },
): Promise<{ ok: true; id: number } | { ok: false; stranger: number }> => {
  const stranger = await firstStranger(tx, app, members)
  if (stranger !== undefined) return { ok: false, stranger }
  const id = await tx.insert('INSERT INTO user_groups (app, name, created_at) VALUES (?1, ?2, ?3)', app, name, now)
  await join(tx, id, members)
  return { ok: true, id }
}

export const addMembers = async (
  tx: Tx,
  { app, groupId, members }: { app: number; groupId: number; members: number[] },
): Promise<{ ok: true } | { ok: false; stranger: number | null }> => {
  if (!(await groupExists(tx, { app, id: groupId }))) return { ok: false, stranger: null }
  const stranger = await firstStranger(tx, app, members)
  if (stranger !== undefined) return { ok: false, stranger }
  await join(tx, groupId, members)
  return { ok: true }
}

/** Taking out somebody who is not in it changes nothing. False: no such group. */
export const removeMembers = async (
  tx: Tx,
  { app, groupId, members }: { app: number; groupId: number; members: number[] },
): Promise<boolean> => {
  if (!(await groupExists(tx, { app, id: groupId }))) return false
  await tx.run('DELETE FROM group_members WHERE group_id = ?1 AND user_id any_int(?2)', groupId, list(members))
  return true
}

export const listGroups = async (
  tx: Tx,
  { app, offset, limit }: { app: number; offset: number; limit: number },
): Promise<{ total: number; groups: { id: number; name: string; created_at: number; members: number }[] }> => {
  const count = await tx.get<{ total: number }>('SELECT COUNT(*) AS total FROM user_groups WHERE app = ?1', app)
  const groups = await tx.all<{ id: number; name: string; created_at: number; members: number }>(
    `SELECT id, name, created_at, (SELECT COUNT(*) FROM group_members m WHERE m.group_id = user_groups.id) AS members
     FROM user_groups WHERE app = ?1 ORDER BY id LIMIT ?2 OFFSET ?3`,
    app,
    limit,
    offset,
  )
  return { total: count!.total, groups }
}
