import type { Logger } from 'pino'
import { type Op, type Store, StoreUnavailable } from '../store.ts'
import { Failure } from './failure.ts'
import { Groups } from './groups.ts'
import { migrate } from './migrate.ts'
import { Connections, type Limits, Weather } from './pool.ts'

export interface PostgresOptions {
  log?: Logger
  /** Connections of this node; the server's max_connections is shared by all nodes. */
  writers?: number
  readers?: number
  limits?: Partial<Limits>
}

const LIMITS: Limits = { connectMs: 3_000, statementMs: 15_000, idleMs: 1_000 }
// Measured on two cores shared with the server: 8 accept 5,700 a second, 16 no more; and each is a process of the server.
const WRITERS = 8
const READERS = 4

/**
 * The store of many nodes: a PostgreSQL they share. Reads have connections of their own, so that a flood of writes does
 * not keep them waiting. When the server is away, calls are refused at once, and served again once it is back.
 */
export class PostgresStore implements Store {
  readonly #readers: Connections
  readonly #writers: Connections
  readonly #groups: Groups

  constructor(url: string, { log, writers = WRITERS, readers = READERS, limits = {} }: PostgresOptions) {
    const weather = new Weather(log)
    this.#readers = new Connections(url, readers, { ...LIMITS, ...limits }, weather)
    this.#writers = new Connections(url, writers, { ...LIMITS, ...limits }, weather)
    this.#groups = new Groups(this.#writers, writers)
  }

  get backlog(): number {
    return this.#groups.waiting
  }

  /** Each statement sees what is committed when it begins, as on SQLite. */
  async read<A, R>(op: Op<A, R>, args: A): Promise<R> {
    const session = await this.#readers.session()
    try {
      return await op(session, args)
    } catch (error) {
      if (error instanceof Failure && error.kind !== 'surprise') throw new StoreUnavailable(`${op.name}: ${error.message}`, { cause: error })
      throw error
    } finally {
      session.release()
    }
  }

  write<A, R>(op: Op<A, R>, args: A): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#groups.add({ op: op as Op<unknown, unknown>, args, resolve: resolve as (value: unknown) => void, reject })
    })
  }

  /** Nobody notices for us: other nodes nudge through the bus, and whoever must not miss a thing looks each second. */
  onForeignWrite(): void {}

  async close(): Promise<void> {
    await this.#groups.idle()
    await Promise.all([this.#readers.close(), this.#writers.close()])
  }
}

/** Opens (and, the first time, makes) the store in a database: postgres://user:password@host:port/database. */
export const openPostgres = async (url: string, options: PostgresOptions = {}): Promise<PostgresStore> => {
  await migrate(url, options.limits?.connectMs ?? LIMITS.connectMs)
  return new PostgresStore(url, options)
}
