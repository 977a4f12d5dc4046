import type { Tx } from '../store.ts'

/** What the server says of itself. */
export interface ServerSeen {
  version: string
  /** Its clock, Unix milliseconds. */
  now: number
  /** It follows another server and takes no changes. */
  isStandby: boolean
  /** Settings that let a commit be answered before it is on stable storage. */
  unsafe: string[]
  /** Connections that roles like ours may open in all, those of other programs now, and whether there is a schema. */
  places: number
  othersUse: number
  /** The schema's version; undefined in a database that holds none yet. */
  schema: number | undefined
}

const UNSAFE = ['fsync', 'synchronous_commit', 'full_page_writes']

/** Looks at the server and the schema; for an operator's check, so it changes nothing and needs no schema. */
export const lookAtServer = async (tx: Tx, _: object): Promise<ServerSeen> => {
  const seen = (await tx.get<{ version: string; now: number; standby: number; unsafe: string; places: number; others: number; has_schema: number }>(
    `SELECT current_setting('server_version') AS version,
       (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
       pg_is_in_recovery()::int AS standby,
       (SELECT coalesce(string_agg(name, ','), '') FROM pg_settings WHERE name IN (${UNSAFE.map((name) => `'${name}'`).join(', ')}) AND setting = 'off') AS unsafe,
       (SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -setting::int END) FROM pg_settings
         WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')) AS places,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'carillon') AS others,
       (to_regclass('schema_version') IS NOT NULL)::int AS has_schema`,
  ))!
  const schema = seen.has_schema === 1 ? (await tx.get<{ version: number }>('SELECT version FROM schema_version'))?.version : undefined
  return {
    version: seen.version,
    now: seen.now,
    isStandby: seen.standby === 1,
    unsafe: seen.unsafe.split(',').filter((name) => name !== ''),
    places: seen.places,
    othersUse: seen.others,
    schema,
  }
}

/** A node that has said it lives, and has not left since. */
export interface NodeSeen {
  id: number
  parts: string[]
  address: string
  startedAt: number
  beatAt: number
}

/** Those that live and those that have fallen silent and were not reaped. */
export const lookAtNodes = async (tx: Tx, _: object): Promise<NodeSeen[]> => {
  const rows = await tx.all<{ id: number; parts: string; address: string; started_at: number; beat_at: number }>(
    'SELECT id, parts, address, started_at, beat_at FROM nodes ORDER BY id',
  )
  return rows.map(({ id, parts, address, started_at, beat_at }) => ({
    id, parts: parts.split(','), address, startedAt: started_at, beatAt: beat_at,
  }))
}
