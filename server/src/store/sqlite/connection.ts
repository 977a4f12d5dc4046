import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Tx, Value } from '../store.ts'

/** `->>` gives text and whole numbers as they are; bytes come as hex. */
const eachRow = (_: string, value: string, alias: string, columns: string): string => {
  const picked = columns.split(', ').map((column, i) => {
    const [name, kind] = column.split(' ')
    return `${kind === 'bytes' ? `unhex(value ->> ${i})` : `value ->> ${i}`} AS ${name}`
  })
  return `(SELECT ${picked.join(', ')} FROM json_each(${value})) ${alias}`
}

const ROWS = /each_row\((\?\d*)\) (\w+) \(([^)]*)\)/g
const macros: [RegExp, string][] = [
  [/each_(?:int|text)\((\?\d*)\)/g, 'json_each($1)'],
  [/any_(?:int|text)\((\?\d*)\)/g, 'IN (SELECT value FROM json_each($1))'],
  [/JOIN \/\*in order\*\//g, 'CROSS JOIN'], // the left side first: the planner knows no sizes and would guess
  [/ for (?:update|share)(?: of \w+)?(?: skip locked)?/g, ''], // one writer: nobody to wait for, nothing to skip
]

const HELD = Promise.resolve()

/** One SQLite connection that runs operations; statements are prepared once. */
export class Connection implements Tx {
  readonly shared = false
  readonly db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(file: string, options: { readOnly?: boolean } = {}) {
    // The command line beside a running server waits its turn for this long.
    this.db = new DatabaseSync(file, { readOnly: options.readOnly ?? false, timeout: 10_000 })
    if (!options.readOnly) {
      // FULL: a commit that was answered survives a power cut. Checkpoints run on a connection of their own.
      this.db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0')
    }
    this.db.exec('PRAGMA foreign_keys = OFF; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY')
  }

  /** How long a statement waits for another process's transaction. */
  waitForOthers(ms: number): void {
    this.db.exec(`PRAGMA busy_timeout = ${ms}`)
  }

  /** Copies the log into the database after a commit that has made it longer than this. */
  checkpointAt(pages: number): void {
    this.db.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
  }

  // Not async functions: a transaction on this thread must not let anything else run between its statements,
  // and awaiting a settled promise stays within the microtask queue.
  get<R>(sql: string, ...values: Value[]): Promise<R | undefined> {
    return settled(() => this.#prepare(sql).get(...values) as R | undefined)
  }

  all<R>(sql: string, ...values: Value[]): Promise<R[]> {
    return settled(() => this.#prepare(sql).all(...values) as R[])
  }

  // The connection knows the id. RETURNING would take a table of its own for that: 20 µs a task instead of 13.
  insert(sql: string, ...values: Value[]): Promise<number> {
    return settled(() => Number(this.#prepare(sql).run(...values).lastInsertRowid))
  }

  run(sql: string, ...values: Value[]): Promise<number> {
    return settled(() => Number(this.#prepare(sql).run(...values).changes))
  }

  hold(): Promise<void> {
    return HELD
  }

  exec(sql: string): void {
    this.#prepare(sql).run()
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.db.prepare(macros.reduce((text, [from, to]) => text.replace(from, to), sql.replace(ROWS, eachRow)))
      this.#statements.set(sql, statement)
    }
    return statement
  }

  close(): void {
    this.db.close()
  }
}

const settled = <R>(work: () => R): Promise<R> => {
  try {
    return Promise.resolve(work())
  } catch (error) {
    return Promise.reject(error)
  }
}
