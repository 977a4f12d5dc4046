import { existsSync } from 'node:fs'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { schemaVersion } from '../sqlite/migrate.ts'
import { databaseFile } from '../sqlite/sqlite.ts'
import { type Table, linesQuery, tablesOf, valuesQuery } from './tables.ts'

/** It cannot be moved, or not there; the message is one line for the operator. */
export class MoveRefused extends Error {}

/** The store of one machine while it is moved: nobody writes to it, and nothing in it changes. */
export class Source {
  readonly tables: readonly Table[]
  readonly #db: DatabaseSync

  constructor(folder: string) {
    if (!existsSync(databaseFile(folder))) throw new MoveRefused(`there is no store in ${folder}`)
    this.#db = new DatabaseSync(databaseFile(folder), { timeout: 10_000 })
    try {
      checkVersion(folder, schemaVersion(this.#db))
      this.#freeze(folder)
      this.tables = tablesOf(this.#db)
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  /** Commands that work on the folder wait for this, and give up: what they wrote now would stay behind. */
  #freeze(folder: string): void {
    try {
      this.#db.exec('BEGIN IMMEDIATE')
    } catch (error) {
      throw new MoveRefused(`a command writes to the store in ${folder}: wait until it is done`, { cause: error })
    }
  }

  get keyCheck(): Uint8Array | undefined {
    const row = this.#db.prepare(`SELECT value FROM meta WHERE key = 'key_check'`).get() as { value: Uint8Array } | undefined
    return row?.value
  }

  count({ name }: Table): number {
    return (this.#db.prepare(`SELECT count(*) AS count FROM "${name}"`).get() as { count: number }).count
  }

  /** The highest id that was ever given, by table: also of rows that are gone. */
  highestIds(): { name: string; seq: number }[] {
    return this.#db.prepare('SELECT name, seq FROM sqlite_sequence').all() as { name: string; seq: number }[]
  }

  /** The rows behind a key (none: all of them), in the order of the keys, as lines of COPY. */
  *lines(table: Table, after: readonly (string | bigint)[] = []): Iterable<Uint8Array> {
    for (const { line } of this.#db.prepare(linesQuery(table, after)).iterate(...after) as Iterable<{ line: Uint8Array }>) yield line
  }

  /** All rows, value by value, in the order of the keys. */
  *values(table: Table): Iterable<readonly SQLOutputValue[]> {
    const statement = this.#db.prepare(valuesQuery(table))
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    yield* statement.iterate() as Iterable<unknown> as Iterable<SQLOutputValue[]>
  }

  close(): void {
    this.#db.close()
  }
}

const checkVersion = (folder: string, { is, known }: { is: number; known: number }): void => {
  if (is > known) throw new MoveRefused(`the store in ${folder} was made by a newer Carillon (schema ${is}, this one knows ${known})`)
  if (is === known) return
  throw new MoveRefused(`the store in ${folder} is of an older Carillon (schema ${is} of ${known}): start the server once, it brings it up to date`)
}
