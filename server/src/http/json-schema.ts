import { isDeepStrictEqual } from 'node:util'
import { formats } from '@carillon/protocol/formats.ts'
import type { TSchema } from 'typebox'

/** JSON Schema 2020-12, as far as the reference uses it. */
export interface JsonSchema {
  $ref?: string
  title?: string
  description?: string
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  anyOf?: JsonSchema[]
  const?: string | number
  enum?: (string | number)[]
  minimum?: number
  maximum?: number
  maxLength?: number
  pattern?: string
  format?: string
  default?: unknown
}

type Ours = JsonSchema & { maxBytes?: number }

/** Formats that others know by another name, or that a pattern says as well. */
const elsewhere: Record<string, Pick<JsonSchema, 'format' | 'pattern'>> = {
  badge: { pattern: '^\\+?[0-9]{1,9}$' },
  mobile: { pattern: '^\\+?[0-9]{5,20}$' },
  email: { format: 'email' },
  'web-address': { format: 'uri' },
}

const INT32_MAX = 2 ** 31 - 1

/**
 * Our schemas as anybody's tool reads them: our own keywords become words or the nearest standard one, and schemas with
 * a title become components that are pointed at.
 */
export class JsonSchemas {
  readonly components: Record<string, JsonSchema> = {}

  of(schema: TSchema): JsonSchema {
    // What TypeBox notes for itself is not enumerable: a copy is plain JSON.
    return this.#convert(JSON.parse(JSON.stringify(schema)) as Ours)
  }

  #convert(schema: Ours): JsonSchema {
    const { title, description, ...rest } = schema
    if (title === undefined) return this.#inline(schema)
    const component = this.#inline({ title, ...rest })
    const earlier = (this.components[title] ??= component)
    if (!isDeepStrictEqual(earlier, component)) throw new Error(`two schemas have the title ${title}`)
    return { $ref: `#/components/schemas/${title}`, ...(description !== undefined && { description }) }
  }

  #inline({ maxBytes, format, description, properties, items, anyOf, ...rest }: Ours): JsonSchema {
    const words = [
      description,
      maxBytes !== undefined && `At most ${maxBytes} bytes of UTF-8.`,
      format !== undefined && formats[format] && `It ${formats[format].must}.`,
    ].filter((sentence) => typeof sentence === 'string')
    return {
      ...rest,
      ...formatOf(rest, format),
      ...(words.length > 0 && { description: words.join(' ') }),
      ...(properties && { properties: mapValues(properties, (property) => this.#convert(property)) }),
      ...(items && { items: this.#convert(items) }),
      ...(anyOf && { anyOf: anyOf.map((branch) => this.#convert(branch)) }),
    }
  }
}

const formatOf = ({ type, maximum, enum: values }: JsonSchema, format: string | undefined): JsonSchema => {
  if (format !== undefined) return elsewhere[format] ?? (formats[format] ? {} : { format })
  if (type !== 'integer') return {}
  return { format: values || (maximum !== undefined && maximum <= INT32_MAX) ? 'int32' : 'int64' }
}

export const mapValues = <V, R>(record: Record<string, V>, map: (value: V, key: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
