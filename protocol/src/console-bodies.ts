import type { Static } from 'typebox'
import { Type } from './type.ts'
import { Int64, Text } from './types.ts'

/** What the console sends where others do not. */

export const SessionOpen = Type.Object({
  app_id: Text(128, { maxBytes: 512, description: 'Which app.' }),
  token: Text(512, { description: "An admin token of this app; a user's does not open the console." }),
})
export type SessionOpen = Static<typeof SessionOpen>

export const LiveQuery = Type.Object({
  task_id: Type.Optional(Int64({ description: 'A task to follow beside the app.' })),
})
