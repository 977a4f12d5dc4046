import { writeAudit } from './audit.ts'
import { type Tx, list } from './store.ts'

export interface StoredFile {
  key: string
  app: number
  /** Whose it is; 0: the app's own. */
  user_id: number
  name: string
  type: string
  size: number
  created_at: number
  expires_at: number
}

/** Who may attach with a file token: found by its hash, with what its signatures are made with (sealed). */
export const findFileToken = async (
  tx: Tx,
  { app, storeHash, now }: { app: number; storeHash: Uint8Array; now: number },
): Promise<{ user_id: number; hash: Uint8Array; file_key: Uint8Array } | undefined> =>
  tx.get('SELECT user_id, hash, file_key FROM access_tokens WHERE store_hash = ?2 AND app = ?1 AND expires_at > ?3', app, storeHash, now)

/** False: the user is gone meanwhile, and with the user everything of theirs. */
export const addFile = async (tx: Tx, { file }: { file: StoredFile }): Promise<boolean> => {
  const { key, app, user_id, name, type, size, created_at, expires_at } = file
  const added = await tx.run(
    `INSERT INTO files (key, app, user_id, name, type, size, created_at, expires_at)
     SELECT ?1, ?2, id, ?4, ?5, ?6, ?7, ?8 FROM users WHERE id = ?3 for share`,
    key, app, user_id, name, type, size, created_at, expires_at,
  )
  return added > 0
}

/** A file of the app itself, with the note of who kept it. */
export const addAppFile = async (tx: Tx, { file, actor }: { file: Omit<StoredFile, 'user_id'>; actor: string }): Promise<void> => {
  const { key, app, name, type, size, created_at, expires_at } = file
  await tx.run(
    'INSERT INTO files (key, app, user_id, name, type, size, created_at, expires_at) VALUES (?1, ?2, 0, ?3, ?4, ?5, ?6, ?7)',
    key, app, name, type, size, created_at, expires_at,
  )
  await writeAudit(tx, { app, at: created_at, actor, action: 'file.put', detail: { name, size } })
}

export const findFile = async (tx: Tx, { key, now }: { key: string; now: number }): Promise<StoredFile | undefined> =>
  tx.get<StoredFile>(
    'SELECT key, app, user_id, name, type, size, created_at, expires_at FROM files WHERE key = ? AND expires_at > ?', key, now,
  )

/** Files whose time is over, or whose owner was deleted. Their rows go once the bytes are gone. */
export const filesToRemove = async (tx: Tx, { now, limit }: { now: number; limit: number }): Promise<string[]> =>
  (await tx.all<{ key: string }>('SELECT key FROM files WHERE expires_at <= ? LIMIT ?', now, limit)).map(({ key }) => key)

export const dropFiles = async (tx: Tx, { keys }: { keys: string[] }): Promise<void> => {
  await tx.run('DELETE FROM files WHERE key any_text(?1)', list(keys))
}
