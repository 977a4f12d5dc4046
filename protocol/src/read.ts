import type { Static, TSchema } from 'typebox'
import { badField } from './errors.ts'
import { refusal } from './misfit.ts'
import { readerOf, type Shape } from './reader.ts'

/**
 * A copy of the value that holds what the schema knows and nothing blank, or Refused with the path of what is wrong.
 * Nothing is coerced, text is never trimmed. No body at all is an empty one.
 */
export const read = <S extends TSchema>(schema: S, value: unknown, path = ''): Static<S> => {
  const shape = schema as Shape
  try {
    return readerOf(shape)(value ?? (shape.type === 'object' ? {} : value)) as Static<S>
  } catch (problem) {
    throw refusal(path, problem)
  }
}

/**
 * Query and path parameters: text all of it, so an integer is text in JSON's form of one, and nothing else is read as
 * one. A parameter given twice is refused, since proxies and servers differ on which of them counts.
 */
export const readQuery = <S extends TSchema>(
  schema: S,
  query: Record<string, string | string[] | undefined>,
): Static<S> => {
  const { properties = {} } = schema as Shape
  const values: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(properties)) {
    const text = Object.hasOwn(query, name) ? query[name] : undefined
    if (text === undefined) continue
    if (typeof text !== 'string') throw badField(name, 'must be given once')
    if (text.includes('\0') || !text.isWellFormed()) throw badField(name, 'must be well-formed text without NUL')
    values[name] = valueOf(text, property)
  }
  return read(schema, values)
}

const valueOf = (text: string, { type }: Shape): unknown => {
  if (type === 'integer' && /^-?(0|[1-9][0-9]{0,18})$/.test(text)) return asJsonNumber(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** What the exact parser would have made of the same digits. */
const asJsonNumber = (digits: string): unknown => {
  const number = Number(digits)
  return Number.isSafeInteger(number) && digits !== '-0' ? number : JSON.rawJSON(digits)
}
