/** What a statement takes. Booleans are stored as 0 and 1, JSON as text, lists of ids packed (see ledger.ts). */
export type Value = string | number | null | Uint8Array

/**
 * A running transaction. SQL is the part SQLite and PostgreSQL share, with `?1` (or plain `?`) for values, plus
 * for lists, whose value is made by `list()`: `any_int(?1)` and `any_text(?1)` after a column, and `each_int(?1)` and
 * `each_text(?1)` as a table with the column `value`; and for many rows in one statement, whose value is made by `rows()`:
 * `each_row(?1) w (a int, b text, c bytes)` as a table, joined to others by its first column. A join marked "in order" has
 * its small side on the left, and its condition in WHERE. What is read to be written back is read ` for update`: on
 * PostgreSQL others write meanwhile, and whoever holds several rows holds them in the order of their ids, a batch's states
 * before the batch, both before the task. An insert that changes a row which is there already, by nothing but what stands
 * in it, and whose answer is not written back to rows that others know of, is marked `DO UPDATE` "at once".
 */
export interface Tx {
  /** Many nodes write to this store: what they hold in memory must be told to one another. */
  readonly shared: boolean
  get<R>(sql: string, ...values: Value[]): Promise<R | undefined>
  all<R>(sql: string, ...values: Value[]): Promise<R[]>
  /** One row; its id. */
  insert(sql: string, ...values: Value[]): Promise<number>
  /** How many rows changed. */
  run(sql: string, ...values: Value[]): Promise<number>
  /** Holds these rows until the transaction ends. The embedded store has one writer, so nobody to hold them against. */
  hold(sql: string, ...values: Value[]): Promise<void>
}

/**
 * One operation of the store: all of it happens or nothing. It is an exported, named function of a file in this folder,
 * because the embedded store runs it by its name on another thread; so it takes and returns plain data, gets the time
 * as an argument, and returns an expected failure as a value (what it throws is a surprise).
 */
export type Op<A, R> = (tx: Tx, args: A) => Promise<R>

export interface Store {
  read<A, R>(op: Op<A, R>, args: A): Promise<R>
  /** Resolves when the change is on stable storage. Rejects with StoreUnavailable when it could not get there. */
  write<A, R>(op: Op<A, R>, args: A): Promise<R>
  /** How many writes wait for their turn: what the door looks at before it takes more. */
  readonly backlog: number
  /** Called when another process (the command line beside a server) has written. */
  onForeignWrite(listener: () => void): void
  close(): Promise<void>
}

/**
 * The store cannot take changes now (disk full, locked, gone). Nothing of the operation happened; only where a connection
 * to PostgreSQL is lost between the commit and its answer, nobody can tell.
 */
export class StoreUnavailable extends Error {}

export const list = (values: readonly (number | string)[]): string => JSON.stringify(values)

export const rows = (values: readonly (readonly Value[])[]): string =>
  JSON.stringify(values.map((row) => row.map((value) => (value instanceof Uint8Array ? hex(value) : value))))

const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
