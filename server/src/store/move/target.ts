import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { leaveNode } from '../heart-beats.ts'
import { startNode } from '../nodes.ts'
import { knownSchema, migrate } from '../postgres/migrate.ts'
import { MOVING_IN, beginMovingIn, movingIn } from '../postgres/moving-in.ts'
import { PostgresStore } from '../postgres/postgres.ts'
import type { Tx } from '../store.ts'
import { copyIn, copyOut } from './copy.ts'
import { MoveRefused } from './source.ts'
import { type Table, named } from './tables.ts'

const CONNECT_MS = 10_000
const LOCK = 0x0ca2_1111 // any number, as long as it is nobody else's in this database
const LOCK_TRIES = 50
const LOCK_WAIT_MS = 100

// The server notices within half a minute when this machine is gone: until then it would keep the lock, and refuse the next.
const SETTINGS = [
  'tcp_keepalives_idle = 10', 'tcp_keepalives_interval = 5', 'tcp_keepalives_count = 4',
  'statement_timeout = 0', `bytea_output = 'hex'`, `client_encoding = 'UTF8'`, `maintenance_work_mem = '128MB'`,
].map((setting) => `SET ${setting}`).join('; ')

/** The database that a store is moved into. From `claim` to `finish` no node can be started on it. */
export class Target {
  readonly #url: string
  readonly #client: pg.Client

  private constructor(url: string, client: pg.Client) {
    this.#url = url
    this.#client = client
  }

  static async connect(url: string): Promise<Target> {
    const client = new pg.Client({
      connectionString: url, application_name: 'carillon migrate', connectionTimeoutMillis: CONNECT_MS, keepAlive: true,
    })
    client.on('error', () => {}) // lost between two statements: the next one says so
    try {
      await client.connect()
    } catch (error) {
      throw new MoveRefused(`no connection to PostgreSQL: ${(error as Error).message}`, { cause: error })
    }
    await client.query(SETTINGS)
    return new Target(url, client)
  }

  /** Whether this move has begun there, and not ended. */
  async awaits(move: string): Promise<boolean> {
    return (await movingIn(this.#client))?.move === move
  }

  /** Makes it ready for the move of this name: it must be empty, or hold what this move has brought so far. */
  async claim(move: string, tables: readonly Table[]): Promise<void> {
    await this.#lock()
    const begun = await movingIn(this.#client)
    if (begun) {
      if (begun.move !== move) throw new MoveRefused('the database holds a part of another move, or of one that was taken back: name an empty one')
      const version = await this.#version()
      if (version === knownSchema()) return
      throw new MoveRefused(`this move was begun by another version (schema ${version}): end it with that one, or begin again in an empty database`)
    }
    await this.#refuseData(tables)
    await migrate(this.#url, CONNECT_MS)
    await beginMovingIn(this.#client, move, tables.map(({ name }) => name))
  }

  /** One that was killed a moment ago may not be gone yet on the other side. */
  async #lock(): Promise<void> {
    for (let left = LOCK_TRIES; left > 0; left -= 1) {
      const [lock] = await this.#ask<{ mine: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS mine`)
      if (lock!.mine) return
      await wait(LOCK_WAIT_MS)
    }
    throw new MoveRefused('another carillon migrate is at work on this database')
  }

  async #version(): Promise<number> {
    const [row] = await this.#ask<{ version: number }>('SELECT version FROM schema_version')
    return row!.version
  }

  /** Nothing is added to what others keep there, be they Carillons or not. */
  async #refuseData(tables: readonly Table[]): Promise<void> {
    const names = tables.map(({ name }) => name)
    const present = await this.#ask<{ name: string }>(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename = ANY ($1) ORDER BY 1', [[...names, 'schema_version']],
    )
    const there = present.map(({ name }) => name)
    if (there.length > 0 && !there.includes('schema_version')) {
      throw new MoveRefused(`the database has a table ${there[0]} that is not Carillon's: name an empty one`)
    }
    const filled: string[] = []
    for (const name of there) {
      const [row] = await this.#ask<{ filled: boolean }>(`SELECT EXISTS (SELECT FROM "${name}") AS filled`)
      if (row!.filled && name !== 'schema_version') filled.push(name)
    }
    if (filled.length === 0) return
    const apps = await this.#ask<{ app_id: string }>('SELECT app_id FROM apps ORDER BY id LIMIT 4')
    const whose = apps.length > 0 ? `the apps ${apps.map(({ app_id }) => app_id).join(', ')}` : `rows in ${filled.join(', ')}`
    throw new MoveRefused(`the database holds the data of another installation (${whose}): name an empty one`)
  }

  /** The last key that is there; rows come in the order of their keys. */
  async lastKey({ name, key }: Table): Promise<(string | bigint)[]> {
    const order = key.map((column) => `"${column.name}" DESC`).join(', ')
    const [row] = await this.#ask<Record<string, string>>(`SELECT ${named(key)} FROM "${name}" ORDER BY ${order} LIMIT 1`)
    return row ? key.map((column) => (column.kind === 'INTEGER' ? BigInt(row[column.name]!) : row[column.name]!)) : []
  }

  async count({ name }: Table): Promise<number> {
    const [row] = await this.#ask<{ count: string }>(`SELECT count(*) AS count FROM "${name}"`)
    return Number(row!.count)
  }

  /** All of these lines, or none of them. */
  async add({ name, columns }: Table, chunks: Iterable<Uint8Array>): Promise<void> {
    try {
      await copyIn(this.#client, `COPY "${name}" (${named(columns)}) FROM STDIN`, chunks)
    } catch (error) {
      const { message, where } = error as Error & { where?: string }
      throw new Error(`a row of ${name} cannot be moved: ${message}${where ? ` (${where})` : ''}`, { cause: error })
    }
  }

  async read({ name, columns, key }: Table, row: (line: Buffer) => void): Promise<void> {
    await copyOut(this.#client, `COPY (SELECT ${named(columns)} FROM "${name}" ORDER BY ${named(key)}) TO STDOUT`, row)
  }

  /** What is quicker done once for all rows than with each: the indexes, and what the planner knows of the tables. */
  async index(tables: readonly Table[]): Promise<void> {
    for (const index of (await movingIn(this.#client))!.indexes) {
      await this.#ask(index.replace(/^CREATE (UNIQUE )?INDEX /, (_, unique: string = '') => `CREATE ${unique}INDEX IF NOT EXISTS `))
    }
    await this.#ask(`ANALYZE ${tables.map(({ name }) => `"${name}"`).join(', ')}`)
  }

  /** New ids are higher than any that was ever given. */
  async raiseIds(highest: readonly { name: string; seq: number }[]): Promise<void> {
    for (const { name, seq } of highest) {
      if (seq > 0) await this.#ask(`SELECT setval(pg_get_serial_sequence('"${name}"', 'id'), $1)`, [seq])
    }
  }

  /** What the old node held is free, as at a start; from here on nodes may come. */
  async finish(now: number): Promise<void> {
    const store = new PostgresStore(this.#url, { writers: 1, readers: 1 })
    try {
      await store.write(openForNodes, { now })
    } finally {
      await store.close()
    }
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  async #ask<R extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<R[]> {
    return (await this.#client.query<R>(sql, values)).rows
  }
}

const openForNodes = async (tx: Tx, { now }: { now: number }): Promise<void> => {
  await leaveNode(tx, { node: await startNode(tx, { now }), now })
  await tx.run(`DROP TABLE ${MOVING_IN}`)
}
