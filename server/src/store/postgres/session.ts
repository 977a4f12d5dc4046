import type { PoolClient, QueryResult, QueryResultRow } from 'pg'
import type { Tx, Value } from '../store.ts'
import { Failure, failureOf } from './failure.ts'
import { statementOf } from './sql.ts'

/**
 * An operation may take this long, and its last statement as long as statements may: what has not been committed then
 * never will be. Whoever follows the changes relies on it, see access/heard.ts.
 */
const OPERATION_MS = 30_000

/** A connection while somebody uses it. */
export class Session implements Tx {
  readonly shared = true
  readonly #client: PoolClient
  readonly #loss: () => Error | undefined
  #until = performance.now() + OPERATION_MS
  #broken = false

  /** `loss`: why the connection was lost, if it was between two statements. */
  constructor(client: PoolClient, loss: () => Error | undefined) {
    this.#client = client
    this.#loss = loss
  }

  async get<R>(sql: string, ...values: Value[]): Promise<R | undefined> {
    return (await this.#query(sql, values)).rows[0] as R | undefined
  }

  async all<R>(sql: string, ...values: Value[]): Promise<R[]> {
    return (await this.#query(sql, values)).rows as R[]
  }

  async hold(sql: string, ...values: Value[]): Promise<void> {
    await this.all(sql, ...values)
  }

  async insert(sql: string, ...values: Value[]): Promise<number> {
    return (await this.get<{ id: number }>(`${sql} RETURNING id`, ...values))!.id
  }

  async run(sql: string, ...values: Value[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0
  }

  /** All of it is committed, or nothing happened. Unless the connection is lost in the middle of the commit: then nobody knows. */
  async transaction<R>(begin: string, work: () => Promise<R>): Promise<R> {
    this.#until = performance.now() + OPERATION_MS
    await this.#ask(() => this.#client.query(begin))
    let result: R
    try {
      result = await work()
    } catch (error) {
      if (!this.#broken) await this.#ask(() => this.#client.query('ROLLBACK'))
      throw error
    }
    const { command } = await this.#ask(() => this.#client.query('COMMIT'))
    // So PostgreSQL answers the commit of a transaction in which a statement has failed.
    if (command !== 'COMMIT') throw new Failure('an operation went on after one of its statements had failed', 'surprise', false)
    return result
  }

  async forgetPlans(): Promise<void> {
    try {
      await this.#ask(() => this.#client.query('DISCARD PLANS'))
    } catch (error) {
      this.release()
      throw error
    }
  }

  /** Gives the connection back; a broken one is closed, and another opened when it is needed. */
  release(): void {
    this.#client.release(this.#broken)
  }

  #query(sql: string, values: Value[]): Promise<QueryResult<QueryResultRow>> {
    if (performance.now() > this.#until) throw new Failure(`an operation took more than ${OPERATION_MS / 1_000} s`, 'unavailable', false)
    const { name, text, bind } = statementOf(sql)
    return this.#ask(() => this.#client.query({ name, text, values: bind(values) }))
  }

  async #ask(query: () => Promise<QueryResult<QueryResultRow>>): Promise<QueryResult<QueryResultRow>> {
    try {
      return await query()
    } catch (error) {
      const failure = failureOf(this.#loss() ?? error)
      if (failure.broken) this.#broken = true
      throw failure
    }
  }
}
