import pg from 'pg'
import type { Logger } from 'pino'
import { StoreUnavailable } from '../store.ts'
import { Session } from './session.ts'
import { types } from './values.ts'

export interface Limits {
  /** For a connection to be opened, or to become free. */
  connectMs: number
  /** For one statement, the locks it waits for included. */
  statementMs: number
  /**
   * Between two statements of a transaction. A node that is frozen, or cut off, in the middle of one keeps everybody from
   * the rows it holds: of a badge counter's all who notify the same thousand devices, on all nodes.
   */
  idleMs: number
}

// A plan is kept until its tables are analyzed, which may be a minute after they have grown, and one that was made while
// they were small may walk the wrong index. Made anew, it knows their size.
const PLANS_KEPT_MS = 10_000

/** For every connection. Without seqscan: each operation is written to walk an index, however small its table is now. */
const settings = ({ statementMs, idleMs }: Limits): string =>
  [
    `statement_timeout = ${statementMs}`,
    `idle_in_transaction_session_timeout = ${idleMs}`,
    `default_transaction_isolation = 'read committed'`,
    'enable_seqscan = off',
    'jit = off',
    'client_min_messages = error',
  ].map((setting) => `SET ${setting}`).join('; ')

/** Why connections were lost between two statements. The next statement fails, but does not say why. */
const losses = new WeakMap<pg.ClientBase, Error>()

const prepareWith = (sql: string) => async (client: pg.ClientBase): Promise<void> => {
  // Without a listener it would end the process. What comes first is the reason, the rest its consequence.
  client.on('error', (error) => void (losses.has(client) || losses.set(client, error)))
  await client.query(sql)
}

/** Some connections to one server. What cannot be reached is opened anew whenever somebody asks. */
export class Connections {
  readonly #pool: pg.Pool
  readonly #weather: Weather
  readonly #planned = new WeakMap<pg.PoolClient, number>()

  constructor(url: string, size: number, limits: Limits, weather: Weather) {
    this.#weather = weather
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'carillon',
      max: size,
      connectionTimeoutMillis: limits.connectMs,
      // The server ends a statement in time; when it does not say so either, nobody is there.
      query_timeout: limits.statementMs + limits.connectMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      pipeline: true, // see turn.ts
      types,
      onConnect: prepareWith(settings(limits)) as (client: pg.ClientBase) => void, // it is awaited, the types just do not say so
    })
    this.#pool.on('error', (error) => weather.bad(error)) // one that nobody was using
    this.#pool.on('connect', () => weather.good())
  }

  async session(): Promise<Session> {
    try {
      const client = await this.#pool.connect()
      this.#weather.seemsGood()
      const session = new Session(client, () => losses.get(client))
      const now = performance.now()
      const planned = this.#planned.get(client) ?? now
      if (planned + PLANS_KEPT_MS <= now) await session.forgetPlans()
      this.#planned.set(client, planned + PLANS_KEPT_MS <= now ? now : planned)
      return session
    } catch (error) {
      if ((error as Error).message.startsWith('timeout exceeded')) this.#weather.crowded(this.#pool.totalCount)
      else this.#weather.bad(error as Error)
      throw new StoreUnavailable(`no connection to PostgreSQL: ${(error as Error).message}`, { cause: error })
    }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}

const CROWDED_MS = 10_000
/** By then every connection that was lost has been noticed. */
const DOUBTED_MS = 1_000

/** One line when the server is lost and one when it is back, however many ask meanwhile. */
export class Weather {
  readonly #log: Logger | undefined
  #badSince: number | undefined
  #crowdedAt = -Infinity

  constructor(log: Logger | undefined) {
    this.#log = log
  }

  bad(error: Error): void {
    if (this.#badSince !== undefined) return
    this.#badSince = performance.now()
    this.#log?.error({ error: error.message }, 'PostgreSQL is not available; changes are refused until it is back')
  }

  /** Everybody holds on to a connection. Told now and then, since it may come and go by the second. */
  crowded(connections: number): void {
    if (performance.now() < this.#crowdedAt + CROWDED_MS) return
    this.#crowdedAt = performance.now()
    this.#log?.warn({ connections }, 'every connection to PostgreSQL is in use for too long; calls are refused')
  }

  /** A connection from before was handed out: it may be lost too, and not have been noticed yet. */
  seemsGood(): void {
    if (this.#badSince !== undefined && performance.now() > this.#badSince + DOUBTED_MS) this.good()
  }

  good(): void {
    if (this.#badSince === undefined) return
    const seconds = Math.round((performance.now() - this.#badSince) / 1_000)
    this.#badSince = undefined
    this.#log?.info({ seconds }, 'PostgreSQL is available again')
  }
}
