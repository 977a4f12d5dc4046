import { writeAudit } from './audit.ts'
import { endDeviceTokens, eraseDeviceRows } from './erase.ts'
import { addSize } from './sizes.ts'
import type { Tx } from './store.ts'

export type LoginBy = { id: number } | { name: string } | { login: string; loginKey: string }

export interface Candidate {
  id: number
  password_hash: string | null
  disabled: number
  /** The device_guid's device, if this user is its owner. */
  device_id: number | null
}

/** The user somebody wants to be. A login name is tried as mobile number, email, username, in this order. */
export const findCandidate = async (
  tx: Tx,
  { app, by, guid }: { app: number; by: LoginBy; guid: string | null },
): Promise<Candidate | undefined> => {
  const find = (where: string, value: string | number) =>
    tx.get<Candidate>(
      `SELECT u.id, u.password_hash, u.disabled, d.id AS device_id
       FROM users u LEFT JOIN devices d ON d.app = u.app AND d.guid = ?3 AND d.user_id = u.id
       WHERE u.app = ?1 AND ${where}`,
      app,
      value,
      guid,
    )
  if ('id' in by) return find('u.id = ?2', by.id)
  if ('name' in by) return find('u.name = ?2', by.name)
  return (
    (await find('u.mobile = ?2', by.login)) ??
    (await find('u.email_key = ?2', by.loginKey)) ??
    (await find('u.name = ?2', by.login))
  )
}

export interface NewToken {
  hash: Uint8Array
  storeHash: Uint8Array
  fileKey: Uint8Array
  expiresAt: number
}

/** A push token as it is stored: sealed, and found by its hash. */
export interface StoredPushToken {
  pushTokenHash: Uint8Array
  pushToken: Uint8Array
}

/**
 * The password hash that was verified (a password changed meanwhile opens nothing) with the one that takes its place,
 * if one does; or the admin who asks.
 */
export type IssuedBy = { passwordHash: string | null; renewed?: string | null } | { actor: string }

/**
 * Issues a user's token, together with the device it is for. `device` brings the push token to use if the device is
 * new; the answer's one is the one that counts.
 */
export const logIn = async (
  tx: Tx,
  { app, userId, token, device, by, now }: {
    app: number
    userId: number
    token: NewToken
    device: ({ guid: string } & StoredPushToken) | null
    by: IssuedBy
    now: number
  },
): Promise<{ ok: true; device: StoredPushToken | null } | { ok: false; why: 'unknown' | 'disabled' }> => {
  // Held: whoever disables the user, deletes the user or changes the password at this moment ends this token too.
  const user = await tx.get<{ disabled: number; password_hash: string | null }>(
    'SELECT disabled, password_hash FROM users WHERE id = ?1 AND app = ?2 for update',
    userId,
    app,
  )
  if (!user || ('passwordHash' in by && by.passwordHash !== user.password_hash)) return { ok: false, why: 'unknown' }
  if (user.disabled) return { ok: false, why: 'disabled' }
  if ('renewed' in by && by.renewed) await tx.run('UPDATE users SET password_hash = ?2 WHERE id = ?1', userId, by.renewed)
  const opened = device && (await openDevice(tx, app, userId, device, now))
  await tx.run(
    `INSERT INTO access_tokens (hash, kind, app, user_id, device_id, store_hash, file_key, created_at, expires_at)
     VALUES (?1, 'user', ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
    token.hash,
    app,
    userId,
    opened?.id ?? null,
    token.storeHash,
    token.fileKey,
    now,
    token.expiresAt,
  )
  if ('actor' in by) {
    const detail = { user_id: userId, device_guid: device?.guid ?? null }
    await writeAudit(tx, { app, at: now, actor: by.actor, action: 'token.issue', detail })
  }
  return { ok: true, device: opened && { pushTokenHash: opened.push_token_hash, pushToken: opened.push_token } }
}

interface OpenedDevice {
  id: number
  push_token_hash: Uint8Array
  push_token: Uint8Array
}

/** Finds or makes the device. One of somebody else is erased first: whoever has it now is not that person. */
const openDevice = async (
  tx: Tx,
  app: number,
  userId: number,
  device: { guid: string } & StoredPushToken,
  now: number,
): Promise<OpenedDevice> => {
  const found = await tx.get<OpenedDevice & { user_id: number }>(
    'SELECT id, user_id, push_token_hash, push_token FROM devices WHERE app = ?1 AND guid = ?2 for update',
    app,
    device.guid,
  )
  if (found?.user_id === userId) {
    await endDeviceTokens(tx, found.id, now)
    await tx.run('UPDATE devices SET logged_in = 1, seen_at = ?2 WHERE id = ?1', found.id, now)
    return found
  }
  if (found) await eraseDeviceRows(tx, found.id, now)
  const made = await tx.get<OpenedDevice>(
    `INSERT INTO devices (app, user_id, guid, push_token_hash, push_token, created_at, seen_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) RETURNING id, push_token_hash, push_token`,
    app,
    userId,
    device.guid,
    device.pushTokenHash,
    device.pushToken,
    now,
  )
  await addSize(tx, app, { devices: 1 })
  return made!
}
