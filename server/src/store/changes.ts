import { list, type Tx } from './store.ts'

export type ChangeKind = 'token' | 'user' | 'device' | 'app' | 'certificate'

interface Change {
  id: number
  kind: ChangeKind
  key: number
}

const KEPT_MS = 3_600_000 // a node that was deaf for an hour has been restarted, and starts at the newest row

/** Written inside the transaction that makes the change, so that no node can miss it. */
export const addChange = async (
  tx: Tx,
  { kind, key, now }: { kind: ChangeKind; key: number; now: number },
): Promise<void> => {
  await tx.run('INSERT INTO changes (at, kind, key) VALUES (?1, ?2, ?3)', now, kind, key)
}

/** Those after an id, and those of the missing ones below it that have appeared. */
export const readChanges = async (
  tx: Tx,
  { after, missing = [], limit }: { after: number; missing?: number[]; limit: number },
): Promise<Change[]> => {
  const late = missing.length > 0
    ? await tx.all<Change>('SELECT id, kind, key FROM changes WHERE id any_int(?1) ORDER BY id LIMIT ?2', list(missing), limit)
    : []
  const newer = await tx.all<Change>('SELECT id, kind, key FROM changes WHERE id > ?1 ORDER BY id LIMIT ?2', after, limit - late.length)
  return [...late, ...newer]
}

export const lastChange = async (tx: Tx, _: object): Promise<number> => {
  const row = await tx.get<{ id: number | null }>('SELECT MAX(id) AS id FROM changes')
  return row?.id ?? 0
}

export const purgeChanges = async (tx: Tx, { now }: { now: number }): Promise<number> =>
  tx.run('DELETE FROM changes WHERE at < ?1', now - KEPT_MS)
