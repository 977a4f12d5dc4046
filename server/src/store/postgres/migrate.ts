import { readFileSync, readdirSync } from 'node:fs'
import pg from 'pg'
import { StoreUnavailable } from '../store.ts'
import { movingIn } from './moving-in.ts'
import { postgresSchema } from './schema.ts'

const folder = new URL('../migrations/', import.meta.url)

const LOCK = 0x0ca2_1110 // any number, as long as it is nobody else's in this database
const OLDEST = 140_000

const migrations = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.sql')).sort()

/** The schema's version that this program brings a database to. */
export const knownSchema = (): number => migrations().length

/** Brings the schema up to this program's version, in one transaction; nodes that start at once do it once. */
export const migrate = async (url: string, connectMs: number): Promise<void> => {
  const client = new pg.Client({ connectionString: url, application_name: 'carillon', connectionTimeoutMillis: connectMs })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new StoreUnavailable(`no connection to PostgreSQL: ${(error as Error).message}`, { cause: error })
  }
  try {
    await checkServer(client)
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK})`)
    if (await movingIn(client)) throw new Error('a store is still being moved into this database: carillon migrate, where it comes from, ends that')
    await bringUp(client)
    await client.query('COMMIT')
  } finally {
    await client.end()
  }
}

const checkServer = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding`,
  )
  const { version, encoding } = rows[0]!
  if (Number(version) < OLDEST) throw new Error(`PostgreSQL ${OLDEST / 10_000} or newer is needed; this one is ${Math.floor(Number(version) / 10_000)}`)
  if (encoding !== 'UTF8') throw new Error(`the database must have the encoding UTF8, not ${encoding}: every person's name must fit in`)
}

const bringUp = async (client: pg.Client): Promise<void> => {
  const files = migrations()
  await client.query('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)')
  const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version')
  const version = rows[0]?.version ?? 0
  if (version > files.length) throw new Error(`the database was made by a newer Carillon (schema ${version}, this one knows ${files.length})`)
  for (const name of files.slice(version)) await client.query(postgresSchema(readFileSync(new URL(name, folder), 'utf8')))
  await client.query('DELETE FROM schema_version')
  await client.query('INSERT INTO schema_version VALUES ($1)', [files.length])
}
