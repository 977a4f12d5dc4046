import type { Type as TypeBox } from 'typebox'

/**
 * Schemas of typebox's types, made here. Its own builder knows far more kinds than ours and is 680 files: reading them
 * took 0.36 s of the 0.94 s of processor time that a start takes.
 */
type Kinds = 'Array' | 'Boolean' | 'Enum' | 'Integer' | 'Literal' | 'Object' | 'Optional' | 'Required' | 'String' | 'Union' | 'Unknown' | 'Unsafe'

interface Schema {
  [keyword: string]: unknown
}

const OPTIONAL = '~optional'

/** A copy, with what is hidden too; only `isOptional` asks for the mark, and nothing that is written down has it. */
const marked = (schema: Schema, optional: boolean): Schema => {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as Schema
  delete copy[OPTIONAL]
  return optional ? Object.defineProperty(copy, OPTIONAL, { value: true, configurable: true }) : copy
}

/** Whether a property may be left out. */
export const isOptional = (schema: object): boolean => OPTIONAL in schema

const objectOf = (properties: Record<string, Schema>, options: Schema = {}): Schema => {
  const required = Object.keys(properties).filter((name) => !isOptional(properties[name]!))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

const made = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly unknown[], options?: Schema) => ({ enum: values, ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Object: objectOf,
  Optional: (schema: Schema) => marked(schema, true),
  /** The same object with every property required; of its options none are kept. */
  Required: ({ properties }: Schema, options?: Schema) => {
    const entries = Object.entries(properties as Record<string, Schema>).map(([name, schema]) => [name, marked(schema, false)])
    return objectOf(Object.fromEntries(entries) as Record<string, Schema>, options)
  },
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  /** As it is, under another type. */
  Unsafe: (schema: Schema) => marked(schema, isOptional(schema)),
} satisfies Record<Kinds, unknown>

export const Type = made as unknown as Pick<typeof TypeBox, Kinds>
