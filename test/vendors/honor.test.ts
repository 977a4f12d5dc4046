import test, { after, type TestContext } from 'node:test'
import type { Login } from '../harness/carillon.ts'
import { startVendorWorld, vendorToken } from '../harness/vendor-world.ts'
import { counted, isLeftOf, pushed, startReceiptDoor, toDevices } from './exercise.ts'
import {
  deadTokenIsNotUsedAgain, expiredAccessIsRenewedOnce, heldUntilItMayBeShown, reachesACrowd, unknownAnswerIsRefusedInTheEnd, wrongCredentialsWait,
} from './stories.ts'

const timeout = 60_000
const door = await startReceiptDoor({ after })
const world = await startVendorWorld({ after }, { vendors: ['honor', 'fcm'], simulators: { receiptUrls: { honor: door.urlFor('honor') } } })
await door.lead(world, 'honor')

const BATCH = 100
const picture = 'https://example.com/menu.png'
const page = 'intent://chat#Intent;component=com.example.app/.Chat;S.room=42;end'
const icon = 'com.example.app.Main'

interface Sent {
  data: string
  android: { ttl: string; biTag: string; notification?: Record<string, unknown> } & Record<string, unknown>
  token: string[]
}

/** The one request that one phone got, without how long it lives. */
const sentTo = async (phone: Login, message: Record<string, unknown>, setting: Record<string, unknown> = {}) => {
  const from = Date.now()
  const { task, pushes } = await pushed(world, 'honor', message, { to: toDevices(phone), setting })
  const [push, ...more] = pushes
  if (!push || more.length > 0) throw new Error(`${pushes.length} pushes instead of one`)
  const { data, android: { ttl, ...android }, ...around } = push.fields as Sent
  return { task, from, push, ttl, android, around, data: JSON.parse(data) as Record<string, unknown> }
}

const addPhone = async (): Promise<{ phone: Login; token: string }> => {
  const token = vendorToken('honor')
  return { phone: await world.addDevice({ honor: token }), token }
}

test('a text carries every field where Honor has a place for it, and its receipt is counted', { timeout }, async (t: TestContext) => {
  const { phone, token } = await addPhone()
  const ext = { order: 7, lines: [{ sku: '茶', count: 2 }] }
  const message = {
    title: '下午茶', body: 'Tea is ready 🍵', big_text: 'Tea is ready 🍵, and cake too', attachment_url: picture, badge: '5', ext, show_end_time: 4_000_000_000,
    android: { sound: 'gong', channel_id: 'everybody', click_action: 'open_app' },
    honor: { sound: 'bell', channel_id: 'kitchen', click_action: 'intent', intent: page, badge_class: icon },
    huawei: { badge_class: 'com.example.other' }, fcm: { sound: 'other' },
    ios: { sound: 'chime', subtitle: 'Kitchen', thread_id: 'kitchen', category: 'TEA', apns_collapse_id: 'tea' },
  }
  const got = await sentTo(phone, message, { time_to_live: 3600, priority: 'high', collapse_id: 'tea-7' })
  const { task, push, from } = got
  t.assert.deepStrictEqual(
    [push.path, push.protocol, push.headers['content-type'], push.answer?.status],
    ['/api/v1/104436234/sendMessage', 'h1', 'application/json; charset=UTF-8', 200],
  )
  const timestamp = Number(push.headers.timestamp)
  t.assert.ok(timestamp >= from && timestamp <= push.at, 'the time, in milliseconds')
  t.assert.deepStrictEqual(got.around, { token: [token] })
  t.assert.deepStrictEqual(got.data, { task_id: task, channel: 'honor', type: 'text', ext, attachment_url: picture, show_end_time: 4_000_000_000 })
  t.assert.deepStrictEqual(got.android, {
    biTag: String(task),
    notification: {
      title: '下午茶', body: 'Tea is ready 🍵', style: 1, bigTitle: '下午茶', bigBody: 'Tea is ready 🍵, and cake too', image: picture,
      clickAction: { type: 1, intent: page }, badge: { badgeClass: icon, setNum: 5 }, tag: 'tea-7', group: 'kitchen',
    },
  })
  t.assert.ok(isLeftOf(got.ttl, 3600, got), got.ttl)
  const counters = await world.carillon.until(() => counted(world, task), (now) => now.honor_received === 1)
  t.assert.deepStrictEqual(counters, { honor_target: 1, honor_sent: 1, honor_received: 1 })
})

test('what a message does not say is not in the request', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const got = await sentTo(phone, { title: 'Hello', body: 'World' })
  t.assert.deepStrictEqual(got.android, { biTag: String(got.task), notification: { title: 'Hello', body: 'World', clickAction: { type: 3 } } })
  t.assert.deepStrictEqual(got.data, { task_id: got.task, channel: 'honor', type: 'text' })
  t.assert.ok(isLeftOf(got.ttl, 86_400, got), got.ttl)
})

test("a blank title is the app's name, a blank body the title", { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  await world.carillon.change(['app', 'set', 'demo', 'name', '茶馆 🍵'])
  const shownFor = async (message: Record<string, unknown>) => {
    const { title, body } = (await sentTo(phone, message)).android.notification!
    return [title, body]
  }
  t.assert.deepStrictEqual((await shownFor({ ext: { a: 1 } }))[0], '茶馆 🍵')
  t.assert.deepStrictEqual(await shownFor({ body: 'Tea', title: '' }), ['茶馆 🍵', 'Tea'])
  t.assert.deepStrictEqual(await shownFor({ title: 'Tea', body: ' ' }), ['Tea', 'Tea'])
  t.assert.deepStrictEqual(await shownFor({ badge: '3' }), ['茶馆 🍵', '茶馆 🍵'])
})

test('title and body are cut with an ellipsis where Honor has no more room, never inside a character', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const whole = { title: `${'茶'.repeat(39)}🍵`, body: '🍵'.repeat(256) }
  const kept = (await sentTo(phone, whole)).android.notification!
  t.assert.deepStrictEqual([kept.title, kept.body], [whole.title, whole.body], '40 and 256 characters fit')

  const long = { title: `${'茶'.repeat(38)}🍵🍵🍵`, body: `${'a'.repeat(254)}🍵茶茶`, big_text: '茶'.repeat(300) }
  const cut = (await sentTo(phone, long)).android.notification!
  t.assert.strictEqual(cut.title, `${'茶'.repeat(38)}🍵…`)
  t.assert.strictEqual(cut.body, `${'a'.repeat(254)}🍵…`)
  t.assert.deepStrictEqual([cut.bigTitle, cut.bigBody], [cut.title, long.big_text], 'the long text has the same title, and its own length')
})

test('an image is shown where it is a picture served over https, and reaches the app in any case', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const shown = await sentTo(phone, { type: 'image', title: 'Menu', attachment_url: picture })
  t.assert.deepStrictEqual([shown.android.notification?.image, shown.data.type, shown.data.attachment_url], [picture, 'image', picture])
  const plain = 'http://example.com/menu.jpg'
  const hidden = await sentTo(phone, { type: 'image', title: 'Menu', attachment_url: plain })
  t.assert.deepStrictEqual([hidden.android.notification?.image, hidden.data.attachment_url], [undefined, plain])
})

test('a command is data alone', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const message = { type: 'cmd', title: 'Sync', body: 'now', ext: { since: 5 }, badge: '4', honor: { badge_class: icon } }
  const got = await sentTo(phone, message, { priority: 'high', collapse_id: 'sync' })
  t.assert.deepStrictEqual(got.android, { biTag: String(got.task) })
  t.assert.deepStrictEqual(got.data, { task_id: got.task, channel: 'honor', type: 'cmd', ext: { since: 5 }, title: 'Sync', body: 'now' })
})

test("what the app's certificate says goes with every push", { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  await world.setCertificate('honor', { options: { importance: 'NORMAL', target_user_type: 1 } })
  const text = await sentTo(phone, { title: 'T', body: 'B' })
  t.assert.deepStrictEqual(text.android, {
    biTag: String(text.task), targetUserType: 1, notification: { title: 'T', body: 'B', clickAction: { type: 3 }, importance: 'NORMAL' },
  })
  const cmd = await sentTo(phone, { type: 'cmd', ext: { a: 1 } })
  t.assert.deepStrictEqual(cmd.android, { biTag: String(cmd.task), targetUserType: 1 })
  await world.setCertificate('honor')
})

test('a badge is set or added to on the phone, within what Honor takes, and only with the class of the icon', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const badgeFor = async (badge: string | undefined, honor: Record<string, unknown> | undefined = { badge_class: icon }) =>
    (await sentTo(phone, { title: 'T', ...(badge !== undefined && { badge }), honor })).android.notification?.badge
  t.assert.deepStrictEqual(await badgeFor('0'), { badgeClass: icon, setNum: 0 })
  t.assert.deepStrictEqual(await badgeFor('100'), { badgeClass: icon, setNum: 99 })
  t.assert.deepStrictEqual(await badgeFor('+3'), { badgeClass: icon, addNum: 3 })
  t.assert.deepStrictEqual(await badgeFor('+100'), { badgeClass: icon, addNum: 99 })
  t.assert.deepStrictEqual(await badgeFor(undefined), { badgeClass: icon, addNum: 1 })
  t.assert.strictEqual(await badgeFor('+0'), undefined)
  t.assert.strictEqual(await badgeFor('5', {}), undefined)
})

test('pages and what replaces what: own object first, then android; the setting first, then iOS', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const shownFor = async (message: Record<string, unknown>) => (await sentTo(phone, { title: 'T', ...message })).android.notification!
  t.assert.deepStrictEqual((await shownFor({ android: { click_action: 'intent', intent: page } })).clickAction, { type: 1, intent: page })
  t.assert.deepStrictEqual((await shownFor({ android: { click_action: 'intent', intent: page }, honor: { click_action: 'open_app' } })).clickAction, { type: 3 })
  t.assert.strictEqual((await shownFor({ ios: { apns_collapse_id: 'tea' } })).tag, 'tea')
})

test('how long it lives stays within what Honor takes, and ends with show_end_time', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  t.assert.strictEqual((await sentTo(phone, { title: 'T' }, { time_to_live: 0 })).ttl, '1s')
  t.assert.strictEqual((await sentTo(phone, { title: 'T' }, { time_to_live: 2_592_000 })).ttl, '1296000s')
  const end = Math.ceil(Date.now() / 1000) + 900
  const { ttl, push } = await sentTo(phone, { title: 'T', show_end_time: end }, { time_to_live: 3600 })
  const left = Number(ttl.slice(0, -1))
  t.assert.ok(left <= 900 && left >= Math.floor(end - push.at / 1000), ttl)
})

test('what is too long is refused, told and not blamed on the token', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const { task, push } = await sentTo(phone, { title: 'T', big_text: '🍵'.repeat(1_024) })
  t.assert.match(push.answer!.body, /"code":400/)
  t.assert.deepStrictEqual(await counted(world, task), { honor_target: 1 })
  t.assert.match(await world.carillon.trace(task, phone.push_token), /honor: refused \(the message is wrong: the body exceeds 4096 bytes.*\(400\)\)/)
  t.assert.deepStrictEqual((await sentTo(phone, { title: 'T' })).push.taken.length, 1)
})

test('a crowd gets each kind of message in lists, everybody once, and all its receipts count', { timeout }, async (t: TestContext) => {
  for (const { pushes } of await reachesACrowd(t, world, 'honor', 301, { reports: true })) {
    t.assert.ok(pushes.length >= 4 && pushes.every(({ tokens }) => tokens.length <= BATCH))
    t.assert.ok(pushes.length <= 8, 'as few requests as that takes, page by page')
  }
})

test('of a list, what failed is refused and tried with the next push, what has expired is not used again', { timeout }, async (t: TestContext) => {
  const tokens = Array.from({ length: 3 }, () => vendorToken('honor'))
  const [good, failed, expired] = tokens as [string, string, string]
  const phones = await Promise.all(tokens.map((token) => world.addDevice({ honor: token })))
  world.simulators.order({ vendor: 'honor', token: failed, outcome: 'failed' })
  world.simulators.order({ vendor: 'honor', token: expired, outcome: 'expired' })
  const first = await pushed(world, 'honor', { title: 'T' }, { to: toDevices(...phones) })
  t.assert.deepStrictEqual(first.pushes.map(({ taken }) => taken), [[good]])
  const counters = await world.carillon.until(() => counted(world, first.task), (now) => now.honor_received === 1)
  t.assert.deepStrictEqual(counters, { honor_target: 3, honor_sent: 1, honor_received: 1 })
  t.assert.match(await world.carillon.trace(first.task, phones[1]!.push_token), /honor: refused \(the push failed for this token \(200, failTokens\)\)/)
  t.assert.match(await world.carillon.trace(first.task, phones[2]!.push_token), /the token is no longer valid \(200, expireTokens\)/)
  const second = await pushed(world, 'honor', { title: 'T' }, { to: toDevices(...phones) })
  t.assert.deepStrictEqual(second.pushes.map((push) => push.tokens.toSorted()), [[good, failed].toSorted()])
  world.simulators.forgetOrders()
})

test('the code that Huawei says yes with is a yes', { timeout }, async (t: TestContext) => {
  const { phone, token } = await addPhone()
  world.simulators.order({ vendor: 'honor', token, outcome: '80000000' })
  const { task } = await sentTo(phone, { title: 'T' })
  t.assert.strictEqual((await counted(world, task)).honor_sent, 1)
})

test('a receipt of a status that is not published counts nothing and takes no token away', { timeout }, async (t: TestContext) => {
  const { phone, token } = await addPhone()
  const received = () => world.simulators.receipts('honor').length
  const before = received()
  world.simulators.order({ vendor: 'honor', token, outcome: 'receipt 2' })
  const { task } = await sentTo(phone, { title: 'T' })
  await world.carillon.until(async () => received(), (count) => count > before)
  t.assert.deepStrictEqual(await counted(world, task), { honor_target: 1, honor_sent: 1 })
  world.simulators.forgetOrders()
  t.assert.deepStrictEqual((await sentTo(phone, { title: 'T' })).push.taken, [token])
})

test('it is held until it may be shown', { timeout }, async (t: TestContext) => {
  const { push, begin, end } = await heldUntilItMayBeShown(t, world, 'honor')
  const { data, android } = push.fields as Sent
  const { show_begin_time, show_end_time } = JSON.parse(data)
  t.assert.deepStrictEqual([show_begin_time, show_end_time], [begin, end])
  t.assert.ok(Number(android.ttl.slice(0, -1)) <= end - begin)
})

test('an access token that ran out is renewed once, and the push repeated', { timeout }, (t: TestContext) =>
  expiredAccessIsRenewedOnce(t, world, 'honor', 1))

test('a wrong Client Secret pauses the lane, and the right one delivers what waited', { timeout }, (t: TestContext) =>
  wrongCredentialsWait(t, world, 'honor', {
    wrong: { app_secret: '0'.repeat(32) }, words: /the Client ID or Client Secret is wrong: unauthorized_client \(HTTP 401\)/,
  }))

test('an App ID that Honor does not know pauses the lane too', { timeout }, (t: TestContext) =>
  wrongCredentialsWait(t, world, 'honor', { wrong: { app_id: '999999999' }, words: /the App ID is wrong.*\(404\)/ }))

test('a token that has expired moves the push on to the next vendor, and rests until it is bound anew', { timeout }, (t: TestContext) =>
  deadTokenIsNotUsedAgain(t, world, 'honor', { next: 'fcm', dead: 'expired', words: /the token is no longer valid \(200, expireTokens\)/ }))

test('an answer that nobody understands is asked for three times more, then refused, counted and told', { timeout }, (t: TestContext) =>
  unknownAnswerIsRefusedInTheEnd(t, world, 'honor', {
    orders: (token) => [{ vendor: 'honor', token, outcome: 'offline' }, { fault: 'garbage', vendor: 'honor', token }],
    words: /honor: refused \(the answer is not understood \(HTTP 200\)\)/,
  }))
