import type { Value } from '../store.ts'

/** A statement as PostgreSQL takes it: prepared once on each connection, under its name. */
export interface Statement {
  name: string
  text: string
  /** Looks up or adds rows, and neither holds nor changes one that others know of. */
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

type Item = 'int' | 'text'
// The order of a join cannot be asked for here: before a table is analyzed, PostgreSQL takes it for the small side, and
// took 10 s for a list of 500 users among 100,000 devices. As an array of the index's own condition it takes 6 ms, and at
// worst one pass.
const IN_ORDER = /each_(int|text)\(\$(\d+)\) (\w+) JOIN \/\*in order\*\/ ([^]*)/
const ARRAY = { int: 'bigint[]', text: 'text[]' } as const

/** From the text both engines share (see Tx) to PostgreSQL's own. Locks (`for update …`) are PostgreSQL's already. */
export const translate = (sql: string): Omit<Statement, 'name'> => {
  const lists = new Map<number, Item>()
  const array = (item: Item, place: string): string => {
    lists.set(Number(place) - 1, item)
    return `$${place}::${ARRAY[item]}`
  }
  let places = 0
  const text = sql
    .replace(/\?(\d*)/g, (_, place: string) => `$${place || ++places}`)
    .replace(IN_ORDER, (_, item: Item, place: string, alias: string, rest: string) => rest.replace(`= ${alias}.value`, `= ANY (${array(item, place)})`))
    .replace(/each_(int|text)\(\$(\d+)\) (\w+)/g, (_, item: Item, place: string, alias: string) => `unnest(${array(item, place)}) ${alias} (value)`)
    .replace(/any_(int|text)\(\$(\d+)\)/g, (_, item: Item, place: string) => `= ANY (${array(item, place)})`)
  const free = /^\s*(?:SELECT|INSERT)\b/.test(sql) && !/ for (?:update|share)\b|\bDO UPDATE\b/.test(sql)
  return { text, free, bind: (values) => (lists.size === 0 ? [...values] : values.map((value, i) => listed(value, lists.get(i)))) }
}

/** A list comes as JSON (see `list`). One of numbers differs from an array's text by its brackets only. */
const listed = (value: Value, item: Item | undefined): unknown => {
  if (item === undefined || typeof value !== 'string') return value
  return item === 'int' ? `{${value.slice(1, -1)}}` : (JSON.parse(value) as string[])
}
