import type { Platform, VendorName } from '@carillon/protocol/names.ts'
import { type NewUser, takenName } from './users.ts'
import { list, type Tx } from './store.ts'

/** What became of a row: added, there before, or why it was refused. */
export type Imported = 'added' | 'there' | { refused: string }

export interface UserGroup {
  app: number
  users: NewUser[]
  now: number
}

/** Adds users; one whose name is there already is left as it is. One result a row, in their order. */
export const importUsers = async (tx: Tx, { app, users, now }: UserGroup): Promise<Imported[]> => {
  const results: Imported[] = []
  for (const user of users) {
    const { name, mobile, email, emailKey, passwordHash } = user
    const made = await tx.run(
      `INSERT INTO users (app, name, mobile, email, email_key, password_hash, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING`,
      app, name, mobile, email, emailKey, passwordHash, now,
    )
    results.push(made > 0 ? 'added' : collision(await takenName(tx, { app, user })))
  }
  return results
}

const collision = (taken: string | undefined): Imported =>
  taken === 'username' ? 'there' : { refused: `${taken} is taken by another user` }

/** Which of these names are users already: a look before their passwords are hashed. */
export const knownNames = async (tx: Tx, { app, names }: { app: number; names: string[] }): Promise<string[]> => {
  const users = await usersNamed(tx, app, names)
  return users.map(({ name }) => name)
}

const usersNamed = (tx: Tx, app: number, names: string[]): Promise<{ id: number; name: string }[]> =>
  tx.all(
    'SELECT u.id, u.name FROM each_text(?2) w JOIN /*in order*/ users u WHERE u.app = ?1 AND u.name = w.value',
    app, list(names),
  )

export interface NewDevice {
  /** Whose it is: by id, or else by name. */
  userId: number | null
  userName: string | null
  guid: string
  platform: Platform
  alias: string | null
  tags: string[]
  tokens: { vendor: VendorName; environment: number; token: string }[]
}

/**
 * Push tokens are packed, one after the other, all of one length: a group of a thousand crosses to the writer's thread
 * as two pieces, not two thousand.
 */
export interface DeviceGroup {
  app: number
  devices: NewDevice[]
  pushTokenHashes: Uint8Array
  /** Sealed. */
  pushTokens: Uint8Array
  now: number
}

/**
 * Adds devices with their vendor tokens and tags. A device its user has already is left as it is; one of another user,
 * and a vendor token of another device, are not taken away.
 */
export const importDevices = async (
  tx: Tx,
  { app, devices, pushTokenHashes, pushTokens, now }: DeviceGroup,
): Promise<Imported[]> => {
  const owners = await ownersOf(tx, app, devices)
  const made = new Set<number>()
  for (const [i, device] of devices.entries()) {
    const owner = owners(device)
    if (owner === undefined) continue
    // Without RETURNING, which would make SQLite keep a journal of every such statement; the ids are read together.
    const added = await tx.run(
      `INSERT INTO devices (app, user_id, guid, push_token_hash, push_token, platform, alias, created_at, seen_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) ON CONFLICT (app, guid) DO NOTHING`,
      app,
      owner,
      device.guid,
      nth(pushTokenHashes, i, devices.length),
      nth(pushTokens, i, devices.length),
      device.platform,
      device.alias,
      now,
    )
    if (added > 0) made.add(i)
  }
  const present = await presentDevices(tx, app, devices)
  const results: Imported[] = []
  for (const [i, device] of devices.entries()) {
    const owner = owners(device)
    const found = present.get(device.guid)
    if (owner === undefined) {
      results.push({ refused: `${device.userId === null ? 'name' : 'user_id'} is no user of this app` })
    } else if (found === undefined) {
      results.push({ refused: 'device_guid stands on an earlier line that was not taken' })
    } else if (!made.has(i)) {
      results.push(found.user_id === owner ? 'there' : { refused: `device_guid belongs to user ${found.user_id}` })
    } else {
      const result = await furnish(tx, app, found.id, device, now)
      if (result !== 'added') present.delete(device.guid)
      results.push(result)
    }
  }
  return results
}

interface Present {
  id: number
  guid: string
  user_id: number
}

const presentDevices = async (tx: Tx, app: number, devices: NewDevice[]): Promise<Map<string, Present>> => {
  const rows = await tx.all<Present>(
    'SELECT d.id, d.guid, d.user_id FROM each_text(?2) w JOIN /*in order*/ devices d WHERE d.app = ?1 AND d.guid = w.value',
    app, list(devices.map(({ guid }) => guid)),
  )
  return new Map(rows.map((row) => [row.guid, row]))
}

const nth = (packed: Uint8Array, i: number, count: number): Uint8Array => {
  const size = packed.length / count
  return packed.subarray(i * size, (i + 1) * size)
}

const ownersOf = async (tx: Tx, app: number, devices: NewDevice[]): Promise<(device: NewDevice) => number | undefined> => {
  const names = devices.flatMap(({ userId, userName }) => (userId === null && userName !== null ? [userName] : []))
  const ids = devices.flatMap(({ userId }) => userId ?? [])
  const named = await usersNamed(tx, app, names)
  const known = await tx.all<{ id: number }>('SELECT id FROM users WHERE app = ?1 AND id any_int(?2)', app, list(ids))
  const byName = new Map(named.map(({ id, name }) => [name, id]))
  const byId = new Set(known.map(({ id }) => id))
  return ({ userId, userName }) => (userId === null ? byName.get(userName!) : byId.has(userId) ? userId : undefined)
}

/** Its vendor tokens and tags; all of them, or the device is taken back. */
const furnish = async (tx: Tx, app: number, id: number, { tokens, tags }: NewDevice, now: number): Promise<Imported> => {
  for (const [i, { vendor, environment, token }] of tokens.entries()) {
    const bound = await tx.run(
      `INSERT INTO vendor_tokens (device_id, vendor, environment, app, token, bound_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
       ON CONFLICT DO NOTHING`,
      id, vendor, environment, app, token, now,
    )
    if (bound > 0) continue
    await tx.run('DELETE FROM vendor_tokens WHERE device_id = ?1', id)
    await tx.run('DELETE FROM devices WHERE id = ?1', id)
    return { refused: `tokens[${i}].token belongs to another device` }
  }
  for (const tag of tags) await tx.run('INSERT INTO device_tags (app, tag, device_id) VALUES (?1, ?2, ?3)', app, tag, id)
  return 'added'
}
