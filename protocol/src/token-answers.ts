import type { Static } from 'typebox'
import { Id, Millis, OrNull, Rows, Words } from './answer-types.ts'
import { Type } from './type.ts'

/** What calls about admin tokens answer: the schemas of `data`. */

export const AdminToken = Type.Object(
  {
    id: Id('The token.'),
    name: OrNull(Words('What uses it.')),
    created_at: Millis('When it was made'),
    expires_at: OrNull(Millis('When it ends; null: never')),
    current: Type.Boolean({ description: 'It is the one this was called with.' }),
  },
  { title: 'AdminToken' },
)
export type AdminToken = Static<typeof AdminToken>
export const AdminTokenList = Rows(AdminToken)

export const AdminTokenMade = Type.Object({ id: Id('The token.'), token: Words('The token itself, shown this once.') })
export type AdminTokenMade = Static<typeof AdminTokenMade>
