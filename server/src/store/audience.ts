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

/** The part of a WHERE that says who is meant and how far the caller's scope reaches. */
const matching = ({ app, scopeKind, scopeId, audience }: AudienceQuestion): { sql: string; values: Value[] } => {
  const values: Value[] = [app]
  const bind = (value: Value): string => `?${values.push(value)}`
  // One item is the common case, and a comparison costs a fifth of a list.
  const among = (column: string, kind: 'int' | 'text', items: readonly (number | string)[]): string =>
    items.length === 1 ? `${column} = ${bind(items[0]!)}` : `${column} any_${kind}(${bind(list(items))})`
  let sql = 'd.app = ?1'
  if ('tag' in audience) sql += ` AND d.id IN (SELECT device_id FROM device_tags WHERE app = ?1 AND ${among('tag', 'text', audience.tag)} AND device_id > $from AND device_id <= $to)`
  else if ('alias' in audience) sql += ` AND ${among('d.alias', 'text', audience.alias)}`
  else if ('user_id' in audience) sql += ` AND ${among('d.user_id', 'int', audience.user_id)}`
  else if ('device_id' in audience) sql += ` AND ${among('d.id', 'int', audience.device_id)}`
  if (scopeKind === 'user') sql += ` AND d.user_id = ${bind(scopeId)}`
  else if (scopeKind === 'group') sql += ` AND d.user_id IN (SELECT user_id FROM group_members WHERE group_id = ${bind(scopeId)})`
  return { sql, values }
}

/**
 * Devices of an audience with an id in (from, to], ascending. A window of ids, not ORDER BY … LIMIT over the whole
 * audience: the database would sort 200,000 matches for every page. Undefined when the window holds more than `most`.
 */
export const readWindow = async (
  tx: Tx,
  { question, from, to, most }: { question: AudienceQuestion; from: number; to: number; most: number },
): Promise<AudienceDevice[] | undefined> => {
  const { sql, values } = matching(question)
  const [fromAt, toAt, mostAt] = [values.push(from), values.push(to), values.push(most + 1)]
  const rows = await tx.all<AudienceDevice>(
    `SELECT ${COLUMNS} FROM devices d JOIN users u ON u.id = d.user_id
     WHERE ${sql} AND d.id > ?${fromAt} AND d.id <= ?${toAt} LIMIT ?${mostAt}`
      .replace('$from', `?${fromAt}`).replace('$to', `?${toAt}`),
    ...values,
  )
  return rows.length > most ? undefined : rows.sort((a, b) => a.id - b.id)
}

/** The next device of the audience after `from`; the end of planning when there is none. */
export const nextInAudience = async (tx: Tx, { question, from }: { question: AudienceQuestion; from: number }): Promise<number | undefined> => {
  const { sql, values } = matching(question)
  const [fromAt, toAt] = [values.push(from), values.push(Number.MAX_SAFE_INTEGER)]
  const row = await tx.get<{ id: number | null }>(
    `SELECT min(d.id) AS id FROM devices d WHERE ${sql} AND d.id > ?${fromAt} AND d.id <= ?${toAt}`
      .replace('$from', `?${fromAt}`).replace('$to', `?${toAt}`),
    ...values,
  )
  return row?.id ?? undefined
}

/** The same devices as they are now: for batches that were held, and for fallbacks. */
export const readDevices = async (tx: Tx, { ids }: { ids: number[] }): Promise<AudienceDevice[]> =>
  tx.all<AudienceDevice>(
    `SELECT ${COLUMNS} FROM devices d JOIN users u ON u.id = d.user_id WHERE d.id any_int(?1) ORDER BY d.id`, list(ids),
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
  vendor: string
  environment: number
}

export const usableTokens = async (tx: Tx, { ids }: { ids: number[] }): Promise<UsableToken[]> =>
  tx.all<UsableToken>(
    'SELECT device_id, vendor, environment FROM vendor_tokens WHERE device_id any_int(?1) AND quarantined_at IS NULL', list(ids),
  )

/** Vendors and environments the app has a certificate for, as `vendor/environment`. */
export const certificatePlaces = async (tx: Tx, { app }: { app: number }): Promise<string[]> =>
  (await tx.all<{ vendor: string; environment: number }>('SELECT vendor, environment FROM certificates WHERE app = ?', app))
    .map(({ vendor, environment }) => `${vendor}/${environment}`)
