import type { Static } from 'typebox'
import { Type } from './type.ts'
import { Int, Int64, Name, described } from './types.ts'

/** What calls about admin tokens take. */

export const AdminTokenCreate = Type.Object({
  name: Type.Optional(described(Name, 'What uses it: a back end, a person, a build.')),
  expires_at: Type.Optional(Int(1, Number.MAX_SAFE_INTEGER, { description: 'When it ends, in Unix milliseconds; blank: never.' })),
})
export type AdminTokenCreate = Static<typeof AdminTokenCreate>

export const AdminTokenRef = Type.Object({ id: Int64({ description: 'The token, by its number in the list.' }) })
