import type { Static, TSchema, TUnsafe } from 'typebox'
import { Type } from './type.ts'

/** An id we made: a number that JSON holds exactly. */
export const Id = (description: string) => Type.Integer({ format: 'int64', minimum: 1, description })
export const Millis = (description: string) => Type.Integer({ format: 'int64', description: `${description}, in Unix milliseconds.` })
export const Count = (description: string) => Type.Integer({ format: 'int64', minimum: 0, description })
export const Words = (description: string) => Type.String({ description })
export const OrNull = <S extends TSchema>(schema: S): TUnsafe<Static<S> | null> =>
  Type.Unsafe({ ...schema, type: [(schema as { type?: string }).type, 'null'] })
export const Rows = <S extends TSchema>(schema: S, description?: string) => Type.Array(schema, description ? { description } : {})
