import { DeviceDetail, DevicePage, type PushToDevice } from '@carillon/protocol/device-answers.ts'
import { DeviceByToken, DeviceSearch } from '@carillon/protocol/device-bodies.ts'
import { providerOfVendor } from '@carillon/protocol/names.ts'
import { actorOf } from '../access/actor.ts'
import type { Changes } from '../access/changes.ts'
import { emailKey } from '../access/login.ts'
import type { Seal } from '../access/seal.ts'
import { hashToken, pushTokenRow } from '../access/token.ts'
import type { Clock } from '../clock.ts'
import { type BoundToken, type PushWishes, eraseDevice, readDevice } from '../store/device-detail.ts'
import { type FoundDevice, findDevices } from '../store/device-search.ts'
import type { Store } from '../store/store.ts'
import { foundDevice, some, wishes } from './examples.ts'
import { type Route, route } from './route.ts'
import { known } from './this-device.ts'

export interface DeviceLookParts {
  store: Store
  clock: Clock
  seal: Seal
  changes: Pick<Changes, 'announce'>
  /** Nodes that live. */
  alive(): readonly number[]
  /** The last pushes that meant a device, and whether all of them were looked through. */
  lastPushes(device: {
    app: number
    deviceId: number
    userId: number
  }): Promise<{ pushes: PushToDevice[]; complete: boolean }>
}

/** An admin's look at the devices of an app. */
export const deviceLookRoutes = ({ store, clock, seal, changes, alive, lastPushes }: DeviceLookParts): Route[] => [
  route({
    method: 'GET',
    path: '/device/list',
    who: 'admin',
    noun: 'devices',
    summary: 'Devices of the app, newest first, paged by id; all of them, or what a search and filters leave.',
    query: DeviceSearch,
    answer: DevicePage,
    example: {
      query: { search: some.push_token, limit: 50 },
      answer: { list: [foundDevice], next: null, matched: 'push_token', also: [] },
    },
    handle: async ({ app, query: { search, by = null, online = null, vendor = null, after, limit } }) => {
      const { devices, ...found } = await store.read(findDevices, {
        app: app.id, by, online, vendor,
        search: search === undefined ? null : { ...searchOf(search), hash: hashToken(search) },
        after: typeof after === 'number' ? after : Number.MAX_SAFE_INTEGER, limit, nodes: [...alive()],
      })
      return { ...found, list: devices.map((device) => shownDevice(device, seal, alive())) }
    },
  }),
  route({
    method: 'GET',
    path: '/device/:push_token',
    who: 'admin',
    noun: 'devices',
    summary: "One device: its vendor tokens, its user's wishes, its badge, and the last pushes that meant it.",
    params: DeviceByToken,
    answer: DeviceDetail,
    refuses: ['notFound'],
    example: {
      params: { push_token: some.push_token },
      answer: {
        ...foundDevice,
        logged_in: true,
        badge: 3,
        push: wishes,
        vendor_tokens: [
          {
            provider: 3,
            environment: 1,
            vendor: 'xiaomi',
            token: 'regid…f-ann',
            bound_at: some.at,
            quarantined_at: null,
          },
        ],
        pushes: [{ task_id: some.task_id, title: 'Hello', channel: 'nativepush', state: 'received', at: some.at }],
        pushes_complete: true,
      },
    },
    handle: async ({ app, params }) => {
      const named = { app: app.id, pushTokenHash: hashToken(params.push_token) }
      const device = await store.read(readDevice, { device: named })
      known(device !== undefined)
      const { id, user_id, logged_in, badge, tokens } = device!
      const { pushes, complete } = await lastPushes({ app: app.id, deviceId: id, userId: user_id })
      return {
        ...shownDevice(device!, seal, alive()),
        logged_in: logged_in === 1,
        badge,
        push: shownWishes(device!),
        vendor_tokens: tokens.map(shownToken),
        pushes,
        pushes_complete: complete,
      }
    },
  }),
  route({
    method: 'POST',
    path: '/device/remove',
    who: 'admin',
    noun: 'devices',
    summary: 'Erases a device of the app with everything it holds: its tokens, tags, inbox and connection.',
    body: DeviceByToken,
    refuses: ['notFound'],
    example: { body: { push_token: some.push_token } },
    handle: async ({ scope, app, body }) => {
      const device = { app: app.id, pushTokenHash: hashToken(body.push_token) }
      known(await store.write(eraseDevice, { device, actor: actorOf(scope), now: clock.now() }))
      await changes.announce()
    },
  }),
]

/** A text that may mean a user, in the forms it may be stored in. */
export const searchOf = (text: string): { text: string; userId: number | null; emailKey: string } => {
  const number = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : NaN
  return { text, userId: Number.isSafeInteger(number) ? number : null, emailKey: emailKey(text) }
}

/** A device as a list shows it. */
export const shownDevice = (device: FoundDevice, seal: Seal, alive: readonly number[]) => ({
  device_id: device.id,
  push_token: seal.open(device.push_token, pushTokenRow(device.push_token_hash)),
  device_guid: device.guid,
  user_id: device.user_id,
  username: device.username,
  platform: device.platform,
  online: device.presence_node !== null && alive.includes(device.presence_node),
  alias: device.alias,
  tags: device.tags,
  providers: device.vendors.map(({ vendor, environment }) => ({ provider: providerOfVendor[vendor], environment })),
  seen_at: device.seen_at,
  created_at: device.created_at,
})

export const shownWishes = ({ push_enabled, quiet_start, quiet_end, time_zone }: PushWishes) => ({
  enabled: push_enabled === 1,
  no_push_start_hour: quiet_start,
  no_push_end_hour: quiet_end,
  time_zone,
})

const shownToken = ({ vendor, environment, token, bound_at, quarantined_at }: BoundToken) => ({
  provider: providerOfVendor[vendor],
  environment,
  vendor,
  token: masked(token),
  bound_at,
  quarantined_at,
})

const ENDS_SHOWN = 6

/** Enough to know it by, and too little to send with. */
const masked = (token: string): string => {
  const shown = Math.min(ENDS_SHOWN, Math.floor(token.length / 4))
  return `${token.slice(0, shown)}…${token.slice(token.length - shown)}`
}
