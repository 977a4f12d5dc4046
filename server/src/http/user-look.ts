import { FoundUsers, UserDetail } from '@carillon/protocol/device-answers.ts'
import { UserSearch } from '@carillon/protocol/device-bodies.ts'
import { UserRef } from '@carillon/protocol/bodies.ts'
import { badField, Refused } from '@carillon/protocol/errors.ts'
import type { Seal } from '../access/seal.ts'
import { shownUser } from '../access/users.ts'
import { findDevices } from '../store/device-search.ts'
import type { Store } from '../store/store.ts'
import { type UserCursor, findUsers, readUser } from '../store/user-search.ts'
import { searchOf, shownDevice, shownWishes } from './device-look.ts'
import { foundDevice, listedUser, some, wishes } from './examples.ts'
import { type Route, route } from './route.ts'

const DEVICES_SHOWN = 50

export interface UserLookParts {
  store: Store
  seal: Seal
  /** Nodes that live. */
  alive(): readonly number[]
}

/** An admin's look at the users of an app. */
export const userLookRoutes = ({ store, seal, alive }: UserLookParts): Route[] => [
  route({
    method: 'GET',
    path: '/user/search',
    who: 'admin',
    noun: 'users',
    summary: 'Users of the app, newest first; or those a search means, by the beginning of their username.',
    query: UserSearch,
    answer: FoundUsers,
    example: { query: { search: some.username, limit: 50 }, answer: { list: [listedUser], next: null } },
    handle: async ({ app, query: { search, after, limit } }) => {
      const asked = search === undefined ? null : searchOf(search)
      const from = after === undefined ? null : cursorOf(after, asked !== null)
      const { users, next } = await store.read(findUsers, { app: app.id, search: asked, after: from, limit })
      return { list: users.map(shownUser), next: next && ('id' in next ? String(next.id) : next.name) }
    },
  }),
  route({
    method: 'GET',
    path: '/user/:user_id',
    who: 'admin',
    noun: 'users',
    summary: 'One user: devices, groups, and when they may be disturbed.',
    params: UserRef,
    answer: UserDetail,
    example: {
      params: { user_id: some.user_id },
      answer: {
        ...listedUser,
        push: wishes,
        groups: [{ group_id: some.group_id, name: 'staff' }],
        devices: [foundDevice],
        devices_next: null,
      },
    },
    handle: async ({ app, params: { user_id: id } }) => {
      const user = typeof id === 'number' ? await store.read(readUser, { app: app.id, id }) : undefined
      if (!user) throw new Refused('userUnknown')
      const search = { ...searchOf(String(user.id)), hash: new Uint8Array() }
      const { devices, next } = await store.read(findDevices, {
        app: app.id, search, by: 'user', online: null, vendor: null, nodes: [],
        after: Number.MAX_SAFE_INTEGER, limit: DEVICES_SHOWN,
      })
      return {
        ...shownUser(user),
        push: shownWishes(user),
        groups: user.groups.map(({ id: group_id, name }) => ({ group_id, name })),
        devices: devices.map((device) => shownDevice(device, seal, alive())),
        devices_next: next,
      }
    },
  }),
]

/** A search goes on after a name, the list of all before an id. */
const cursorOf = (after: string, isSearch: boolean): UserCursor => {
  if (isSearch) return { name: after }
  if (!/^[1-9][0-9]{0,15}$/.test(after)) throw badField('after', 'must be what next of the page before was')
  return { id: Number(after) }
}
