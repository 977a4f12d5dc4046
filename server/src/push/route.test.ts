import test, { type TestContext } from 'node:test'
import { type VendorName, vendorNames } from '@carillon/protocol/names.ts'
import type { Setting } from '@carillon/protocol/notify.ts'
import { type Routed, route } from './route.ts'
import { type Task, planOf } from './task.ts'

const all = vendorNames
const device = (tokens: VendorName[], more: Partial<Routed> = {}): Routed => ({
  platform: 'android', online: false, loggedIn: true, pushEnabled: true, ...more,
  tokens: tokens.map((vendor) => ({ vendor, environment: 1 })),
})

const goes = async (setting: Setting, to: Routed, vendors = all, tried: VendorName[] = []): Promise<string> => {
  const roads = vendors.map((vendor) => ({ vendor, environment: 1 }))
  const task = { setting, message: { title: 'Hello' }, dryRun: false, expiresAt: 0 } as unknown as Task
  const plan = await planOf(task, { names: all, roads: async () => roads, channel: () => undefined, isOpen: () => true })
  const direction = route(plan, to, tried)
  return direction.to === 'channel' ? direction.channel : direction.to
}

const table: [string, Setting, Routed, string][] = [
  ['combined prefers the own channel of an online device', {}, device(['xiaomi'], { online: true }), 'nativepush'],
  ['combined takes a vendor for an away device', {}, device(['xiaomi']), 'xiaomi'],
  ['combined falls to the inbox without a vendor', {}, device([]), 'inbox'],
  ['nativepush_only never takes a vendor', { distribution_strategy: 'nativepush_only' }, device(['xiaomi']), 'inbox'],
  ['nativepush_only writes to an online device', { distribution_strategy: 'nativepush_only' }, device([], { online: true }), 'nativepush'],
  ['ospush_only never takes the own channel', { distribution_strategy: 'ospush_only' }, device(['xiaomi'], { online: true }), 'xiaomi'],
  ['ospush_only has no inbox', { distribution_strategy: 'ospush_only' }, device([], { online: true }), 'none'],
  ['the default sequence is ups, then fcm', {}, device(['fcm', 'honor']), 'honor'],
  ['ups begins with xiaomi', {}, device(['honor', 'vivo', 'oppo', 'flyme', 'huawei', 'xiaomi']), 'xiaomi'],
  ['inside ups huawei stands before meizu', {}, device(['flyme', 'huawei']), 'huawei'],
  ['a sequence puts its own first item first', { ospush_sequence: ['fcm', 'ups'] }, device(['xiaomi', 'fcm']), 'fcm'],
  ['a vendor that the sequence leaves out is not used', { ospush_sequence: ['vivo'] }, device(['xiaomi']), 'inbox'],
  ['meizu and flyme are one', { ospush_sequence: ['meizu'] }, device(['flyme']), 'flyme'],
  ['an iOS device has APNs whatever the sequence says', { ospush_sequence: ['vivo'] }, device(['apns', 'vivo'], { platform: 'ios' }), 'apns'],
  ['a device that is logged out gets nothing', {}, device(['xiaomi'], { loggedIn: false }), 'none'],
  ['a user who has switched push off gets nothing', {}, device([], { online: true, pushEnabled: false }), 'none'],
  ['now or never has no inbox', { time_to_live: 0 }, device([]), 'none'],
]

for (const [promise, setting, to, expected] of table) {
  test(promise, async (t: TestContext) => t.assert.equal(await goes(setting, to), expected))
}

test('a vendor that cannot carry the message is passed over', async (t: TestContext) => {
  t.assert.equal(await goes({}, device(['xiaomi', 'huawei']), ['huawei']), 'huawei')
})

test('a channel that was tried is not tried again', async (t: TestContext) => {
  t.assert.equal(await goes({}, device(['xiaomi', 'huawei']), all, ['xiaomi']), 'huawei')
  t.assert.equal(await goes({}, device(['xiaomi', 'huawei']), all, ['xiaomi', 'huawei']), 'inbox')
})
