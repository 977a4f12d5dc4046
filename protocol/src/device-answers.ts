import type { Static } from 'typebox'
import { Count, Id, Millis, OrNull, Rows, Sentence, Words } from './answer-types.ts'
import { ListedUser, place } from './answers.ts'
import { deviceMatches } from './device-bodies.ts'
import { channels, platforms, vendorNames } from './names.ts'
import { reasonSentences } from './sentences/reasons.ts'
import { Type } from './type.ts'
import { Int, OneOf } from './types.ts'

/** What an admin is answered who looks for devices and users. */

const found = {
  device_id: Id('The device.'),
  push_token: Words('Its address.'),
  device_guid: Words('The id it logged in with.'),
  user_id: Id('Whose it is.'),
  username: Type.String(),
  platform: OneOf(platforms),
  online: Type.Boolean({ description: 'Connected and subscribed.' }),
  alias: OrNull(Type.String()),
  tags: Rows(Type.String()),
  providers: Rows(Type.Object(place), 'Where it has a vendor token that is in use.'),
  seen_at: Millis('When it was last heard of'),
  created_at: Millis('When it logged in first'),
}

const FoundDevice = Type.Object(found, { title: 'FoundDevice' })
export type FoundDevice = Static<typeof FoundDevice>

const next = 'Where the next page begins; null at the end.'

export const DevicePage = Type.Object(
  {
    list: Rows(FoundDevice, 'Newest first. With filters a page may be short, or empty, and yet another one follow it.'),
    next: OrNull(Id(next)),
    matched: OrNull(
      OneOf(deviceMatches, { description: 'How the search was understood; null without one, or if it finds nothing.' }),
    ),
    also: Rows(OneOf(deviceMatches), 'How it could be understood, too: see `by`.'),
  },
  { title: 'DevicePage' },
)
export type DevicePage = Static<typeof DevicePage>

/** As a user has set them; null hours: the app's own. */
const PushWishes = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Off: this user is no target of any push.' }),
    no_push_start_hour: OrNull(
      Int(0, 23, { description: 'Quiet from this full hour on; null where the user has set none.' }),
    ),
    no_push_end_hour: OrNull(Int(0, 23, { description: 'Until this full hour.' })),
    time_zone: OrNull(Words('Of the two hours.')),
  },
  { title: 'PushWishes' },
)
export type PushWishes = Static<typeof PushWishes>

const BoundToken = Type.Object(
  {
    ...place,
    vendor: OneOf(vendorNames),
    token: Words('Its beginning and its end.'),
    bound_at: Millis('When the device bound it'),
    quarantined_at: OrNull(Millis('When its vendor called it dead; null: it is in use')),
  },
  { title: 'BoundToken' },
)
export type BoundToken = Static<typeof BoundToken>

const PushToDevice = Type.Object(
  {
    task_id: Id('The task.'),
    title: OrNull(Words('The beginning of what is shown; null once its content is purged.')),
    channel: OrNull(OneOf(channels, { description: 'The one used last; null where none was chosen.' })),
    state: Words('Where it stands: `received`, `sent`, `waiting`, `pending` …; without a channel, why.'),
    reason: Type.Optional(Sentence(reasonSentences, 'Why there is no channel, by its name.')),
    at: Millis('When the task was accepted'),
  },
  { title: 'PushToDevice' },
)
export type PushToDevice = Static<typeof PushToDevice>

export const DeviceDetail = Type.Object(
  {
    ...found,
    logged_in: Type.Boolean({ description: 'After a logout or kick no vendor is used for it.' }),
    badge: Count('As far as the server knows.'),
    push: PushWishes,
    vendor_tokens: Rows(BoundToken),
    pushes: Rows(PushToDevice, 'The last 20 it was meant to get, newest first.'),
    pushes_complete: Type.Boolean({ description: 'False: there may be more, further back than the 1,000 broadcasts and some 16 million tasks that were looked through.' }),
  },
  { title: 'DeviceDetail' },
)
export type DeviceDetail = Static<typeof DeviceDetail>

export const FoundUsers = Type.Object(
  {
    list: Rows(
      ListedUser,
      'Newest first; with a search whoever it means exactly, then those whose username begins with it.',
    ),
    next: OrNull(Words(next)),
  },
  { title: 'FoundUsers' },
)
export type FoundUsers = Static<typeof FoundUsers>

export const UserDetail = Type.Object(
  {
    ...ListedUser.properties,
    push: PushWishes,
    groups: Rows(Type.Object({ group_id: Id('The group.'), name: Type.String() })),
    devices: Rows(FoundDevice, 'The newest 50.'),
    devices_next: OrNull(Id('Where /device/list goes on, searched by this user; null: these are all')),
  },
  { title: 'UserDetail' },
)
export type UserDetail = Static<typeof UserDetail>
