import type { Platform, VendorName } from '@carillon/protocol/names.ts'
import { addSize } from './sizes.ts'
import { type Tx, list, rows } from './store.ts'
import type { NewUser } from './users.ts'

/** What became of a row: added, there before, or why it was refused. */
export type Imported = 'added' | 'there' | { refused: string }

export interface UserGroup {
  app: number
  users: NewUser[]
  now: number
}

/**
 * Adds users; one whose name is there already is left as it is. One result a row, in their order. Whoever takes one of
 * these names between the look and the insert makes it fail, and it is run again.
 */
export const importUsers = async (tx: Tx, { app, users, now }: UserGroup): Promise<Imported[]> => {
  const [names, mobiles, emails] = [
    await takenAmong(tx, app, 'name', users.map(({ name }) => name)),
    await takenAmong(tx, app, 'mobile', users.map(({ mobile }) => mobile)),
    await takenAmong(tx, app, 'email_key', users.map(({ emailKey }) => emailKey)),
  ]
  const added: NewUser[] = []
  const results = users.map((user): Imported => {
    const { name, mobile, emailKey } = user
    if (names.has(name)) return 'there'
    if (mobiles.has(mobile)) return { refused: 'mobile is taken by another user' }
    if (emails.has(emailKey)) return { refused: 'email is taken by another user' }
    names.add(name)
    if (mobile !== null) mobiles.add(mobile)
    if (emailKey !== null) emails.add(emailKey)
    added.push(user)
    return 'added'
  })
  if (added.length > 0) {
    await tx.run(
      `INSERT INTO users (app, name, mobile, email, email_key, password_hash, created_at)
       SELECT ?1, w.name, w.mobile, w.email, w.email_key, w.password_hash, ?3
       FROM each_row(?2) w (name text, mobile text, email text, email_key text, password_hash text)`,
      app, rows(added.map(({ name, mobile, email, emailKey, passwordHash }) => [name, mobile, email, emailKey, passwordHash])), now,
    )
    await addSize(tx, app, { users: added.length })
  }
  return results
}

/** Those of the values that a user of the app has. */
const takenAmong = async (tx: Tx, app: number, column: 'name' | 'mobile' | 'email_key', values: (string | null)[]): Promise<Set<string | null>> => {
  const given = values.filter((value) => value !== null)
  if (given.length === 0) return new Set()
  const taken = await tx.all<{ value: string }>(
    `SELECT w.value FROM each_text(?2) w WHERE (SELECT u.id FROM users u WHERE u.app = ?1 AND u.${column} = w.value) IS NOT NULL`, app, list(given),
  )
  return new Set(taken.map(({ value }) => value))
}

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
 * and a vendor token of another device, are not taken away. What is there is looked up first and decided upon here; who
 * writes in between makes the insert fail, and it is run again.
 */
export const importDevices = async (
  tx: Tx,
  { app, devices, pushTokenHashes, pushTokens, now }: DeviceGroup,
): Promise<Imported[]> => {
  const owners = await ownersOf(tx, app, devices)
  const present = await presentDevices(tx, app, devices)
  const taken = await takenTokens(tx, app, devices)
  const notTaken = new Set<string>()
  const added: number[] = []
  const results = devices.map((device, i): Imported => {
    const { guid, tokens } = device
    const owner = owners(device)
    if (owner === undefined) return { refused: `${device.userId === null ? 'name' : 'user_id'} is no user of this app` }
    if (notTaken.has(guid)) return { refused: 'device_guid stands on an earlier line that was not taken' }
    const holder = present.get(guid)
    if (holder !== undefined) return holder === owner ? 'there' : { refused: `device_guid belongs to user ${holder}` }
    const collision = tokens.findIndex((token) => taken.has(keyOf(token)))
    if (collision >= 0) {
      notTaken.add(guid)
      return { refused: `tokens[${collision}].token belongs to another device` }
    }
    present.set(guid, owner)
    for (const token of tokens) taken.add(keyOf(token))
    added.push(i)
    return 'added'
  })
  if (added.length === 0) return results
  await tx.run(
    `INSERT INTO devices (app, user_id, guid, push_token_hash, push_token, platform, alias, created_at, seen_at)
     SELECT ?1, w.user_id, w.guid, w.hash, w.token, w.platform, w.alias, ?3, ?3
     FROM each_row(?2) w (user_id int, guid text, hash bytes, token bytes, platform text, alias text)`,
    app,
    rows(added.map((i) => {
      const device = devices[i]!
      const { guid, platform, alias } = device
      return [owners(device)!, guid, nth(pushTokenHashes, i, devices.length), nth(pushTokens, i, devices.length), platform, alias]
    })),
    now,
  )
  await furnish(tx, app, added.map((i) => devices[i]!), now)
  await addSize(tx, app, { devices: added.length })
  return results
}

interface Present {
  id: number
  guid: string
  user_id: number
}

const devicesWithGuids = (tx: Tx, app: number, devices: NewDevice[]): Promise<Present[]> =>
  tx.all<Present>(
    'SELECT d.id, d.guid, d.user_id FROM each_text(?2) w JOIN /*in order*/ devices d WHERE d.app = ?1 AND d.guid = w.value',
    app, list(devices.map(({ guid }) => guid)),
  )

/** Whose the devices are that are there, by guid. */
const presentDevices = async (tx: Tx, app: number, devices: NewDevice[]): Promise<Map<string, number>> =>
  new Map((await devicesWithGuids(tx, app, devices)).map(({ guid, user_id }) => [guid, user_id]))

const keyOf = ({ vendor, environment, token }: { vendor: string; environment: number; token: string }): string => `${vendor} ${environment} ${token}`

/** Those of the devices' vendor tokens that a device holds, by key. */
const takenTokens = async (tx: Tx, app: number, devices: NewDevice[]): Promise<Set<string>> => {
  const places = Map.groupBy(devices.flatMap(({ tokens }) => tokens), ({ vendor, environment }) => `${vendor} ${environment}`)
  const taken = new Set<string>()
  for (const tokens of places.values()) {
    const { vendor, environment } = tokens[0]!
    // A probe for each: of a table that has just grown from nothing, PostgreSQL would walk all tokens of the vendor.
    const held = await tx.all<{ token: string }>(
      `SELECT w.value AS token FROM each_text(?4) w
       WHERE (SELECT t.device_id FROM vendor_tokens t WHERE t.app = ?1 AND t.vendor = ?2 AND t.environment = ?3 AND t.token = w.value) IS NOT NULL`,
      app, vendor, environment, list(tokens.map(({ token }) => token)),
    )
    for (const { token } of held) taken.add(keyOf({ vendor, environment, token }))
  }
  return taken
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

/** The vendor tokens and tags of devices that were just added. */
const furnish = async (tx: Tx, app: number, devices: NewDevice[], now: number): Promise<void> => {
  const found = await devicesWithGuids(tx, app, devices.filter(({ tokens, tags }) => tokens.length + tags.length > 0))
  const idOf = new Map(found.map(({ id, guid }) => [guid, id]))
  const bound = devices.flatMap(({ guid, tokens }) => tokens.map(({ vendor, environment, token }) => [idOf.get(guid)!, vendor, environment, token]))
  if (bound.length > 0) {
    await tx.run(
      `INSERT INTO vendor_tokens (device_id, vendor, environment, app, token, bound_at)
       SELECT w.id, w.vendor, w.environment, ?1, w.token, ?3 FROM each_row(?2) w (id int, vendor text, environment int, token text)`,
      app, rows(bound), now,
    )
  }
  const tagged = devices.flatMap(({ guid, tags }) => tags.map((tag) => [idOf.get(guid)!, tag]))
  if (tagged.length > 0) {
    await tx.run(
      'INSERT INTO device_tags (app, tag, device_id) SELECT ?1, w.tag, w.id FROM each_row(?2) w (id int, tag text)', app, rows(tagged),
    )
  }
}
