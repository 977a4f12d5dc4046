import type { DeviceMatch } from '@carillon/protocol/device-bodies.ts'
import type { Platform, VendorName } from '@carillon/protocol/names.ts'
import { type Tx, type Value, list } from './store.ts'

/** A text somebody typed, in the forms it may be stored in. */
export interface DeviceSearch {
  text: string
  /** As a push token. */
  hash: Uint8Array
  /** As a user's id. */
  userId: number | null
  /** As an email. */
  emailKey: string
}

export interface DeviceQuestion {
  app: number
  search: DeviceSearch | null
  /** Only what matches in this way; null: in the first way that matches anything. */
  by: DeviceMatch | null
  online: boolean | null
  vendor: VendorName | null
  /** Only devices with a smaller id. */
  after: number
  limit: number
  /** Nodes that live. */
  nodes: readonly number[]
}

export interface FoundDevice {
  id: number
  guid: string
  user_id: number
  username: string
  /** Sealed. */
  push_token: Uint8Array
  push_token_hash: Uint8Array
  platform: Platform
  alias: string | null
  presence_node: number | null
  created_at: number
  seen_at: number
  vendors: { vendor: VendorName; environment: number }[]
  tags: string[]
}

export interface FoundDevices {
  devices: FoundDevice[]
  /** Where the next page begins; null at the end. A page may be short, and another one follow it. */
  next: number | null
  /** How the search was understood, and how it could be, too. */
  matched: DeviceMatch | null
  also: DeviceMatch[]
}

const ENVIRONMENTS = 2

/** What is looked at for one page where it has to be looked at to be known. */
const LOOKED_AT = 1_000

/** A page of an app's devices, newest first: a walk along one index, and no further than a page can be far. */
export const findDevices = async (tx: Tx, question: DeviceQuestion): Promise<FoundDevices> => {
  const { search, by, after, limit } = question
  const matches = search ? await matchesOf(tx, question.app, search) : []
  const match = by === null ? matches[0] : matches.find(({ kind }) => kind === by)
  const also = matches.flatMap(({ kind }) => (kind === match?.kind ? [] : [kind]))
  if (search && !match) return { devices: [], next: null, matched: null, also }
  const source = sourceOf(question, match)
  const most = source.checked ? limit : LOOKED_AT
  const walked = await walk(tx, source, after, most + 1)
  const looked = walked.slice(0, most)
  const fitting = source.checked ? looked : await fittingOf(tx, question, looked)
  const shown = fitting.slice(0, limit)
  const isMore = walked.length > most || fitting.length > limit
  const last = fitting.length > limit ? shown.at(-1)! : looked.at(-1)
  const devices = await readFound(tx, { ids: shown })
  return { devices, next: isMore ? last! : null, matched: match?.kind ?? null, also }
}

interface Matched {
  kind: DeviceMatch
  /** Of the device, or of the user. */
  id: number | null
}

/** In which ways a text is known to the app, each by one probe. */
const matchesOf = async (tx: Tx, app: number, { text, hash, userId, emailKey }: DeviceSearch): Promise<Matched[]> => {
  const first = (sql: string, value: Value) => tx.get<{ id: number }>(`${sql} LIMIT 1`, app, value)
  const device = (where: string, value: Value) => first(`SELECT id FROM devices WHERE app = ?1 AND ${where}`, value)
  const found: Matched[] = []
  const note = (kind: DeviceMatch, row: { id: number } | undefined) => row && found.push({ kind, id: row.id })
  note('push_token', await device('push_token_hash = ?2', hash))
  note('device_guid', await device('guid = ?2', text))
  note('user', await findUser(tx, { app, text, userId, emailKey }))
  note('alias', await device('alias = ?2', text))
  note('tag', await first('SELECT device_id AS id FROM device_tags WHERE app = ?1 AND tag = ?2', text))
  return found
}

/** Whoever has this id, username, mobile number or email: tried in this order. */
export const findUser = async (
  tx: Tx,
  { app, text, userId, emailKey }: { app: number; text: string; userId: number | null; emailKey: string },
): Promise<{ id: number } | undefined> => {
  const user = (where: string, value: Value) =>
    tx.get<{ id: number }>(`SELECT id FROM users WHERE app = ?1 AND ${where}`, app, value)
  return (
    (userId === null ? undefined : await user('id = ?2', userId)) ??
    (await user('name = ?2', text)) ??
    (await user('mobile = ?2', text)) ??
    (await user('email_key = ?2', emailKey))
  )
}

/** One query for ids. */
interface Walk {
  /** The column they stand in. */
  id: string
  /** What they are selected from, up to the condition on the id. */
  from: string
  values: Value[]
  /** How many rows a device may have there. */
  rows: number
}

/** Where ids come from, in descending order. */
interface Source {
  walks: Walk[]
  /** All conditions of the question hold for what comes from here. */
  checked: boolean
}

const sourceOf = ({ app, online, vendor, nodes, search }: DeviceQuestion, match: Matched | undefined): Source => {
  const devices = (where: string, ...values: Value[]): Walk =>
    ({ id: 'id', from: `devices WHERE ${where}`, values, rows: 1 })
  const ids = (from: string, values: Value[], rows = 1): Walk => ({ id: 'device_id', from, values, rows })
  const checked = online === null && vendor === null
  switch (match?.kind) {
    case 'push_token':
    case 'device_guid':
      return { walks: [devices('id = ?', match.id!)], checked }
    case 'user':
      return { walks: [devices('user_id = ?', match.id!)], checked }
    case 'alias':
      return { walks: [devices('app = ? AND alias = ?', app, search!.text)], checked }
    case 'tag':
      return { walks: [ids('device_tags WHERE app = ? AND tag = ?', [app, search!.text])], checked }
    case undefined:
  }
  if (online) {
    const here = nodes.map((node) => devices('presence_node = ? AND app = ?', node, app))
    return { walks: here, checked: vendor === null }
  }
  if (vendor === null) return { walks: [devices('app = ?', app)], checked }
  const inUse = 'vendor_tokens WHERE app = ? AND vendor = ? AND quarantined_at IS NULL'
  return { walks: [ids(inUse, [app, vendor], ENVIRONMENTS)], checked: online === null }
}

/** The next ids below `after`, each once. */
const walk = async (tx: Tx, { walks }: Source, after: number, most: number): Promise<number[]> => {
  const ids = new Set<number>()
  for (const { id, from, values, rows: each } of walks) {
    const sql = `SELECT ${id} AS id FROM ${from} AND ${id} < ? ORDER BY ${id} DESC LIMIT ?`
    const rows = await tx.all<{ id: number }>(sql, ...values, after, most * each)
    for (const row of rows) ids.add(row.id)
  }
  return [...ids].sort((a, b) => b - a).slice(0, most)
}

/** Those of the ids for which the rest of the question holds. */
const fittingOf = async (tx: Tx, { online, vendor, nodes }: DeviceQuestion, ids: number[]): Promise<number[]> => {
  let fitting = ids
  if (online !== null) {
    const rows = await tx.all<{ id: number }>(
      'SELECT id FROM devices WHERE id any_int(?1) AND presence_node any_int(?2)', list(ids), list(nodes),
    )
    const present = new Set(rows.map(({ id }) => id))
    fitting = fitting.filter((id) => present.has(id) === online)
  }
  if (vendor === null) return fitting
  // A probe for each: of a table that has just grown, PostgreSQL would walk all tokens of the vendor.
  const rows = await tx.all<{ id: number }>(
    `SELECT w.value AS id FROM each_int(?1) w WHERE (
       SELECT count(*) FROM vendor_tokens t WHERE t.device_id = w.value AND t.vendor = ?2 AND t.quarantined_at IS NULL
     ) > 0`,
    list(fitting), vendor,
  )
  const bound = new Set(rows.map(({ id }) => id))
  return fitting.filter((id) => bound.has(id))
}

/** Devices with all that a list shows of them, in the order of the ids. Tokens in quarantine are left out. */
export const readFound = async (tx: Tx, { ids }: { ids: number[] }): Promise<FoundDevice[]> => {
  if (ids.length === 0) return []
  const rows = await tx.all<Omit<FoundDevice, 'vendors' | 'tags'>>(
    `SELECT d.id, d.guid, d.user_id, u.name AS username, d.push_token, d.push_token_hash, d.platform, d.alias,
       d.presence_node, d.created_at, d.seen_at
     FROM devices d JOIN users u ON u.id = d.user_id WHERE d.id any_int(?1)`,
    list(ids),
  )
  const vendors = await tx.all<{ device_id: number; vendor: VendorName; environment: number }>(
    `SELECT device_id, vendor, environment FROM vendor_tokens
     WHERE device_id any_int(?1) AND quarantined_at IS NULL ORDER BY vendor, environment`,
    list(ids),
  )
  const tags = await tx.all<{ device_id: number; tag: string }>(
    'SELECT device_id, tag FROM device_tags WHERE device_id any_int(?1) ORDER BY tag', list(ids),
  )
  const [vendorsOf, tagsOf] = [Map.groupBy(vendors, (row) => row.device_id), Map.groupBy(tags, (row) => row.device_id)]
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = found.get(id)
    if (!row) return [] // its user is being erased
    return {
      ...row,
      vendors: (vendorsOf.get(id) ?? []).map(({ vendor, environment }) => ({ vendor, environment })),
      tags: (tagsOf.get(id) ?? []).map(({ tag }) => tag),
    }
  })
}
