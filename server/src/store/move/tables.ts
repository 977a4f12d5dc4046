import type { DatabaseSync } from 'node:sqlite'

interface Column {
  name: string
  kind: 'INTEGER' | 'TEXT' | 'BLOB'
}

/** A table to be moved, as the schema of SQLite has it. Rows go in the order of its key. */
export interface Table {
  name: string
  columns: Column[]
  key: Column[]
}

/** Every table of the store, read from the schema itself: none that a later version adds can be forgotten. */
export const tablesOf = (db: DatabaseSync): Table[] => {
  const found = db.prepare(
    `SELECT t.name AS "table", c.name, c.type AS kind, c.pk FROM pragma_table_list t JOIN pragma_table_info(t.name) c
     WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid`,
  ).all() as unknown as (Column & { table: string; pk: number })[]
  return Array.from(Map.groupBy(found, ({ table }) => table), ([name, columns]) => {
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    if (key.length === 0) throw new Error(`the table ${name} has no primary key to be moved by`)
    return { name, columns: columns.map(toColumn), key: key.map(toColumn) }
  })
}

const toColumn = ({ name, kind }: Column): Column => ({ name, kind })

/** Columns as both engines read them, for a SELECT or a COPY. */
export const named = (columns: readonly Column[]): string => columns.map(({ name }) => `"${name}"`).join(', ')

// What PostgreSQL writes with a backslash, https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS;
// the backslash itself first.
const ESCAPES: [code: number, letter: string][] = [[92, '\\'], [8, 'b'], [9, 't'], [10, 'n'], [11, 'v'], [12, 'f'], [13, 'r']]

const cellOf = ({ name, kind }: Column): string => `CASE WHEN "${name}" IS NULL THEN '\\N' ELSE ${written(`"${name}"`, kind)} END`

const written = (cell: string, kind: Column['kind']): string => {
  if (kind === 'INTEGER') return cell
  if (kind === 'BLOB') return `'\\\\x' || lower(hex(${cell}))`
  return ESCAPES.reduce((text, [code, letter]) => `replace(${text}, char(${code}), '\\${letter}')`, cell)
}

/**
 * Rows as lines of PostgreSQL's COPY, made by SQLite itself: they go in as they are, and PostgreSQL writes the same
 * bytes of the same row. As bytes, so that nothing on the way can mend a text that is not UTF-8.
 */
export const linesQuery = ({ name, columns, key }: Table, after: readonly unknown[]): string => {
  const line = columns.map(cellOf).join(' || char(9) || ')
  const from = after.length === 0 ? '' : `WHERE (${named(key)}) > (${key.map(() => '?').join(', ')})`
  return `SELECT CAST(${line} || char(10) AS BLOB) AS line FROM "${name}" ${from} ORDER BY ${named(key)}`
}

/** Rows value by value, for whoever wants to see for himself. */
export const valuesQuery = ({ name, columns, key }: Table): string => `SELECT ${named(columns)} FROM "${name}" ORDER BY ${named(key)}`
