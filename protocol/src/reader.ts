import { formats } from './formats.ts'
import { int64 } from './json.ts'
import { Misfit, shown, within } from './misfit.ts'
import { LIST_MAX } from './types.ts'

/** What of a schema we interpret. */
export interface Shape {
  type?: string
  properties?: Record<string, Shape>
  required?: string[]
  additionalProperties?: unknown
  items?: Shape
  maxItems?: number
  anyOf?: Shape[]
  const?: unknown
  enum?: unknown[]
  minimum?: number
  maximum?: number
  maxLength?: number
  maxBytes?: number
  format?: string
  default?: unknown
}

/** Gives the cleaned value or throws a Misfit. It is never handed a blank one. */
type Reader = (value: unknown) => unknown

type Fields = Record<string, unknown>

/** Absent, null, only white space, {} or []: the same for every field, whatever it should hold. */
export const isBlank = (value: unknown): boolean => {
  switch (typeof value) {
    case 'undefined':
      return true
    case 'string':
      return value.trim() === ''
    case 'object':
      if (value === null) return true
      if (Array.isArray(value)) return value.length === 0
      for (const _ in value) return false
      return true
    default:
      return false
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

const freeObject: Reader = (value) => {
  if (!isObject(value)) throw new Misfit('must be an object')
  return value
}

const objectReader = (shape: Shape): Reader => {
  const { properties, required = [] } = shape
  if (!properties) return freeObject
  const names = Object.keys(properties)
  const readers = new Map(names.map((name) => [name, readerOf(properties[name]!)]))
  const defaults = names.filter((name) => properties[name]!.default !== undefined)
  const closed = shape.additionalProperties === false
  return (value) => {
    if (!isObject(value)) throw new Misfit('must be an object')
    const result: Fields = {}
    for (const key of Object.keys(value)) {
      const reader = readers.get(key)
      if (reader === undefined) {
        if (closed) throw within(shown(key), new Misfit(`is not known here: use ${names.join(', ')}`))
        continue
      }
      const given = value[key]
      if (isBlank(given)) continue
      try {
        const read = reader(given)
        // An object of nothing but blank and unknown fields is as good as absent.
        if (typeof read !== 'object' || required.includes(key) || !isBlank(read)) result[key] = read
      } catch (problem) {
        throw within(key, problem)
      }
    }
    for (const name of required) if (result[name] === undefined) throw within(name, new Misfit('is required'))
    for (const name of defaults) result[name] ??= structuredClone(properties[name]!.default)
    return result
  }
}

const arrayReader = ({ items, maxItems = LIST_MAX }: Shape): Reader => {
  const reader = readerOf(items!)
  const plain = items!.type !== 'object'
  return (value) => {
    if (!Array.isArray(value)) throw new Misfit('must be a list')
    if (value.length > LIST_MAX) throw new Misfit(`must hold at most ${LIST_MAX} items`, 'listTooLong')
    if (value.length > maxItems) throw new Misfit(`must hold at most ${maxItems} items`)
    const result = value.map((item: unknown, i) => {
      try {
        if (isBlank(item)) throw new Misfit('must not be blank')
        return reader(item)
      } catch (problem) {
        throw within(`[${i}]`, problem)
      }
    })
    return plain && result.length > 1 ? [...new Set(result)] : result
  }
}

const textReader = ({ maxLength = Infinity, maxBytes = Infinity, format }: Shape): Reader => {
  const check = format === undefined ? undefined : formats[format]
  if (format !== undefined && check === undefined) throw new Error(`formats.ts has no ${format}`)
  return (value) => {
    if (typeof value !== 'string') throw new Misfit('must be a string')
    if (value.length > maxLength && hasMoreCharacters(value, maxLength)) {
      throw new Misfit(`must be at most ${maxLength} characters long`)
    }
    if (value.length * 3 > maxBytes && Buffer.byteLength(value) > maxBytes) {
      throw new Misfit(`must be at most ${maxBytes} bytes of UTF-8 long`)
    }
    if (check && !check.accepts(value)) throw new Misfit(check.must)
    return value
  }
}

/** Characters are code points, of which a string has at least half its length. */
const hasMoreCharacters = (text: string, max: number): boolean => {
  if (text.length > max * 2) return true
  let count = 0
  for (const _ of text) count += 1
  return count > max
}

const integerReader = ({ minimum, maximum }: Shape): Reader => {
  if (minimum === undefined || maximum === undefined) {
    return (value) => {
      const exact = int64(value)
      if (exact === undefined) throw new Misfit('must be a 64-bit integer, written in digits alone')
      return exact
    }
  }
  return (value) => {
    if (Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum) return value
    throw new Misfit(`must be an integer from ${minimum} to ${maximum}, written in digits alone`)
  }
}

const booleanReader: Reader = (value) => {
  if (typeof value !== 'boolean') throw new Misfit('must be true or false')
  return value
}

const choiceReader = (choices: readonly unknown[], orElse: readonly string[] = []): Reader => {
  const known = new Set(choices)
  const texts = [...choices.map(String), ...orElse]
  const expected = texts.length === 1 ? texts[0] : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
  return (value) => {
    if (!known.has(value)) throw new Misfit(`must be ${expected}`)
    return value
  }
}

/** Fixed words, and at most one object beside them: what is not an object is meant as a word. */
const unionReader = (branches: readonly Shape[]): Reader => {
  const object = branches.find((branch) => branch.type === 'object')
  const words = branches.filter((branch) => branch !== object).map((branch) => branch.const)
  if (!object) return choiceReader(words)
  const readObject = readerOf(object)
  const readWord = choiceReader(words, [`an object with ${Object.keys(object.properties ?? {}).join(', ')}`])
  return (value) => (isObject(value) ? readObject(value) : readWord(value))
}

const compile = (shape: Shape): Reader => {
  if (shape.anyOf) return unionReader(shape.anyOf)
  if (shape.enum) return choiceReader(shape.enum)
  if (shape.const !== undefined) return choiceReader([shape.const])
  switch (shape.type) {
    case 'object':
      return objectReader(shape)
    case 'array':
      return arrayReader(shape)
    case 'string':
      return textReader(shape)
    case 'integer':
      return integerReader(shape)
    case 'boolean':
      return booleanReader
    default:
      throw new Error(`a schema of type ${shape.type} cannot be read`)
  }
}

const compiled = new WeakMap<Shape, Reader>()

/** The reader of a schema, made once. */
export const readerOf = (shape: Shape): Reader => {
  let reader = compiled.get(shape)
  if (!reader) compiled.set(shape, (reader = compile(shape)))
  return reader
}
