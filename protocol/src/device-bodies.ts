import type { Static } from 'typebox'
import { vendorNames } from './names.ts'
import { Type } from './type.ts'
import { Default, Int, Int64, OneOf, Text } from './types.ts'

/** What an admin asks with who looks for devices and users. */

const PAGE_MOST = 200
const limit = Default(Int(1, PAGE_MOST, { description: 'How many.' }), 50)

/** In which ways a text may mean a device. */
export const deviceMatches = ['push_token', 'device_guid', 'user', 'alias', 'tag'] as const
export type DeviceMatch = (typeof deviceMatches)[number]

export const DeviceSearch = Type.Object({
  search: Type.Optional(
    Text(512, {
      description: 'A push token, device_guid, user id, username, mobile number, email, alias or tag, written out.',
    }),
  ),
  by: Type.Optional(
    OneOf(deviceMatches, { description: 'How the search is meant; blank: in the first way that matches anything.' }),
  ),
  online: Type.Optional(Type.Boolean({ description: 'Only devices that are connected, or only those that are not.' })),
  vendor: Type.Optional(
    OneOf(vendorNames, { description: 'Only devices with a token of this vendor that is in use.' }),
  ),
  after: Type.Optional(Int64({ description: '`next` of the page before.' })),
  limit,
})
export type DeviceSearch = Static<typeof DeviceSearch>

export const DeviceByToken = Type.Object({
  push_token: Text(512, { description: 'The push token of a device of this app.' }),
})

export const UserSearch = Type.Object({
  search: Type.Optional(
    Text(254, { description: 'The beginning of a username; or a user id, mobile number or email, written out.' }),
  ),
  after: Type.Optional(Text(512, { description: '`next` of the page before.' })),
  limit,
})
export type UserSearch = Static<typeof UserSearch>
