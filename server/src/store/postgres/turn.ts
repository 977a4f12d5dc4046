import type { Tx, Value } from '../store.ts'
import { isFree } from './sql.ts'

/** Calls of one transaction take turns from where a call first holds or changes a row until it is done. */
export class Turn {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when it is one's turn, with what ends it. */
  async take(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    return resolve
  }
}

/**
 * One call among others in the same transaction. Their first steps, looking up and adding rows, go to the server side by
 * side, without waiting for one another's answers. But a lock keeps out other transactions, not a neighbour in this one:
 * what reads a row to write it back waits for its turn.
 */
export class Neighbour implements Tx {
  readonly shared = true
  readonly #tx: Tx
  readonly #turn: Turn
  #taken: Promise<() => void> | undefined

  constructor(tx: Tx, turn: Turn) {
    this.#tx = tx
    this.#turn = turn
  }

  async get<R>(sql: string, ...values: Value[]): Promise<R | undefined> {
    await this.#wait(sql)
    return this.#tx.get<R>(sql, ...values)
  }

  async all<R>(sql: string, ...values: Value[]): Promise<R[]> {
    await this.#wait(sql)
    return this.#tx.all<R>(sql, ...values)
  }

  async hold(sql: string, ...values: Value[]): Promise<void> {
    await this.all(sql, ...values)
  }

  async insert(sql: string, ...values: Value[]): Promise<number> {
    await this.#wait(sql)
    return this.#tx.insert(sql, ...values)
  }

  async run(sql: string, ...values: Value[]): Promise<number> {
    await this.#wait(sql)
    return this.#tx.run(sql, ...values)
  }

  async leave(): Promise<void> {
    const end = await this.#taken
    end?.()
  }

  async #wait(sql: string): Promise<void> {
    if (!this.#taken && isFree(sql)) return
    this.#taken ??= this.#turn.take()
    await this.#taken
  }
}
