import { writeAudit } from './audit.ts'
import { addChange } from './changes.ts'
import type { Tx } from './store.ts'

const KNOWN_AFTER_EXPIRY_MS = 30 * 86_400_000 // so long a caller is told "expired" rather than "invalid"

export interface StoredToken {
  id: number
  kind: 'admin' | 'user'
  app: number
  user_id: number | null
  device_id: number | null
  name: string | null
  expires_at: number | null
}

const columns = 'id, kind, app, user_id, device_id, name, expires_at'

export const findToken = async (tx: Tx, { hash }: { hash: Uint8Array }): Promise<StoredToken | undefined> =>
  tx.get<StoredToken>(`SELECT ${columns} FROM access_tokens WHERE hash = ?1`, hash)

export const createAdminToken = async (
  tx: Tx,
  { app, hash, name, expiresAt, actor, now }: {
    app: number
    hash: Uint8Array
    name: string | null
    expiresAt: number | null
    actor: string
    now: number
  },
): Promise<number> => {
  const id = await tx.insert(
    `INSERT INTO access_tokens (hash, kind, app, name, created_at, expires_at)
     VALUES (?1, 'admin', ?2, ?3, ?4, ?5)`,
    hash,
    app,
    name,
    now,
    expiresAt,
  )
  const detail = { token_id: id, name, expires_at: expiresAt }
  await writeAudit(tx, { app, at: now, actor, action: 'token.create', detail })
  return id
}

export const listAdminTokens = async (
  tx: Tx,
  { app }: { app: number },
): Promise<{ id: number; name: string | null; created_at: number; expires_at: number | null }[]> =>
  tx.all(
    `SELECT id, name, created_at, expires_at FROM access_tokens WHERE app = ?1 AND kind = 'admin' ORDER BY id`,
    app,
  )

/** Ends one token, admin or user; false: this app has no such token. */
export const revokeToken = async (
  tx: Tx,
  { app, id, actor, now }: { app: number; id: number; actor: string; now: number },
): Promise<boolean> => {
  const gone = await tx.get<{ kind: string; name: string | null }>(
    'DELETE FROM access_tokens WHERE id = ?1 AND app = ?2 RETURNING kind, name',
    id,
    app,
  )
  if (!gone) return false
  await addChange(tx, { kind: 'token', key: id, now })
  await writeAudit(tx, { app, at: now, actor, action: 'token.revoke', detail: { token_id: id, ...gone } })
  return true
}

/** The end of a user's own token: no vendor is used for its device until somebody logs in on it again. */
export const logOut = async (tx: Tx, { tokenId, now }: { tokenId: number; now: number }): Promise<void> => {
  const gone = await tx.get<{ device_id: number | null }>(
    `DELETE FROM access_tokens WHERE id = ?1 AND kind = 'user' RETURNING device_id`,
    tokenId,
  )
  if (!gone) return
  if (gone.device_id !== null) await tx.run('UPDATE devices SET logged_in = 0 WHERE id = ?1', gone.device_id)
  await addChange(tx, { kind: 'token', key: tokenId, now })
}

/** What a connection shows: both as their hashes. */
export interface DeviceProof {
  pushTokenHash: Uint8Array
  hash: Uint8Array
}

export interface DeviceHolder {
  appId: number
  userId: number
  deviceId: number
  tokenId: number
}

/** The devices behind these push tokens, where the access token is a living one of the device's owner. */
export const findDeviceCallers = (
  tx: Tx,
  { proofs, now }: { proofs: readonly DeviceProof[]; now: number },
): Promise<(DeviceHolder | undefined)[]> => Promise.all(proofs.map((proof) => findDeviceCaller(tx, proof, now)))

const findDeviceCaller = async (tx: Tx, { pushTokenHash, hash }: DeviceProof, now: number): Promise<DeviceHolder | undefined> => {
  const row = await tx.get<{ app: number; user_id: number; device: number; token: number }>(
    `SELECT d.app, d.user_id, d.id AS device, t.id AS token
     FROM devices d JOIN access_tokens t ON t.user_id = d.user_id AND t.app = d.app
     WHERE d.push_token_hash = ?1 AND t.hash = ?2 AND t.kind = 'user' AND t.expires_at > ?3`,
    pushTokenHash,
    hash,
    now,
  )
  return row && { appId: row.app, userId: row.user_id, deviceId: row.device, tokenId: row.token }
}

/** User tokens whose time came in (after, now]. */
export const expiredTokens = async (tx: Tx, { after, now }: { after: number; now: number }): Promise<number[]> =>
  (
    await tx.all<{ id: number }>(
      `SELECT id FROM access_tokens WHERE expires_at > ?1 AND expires_at <= ?2 AND kind = 'user'`,
      after,
      now,
    )
  ).map(({ id }) => id)

export const purgeTokens = async (tx: Tx, { now }: { now: number }): Promise<number> =>
  tx.run('DELETE FROM access_tokens WHERE expires_at < ?1', now - KNOWN_AFTER_EXPIRY_MS)
