import { DeviceList, DeviceTags } from '@carillon/protocol/answers.ts'
import {
  DeviceRef,
  DeviceRemove,
  RemoveAlias,
  RemoveTags,
  SetAlias,
  SetBadge,
  SetPush,
  SetTags,
  TAGS_MAX,
} from '@carillon/protocol/bodies.ts'
import { badField, Refused } from '@carillon/protocol/errors.ts'
import { providerOfVendor } from '@carillon/protocol/names.ts'
import { refusalSentences } from '@carillon/protocol/sentences/refusals.ts'
import type { Changes } from '../access/changes.ts'
import type { Seal } from '../access/seal.ts'
import { pushTokenRow } from '../access/token.ts'
import type { Clock } from '../clock.ts'
import {
  type ListedDevice,
  listDevices,
  removeAlias,
  removeDevice,
  setAlias,
  setBadge,
  setUserPush,
} from '../store/devices.ts'
import type { Scope } from '../store/scope.ts'
import type { Store } from '../store/store.ts'
import { addTags, readTags, removeTags, type Tagged } from '../store/tags.ts'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'
import { known, thisDevice } from './this-device.ts'

/** More devices than a person has; a list must end somewhere. */
const LIST_LIMIT = 1_000

export const deviceRoutes = ({ store, clock, seal, changes, isAlive }: {
  store: Store
  clock: Clock
  seal: Seal
  changes: Pick<Changes, 'announce'>
  /** Whether a node incarnation still lives: a device is online only if the node that holds its session is. */
  isAlive(node: number): boolean
}): Route[] => [
  route({
    method: 'POST',
    path: '/user/push/alias',
    who: 'user',
    noun: 'devices',
    summary: 'Gives this device its alias. Many devices may share one.',
    body: SetAlias,
    query: DeviceRef,
    refuses: ['notFound'],
    example: { body: { alias: 'kitchen' } },
    handle: async ({ scope, body, query }) => {
      mayAlias(scope)
      const device = thisDevice(scope, body, query)
      known(await store.write(setAlias, { device, alias: body.alias, now: clock.now() }))
    },
  }),
  route({
    method: 'DELETE',
    path: '/user/push/alias',
    who: 'user',
    noun: 'devices',
    summary: 'Takes the alias from this device; with alias, only if it is that one.',
    body: RemoveAlias,
    query: DeviceRef,
    refuses: ['notFound'],
    example: { body: { alias: 'kitchen' } },
    handle: async ({ scope, body, query }) => {
      mayAlias(scope)
      const device = thisDevice(scope, body, query)
      known(await store.write(removeAlias, { device, alias: body.alias ?? null, now: clock.now() }))
    },
  }),
  route({
    method: 'GET',
    path: '/user/push/tag',
    who: 'user',
    noun: 'devices',
    summary: 'The tags of this device.',
    query: DeviceRef,
    answer: DeviceTags,
    refuses: ['notFound'],
    example: { query: { push_token: some.push_token }, answer: { tags: ['beta', 'de'] } },
    handle: async ({ scope, query }) => tagsOf(await store.read(readTags, { device: thisDevice(scope, {}, query) })),
  }),
  route({
    method: 'POST',
    path: '/user/push/tag',
    who: 'user',
    noun: 'devices',
    summary: `Adds tags to this device, which may have ${TAGS_MAX}.`,
    body: SetTags,
    query: DeviceRef,
    answer: DeviceTags,
    refuses: ['notFound'],
    example: { body: { tags: ['beta'] }, answer: { tags: ['beta', 'de'] } },
    handle: async ({ scope, body, query }) => {
      const device = thisDevice(scope, body, query)
      return tagsOf(await store.write(addTags, { device, tags: body.tags, max: TAGS_MAX, now: clock.now() }))
    },
  }),
  route({
    method: 'DELETE',
    path: '/user/push/tag',
    who: 'user',
    noun: 'devices',
    summary: 'Takes tags from this device.',
    body: RemoveTags,
    query: DeviceRef,
    answer: DeviceTags,
    refuses: ['notFound'],
    example: { body: { tags: ['beta'] }, answer: { tags: ['de'] } },
    handle: async ({ scope, body, query }) => {
      const device = thisDevice(scope, body, query)
      return tagsOf(await store.write(removeTags, { device, tags: body.tags, now: clock.now() }))
    },
  }),
  route({
    method: 'DELETE',
    path: '/user/push/tag/all',
    who: 'user',
    noun: 'devices',
    summary: 'Takes all tags from this device.',
    body: DeviceRef,
    query: DeviceRef,
    answer: DeviceTags,
    refuses: ['notFound'],
    example: { body: { push_token: some.push_token }, answer: { tags: [] } },
    handle: async ({ scope, body, query }) => {
      const device = thisDevice(scope, body, query)
      return tagsOf(await store.write(removeTags, { device, tags: null, now: clock.now() }))
    },
  }),
  route({
    method: 'POST',
    path: '/user/push/badge',
    who: 'user',
    noun: 'devices',
    summary: 'Tells the badge this device really shows.',
    body: SetBadge,
    refuses: ['notFound'],
    example: { body: { badge: 3 } },
    handle: async ({ scope, body }) => {
      known(await store.write(setBadge, { device: thisDevice(scope, body), badge: body.badge, now: clock.now() }))
    },
  }),
  route({
    method: 'POST',
    path: '/user/push',
    who: 'user',
    noun: 'devices',
    summary: 'Switches pushes to this user on or off, and sets the quiet hours: none if no hours are sent.',
    body: SetPush,
    example: {
      body: { enabled: true, no_push_start_hour: 22, no_push_end_hour: 7, time_zone: 'Europe/Berlin' },
    },
    handle: async ({ scope, body }) => {
      const { no_push_start_hour: start = null, no_push_end_hour: end = null } = body
      if (start === null && end !== null) throw badField('no_push_start_hour', 'is required beside no_push_end_hour')
      if (start !== null && end === null) throw badField('no_push_end_hour', 'is required beside no_push_start_hour')
      await store.write(setUserPush, {
        app: scope.app.id,
        userId: scope.id,
        enabled: body.enabled,
        quietStart: start,
        quietEnd: end,
        timeZone: body.time_zone ?? (start === null ? null : 'UTC'),
      })
    },
  }),
  route({
    method: 'GET',
    path: '/user/device/list',
    who: 'user',
    noun: 'devices',
    summary: 'The devices of this user, the one heard of last first.',
    answer: DeviceList,
    example: {
      answer: [
        {
          push_token: some.push_token,
          device_guid: some.device_guid,
          platform: 'android',
          online: true,
          providers: [{ provider: 3, environment: 1 }],
          tags: ['beta', 'de'],
          alias: 'kitchen',
          badge: 3,
          created_at: some.at,
          seen_at: some.at,
        },
      ],
    },
    handle: async ({ scope }) => {
      const devices = await store.read(listDevices, { app: scope.app.id, userId: scope.id, limit: LIST_LIMIT })
      return devices.map((device) => shown(device, seal, isAlive))
    },
  }),
  route({
    method: 'POST',
    path: '/user/device/remove',
    who: 'user',
    noun: 'devices',
    summary: 'Erases a device of this user with everything it holds: its tokens, tags, inbox and connection.',
    body: DeviceRemove,
    refuses: ['notFound'],
    example: { body: { push_token: some.push_token } },
    handle: async ({ scope, body }) => {
      known(await store.write(removeDevice, { device: thisDevice(scope, body), now: clock.now() }))
      await changes.announce()
    },
  }),
]

const mayAlias = ({ app, token }: Scope): void => {
  if (app.settings.alias_by === 'admin' && token.kind !== 'admin') {
    throw new Refused('notAllowed', refusalSentences.aliases_by_admin())
  }
}

const tagsOf = (tagged: Tagged): { tags: string[] } => {
  if (tagged.ok) return { tags: tagged.tags }
  if (tagged.why === 'full') throw badField('tags', `must leave the device with at most ${TAGS_MAX} tags`)
  throw new Refused('notFound', refusalSentences.no_device())
}

const shown = (device: ListedDevice, seal: Seal, isAlive: (node: number) => boolean) => ({
  push_token: seal.open(device.push_token, pushTokenRow(device.push_token_hash)),
  device_guid: device.guid,
  platform: device.platform,
  online: device.presence_node !== null && isAlive(device.presence_node),
  providers: device.vendors.map(({ vendor, environment }) => ({ provider: providerOfVendor[vendor], environment })),
  tags: device.tags,
  alias: device.alias,
  badge: device.badge,
  created_at: device.created_at,
  seen_at: device.seen_at,
})
