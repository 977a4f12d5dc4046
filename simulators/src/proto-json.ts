/** The kinds of fields Google's reader of JSON knows, as far as messages have them. */
export type Kind =
  | Plain
  | { list: Kind }
  | { oneOf: readonly string[]; type: string; anyCase?: boolean }
  | Message

interface Message {
  fields: Readonly<Record<string, Kind>>
  /** Of these fields, only one may be set. */
  oneof?: { name: string; of: readonly string[] }
}

/** `strings`: texts by name. */
type Plain = 'string' | 'bool' | 'int32' | 'float' | 'duration' | 'timestamp' | 'struct' | 'strings'

/** What is wrong, in Google's words, and the field it is about. */
export interface Violation {
  field: string
  description: string
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const well = (type: string) => `type.googleapis.com/google.protobuf.${type}`

const duration = /^-?\d{1,12}(\.\d{1,9})?s$/
const whole = /^-?\d+$/
const decimal = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

const digits = (value: unknown): string => (typeof value === 'number' || typeof value === 'string' ? `${value}` : '')

const scalars: Record<Plain, { type: string; right: (value: unknown) => boolean }> = {
  string: { type: 'TYPE_STRING', right: (value) => typeof value === 'string' },
  bool: { type: 'TYPE_BOOL', right: (value) => typeof value === 'boolean' },
  // Numbers may stand in quotes.
  int32: { type: 'TYPE_INT32', right: (value) => whole.test(digits(value)) && Math.abs(Number(value)) < 2 ** 31 },
  float: { type: 'TYPE_FLOAT', right: (value) => decimal.test(digits(value)) },
  duration: { type: well('Duration'), right: (value) => typeof value === 'string' && duration.test(value) },
  timestamp: { type: well('Timestamp'), right: (value) => typeof value === 'string' && timestamp.test(value) },
  struct: { type: well('Struct'), right: isObject },
  strings: { type: 'map', right: isObject },
}

/**
 * Reads a value as the kind says, into snake_case names: both spellings are understood, as Google does. The first thing
 * that is wrong comes back instead; nothing unknown is let through.
 */
export const readAs = (kind: Kind, value: unknown, path: string): { value: unknown } | Violation => {
  if (typeof kind === 'string') return kind === 'strings' ? readStrings(value, path) : readScalar(kind, value, path)
  if ('list' in kind) return readList(kind.list, value, path)
  if ('oneOf' in kind) {
    const name = kind.anyCase && typeof value === 'string' ? value.toUpperCase() : value
    return kind.oneOf.some((known) => known === name) ? { value: name } : wrong(path, kind.type, value)
  }
  return readFields(kind, value, path)
}

export const isViolation = (read: { value: unknown } | Violation): read is Violation => 'field' in read

const wrong = (field: string, type: string, value: unknown): Violation => ({
  field,
  description: `Invalid value at '${field}' (${type}), ${JSON.stringify(value)}`,
})

const unknownName = (name: string, path: string): Violation => {
  const where = path === '' ? '' : ` at '${path}'`
  const description = `Invalid JSON payload received. Unknown name ${JSON.stringify(name)}${where}: Cannot find field.`
  return { field: path, description }
}

const readScalar = (kind: Plain, value: unknown, path: string): { value: unknown } | Violation =>
  scalars[kind].right(value) ? { value } : wrong(path, scalars[kind].type, value)

const readStrings = (value: unknown, path: string): { value: unknown } | Violation => {
  if (!isObject(value)) return wrong(path, scalars.strings.type, value)
  const at = Object.values(value).findIndex((text) => typeof text !== 'string')
  return at < 0 ? { value } : wrong(`${path}[${at}].value`, scalars.string.type, Object.values(value)[at])
}

const readList = (kind: Kind, value: unknown, path: string): { value: unknown } | Violation => {
  if (!Array.isArray(value)) return wrong(path, 'repeated', value)
  const read = value.map((item, at) => readAs(kind, item, `${path}[${at}]`))
  return read.find(isViolation) ?? { value: read.map((item) => ('value' in item ? item.value : undefined)) }
}

const readFields = (kind: Message, value: unknown, path: string): { value: unknown } | Violation => {
  if (!isObject(value)) return wrong(path, 'message', value)
  const read: Record<string, unknown> = {}
  for (const [given, inner] of Object.entries(value)) {
    const name = snake(given)
    const innerKind = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined
    if (innerKind === undefined) return unknownName(given, path)
    // Null stands for a field that is not there.
    if (inner === null) continue
    const innerPath = path === '' ? name : `${path}.${name}`
    if (name in read) return { field: innerPath, description: `Invalid value at '${innerPath}', it is set twice.` }
    const { oneof } = kind
    if (oneof?.of.includes(name) && oneof.of.some((other) => other in read)) {
      const words = `oneof field '${oneof.name}' is already set. Cannot set '${given}'`
      return { field: path, description: `Invalid value at '${path}' (oneof), ${words}` }
    }
    const result = readAs(innerKind, inner, innerPath)
    if (isViolation(result)) return result
    read[name] = result.value
  }
  return { value: read }
}
