import type { Static, TObject, TSchema, TUnsafe } from 'typebox'
import { Type } from './type.ts'

/** Lists of the interface hold at most this many items, whatever else they promise. */
export const LIST_MAX = 500

/** The last second of the year 9999: a larger time is milliseconds taken for seconds, or nonsense. */
export const LAST_SECOND = 253_402_300_799

/** Text of 1 to `max` characters (code points). `maxBytes` counts UTF-8; `format` names a check in formats.ts. */
export const Text = (max: number, options: { maxBytes?: number; format?: string; description?: string } = {}) =>
  Type.String({ maxLength: max, ...options })

/** Text without a limit of its own: what it stands in has one. */
export const FreeText = (options: { maxBytes?: number; format?: string; description?: string } = {}) =>
  Type.String(options)

/** Tags, aliases, device ids, user names and the like. */
export const Name = Text(128, { maxBytes: 512 })

/** An id as a caller may write it: exact up to int64, a bigint where a number would round it onto another id. */
export const Int64 = (options: { description?: string } = {}): TUnsafe<number | bigint> =>
  Type.Unsafe<number | bigint>(Type.Integer({ format: 'int64', ...options }))

/** A whole number between two limits, both allowed. */
export const Int = (minimum: number, maximum: number, options: { description?: string } = {}) =>
  Type.Integer({ minimum, maximum, ...options })

export const UnixSeconds = (options: { description?: string } = {}) => Int(0, LAST_SECOND, options)

/** One of a few fixed values. */
export const OneOf = <const V extends readonly (string | number)[]>(
  values: V,
  options: { description?: string } = {},
): TUnsafe<V[number]> =>
  Type.Unsafe<V[number]>({ type: typeof values[0] === 'number' ? 'integer' : 'string', enum: [...values], ...options })

/** 1 to `max` items. Plain items that repeat are read once: every list of the interface means a set. */
export const List = <S extends TSchema>(items: S, max: number = LIST_MAX) =>
  Type.Array(items, { minItems: 1, maxItems: max })

/** Any JSON object, kept as it was written. */
export const FreeObject = (options: { description?: string } = {}) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options })

/** May be blank in a request, and is then read as `value`: so it is always there for who reads the result. */
export const Default = <S extends TSchema>(schema: S, value: Static<S>): S =>
  Type.Optional({ ...schema, default: value } as TSchema) as unknown as S

/** An object that refuses keys it does not know, to catch misspellings where one would be dangerous. */
export const ClosedObject = <P extends Record<string, TSchema>>(properties: P, options: object = {}): TObject<P> =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** The same, with a sentence for the reference. */
export const described = <S extends TSchema>(schema: S, description: string): S => ({ ...schema, description })
