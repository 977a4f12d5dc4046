import type { VendorName } from '@carillon/protocol/names.ts'
import type { ScopeKind } from './scope.ts'
import { type Tx, type Value, list } from './store.ts'

/** Whom a task asks for, as it is stored. Push tokens are resolved when the task is accepted: they are kept sealed only. */
export type StoredAudience =
  | { all: true }
  | { tag: string[] }
  | { alias: string[] }
  | { user_id: number[] }
  | { device_id: number[]; push_tokens: number }

export interface AudienceQuestion {
  app: number
  scopeKind: ScopeKind
  scopeId: number
  audience: StoredAudience
}

/** A device as routing sees it. */
export interface AudienceDevice {
  id: number
  platform: string
  logged_in: number
  presence_node: number | null
  push_enabled: number
  quiet_start: number | null
  quiet_end: number | null
  time_zone: string | null
}

const COLUMNS = `d.id, d.platform, d.logged_in, d.presence_node, u.push_enabled, u.quiet_start, u.quiet_end, u.time_zone`

/** How the devices of an audience are come by: from the narrowest list there is, never by looking through the app. */
interface Source {
  from: string
  where: string[]
  values: Value[]
  /** The column that holds the device's id in the index that is walked. */
  id: string
  /** The smallest id above `?`, per item of the list; one item needs no list. It takes the first of the values only. */
  next: string
  nextValues: number
  distinct: boolean
}

// `+d.app`: the app is checked, but not walked. Without it, a planner that knows no sizes takes the app's index for a
// single user and looks at every device of the app.
const sourceOf = ({ app, scopeKind, scopeId, audience }: AudienceQuestion): Source => {
  const values: Value[] = [app]
  const bind = (value: Value): string => `?${values.push(value)}`
  const plain = (from: string, where: string[], id = 'd.id'): Source => ({
    from, where, values, id, next: `SELECT min(${id}) AS id FROM ${from} WHERE ${where.join(' AND ')} AND ${id} > $from`, nextValues: values.length, distinct: false,
  })
  const perItem = (items: string, from: string, where: string[], id = 'd.id'): Source => ({
    from: `${items} w JOIN /*in order*/ ${from}`, where, values, id, nextValues: values.length, distinct: id !== 'd.id',
    next: `SELECT min(m.id) AS id FROM (SELECT (SELECT min(${id}) FROM ${from} WHERE ${where.join(' AND ')} AND ${id} > $from) AS id FROM ${items} w) m`,
  })

  const users = 'user_id' in audience ? audience.user_id : scopeKind === 'user' ? [scopeId] : undefined
  let source: Source
  if (users?.length === 1) source = plain('devices d', [`d.user_id = ${bind(users[0]!)}`, '+d.app = ?1'])
  else if (users) source = perItem(`each_int(${bind(list(users))})`, 'devices d', ['d.user_id = w.value', '+d.app = ?1'])
  else if ('device_id' in audience && audience.device_id.length === 1) source = plain('devices d', [`d.id = ${bind(audience.device_id[0]!)}`, '+d.app = ?1'])
  else if ('device_id' in audience) source = perItem(`each_int(${bind(list(audience.device_id))})`, 'devices d', ['d.id = w.value', '+d.app = ?1'])
  else if ('alias' in audience && audience.alias.length === 1) source = plain('devices d', ['d.app = ?1', `d.alias = ${bind(audience.alias[0]!)}`])
  else if ('alias' in audience) source = perItem(`each_text(${bind(list(audience.alias))})`, 'devices d', ['d.app = ?1', 'd.alias = w.value'])
  else if (!('tag' in audience)) source = plain('devices d', ['d.app = ?1'])
  else if (audience.tag.length === 1) source = plain('device_tags t', ['t.app = ?1', `t.tag = ${bind(audience.tag[0]!)}`], 't.device_id')
  else source = perItem(`each_text(${bind(list(audience.tag))})`, 'device_tags t', ['t.app = ?1', 't.tag = w.value'], 't.device_id')

  // What the list does not say already. The next candidate may be one that these leave out: its window is then smaller.
  const narrowed = [...source.where]
  if (scopeKind === 'user') {
    if ('user_id' in audience) narrowed.push(`d.user_id = ${bind(scopeId)}`)
    if ('device_id' in audience) narrowed.push(`d.id any_int(${bind(list(audience.device_id))})`)
    if ('alias' in audience) narrowed.push(`d.alias any_text(${bind(list(audience.alias))})`)
    if ('tag' in audience) narrowed.push(`EXISTS (SELECT 1 FROM device_tags x WHERE x.device_id = d.id AND x.tag any_text(${bind(list(audience.tag))}))`)
  }
  if (scopeKind === 'group') {
    narrowed.push(`EXISTS (SELECT 1 FROM group_members m WHERE m.group_id = ${bind(scopeId)} AND m.user_id = d.user_id)`)
  }
  return { ...source, where: narrowed }
}

/**
 * Devices of an audience with an id in (from, to], ascending. A window of ids, not ORDER BY … LIMIT over the whole
 * audience: the database would sort 200,000 matches for every page. Undefined when the window holds more than `most`.
 */
export const readWindow = async (
  tx: Tx,
  { question, from, to, most }: { question: AudienceQuestion; from: number; to: number; most: number },
): Promise<AudienceDevice[] | undefined> => {
  const { sql, values } = windowQuery(question, from, to, most)
  const rows = await tx.all<AudienceDevice>(sql, ...values)
  return rows.length > most ? undefined : rows.sort((a, b) => a.id - b.id)
}

export const windowQuery = (question: AudienceQuestion, from: number, to: number, most: number): { sql: string; values: Value[] } => {
  const source = sourceOf(question)
  const { values, id, distinct } = source
  const [fromAt, toAt] = [values.push(from), values.push(to)]
  const devices = id === 'd.id' ? '' : `JOIN devices d ON d.id = ${id}`
  return {
    sql: `SELECT ${distinct ? 'DISTINCT ' : ''}${COLUMNS} FROM ${source.from} ${devices} JOIN users u ON u.id = d.user_id
          WHERE ${source.where.join(' AND ')} AND ${id} > ?${fromAt} AND ${id} <= ?${toAt} LIMIT ${most + 1}`, // not bound: with a bound one SQLite plans anew at every call, 10 µs of 15
    values,
  }
}

/** A device after `from` before which there is none of the audience; the end of planning when there is none. */
export const nextCandidate = async (tx: Tx, { question, from }: { question: AudienceQuestion; from: number }): Promise<number | undefined> => {
  const { sql, values } = nextQuery(question, from)
  return (await tx.get<{ id: number | null }>(sql, ...values))?.id ?? undefined
}

export const nextQuery = (question: AudienceQuestion, from: number): { sql: string; values: Value[] } => {
  const { next, nextValues, values } = sourceOf(question)
  return { sql: next.replace('$from', `?${nextValues + 1}`), values: [...values.slice(0, nextValues), from] }
}

/** The same devices as they are now: for batches that were held, and for fallbacks. */
export const readDevices = async (tx: Tx, { ids }: { ids: number[] }): Promise<AudienceDevice[]> =>
  tx.all<AudienceDevice>(
    `SELECT ${COLUMNS} FROM devices d JOIN users u ON u.id = d.user_id WHERE d.id any_int(?1) ORDER BY d.id`, list(ids),
  )

/** The device behind a push token, if it is this app's: what `readWindow` would give, without its id being known. */
export const deviceOfPushToken = async (tx: Tx, { app, hash }: { app: number; hash: Uint8Array }): Promise<AudienceDevice | undefined> =>
  tx.get<AudienceDevice>(
    `SELECT ${COLUMNS} FROM devices d JOIN users u ON u.id = d.user_id WHERE d.push_token_hash = ? AND d.app = ?`, hash, app,
  )

/** Devices behind push tokens, by the hash of each; unknown ones and those of other apps are simply not there. */
export const devicesOfPushTokens = async (tx: Tx, { app, hashes }: { app: number; hashes: Uint8Array[] }): Promise<number[]> => {
  const ids: number[] = []
  for (const hash of hashes) {
    const row = await tx.get<{ id: number }>('SELECT id FROM devices WHERE push_token_hash = ? AND app = ?', hash, app)
    if (row) ids.push(row.id)
  }
  return ids.sort((a, b) => a - b)
}

export interface UsableToken {
  device_id: number
  vendor: VendorName
  environment: number
}

/** Vendor tokens that can be used: not in quarantine. */
export const usableTokens = async (tx: Tx, { ids }: { ids: number[] }): Promise<UsableToken[]> =>
  tx.all<UsableToken>(
    `SELECT t.device_id, t.vendor, t.environment FROM each_int(?1) w JOIN /*in order*/ vendor_tokens t
     WHERE t.device_id = w.value AND t.quarantined_at IS NULL`,
    list(ids),
  )
