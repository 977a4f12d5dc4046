import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import test, { after, type TestContext } from 'node:test'
import type { Login } from '../harness/carillon.ts'
import { startVendorWorld, vendorToken } from '../harness/vendor-world.ts'
import { counted, metric, pushed, toDevices } from './exercise.ts'
import {
  deadTokenIsNotUsedAgain, deviceReportsReceipt, expiredAccessIsRenewedOnce, heldUntilItMayBeShown, reachesACrowd, wrongCredentialsWait,
} from './stories.ts'

const timeout = 60_000
const world = await startVendorWorld({ after }, { vendors: ['apns', 'fcm'] })

const DAY_SECONDS = 86_400
const picture = 'https://example.com/menu.jpeg'

interface Sent {
  id: string
  topic: string
  push_type: string
  priority: string
  expiration: string
  collapse_id?: string
  payload: Record<string, unknown> & { aps: Record<string, unknown> }
}

/** The one request that one phone got, without its id and its end. */
const sentTo = async (phone: Login, message: Record<string, unknown>, setting: Record<string, unknown> = {}) => {
  const from = Date.now()
  const { task, pushes } = await pushed(world, 'apns', message, { to: toDevices(phone), setting })
  const [push, ...more] = pushes
  if (!push || more.length > 0) throw new Error(`${pushes.length} pushes instead of one`)
  const { id, expiration, ...sent } = push.fields as Sent
  return { task, from, push, id, expiration, sent }
}

/** Whether it ends so many seconds after it was accepted, some time between asking and arriving. */
const endsAfter = (seconds: number, { expiration, from, push }: { expiration: string; from: number; push: { at: number } }): boolean =>
  /^\d+$/.test(expiration) && Number(expiration) >= from / 1000 + seconds && Number(expiration) <= Math.ceil(push.at / 1000) + seconds

const addPhone = async (): Promise<{ phone: Login; token: string }> => {
  const token = vendorToken('apns')
  return { phone: await world.addDevice({ apns: token }), token }
}

/** The first half of a digest of task and token, in the form of a UUID of version 8. */
const idOf = (task: number, token: string): string => {
  const hex = createHash('sha256').update(`${task}:${token}`).digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

test('a text carries every field where Apple has a place for it', { timeout }, async (t: TestContext) => {
  const { phone, token } = await addPhone()
  const ext = { order: 7, lines: [{ sku: '茶', count: 2 }], aps: { badge: 99 } }
  const message = {
    title: '下午茶', body: 'Tea is ready 🍵', attachment_url: picture, badge: '5', ext, show_end_time: 4_000_000_000,
    ios: {
      sound: 'bell.caf', content_available: true, mutable_content: true, category: 'TEA', thread_id: 'kitchen', subtitle: 'Kitchen',
      apns_collapse_id: 'tea',
    },
    android: { sound: 'gong', channel_id: 'everybody' }, fcm: { channel_id: 'kitchen' }, huawei: { badge_class: 'com.example.app.Main' },
  }
  const got = await sentTo(phone, message, { time_to_live: 3600, priority: 'normal', collapse_id: 'tea-7' })
  const { task, push, id, sent } = got
  t.assert.deepStrictEqual([push.path, push.protocol, push.headers['content-type'], push.answer], [`/3/device/${token}`, 'h2', 'application/json', { status: 200, body: '' }])
  t.assert.deepStrictEqual(sent, {
    topic: 'com.example.app', push_type: 'alert', priority: '5', collapse_id: 'tea',
    payload: {
      aps: {
        alert: { title: '下午茶', subtitle: 'Kitchen', body: 'Tea is ready 🍵' },
        badge: 5, sound: 'bell.caf', 'content-available': 1, 'mutable-content': 1, category: 'TEA', 'thread-id': 'kitchen',
      },
      task_id: task, channel: 'apns', type: 'text', ext, attachment_url: picture, show_end_time: 4_000_000_000,
    },
  })
  t.assert.strictEqual(id, idOf(task, token))
  t.assert.ok(endsAfter(3600, got), got.expiration)
  t.assert.deepStrictEqual(await counted(world, task), { apns_target: 1, apns_sent: 1 })
})

test('what a message does not say is not in the request', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const got = await sentTo(phone, { body: 'Hello', title: ' ', ios: { mutable_content: false, content_available: false } })
  t.assert.deepStrictEqual(got.sent, {
    topic: 'com.example.app', push_type: 'alert', priority: '10', collapse_id: String(got.task),
    payload: { aps: { alert: { body: 'Hello' }, badge: 1 }, task_id: got.task, channel: 'apns', type: 'text' },
  })
  t.assert.ok(endsAfter(DAY_SECONDS, got), got.expiration)
})

test('an image is left to an extension of the app, which Apple is told to start', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const { task, sent } = await sentTo(phone, { type: 'image', title: 'Menu', attachment_url: picture }, { priority: 'high' })
  t.assert.deepStrictEqual(sent.payload, {
    aps: { alert: { title: 'Menu' }, badge: 1, 'mutable-content': 1 }, task_id: task, channel: 'apns', type: 'image', attachment_url: picture,
  })
  t.assert.deepStrictEqual([sent.push_type, sent.priority], ['alert', '10'])
})

test('a command wakes the app in the background and says nothing else to the phone', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const message = { type: 'cmd', title: 'Sync', body: 'now', big_text: 'all of it', ext: { since: 5 }, ios: { sound: 'bell.caf', subtitle: 'x', category: 'c' } }
  const { task, sent } = await sentTo(phone, message, { priority: 'high' })
  t.assert.deepStrictEqual(sent, {
    topic: 'com.example.app', push_type: 'background', priority: '5', collapse_id: undefined,
    payload: {
      aps: { 'content-available': 1 }, task_id: task, channel: 'apns', type: 'cmd', ext: { since: 5 }, title: 'Sync', body: 'now', big_text: 'all of it',
    },
  })
  t.assert.deepStrictEqual(await counted(world, task), { apns_target: 1, apns_sent: 1 })
  const badged = await sentTo(phone, { type: 'cmd', badge: '4' }, { collapse_id: 'sync' })
  t.assert.deepStrictEqual([badged.sent.payload.aps, badged.sent.payload.badge, badged.sent.collapse_id], [{ 'content-available': 1 }, 4, 'sync'])
})

test('a badge is the number of the device, added up here', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const badgeAfter = async (badge?: string) => (await sentTo(phone, { title: 'T', ...(badge !== undefined && { badge }) })).sent.payload.aps.badge
  t.assert.strictEqual(await badgeAfter('5'), 5)
  t.assert.strictEqual(await badgeAfter('+3'), 8)
  t.assert.strictEqual(await badgeAfter(), 9)
  t.assert.strictEqual(await badgeAfter('0'), 0)
  const { sent } = await sentTo(phone, { badge: '7' })
  t.assert.deepStrictEqual([sent.push_type, sent.payload.aps], ['alert', { badge: 7 }], 'a badge alone')
})

test('what replaces what: the id of iOS, that of the setting, or the task itself', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  t.assert.strictEqual((await sentTo(phone, { title: 'T' }, { collapse_id: 'news of today' })).sent.collapse_id, 'news of today')
  const { sent } = await sentTo(phone, { title: 'T' }, { collapse_id: '今日' })
  t.assert.strictEqual(sent.collapse_id, createHash('sha256').update('今日').digest('hex'), 'a header takes ASCII alone')
})

test('how long it is kept: not at all, at most thirty days, and never after show_end_time', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  t.assert.strictEqual((await sentTo(phone, { title: 'T' }, { time_to_live: 0 })).expiration, '0')
  const long = await sentTo(phone, { title: 'T' }, { time_to_live: 30 * DAY_SECONDS })
  t.assert.ok(endsAfter(30 * DAY_SECONDS, long), long.expiration)
  const end = Math.ceil(Date.now() / 1000) + 900
  t.assert.strictEqual((await sentTo(phone, { title: 'T', show_end_time: end }, { time_to_live: 3600 })).expiration, String(end))
})

test('a token is found in the form some apps send it', { timeout }, async (t: TestContext) => {
  const token = vendorToken('apns')
  const phone = await world.addDevice({ apns: `<${token.toUpperCase().replace(/(.{8})(?=.)/g, '$1 ')}>` })
  const { push, task, id } = await sentTo(phone, { title: 'T' })
  t.assert.deepStrictEqual([push.path, push.taken, id], [`/3/device/${token}`, [token], idOf(task, token)])
})

test('a long text is shown in place of the short one, which stays where the long one does not fit', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const alertOf = async (message: Record<string, unknown>) => (await sentTo(phone, message)).sent.payload.aps.alert
  const fits = `${'茶'.repeat(1_300)}🍵`
  t.assert.deepStrictEqual(await alertOf({ title: 'T', body: 'short', big_text: fits }), { title: 'T', body: fits })
  t.assert.deepStrictEqual(await alertOf({ title: 'T', body: 'short', big_text: '🍵'.repeat(1_024) }), { title: 'T', body: 'short' })

  const tooLong = await sentTo(phone, { title: 'T', body: '🍵'.repeat(1_024) })
  t.assert.deepStrictEqual(tooLong.push.answer, { status: 413, body: '{"reason":"PayloadTooLarge"}' })
  t.assert.deepStrictEqual(await counted(world, tooLong.task), { apns_target: 1 })
  t.assert.match(await world.carillon.trace(tooLong.task, phone.push_token), /apns: refused \(.*it has more than 4096 bytes \(PayloadTooLarge\)\)/)
  t.assert.strictEqual((await sentTo(phone, { title: 'T' })).push.answer?.status, 200, 'the token did nothing wrong')
})

test('a crowd gets each kind of message, everybody once, one request each', { timeout }, async (t: TestContext) => {
  for (const { pushes } of await reachesACrowd(t, world, 'apns', 1_001)) t.assert.strictEqual(pushes.length, 1_001)
})

test('it is held until it may be shown', { timeout }, async (t: TestContext) => {
  const { push, begin, end } = await heldUntilItMayBeShown(t, world, 'apns')
  const { payload, expiration } = push.fields as Sent
  t.assert.deepStrictEqual([payload.show_begin_time, payload.show_end_time, expiration], [begin, end, String(end)])
})

test('Apple reports nothing: the app does, and counts once', { timeout }, (t: TestContext) => deviceReportsReceipt(t, world, 'apns'))

test('a signed token that ran out is made anew once, and the push repeated', { timeout }, (t: TestContext) =>
  expiredAccessIsRenewedOnce(t, world, 'apns', 0))

test('a Team ID that is not the one of the key pauses the lane, and the right one delivers what waited', { timeout }, (t: TestContext) =>
  wrongCredentialsWait(t, world, 'apns', { wrong: { app_secret: 'TEAM999999' }, words: /Key ID, Team ID and key do not fit together \(InvalidProviderToken\)/ }))

test('a Bundle ID that the key is not for pauses the lane too', { timeout }, (t: TestContext) =>
  wrongCredentialsWait(t, world, 'apns', { wrong: { app_id: 'com.example.other' }, words: /may not push to this Bundle ID \(TopicDisallowed\)/ }))

for (const dead of ['Unregistered', 'BadDeviceToken']) {
  test(`a token that Apple calls ${dead} rests until it is bound anew; an iPhone has no other vendor`, { timeout }, (t: TestContext) =>
    deadTokenIsNotUsedAgain(t, world, 'apns', { next: undefined, dead, words: new RegExp(`the vendor says this address is gone \\(.*\\(${dead}\\)\\)`) }))
}

test('a token that died before it was bound is a new one', { timeout }, async (t: TestContext) => {
  const { phone, token } = await addPhone()
  world.simulators.order({ vendor: 'apns', options: { deadForMs: 3_600_000 } })
  world.simulators.order({ vendor: 'apns', token, outcome: 'Unregistered' })
  const refused = await sentTo(phone, { title: 'T' })
  t.assert.strictEqual(refused.push.answer?.status, 410)
  world.simulators.forgetOrders()
  t.assert.strictEqual((await sentTo(phone, { title: 'T' })).push.answer?.status, 200)
})

test('a reason that is in no table is asked for three times more, then refused, counted and told', { timeout }, async (t: TestContext) => {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"reason":"MoonInTheSeventhHouse"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const env = { CARILLON_VENDOR_URL_APNS: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  const elsewhere = await startVendorWorld(t, { vendors: ['apns'], env })
  const phone = await elsewhere.addDevice({ apns: vendorToken('apns') })
  const task = await elsewhere.send({ title: 'T' }, toDevices(phone))
  t.assert.strictEqual(requests, 4)
  t.assert.deepStrictEqual(await counted(elsewhere, task), { apns_target: 1 })
  t.assert.strictEqual(await metric(elsewhere, 'carillon_vendor_unknown_codes_total{channel="apns"}'), 1)
  t.assert.match(await elsewhere.carillon.trace(task, phone.push_token), /apns: refused \(.*in no table \(MoonInTheSeventhHouse\)\)/)
  await elsewhere.send({ title: 'T' }, toDevices(phone))
  t.assert.strictEqual(requests, 8, 'the token did nothing wrong')
})
