import test, { after, type TestContext } from 'node:test'
import type { Login } from '../harness/carillon.ts'
import { startVendorWorld, vendorToken } from '../harness/vendor-world.ts'
import { counted, isLeftOf, pushed, startReceiptDoor, toDevices } from './exercise.ts'
import {
  deadTokenIsNotUsedAgain, expiredAccessIsRenewedOnce, heldUntilItMayBeShown, reachesACrowd, unknownAnswerIsRefusedInTheEnd, wrongCredentialsWait,
} from './stories.ts'

const timeout = 60_000
const door = await startReceiptDoor({ after })
const world = await startVendorWorld({ after }, { vendors: ['huawei', 'honor'], simulators: { receiptUrls: { huawei: door.urlFor('huawei') } } })
await door.lead(world, 'huawei')

const BATCH = 400
const picture = 'https://example.com/menu.jpg'
const page = 'intent://chat#Intent;component=com.example.app/.Chat;S.room=42;end'
const icon = 'com.example.app.Main'

interface Sent {
  validate_only: boolean
  message: {
    data: string
    android: { ttl: string; bi_tag: string; notification?: Record<string, unknown> } & Record<string, unknown>
    token: string[]
  }
}

/** What one phone was sent, request by request; of the last one, what it holds, without how long it lives. */
const sentTo = async (phone: Login, message: Record<string, unknown>, setting: Record<string, unknown> = {}) => {
  const from = Date.now()
  const { task, pushes } = await pushed(world, 'huawei', message, { to: toDevices(phone), setting })
  const push = pushes.at(-1)
  if (!push) throw new Error('no push')
  const { message: { data, android: { ttl, ...android }, token }, ...around } = push.fields as Sent
  return { task, from, push, pushes, ttl, android, token, around, data: JSON.parse(data) as Record<string, unknown>, text: data }
}

const addPhone = async (): Promise<{ phone: Login; token: string }> => {
  const token = vendorToken('huawei')
  return { phone: await world.addDevice({ huawei: token }), token }
}

test('a text carries every field where Huawei has a place for it, and its receipt is counted', { timeout }, async (t: TestContext) => {
  const { phone, token } = await addPhone()
  const ext = { order: 7, lines: [{ sku: '茶', count: 2 }] }
  const message = {
    title: '下午茶', body: 'Tea is ready 🍵', big_text: 'Tea is ready 🍵, and cake too', attachment_url: picture, badge: '5', ext, show_end_time: 4_000_000_000,
    android: { sound: 'gong', channel_id: 'everybody', click_action: 'open_app' },
    huawei: { sound: 'bell', click_action: 'intent', intent: page, badge_class: icon },
    honor: { badge_class: 'com.example.other' }, fcm: { sound: 'other' },
    ios: { sound: 'chime', subtitle: 'Kitchen', thread_id: 'kitchen', category: 'TEA', apns_collapse_id: 'tea' },
  }
  const got = await sentTo(phone, message, { time_to_live: 3600, priority: 'high', collapse_id: 'tea-7' })
  const { task, push } = got
  t.assert.deepStrictEqual(
    [got.pushes.length, push.path, push.protocol, push.headers['content-type'], push.answer?.status],
    [1, '/v1/104567891/messages:send', 'h1', 'application/json;charset=UTF-8', 200],
  )
  t.assert.deepStrictEqual(got.around, { validate_only: false })
  t.assert.deepStrictEqual(got.token, [token])
  t.assert.deepStrictEqual(got.data, { task_id: task, channel: 'huawei', type: 'text', ext, attachment_url: picture, show_end_time: 4_000_000_000 })
  t.assert.deepStrictEqual(got.android, {
    bi_tag: String(task),
    notification: {
      title: '下午茶', body: 'Tea is ready 🍵', style: 1, big_title: '下午茶', big_body: 'Tea is ready 🍵, and cake too', image: picture,
      click_action: { type: 1, intent: page }, badge: { class: icon, set_num: 5 }, sound: '/raw/bell', default_sound: false,
      channel_id: 'everybody', tag: 'tea-7', group: 'kitchen',
    },
  })
  t.assert.ok(isLeftOf(got.ttl, 3600, got), got.ttl)
  const counters = await world.carillon.until(() => counted(world, task), (now) => now.huawei_received === 1)
  t.assert.deepStrictEqual(counters, { huawei_target: 1, huawei_sent: 1, huawei_received: 1 })
})

test('what a message does not say is not in the request', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const got = await sentTo(phone, { title: 'Hello', body: 'World' })
  t.assert.deepStrictEqual(got.android, { bi_tag: String(got.task), notification: { title: 'Hello', body: 'World', click_action: { type: 3 } } })
  t.assert.deepStrictEqual(got.data, { task_id: got.task, channel: 'huawei', type: 'text' })
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
  const { big_title, big_body, body } = (await sentTo(phone, { big_text: 'long' })).android.notification!
  t.assert.deepStrictEqual([big_title, big_body, body], ['茶馆 🍵', 'long', '茶馆 🍵'])
})

test('an image is shown where it is a picture served over https, and reaches the app in any case', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const shown = await sentTo(phone, { type: 'image', title: 'Menu', attachment_url: picture })
  t.assert.deepStrictEqual([shown.android.notification?.image, shown.data.type, shown.data.attachment_url], [picture, 'image', picture])
  const plain = 'http://example.com/menu.jpg'
  const hidden = await sentTo(phone, { type: 'image', title: 'Menu', attachment_url: plain })
  t.assert.deepStrictEqual([hidden.android.notification?.image, hidden.data.attachment_url, hidden.push.answer?.status], [undefined, plain, 200])
})

test('a command is data alone', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const message = { type: 'cmd', title: 'Sync', body: 'now', ext: { since: 5 }, badge: '4', huawei: { sound: 'bell', badge_class: icon } }
  const got = await sentTo(phone, message, { priority: 'normal' })
  t.assert.deepStrictEqual(got.android, { bi_tag: String(got.task), urgency: 'NORMAL' })
  t.assert.deepStrictEqual(got.data, { task_id: got.task, channel: 'huawei', type: 'cmd', ext: { since: 5 }, title: 'Sync', body: 'now' })
  t.assert.deepStrictEqual((await sentTo(phone, message)).android.urgency, undefined)
})

test('urgency that Huawei has not granted is given up for normal', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const urgencies = async () => {
    const { pushes, task } = await sentTo(phone, { type: 'cmd', title: 'Sync' }, { priority: 'high' })
    t.assert.strictEqual((await counted(world, task)).huawei_sent, 1)
    return pushes.map(({ fields, taken }) => [(fields as Sent).message.android.urgency, taken.length])
  }
  t.assert.deepStrictEqual(await urgencies(), [['HIGH', 0], ['NORMAL', 1]])
  world.simulators.order({ vendor: 'huawei', options: { highLevel: true } })
  t.assert.deepStrictEqual(await urgencies(), [['HIGH', 1]])
  world.simulators.forgetOrders()
})

test("what the app's certificate says is used where the message says nothing", { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const options = { default_category: 'IM', default_channel_id: 'news', importance: 'LOW', target_user_type: 1, receipt_id: 'RCP1' }
  await world.setCertificate('huawei', { options })
  const around = { category: 'IM', target_user_type: 1, receipt_id: 'RCP1' }
  const text = await sentTo(phone, { title: 'T', body: 'B' })
  t.assert.deepStrictEqual(text.android, {
    bi_tag: String(text.task), ...around, notification: { title: 'T', body: 'B', click_action: { type: 3 }, importance: 'LOW', channel_id: 'news' },
  })
  const own = await sentTo(phone, { title: 'T', huawei: { channel_id: 'chat' } })
  t.assert.strictEqual(own.android.notification?.channel_id, 'chat')
  const cmd = await sentTo(phone, { type: 'cmd', ext: { a: 1 } })
  t.assert.deepStrictEqual(cmd.android, { bi_tag: String(cmd.task), ...around })

  await world.setCertificate('huawei', { options: { default_category: 'PLAY_VOICE' } })
  t.assert.strictEqual((await sentTo(phone, { title: 'T' })).android.category, undefined, 'a class that notifications do not have')
  t.assert.strictEqual((await sentTo(phone, { type: 'cmd', ext: { a: 1 } })).android.category, 'PLAY_VOICE')
  await world.setCertificate('huawei')
})

test('a badge is set or added to on the phone, within what Huawei takes, and only with the class of the icon', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const badgeFor = async (badge: string | undefined, huawei: Record<string, unknown> | undefined = { badge_class: icon }) =>
    (await sentTo(phone, { title: 'T', ...(badge !== undefined && { badge }), huawei })).android.notification?.badge
  t.assert.deepStrictEqual(await badgeFor('0'), { class: icon, set_num: 0 })
  t.assert.deepStrictEqual(await badgeFor('100'), { class: icon, set_num: 99 })
  t.assert.deepStrictEqual(await badgeFor('+3'), { class: icon, add_num: 3 })
  t.assert.deepStrictEqual(await badgeFor('+100'), { class: icon, add_num: 99 })
  t.assert.deepStrictEqual(await badgeFor(undefined), { class: icon, add_num: 1 })
  t.assert.strictEqual(await badgeFor('+0'), undefined)
  t.assert.strictEqual(await badgeFor('5', {}), undefined)
})

test('sounds and pages are written as Huawei reads them', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const shownFor = async (message: Record<string, unknown>) => (await sentTo(phone, { title: 'T', ...message })).android.notification!
  const path = await shownFor({ android: { sound: '/raw/gong' } })
  t.assert.deepStrictEqual([path.sound, path.default_sound], ['/raw/gong', false])
  t.assert.deepStrictEqual((await shownFor({ android: { click_action: 'intent', intent: page } })).click_action, { type: 1, intent: page })
  t.assert.deepStrictEqual((await shownFor({ android: { click_action: 'intent', intent: page }, huawei: { click_action: 'open_app' } })).click_action, { type: 3 })
  t.assert.strictEqual((await shownFor({ ios: { apns_collapse_id: 'tea' } })).tag, 'tea')
})

test('how long it lives stays within what Huawei takes, and ends with show_end_time', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  t.assert.strictEqual((await sentTo(phone, { title: 'T' }, { time_to_live: 0 })).ttl, '1s')
  t.assert.strictEqual((await sentTo(phone, { title: 'T' }, { time_to_live: 2_592_000 })).ttl, '1296000s')
  const end = Math.ceil(Date.now() / 1000) + 900
  const { ttl, push } = await sentTo(phone, { title: 'T', show_end_time: end }, { time_to_live: 3600 })
  const left = Number(ttl.slice(0, -1))
  t.assert.ok(left <= 900 && left >= Math.floor(end - push.at / 1000), ttl)
})

test('numbers in ext reach the app as they were written', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const ext = '{"id":12345678901234567890,"price":1.10}'
  const body = `{"audience":{"push_token":["${phone.push_token}"]},"message":{"title":"T","ext":${ext}},"setting":{"distribution_strategy":"ospush_only"}}`
  const task = await world.carillon.notify(body)
  await world.carillon.until(() => world.carillon.task(task), ({ state }) => state === 'done')
  const { message } = world.simulators.received('huawei').at(-1)!.fields as Sent
  t.assert.strictEqual(message.data, `{"task_id":${task},"channel":"huawei","type":"text","ext":${ext}}`)
})

test('what is too long is refused, told and not blamed on the token', { timeout }, async (t: TestContext) => {
  const { phone } = await addPhone()
  const fits = '茶'.repeat(1_200)
  t.assert.strictEqual((await sentTo(phone, { title: 'T', body: fits })).android.notification?.body, fits)
  const { task, push } = await sentTo(phone, { title: 'T', body: '🍵'.repeat(1_024) })
  t.assert.strictEqual(push.answer?.status, 400)
  t.assert.deepStrictEqual(await counted(world, task), { huawei_target: 1 })
  t.assert.match(await world.carillon.trace(task, phone.push_token), /huawei: refused \(the message is longer than 4096 bytes.*\(80300008\)\)/)
  t.assert.strictEqual((await sentTo(phone, { title: 'T' })).push.answer?.status, 200)
})

test('a crowd gets each kind of message in lists, everybody once, and all its receipts count', { timeout }, async (t: TestContext) => {
  for (const { pushes } of await reachesACrowd(t, world, 'huawei', 1_001, { reports: true })) {
    t.assert.ok(pushes.length >= 3 && pushes.every(({ tokens }) => tokens.length <= BATCH))
    t.assert.ok(pushes.length <= 6, 'as few requests as that takes, page by page')
  }
})

test('of a list, the tokens that are illegal fail, and nobody else', { timeout }, async (t: TestContext) => {
  const tokens = Array.from({ length: 3 }, () => vendorToken('huawei'))
  const phones = await Promise.all(tokens.map((token) => world.addDevice({ huawei: token })))
  world.simulators.order({ vendor: 'huawei', token: tokens[1]!, outcome: 'illegal' })
  const first = await pushed(world, 'huawei', { title: 'T' }, { to: toDevices(...phones) })
  t.assert.deepStrictEqual(first.pushes.map(({ taken }) => taken.toSorted()), [[tokens[0]!, tokens[2]!].toSorted()])
  const counters = await world.carillon.until(() => counted(world, first.task), (now) => now.huawei_received === 2)
  t.assert.deepStrictEqual(counters, { huawei_target: 3, huawei_sent: 2, huawei_received: 2 })
  t.assert.match(await world.carillon.trace(first.task, phones[1]!.push_token), /the token is illegal \(80100000\)/)
  const second = await pushed(world, 'huawei', { title: 'T' }, { to: toDevices(...phones) })
  t.assert.deepStrictEqual(second.pushes.map((push) => push.tokens.toSorted()), [[tokens[0]!, tokens[2]!].toSorted()])
})

test('a receipt that says the app is gone takes the token away, one that says it failed does not', { timeout }, async (t: TestContext) => {
  const { phone, token } = await addPhone()
  const received = () => world.simulators.receipts('huawei').length
  for (const [outcome, left] of [['receipt 6', 1], ['receipt 2', 0]] as const) {
    const before = received()
    world.simulators.order({ vendor: 'huawei', token, outcome })
    const { task } = await sentTo(phone, { title: 'T' })
    await world.carillon.until(async () => received(), (count) => count > before)
    t.assert.deepStrictEqual(await counted(world, task), { huawei_target: 1, huawei_sent: 1 })
    world.simulators.forgetOrders()
    const { pushes } = await pushed(world, 'huawei', { title: 'T' }, { to: toDevices(phone) })
    t.assert.strictEqual(pushes.length, left)
  }
})

test('it is held until it may be shown', { timeout }, async (t: TestContext) => {
  const { push, begin, end } = await heldUntilItMayBeShown(t, world, 'huawei')
  const { message } = push.fields as Sent
  const { show_begin_time, show_end_time } = JSON.parse(message.data)
  t.assert.deepStrictEqual([show_begin_time, show_end_time], [begin, end])
  t.assert.ok(Number(message.android.ttl.slice(0, -1)) <= end - begin)
})

test('an access token that ran out is renewed once, and the push repeated', { timeout }, (t: TestContext) =>
  expiredAccessIsRenewedOnce(t, world, 'huawei', 1))

test('a wrong secret pauses the lane, and the right one delivers what waited', { timeout }, (t: TestContext) =>
  wrongCredentialsWait(t, world, 'huawei', { wrong: { app_secret: '0'.repeat(64) }, words: /the client secret is wrong \(1101\/12304\)/ }))

test('a project that the app is not of pauses the lane too', { timeout }, (t: TestContext) =>
  wrongCredentialsWait(t, world, 'huawei', { wrong: { app_key: '99999' }, words: /the app may not send.*\(80300002\)/ }))

test('a token that is illegal moves the push on to the next vendor, and rests until it is bound anew', { timeout }, (t: TestContext) =>
  deadTokenIsNotUsedAgain(t, world, 'huawei', { next: 'honor', dead: 'illegal', words: /all tokens of the request are invalid \(80300007\)/ }))

test('an answer that nobody understands is asked for three times more, then refused, counted and told', { timeout }, (t: TestContext) =>
  unknownAnswerIsRefusedInTheEnd(t, world, 'huawei', {
    orders: (token) => [{ vendor: 'huawei', token, outcome: 'offline' }, { fault: 'garbage', vendor: 'huawei', token }],
    words: /huawei: refused \(the answer is not understood \(HTTP 200\)\)/,
  }))
