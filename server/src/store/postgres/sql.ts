import type { Value } from '../store.ts'

/** A statement as PostgreSQL takes it: prepared once on each connection, under its name. */
export interface Statement {
  name: string
  text: string
  /** Looks up or adds rows, and neither holds nor changes one that others know of, unless it does so at once. */
  free: boolean
  bind(values: readonly Value[]): unknown[]
}

const known = new Map<string, Statement>()

/** The operations hold a few hundred different texts, so this cache has an end. */
export const statementOf = (sql: string): Statement => {
  let statement = known.get(sql)
  if (!statement) {
    statement = { name: `carillon_${known.size + 1}`, ...translate(sql) }
    known.set(sql, statement)
  }
  return statement
}

export const isFree = (sql: string): boolean => statementOf(sql).free

type Item = 'int' | 'text' | 'bytes'
// The order of a join cannot be asked for here: before a table is analyzed, PostgreSQL takes it for the small side, and
// took 10 s for a list of 500 users among 100,000 devices. As an array of the index's own condition it takes 6 ms, and at
// worst one pass. So is what rows are joined by.
const IN_ORDER = /each_(int|text)\(\$(\d+)\) (\w+) JOIN \/\*in order\*\/ ([^]*)/
const ROWS = /each_row\(\$(\d+)\) (\w+) \(([^)]*)\)/
const ARRAY = { int: 'bigint[]', text: 'text[]', bytes: 'bytea[]' } as const

/** What a value is turned into: a list, or the columns of rows: the first in the value's place, the others after all values. */
type Shape = { item: Item } | { columns: Item[] }

/** From the text both engines share (see Tx) to PostgreSQL's own. Locks (`for update …`) are PostgreSQL's already. */
export const translate = (sql: string): Omit<Statement, 'name'> => {
  const shapes = new Map<number, Shape>()
  const array = (item: Item, place: string): string => {
    shapes.set(Number(place) - 1, { item })
    return `$${place}::${ARRAY[item]}`
  }
  let places = 0
  const numbered = sql.replace(/\?(\d*)/g, (_, place: string) => `$${place || ++places}`)
  const text = withRows(numbered, shapes)
    .replace(IN_ORDER, (_, item: Item, place: string, alias: string, rest: string) => rest.replace(`= ${alias}.value`, `= ANY (${array(item, place)})`))
    .replace(/each_(int|text)\(\$(\d+)\) (\w+)/g, (_, item: Item, place: string, alias: string) => `unnest(${array(item, place)}) ${alias} (value)`)
    .replace(/any_(int|text)\(\$(\d+)\)/g, (_, item: Item, place: string) => `= ANY (${array(item, place)})`)
  const free = /^\s*(?:SELECT|INSERT)\b/.test(sql) && !/ for (?:update|share)\b|\bDO UPDATE (?!\/\*at once)/.test(sql)
  return { text, free, bind: (values) => (shapes.size === 0 ? [...values] : shaped(values, shapes)) }
}

/** At most one table of rows a statement. */
const withRows = (sql: string, shapes: Map<number, Shape>): string => {
  const found = ROWS.exec(sql)
  if (!found) return sql
  const [whole, place, alias, defined] = found as unknown as [string, string, string, string]
  const columns = defined.split(', ').map((column) => column.split(' ') as [string, Item])
  shapes.set(Number(place) - 1, { columns: columns.map(([, item]) => item) })
  const last = Math.max(...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  const arrays = columns.map(([, item], i) => `$${i === 0 ? place : last + i}::${ARRAY[item]}`)
  return sql
    .replace(whole, `unnest(${arrays.join(', ')}) ${alias} (${columns.map(([name]) => name).join(', ')})`)
    .replace(new RegExp(`([\\w.]+) = ${alias}\\.${columns[0]![0]}\\b`), (condition, column: string) => `${column} = ANY (${arrays[0]}) AND ${condition}`)
}

const shaped = (values: readonly Value[], shapes: ReadonlyMap<number, Shape>): unknown[] => {
  const more: unknown[] = []
  const bound = values.map((value, i) => {
    const shape = shapes.get(i)
    if (shape === undefined || typeof value !== 'string') return value
    if ('item' in shape) return listed(value, shape.item)
    const table = JSON.parse(value) as (string | number | null)[][]
    const [first, ...others] = shape.columns.map((item, column) => arrayOf(table.map((row) => row[column]!), item))
    more.push(...others)
    return first
  })
  return [...bound, ...more]
}

/** A list comes as JSON (see `list`). One of numbers differs from an array's text by its brackets only. */
const listed = (value: string, item: Item): unknown => (item === 'int' ? `{${value.slice(1, -1)}}` : (JSON.parse(value) as string[]))

const arrayOf = (column: (string | number | null)[], item: Item): unknown => {
  if (item === 'int') return `{${column.map((value) => value ?? 'NULL').join()}}`
  return item === 'text' ? column : column.map((value) => value === null ? null : `\\x${value}`)
}
