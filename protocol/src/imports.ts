import type { Static } from 'typebox'
import { Environment, Provider, Tags, VendorToken, contacts, Password } from './bodies.ts'
import { platforms } from './names.ts'
import { Type } from './type.ts'
import { Int64, List, Name, OneOf, Text } from './types.ts'

/** A device holds at most one token for each vendor and environment. */
const TOKENS_MAX = 16

/** One line of a file of users. Without a password and its hash the user cannot log in, but can be given tokens. */
export const UserLine = Type.Object({
  name: Name,
  password: Type.Optional(Password),
  password_hash: Type.Optional(Text(512)),
  ...contacts,
})
export type UserLine = Static<typeof UserLine>

/** One line of a file of devices. Whose it is: user_id or name, one of the two. */
export const DeviceLine = Type.Object({
  user_id: Type.Optional(Int64()),
  name: Type.Optional(Name),
  device_guid: Name,
  platform: OneOf(platforms),
  tokens: Type.Optional(List(Type.Object({ provider: Provider, environment: Environment, token: VendorToken }), TOKENS_MAX)),
  tags: Type.Optional(Tags),
  alias: Type.Optional(Name),
})
export type DeviceLine = Static<typeof DeviceLine>
