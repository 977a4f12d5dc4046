import test, { after, type TestContext } from 'node:test'
import type { Received } from '@carillon/simulators/inspection.ts'
import type { Login } from '../harness/carillon.ts'
import { startVendorWorld, vendorToken } from '../harness/vendor-world.ts'
import { counted, isLeftOf, pushed, toDevices } from './exercise.ts'
import {
  deadTokenIsNotUsedAgain, deviceReportsReceipt, expiredAccessIsRenewedOnce, heldUntilItMayBeShown, reachesACrowd, unknownAnswerIsRefusedInTheEnd, wrongCredentialsWait,
} from './stories.ts'

const timeout = 60_000
const world = await startVendorWorld({ after }, { vendors: ['fcm', 'huawei'] })

const picture = 'https://example.com/menu.PNG?width=876'
const page = 'intent://chat#Intent;action=OPEN_CHAT;component=com.example.app/.Chat;S.room=42;S.from=nobody;end'

interface Sent {
  token: string
  notification?: Record<string, unknown>
  data: Record<string, string>
  android: { ttl: string; notification?: Record<string, unknown> } & Record<string, unknown>
}

/** The one message that one phone got, without how long it lives. */
const sentTo = async (phone: Login, message: Record<string, unknown>, setting: Record<string, unknown> = {}) => {
  const from = Date.now()
  const { task, pushes } = await pushed(world, 'fcm', message, { to: toDevices(phone), setting })
  const [push, ...more] = pushes
  if (!push || more.length > 0) throw new Error(`${pushes.length} pushes instead of one`)
  const { android: { ttl, ...android }, ...sent } = (push.fields as { message: Sent }).message
  return { task, from, push, ttl, sent: { ...sent, android } }
}

const addPhone = async (): Promise<{ phone: Login; token: string }> => {
  const token = vendorToken('fcm')
  return { phone: await world.addDevice({ fcm: token }), token }
}

const isRequest = (t: TestContext, { path, protocol, headers, answer }: Received): void => {
  t.assert.deepStrictEqual([path, protocol, headers['content-type'], answer?.status], ['/v1/projects/carillon-test/messages:send', 'h2', 'application/json', 200])
}

test('a text carries every field where Google has a place for it', { timeout }, async (t: TestContext) => {
  const { phone, token } = await addPhone()
  const ext = { order: 7, lines: [{ sku: '茶', count: 2 }], paid: true, note: null }
  const message = {
    title: '下午茶', body: 'Tea is ready 🍵', big_text: 'Tea is ready 🍵, and cake too', attachment_url: picture, badge: '5', ext,
    show_end_time: 4_000_000_000,
    android: { sound: 'bell', channel_id: 'everybody', click_action: 'open_app' },
    fcm: { channel_id: 'kitchen' },
    huawei: { sound: 'gong', badge_class: 'com.example.app.Main' }, xiaomi: { channel_id: 'other' }, vivo: { push_mode: 1 },
    ios: { sound: 'chime', subtitle: 'Kitchen', thread_id: 'tea', category: 'TEA', apns_collapse_id: 'tea', mutable_content: true },
  }
  const { task, from, push, ttl, sent } = await sentTo(phone, message, { time_to_live: 3600, priority: 'normal', collapse_id: 'tea-7' })
  isRequest(t, push)
  t.assert.deepStrictEqual(sent, {
    token,
    notification: { title: '下午茶', body: 'Tea is ready 🍵', image: picture },
    data: {
      task_id: String(task), channel: 'fcm', type: 'text', ext: JSON.stringify(ext), attachment_url: picture, show_end_time: '4000000000', badge: '5',
    },
    android: {
      priority: 'NORMAL',
      collapse_key: 'tea-7',
      notification: { body: 'Tea is ready 🍵, and cake too', channel_id: 'kitchen', sound: 'bell', tag: 'tea-7', notification_count: 5 },
    },
  })
  t.assert.ok(isLeftOf(ttl, 3600, { from, push }), ttl)
  t.assert.deepStrictEqual(await counted(world, task), { fcm_target: 1, fcm_sent: 1 })
})

test('what a message does not say is not in the request', { timeout }, async (t: TestContext) => {
  const { phone, token } = await addPhone()
  const { task, from, push, ttl, sent } = await sentTo(phone, { body: 'Hello', title: '  ' })
  t.assert.deepStrictEqual(sent, {
    token,
    notification: { body: 'Hello' },
    data: { task_id: String(task), channel: 'fcm', type: 'text', badge: '1' },
    android: { priority: 'HIGH', notification: { tag: String(task) } },
  })
  t.assert.ok(isLeftOf(ttl, 86_400, { from, push }), ttl)
})

test('an image is shown where it is a picture served over https, and reaches the app in any case', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const shown = await sentTo(phone, { type: 'image', title: 'Menu', attachment_url: picture })
  t.assert.deepStrictEqual(shown.sent.notification, { title: 'Menu', image: picture })
  t.assert.strictEqual(shown.sent.data.type, 'image')
  const plain = 'http://example.com/menu.jpg'
  const hidden = await sentTo(phone, { type: 'image', title: 'Menu', attachment_url: plain })
  t.assert.deepStrictEqual(hidden.sent.notification, { title: 'Menu' })
  t.assert.strictEqual(hidden.sent.data.attachment_url, plain)
  const sound = await sentTo(phone, { title: 'Listen', attachment_url: 'https://example.com/bell.mp3' })
  t.assert.deepStrictEqual(sound.sent.notification, { title: 'Listen' })
})

test('a command is data alone, and high only when that is asked for', { timeout }, async (t: TestContext) => {
  const { phone, token } = await addPhone()
  const message = { type: 'cmd', title: 'Sync', body: 'now', big_text: 'all of it', ext: { since: 5 }, android: { sound: 'bell' } }
  const { task, sent } = await sentTo(phone, message)
  const data = { task_id: String(task), channel: 'fcm', type: 'cmd', ext: '{"since":5}', title: 'Sync', body: 'now', big_text: 'all of it' }
  t.assert.deepStrictEqual(sent, { token, data, android: { priority: 'NORMAL' } })
  t.assert.deepStrictEqual(await counted(world, task), { fcm_target: 1, fcm_sent: 1 })
  const high = await sentTo(phone, message, { priority: 'high', collapse_id: 'sync' })
  t.assert.deepStrictEqual(high.sent.android, { priority: 'HIGH', collapse_key: 'sync' })
  const badged = await sentTo(phone, { type: 'cmd', badge: '4' })
  t.assert.strictEqual(badged.sent.data.badge, '4')
  t.assert.strictEqual(badged.sent.notification, undefined)
})

test('a page opens by its action, and finds the whole intent in its data', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const byAction = await sentTo(phone, { title: 'Chat', android: { click_action: 'intent', intent: page } })
  t.assert.strictEqual(byAction.sent.android.notification?.click_action, 'OPEN_CHAT')
  t.assert.strictEqual(byAction.sent.data.intent, page)
  t.assert.strictEqual(byAction.sent.data.room, '42')
  t.assert.strictEqual(byAction.sent.data.from, undefined, 'a word that Google keeps for itself')

  const component = 'intent:#Intent;component=com.example.app/com.example.app.Chat;S.title=x;S.task_id=1;end'
  const own = await sentTo(phone, { title: 'Chat', android: { click_action: 'open_app' }, fcm: { click_action: 'intent', intent: component } })
  t.assert.strictEqual(own.sent.android.notification?.click_action, undefined)
  t.assert.strictEqual(own.sent.data.intent, component)
  t.assert.strictEqual(own.sent.data.task_id, String(own.task), 'ours goes first')

  const app = await sentTo(phone, { title: 'Chat', android: { click_action: 'intent', intent: page }, fcm: { click_action: 'open_app' } })
  t.assert.strictEqual(app.sent.android.notification?.click_action, undefined)
  t.assert.strictEqual(app.sent.data.intent, undefined)
})

test("the app's bar channel is used where the message names none", { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  await world.setCertificate('fcm', { options: { default_channel_id: 'news' } })
  t.assert.strictEqual((await sentTo(phone, { title: 'T' })).sent.android.notification?.channel_id, 'news')
  t.assert.strictEqual((await sentTo(phone, { title: 'T', android: { channel_id: 'chat' } })).sent.android.notification?.channel_id, 'chat')
  await world.setCertificate('fcm')
  t.assert.strictEqual((await sentTo(phone, { title: 'T' })).sent.android.notification?.channel_id, undefined)
})

test('a badge is the number of the device, and one more is left to the launcher', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const badgeAfter = async (badge?: string) => {
    const { sent } = await sentTo(phone, { title: 'T', ...(badge !== undefined && { badge }) })
    return [sent.data.badge, sent.android.notification?.notification_count]
  }
  t.assert.deepStrictEqual(await badgeAfter('5'), ['5', 5])
  t.assert.deepStrictEqual(await badgeAfter('+3'), ['8', 8])
  t.assert.deepStrictEqual(await badgeAfter(), ['9', undefined])
  t.assert.deepStrictEqual(await badgeAfter('+0'), ['9', 9])
  t.assert.deepStrictEqual(await badgeAfter('0'), ['0', 0])
})

test('how long it lives stays within what Google takes, and ends with show_end_time', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  t.assert.strictEqual((await sentTo(phone, { title: 'T' }, { time_to_live: 0 })).ttl, '0s')
  t.assert.strictEqual((await sentTo(phone, { title: 'T' }, { time_to_live: 2_592_000 })).ttl, '2419200s')
  const end = Math.ceil(Date.now() / 1000) + 900
  const { ttl, push } = await sentTo(phone, { title: 'T', show_end_time: end }, { time_to_live: 3600 })
  const left = Number(ttl.slice(0, -1))
  t.assert.ok(left <= 900 && left >= Math.floor(end - push.at / 1000), ttl)
})

test('numbers in ext reach the app as they were written', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const ext = '{"id":12345678901234567890,"price":1.10,"e":1e400}'
  const body = `{"audience":{"push_token":["${phone.push_token}"]},"message":{"title":"T","ext":${ext}},"setting":{"distribution_strategy":"ospush_only"}}`
  const task = await world.carillon.notify(body)
  await world.carillon.until(() => world.carillon.task(task), ({ state }) => state === 'done')
  const { message } = world.simulators.received('fcm').at(-1)!.fields as { message: Sent }
  t.assert.strictEqual(message.data.ext, ext)
})

test('a long text that does not fit gives way to the short one, whole', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const fits = `${'茶'.repeat(1_200)}🍵`
  t.assert.strictEqual((await sentTo(phone, { title: 'T', body: 'short', big_text: fits })).sent.android.notification?.body, fits)
  const { task, sent } = await sentTo(phone, { title: 'T', body: 'short', big_text: '🍵'.repeat(1_020) })
  t.assert.strictEqual(sent.android.notification?.body, undefined)
  t.assert.deepStrictEqual(sent.notification, { title: 'T', body: 'short' })
  t.assert.deepStrictEqual(await counted(world, task), { fcm_target: 1, fcm_sent: 1 })

  const tooLong = await sentTo(phone, { title: 'T', body: '🍵'.repeat(1_020) })
  t.assert.strictEqual(tooLong.push.answer?.status, 400)
  t.assert.deepStrictEqual(await counted(world, tooLong.task), { fcm_target: 1 })
  t.assert.match(await world.carillon.trace(tooLong.task, phone.push_token), /fcm: refused \(Google does not take the push \(INVALID_ARGUMENT\)\)/)
  t.assert.strictEqual((await sentTo(phone, { title: 'T' })).push.answer?.status, 200, 'the token did nothing wrong')
})

test('a crowd gets each kind of message, everybody once, one request each', { timeout }, async (t: TestContext) => {
  for (const { pushes } of await reachesACrowd(t, world, 'fcm', 1_001)) t.assert.strictEqual(pushes.length, 1_001)
})

test('it is held until it may be shown', { timeout }, async (t: TestContext) => {
  const { push, begin, end } = await heldUntilItMayBeShown(t, world, 'fcm')
  const { message } = push.fields as { message: Sent }
  t.assert.strictEqual(message.data.show_begin_time, String(begin))
  t.assert.strictEqual(message.data.show_end_time, String(end))
})

test('Google reports nothing: the app does, and counts once', { timeout }, (t: TestContext) => deviceReportsReceipt(t, world, 'fcm'))

test('an access token that ran out is renewed once, and the push repeated', { timeout }, (t: TestContext) =>
  expiredAccessIsRenewedOnce(t, world, 'fcm', 1))

test('a service account that Google does not know pauses the lane, and the right one delivers what waited', { timeout }, (t: TestContext) => {
  const file = JSON.parse(String(world.certificates.fcm.certificate)) as Record<string, unknown>
  const wrong = { certificate: JSON.stringify({ ...file, client_email: 'somebody@carillon-test.iam.gserviceaccount.com' }) }
  return wrongCredentialsWait(t, world, 'fcm', { wrong, words: /Google does not accept the key.*\(invalid_grant\)/ })
})

test('a project that the service account may not send for pauses the lane too', { timeout }, (t: TestContext) => {
  const file = JSON.parse(String(world.certificates.fcm.certificate)) as Record<string, unknown>
  const wrong = { certificate: JSON.stringify({ ...file, project_id: 'another-project' }) }
  return wrongCredentialsWait(t, world, 'fcm', { wrong, words: /may not send for this project.*PERMISSION_DENIED: IAM_PERMISSION_DENIED/ })
})

test('a token that is not registered moves the push on to the next vendor, and rests until it is bound anew', { timeout }, (t: TestContext) =>
  deadTokenIsNotUsedAgain(t, world, 'fcm', { next: 'huawei', dead: 'UNREGISTERED', words: /the token is not registered \(UNREGISTERED\)/ }))

test('an answer without a reason is asked for three times more, then refused, counted and told', { timeout }, (t: TestContext) =>
  unknownAnswerIsRefusedInTheEnd(t, world, 'fcm', {
    orders: (token) => [{ vendor: 'fcm', token, outcome: 'UNSPECIFIED_ERROR' }],
    words: /fcm: refused \(Google gives no reason \(UNSPECIFIED_ERROR\)\)/,
  }))

test('a 200 that does not read is not taken for a yes', { timeout }, (t: TestContext) =>
  unknownAnswerIsRefusedInTheEnd(t, world, 'fcm', {
    orders: (token) => [{ fault: 'garbage', vendor: 'fcm', token }],
    words: /fcm: refused \(Google did not name what it took \(HTTP 200\)\)/,
  }))
