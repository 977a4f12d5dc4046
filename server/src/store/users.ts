import { writeAudit } from './audit.ts'
import { addChange } from './changes.ts'
import { endDeviceTokens, endUserTokens, eraseDeviceRows } from './erase.ts'
import { addSize } from './sizes.ts'
import type { Tx } from './store.ts'

export interface NewUser {
  name: string
  mobile: string | null
  email: string | null
  /** The email in lower case. */
  emailKey: string | null
  /** null: this user cannot log in with a password. */
  passwordHash: string | null
}

export type Taken = 'username' | 'mobile' | 'email'
export type Inserted = { ok: true; id: number } | { ok: false; taken: Taken }

type Identity = Pick<NewUser, 'name' | 'mobile' | 'emailKey'>

/** Which of a new user's names is another user's already. */
export const takenName = async (
  tx: Tx,
  { app, user }: { app: number; user: Identity },
): Promise<Taken | undefined> => {
  const has = async (column: string, value: string | null) =>
    value !== null && (await tx.get(`SELECT id FROM users WHERE app = ?1 AND ${column} = ?2`, app, value)) !== undefined
  if (await has('name', user.name)) return 'username'
  if (await has('mobile', user.mobile)) return 'mobile'
  if (await has('email_key', user.emailKey)) return 'email'
  return undefined
}

/** One result per user, in their order: a name that is taken costs only its own row. */
export const insertUsers = async (
  tx: Tx,
  { app, users, now }: { app: number; users: NewUser[]; now: number },
): Promise<Inserted[]> => {
  const results: Inserted[] = []
  for (const user of users) {
    const made = await tx.get<{ id: number }>(
      `INSERT INTO users (app, name, mobile, email, email_key, password_hash, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING RETURNING id`,
      app,
      user.name,
      user.mobile,
      user.email,
      user.emailKey,
      user.passwordHash,
      now,
    )
    if (made) results.push({ ok: true, id: made.id })
    else results.push({ ok: false, taken: (await takenName(tx, { app, user })) ?? 'username' })
  }
  await addSize(tx, app, { users: results.filter(({ ok }) => ok).length })
  return results
}

export const userExists = async (tx: Tx, { app, id }: { app: number; id: number }): Promise<boolean> =>
  (await tx.get('SELECT id FROM users WHERE id = ?1 AND app = ?2', id, app)) !== undefined

export const passwordOf = async (
  tx: Tx,
  { app, id }: { app: number; id: number },
): Promise<{ password_hash: string | null } | undefined> =>
  tx.get('SELECT password_hash FROM users WHERE id = ?1 AND app = ?2', id, app)

/**
 * Sets a password and ends the user's tokens but `keepToken` (0: all). `verified`: the hash of the old password, if one
 * had to be shown. False: no such user, or the old password is not the password any more.
 */
export const setPassword = async (
  tx: Tx,
  { app, id, passwordHash, verified, keepToken, actor, now }: {
    app: number
    id: number
    passwordHash: string
    verified: string | null
    keepToken: number
    actor: string
    now: number
  },
): Promise<boolean> => {
  const set = await tx.run(
    `UPDATE users SET password_hash = ?3
     WHERE id = ?1 AND app = ?2 AND COALESCE(password_hash, '') = COALESCE(?4, password_hash, '')`,
    id,
    app,
    passwordHash,
    verified,
  )
  if (!set) return false
  await endUserTokens(tx, id, keepToken, now)
  await writeAudit(tx, { app, at: now, actor, action: 'user.password', detail: { user_id: id } })
  return true
}

/** A disabled user's tokens are gone, not asleep: enabling means logging in again. */
export const setDisabled = async (
  tx: Tx,
  { app, id, disabled, actor, now }: { app: number; id: number; disabled: boolean; actor: string; now: number },
): Promise<boolean> => {
  const set = await tx.run('UPDATE users SET disabled = ?3 WHERE id = ?1 AND app = ?2', id, app, disabled ? 1 : 0)
  if (!set) return false
  if (disabled) {
    await endUserTokens(tx, id, 0, now)
    await addChange(tx, { kind: 'user', key: id, now })
  }
  const action = disabled ? 'user.disable' : 'user.enable'
  await writeAudit(tx, { app, at: now, actor, action, detail: { user_id: id } })
  return true
}

/** Erases the person: devices with all they hold, tokens, memberships, the name. */
export const deleteUser = async (
  tx: Tx,
  { app, id, actor, now }: { app: number; id: number; actor: string; now: number },
): Promise<boolean> => {
  if (!(await tx.run('DELETE FROM users WHERE id = ?1 AND app = ?2', id, app))) return false
  await addSize(tx, app, { users: -1 })
  const devices = await tx.all<{ id: number }>('SELECT id FROM devices WHERE user_id = ?1', id)
  for (const device of devices) await eraseDeviceRows(tx, device.id, now)
  await endUserTokens(tx, id, 0, now)
  await tx.run('DELETE FROM group_members WHERE user_id = ?1', id)
  await tx.run('UPDATE files SET expires_at = ?2 WHERE user_id = ?1', id, now) // not shown from now on; the bytes go next
  await addChange(tx, { kind: 'user', key: id, now })
  await writeAudit(tx, { app, at: now, actor, action: 'user.delete', detail: { user_id: id, devices: devices.length } })
  return true
}

/** Ends the tokens and connections of a user, or of one of the user's devices; false: the user has no such device. */
export const kickUser = async (
  tx: Tx,
  { app, id, guid, actor, now }: { app: number; id: number; guid: string | null; actor: string; now: number },
): Promise<boolean> => {
  if (guid === null) {
    await endUserTokens(tx, id, 0, now)
    await addChange(tx, { kind: 'user', key: id, now })
  } else {
    const device = await tx.get<{ id: number }>(
      'UPDATE devices SET logged_in = 0 WHERE app = ?1 AND guid = ?2 AND user_id = ?3 RETURNING id',
      app,
      guid,
      id,
    )
    if (!device) return false
    await endDeviceTokens(tx, device.id, now)
    // Its connection may live on a token that was issued without a device.
    await addChange(tx, { kind: 'device', key: device.id, now })
  }
  await writeAudit(tx, { app, at: now, actor, action: 'user.kick', detail: { user_id: id, device_guid: guid } })
  return true
}

export interface ListedUser {
  id: number
  name: string
  mobile: string | null
  email: string | null
  disabled: number
  has_password: number
  created_at: number
}

export const listUsers = async (
  tx: Tx,
  { app, offset, limit }: { app: number; offset: number; limit: number },
): Promise<{ total: number; users: ListedUser[] }> => {
  const count = await tx.get<{ total: number }>('SELECT COUNT(*) AS total FROM users WHERE app = ?1', app)
  const users = await tx.all<ListedUser>(
    `SELECT id, name, mobile, email, disabled, created_at,
       CASE WHEN password_hash IS NULL THEN 0 ELSE 1 END AS has_password
     FROM users WHERE app = ?1 ORDER BY id LIMIT ?2 OFFSET ?3`,
    app,
    limit,
    offset,
  )
  return { total: count!.total, users }
}
