import { createHash } from 'node:crypto'
import type { SQLOutputValue } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { Source } from './source.ts'
import type { Table } from './tables.ts'
import type { Target } from './target.ts'

const ROWS_A_TURN = 500

/** What one side has of a table: how many rows, and the SHA-256 of all of them, with every column, in the order of keys. */
export interface Side {
  rows: number
  checksum: string
}

export interface Compared {
  table: string
  source: Side
  target: Side
  same: boolean
}

/**
 * Reads both sides once more. The checksum is that of the lines in which PostgreSQL's COPY writes the rows. On the other
 * side they are made from the values here, not as those were that went in: what went wrong there would look right.
 */
export const compare = async (source: Source, target: Target, seen: (rows: number) => void): Promise<Compared[]> => {
  let checked = 0
  const compared: Compared[] = []
  for (const table of source.tables) {
    const count = (rows: number): void => seen((checked += rows))
    const [here, there] = await Promise.all([sumOfSource(source, table, count), sumOfTarget(target, table)])
    const same = here.rows === there.rows && here.checksum === there.checksum
    compared.push({ table: table.name, source: here, target: there, same })
  }
  return compared
}

const sumOfTarget = async (target: Target, table: Table): Promise<Side> => {
  const hash = createHash('sha256')
  let rows = 0
  await target.read(table, (line) => {
    hash.update(line)
    rows += 1
  })
  return { rows, checksum: hash.digest('hex') }
}

const sumOfSource = async (source: Source, table: Table, seen: (rows: number) => void): Promise<Side> => {
  const hash = createHash('sha256')
  let rows = 0
  let lines = ''
  const take = (): void => {
    hash.update(lines)
    lines = ''
    seen(rows % ROWS_A_TURN || ROWS_A_TURN)
  }
  for (const row of source.values(table)) {
    lines += `${row.map(written).join('\t')}\n`
    rows += 1
    if (rows % ROWS_A_TURN > 0) continue
    take()
    await turn() // the other side's rows come in meanwhile
  }
  if (lines !== '') take()
  return { rows, checksum: hash.digest('hex') }
}

// As PostgreSQL writes them: https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS
const SPECIAL = /[\b\t\n\v\f\r\\]/g
const LETTERS: Record<string, string> = { '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '\\': '\\' }

const written = (value: SQLOutputValue): string => {
  if (value === null) return '\\N'
  if (typeof value === 'string') return value.replace(SPECIAL, (found) => `\\${LETTERS[found]!}`)
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
  return String(value)
}
