import { createHash, randomBytes } from 'node:crypto'
import { after, test, type TestContext } from 'node:test'
import type { Login } from '../harness/carillon.ts'
import { startVendorWorld, vendorToken } from '../harness/vendor-world.ts'
import { areLeftOf, counted, countedOnce, exactly, laneOf, pushed, receiptUrlOf, toDevices } from './exercise.ts'
import { expiredAccessIsRenewedOnce, wrongCredentialsWait } from './stories.ts'
import { startTap, type Call } from './tap.ts'
import { codeIsUnknown, dayIsUsedUp, tokenIsDead } from './troubles.ts'

const tap = await startTap({ after })
const env = { CARILLON_VENDOR_URL_OPPO: tap.url }
const world = await startVendorWorld({ after }, { vendors: ['oppo', 'xiaomi'], env })
const { carillon, simulators } = world
tap.lead(simulators.urls.oppo)

const limit = { timeout: 60_000 }
const base = '/server/v1/message/notification'
const FORM = 'application/x-www-form-urlencoded; charset=UTF-8'
const registrationId = (region = ''): string => region + randomBytes(16).toString('hex')

const receiptUrl = await receiptUrlOf(world, 'oppo')

const formOf = ({ body }: Call): Record<string, string> => Object.fromEntries(new URLSearchParams(body))
const isAuth = ({ path }: Call): boolean => path === '/server/v1/auth'
const isPush = ({ path }: Call): boolean => path.startsWith(base)

type Notification = Record<string, unknown>
interface Unicast {
  target_type: number
  target_value: string
  verify_registration_id: boolean
  notification: Notification
}

/** Sends to one device and shows the notification OPPO got, with what differs from push to push taken out of it. */
const notificationOf = async (message: Record<string, unknown>, { setting = {}, token = registrationId() } = {}) => {
  const phone = await world.addDevice({ oppo: token })
  const from = Date.now()
  const { task, pushes } = await pushed(world, 'oppo', message, { to: toDevices(phone), setting })
  const [push, ...more] = pushes
  if (!push || more.length > 0) throw new Error(`OPPO got ${pushes.length} requests`)
  const [{ notification, ...unicast }] = push.fields as [Unicast]
  const { app_message_id, action_parameters, off_line_ttl, ...shown } = notification
  return {
    task, phone, token, from, push, unicast, shown, id: app_message_id as string,
    data: JSON.parse(action_parameters as string) as Record<string, string>, seconds: off_line_ttl as number,
  }
}

/** What every notification of a task carries. */
const always = (task: number): Notification => ({
  style: 1, click_action_type: 0, off_line: true, badge_operation_type: 1,
  call_back_url: receiptUrl, call_back_parameter: `${task}`,
})

test('a text to one device is a signed request for access and the documented unicast, nothing else', limit, async (t: TestContext) => {
    const since = tap.calls.length
  const ext = { order: exactly('12345678901234567890'), deep: { list: [1, null, '字'] } }
  const one = await notificationOf({ title: 'Hi & bye', body: '50% off + 你好', ext })
  const { task, token, push, unicast, shown, id, data, seconds } = one
  t.assert.deepEqual(unicast, { target_type: 2, target_value: token, verify_registration_id: false })
  t.assert.deepEqual(shown, { ...always(task), title: 'Hi & bye', content: '50% off + 你好' })
  t.assert.deepEqual(data, {
    task_id: `${task}`, channel: 'oppo', type: 'text', ext: '{"order":12345678901234567890,"deep":{"list":[1,null,"字"]}}',
  })
  t.assert.match(id, /^\S{1,64}$/)
  t.assert.ok(areLeftOf(seconds, 86_400, one))
  t.assert.deepEqual(push.taken, [token])
  t.assert.ok(receiptUrl.length <= 200)

  const [auth, sent, ...more] = tap.calls.slice(since)
  t.assert.deepEqual(more, [])
  t.assert.deepEqual([auth!.method, auth!.path, auth!.headers['content-type']], ['POST', '/server/v1/auth', FORM])
  const { app_key, app_secret } = world.certificates.oppo
  const { timestamp, sign, ...rest } = formOf(auth!)
  t.assert.deepEqual(rest, { app_key })
  t.assert.match(timestamp!, /^[0-9]{13}$/)
  t.assert.equal(sign, createHash('sha256').update(`${app_key}${timestamp}${app_secret}`).digest('hex'))
  t.assert.deepEqual([sent!.method, sent!.path, sent!.headers['content-type']], ['POST', `${base}/unicast`, FORM])
  t.assert.deepEqual(Object.keys(formOf(sent!)).sort(), ['auth_token', 'message'])
  t.assert.match(formOf(sent!).auth_token!, /^[0-9a-f]{24}$/)
  const counters = { oppo_target: 1, oppo_sent: 1, oppo_received: 1 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
})

test('an image goes as text, and the app gets the address of the picture', limit, async (t: TestContext) => {
  const attachment_url = 'https://example.com/a.jpg'
  const { task, shown, data } = await notificationOf({ type: 'image', title: 'T', body: 'B', attachment_url })
  t.assert.deepEqual(shown, { ...always(task), title: 'T', content: 'B' })
  t.assert.deepEqual(data, { task_id: `${task}`, channel: 'oppo', type: 'image', attachment_url })
})

test("the oppo object goes before android, and an intent opens its page with the intent's values", limit, async (t: TestContext) => {
  const intent = 'intent:#Intent;component=com.example.app/.Chat;S.room=a%20b;i.count=3;end'
  const android = { sound: 'bell', channel_id: 'android-channel', click_action: 'intent', intent }
  const others = { huawei: { channel_id: 'h' }, vivo: { classification: 1 }, xiaomi: { channel_id: 'x' } }
  const byAndroid = await notificationOf({ title: 'T', body: 'B', android, ...others })
  t.assert.deepEqual(byAndroid.shown, {
    ...always(byAndroid.task), title: 'T', content: 'B', channel_id: 'android-channel',
    click_action_type: 4, click_action_activity: 'com.example.app.Chat',
  })
  const values = { room: 'a b', count: '3' }
  t.assert.deepEqual(byAndroid.data, { ...values, task_id: `${byAndroid.task}`, channel: 'oppo', type: 'text' })
  const oppo = { channel_id: 'own', click_action: 'open_app' }
  const byBoth = await notificationOf({ title: 'T', body: 'B', android, oppo })
  t.assert.deepEqual(byBoth.shown, { ...always(byBoth.task), title: 'T', content: 'B', channel_id: 'own' })
})

test('title and text are cut to 50 characters, a long text to 128, an emoji at the cut whole', limit, async (t: TestContext) => {
  const { shown: short } = await notificationOf({ title: `${'字'.repeat(49)}😀😀`, body: `${'语'.repeat(49)}🎉` })
  t.assert.deepEqual([short.title, short.content], [`${'字'.repeat(49)}😀`, `${'语'.repeat(49)}🎉`])
  t.assert.equal(short.style, 1)
  const { shown: long } = await notificationOf({ title: 'T', body: `${'语'.repeat(127)}🎉🎉` })
  t.assert.deepEqual([long.content, long.style], [`${'语'.repeat(127)}🎉`, 2])
  const ios = { subtitle: `${'副'.repeat(9)}😀😀` }
  const { shown: big } = await notificationOf({ title: 'T', body: 'B', big_text: '大', ios })
  t.assert.deepEqual([big.content, big.style, big.sub_title], ['大', 2, `${'副'.repeat(9)}😀`])
})

test("a blank title is the app's name, a blank body the title", limit, async (t: TestContext) => {
  const { shown: both } = await notificationOf({ title: '\t', body: ' ', ext: { a: 1 } })
  t.assert.deepEqual([both.title, both.content], ['Demo', 'Demo'])
  const { shown: body } = await notificationOf({ title: '你好' })
  t.assert.deepEqual([body.title, body.content], ['你好', '你好'])
})

test('the time to live is at most ten days; now or never is not kept for a device that is off', limit, async (t: TestContext) => {
  const short = await notificationOf({ title: 'T' }, { setting: { time_to_live: 600, priority: 'high' } })
  t.assert.ok(areLeftOf(short.seconds, 600, short))
  t.assert.deepEqual(short.shown, { ...always(short.task), title: 'T', content: 'T' })
  t.assert.equal((await notificationOf({ title: 'T' }, { setting: { time_to_live: 2_592_000 } })).seconds, 864_000)
  const now = await notificationOf({ title: 'T' }, { setting: { time_to_live: 0 } })
  t.assert.deepEqual([now.shown.off_line, now.seconds], [false, undefined])
})

test('pushes with one collapse_id share their notify_id, and without one there is none', limit, async (t: TestContext) => {
  const setting = { collapse_id: 'score-42' }
  const first = await notificationOf({ title: '1' }, { setting })
  const second = await notificationOf({ title: '2' }, { setting })
  const id = first.shown.notify_id as number
  t.assert.ok(Number.isInteger(id) && id > 0 && id < 2 ** 31)
  t.assert.deepEqual(second.shown, { ...always(second.task), title: '2', content: '2', notify_id: id })
  t.assert.notEqual(first.id, second.id)
  const { shown: byIos } = await notificationOf({ title: '3', ios: { apns_collapse_id: 'score-42' } })
  t.assert.equal(byIos.notify_id, id)
})

test('OPPO itself shows a push within its time; it is handed over at once', limit, async (t: TestContext) => {
  const now = Math.floor(Date.now() / 1000)
  const both = await notificationOf({ title: 'T', show_begin_time: now + 3600, show_end_time: now + 7200 })
  const window = { show_time_type: 1, show_start_time: (now + 3600) * 1000, show_end_time: (now + 7200) * 1000 }
  t.assert.deepEqual(both.shown, { ...always(both.task), title: 'T', content: 'T', ...window })
  t.assert.ok(areLeftOf(both.seconds, 7200, { from: now * 1000, push: both.push }))
  const begin = await notificationOf({ title: 'T', show_begin_time: now + 3600 }, { setting: { time_to_live: 600 } })
  t.assert.equal(begin.shown.show_start_time, (now + 3600) * 1000)
  t.assert.equal(begin.shown.show_end_time, (now + 4200) * 1000)
  const end = await notificationOf({ title: 'T', show_end_time: now + 3600 })
  const opened = end.shown.show_start_time as number
  t.assert.ok(opened >= end.from && opened <= end.push.at)
  t.assert.equal(end.shown.show_end_time, (now + 3600) * 1000)
})

test('a badge is set to its number, one is added as one, and more as the number it leads to', limit, async (t: TestContext) => {
  const set = await notificationOf({ title: 'T', badge: '5' })
  const five = { badge_operation_type: 0, badge_message_count: 5 }
  t.assert.deepEqual(set.shown, { ...always(set.task), title: 'T', content: 'T', ...five })
  const other = await world.addDevice({ oppo: registrationId() })
  const { pushes } = await pushed(world, 'oppo', { title: 'T', badge: '+3' }, { to: toDevices(set.phone, other) })
  const both = (pushes[0]!.fields as Unicast[]).map(({ notification }) => notification)
  t.assert.deepEqual(both.map((one) => [one.badge_operation_type, one.badge_message_count]), [[0, 8], [0, 3]])
  const { shown: most } = await notificationOf({ title: 'T', badge: '1000' })
  t.assert.equal(most.badge_message_count, 99)
})

test("the app's options are the defaults: bar channel, category, level and template", limit, async (t: TestContext) => {
  const options = { default_channel_id: 'news', default_category: 'IM', notify_level: 2, private_template_id: 'tpl-1' }
  await world.setCertificate('oppo', { options })
  const chat = await notificationOf({ title: 'T' })
  const defaults = { category: 'IM', notify_level: 2, private_msg_template_id: 'tpl-1' }
  t.assert.deepEqual(chat.shown, { ...always(chat.task), title: 'T', content: 'T', channel_id: 'news', ...defaults })
  const { shown } = await notificationOf({ title: 'T', android: { channel_id: 'chat' } })
  t.assert.equal(shown.channel_id, 'chat')
  await world.setCertificate('oppo')
})

test('a cmd is not for OPPO: the next vendor that can carry it gets it', limit, async (t: TestContext) => {
  simulators.order({ vendor: 'xiaomi', options: { passThrough: true } })
  await world.setCertificate('xiaomi', { options: { pass_through: true } })
  const phone = await world.addDevice({ oppo: registrationId(), xiaomi: vendorToken('xiaomi') })
  const message = { type: 'cmd', ext: { sync: true } }
  const setting = { ospush_sequence: ['oppo', 'xiaomi'] }
  let task = 0
  const calls = await tap.during(async () => {
    const sent = await pushed(world, 'xiaomi', message, { to: toDevices(phone), setting })
    t.assert.equal(sent.pushes.length, 1)
    task = sent.task
  })
  t.assert.deepEqual(calls, [])
  const counters = { xiaomi_target: 1, xiaomi_sent: 1, xiaomi_received: 1 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
  await world.setCertificate('xiaomi')
  const nowhere = await pushed(world, 'oppo', message, { to: toDevices(phone), setting })
  t.assert.deepEqual(nowhere.pushes, [])
  t.assert.deepEqual(await counted(world, nowhere.task), {})
})

test('401 devices get it in batches, each with an id of its own, a remainder of one alone, and all are counted', limit, async (t: TestContext) => {
  const tokens = Array.from({ length: 401 }, () => registrationId())
  await world.importDevices('oppo', tokens, 'crowd')
  const { task, pushes } = await pushed(world, 'oppo', { title: '大家好' }, { to: { tag: ['crowd'] } })
  const sizes = Map.groupBy(pushes, ({ path }) => path)
  t.assert.deepEqual(sizes.get(`${base}/unicast`)?.map(({ taken }) => taken.length), [1])
  t.assert.deepEqual(sizes.get(`${base}/unicast_batch`)?.map(({ taken }) => taken.length), [200, 200])
  const messages = pushes.flatMap(({ fields }) => fields as Unicast[])
  t.assert.deepEqual(messages.map(({ target_value }) => target_value).sort(), tokens.sort())
  t.assert.equal(new Set(messages.map(({ notification }) => notification.app_message_id)).size, 401)
  for (const { notification, target_value: _, ...unicast } of messages) {
    const { app_message_id: _id, off_line_ttl: _ttl, action_parameters, ...shown } = notification
    t.assert.deepEqual(unicast, { target_type: 2, verify_registration_id: false })
    t.assert.deepEqual(shown, { ...always(task), title: '大家好', content: '大家好' })
    t.assert.deepEqual(JSON.parse(action_parameters as string), { task_id: `${task}`, channel: 'oppo', type: 'text' })
  }
  const counters = { oppo_target: 401, oppo_sent: 401, oppo_received: 401 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
})

test('devices of China and those elsewhere get requests of their own, each with its own access', limit, async (t: TestContext) => {
  await world.setCertificate('oppo')
  const china = [registrationId(), registrationId('CN_'), registrationId('OPPO_CN_')]
  const overseas = [registrationId('IN_'), registrationId('realme_IN_')]
  const phones: Login[] = []
  const mixed = [china[0]!, overseas[0]!, china[1]!, overseas[1]!, china[2]!]
  for (const oppo of mixed) phones.push(await world.addDevice({ oppo }))
  const to = toDevices(...phones)
  let pushes: readonly { taken: readonly string[] }[] = []
  const calls = await tap.during(async () => ({ pushes } = await pushed(world, 'oppo', { title: 'T' }, { to })))
  t.assert.equal(calls.filter(isAuth).length, 2)
  t.assert.equal(new Set(calls.filter(isPush).map((call) => formOf(call).auth_token)).size, 2)
  const reached = pushes.map(({ taken }) => [...taken].sort())
  t.assert.deepEqual(reached.sort((a, b) => b.length - a.length), [china.sort(), overseas.sort()])
  const again = await tap.during(() => pushed(world, 'oppo', { title: 'T' }, { to }))
  t.assert.equal(again.filter(isAuth).length, 0)
})

test('of several devices, the one OPPO names as bad is dead and the others have it', limit, async (t: TestContext) => {
  const [good, bad] = [registrationId(), registrationId()]
  const phones = [await world.addDevice({ oppo: good }), await world.addDevice({ oppo: bad })]
  simulators.order({ vendor: 'oppo', token: bad, outcome: '10000' })
  const { task, pushes } = await pushed(world, 'oppo', { title: 'T' }, { to: toDevices(...phones) })
  t.assert.deepEqual(pushes.map(({ taken }) => taken), [[good]])
  const counters = { oppo_target: 2, oppo_sent: 1, oppo_received: 1 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
  const again = await pushed(world, 'oppo', { title: 'T' }, { to: toDevices(...phones) })
  t.assert.deepEqual(again.pushes.map(({ tokens }) => tokens), [[good]])
})

test('receipts tell of a token that is gone, and of a device that has had its share of the day', limit, async (t: TestContext) => {
  const [gone, full] = [registrationId(), registrationId()]
  const phones = [await world.addDevice({ oppo: gone }), await world.addDevice({ oppo: full })]
  simulators.order({ vendor: 'oppo', token: gone, outcome: 'regid_invalid' })
  simulators.order({ vendor: 'oppo', token: full, outcome: 'user_daily_limit' })
  const { task } = await pushed(world, 'oppo', { title: 'T' }, { to: toDevices(...phones) })
  const told = () => simulators.receipts('oppo').filter(({ body }) => body.includes(`"param":"${task}"`))
  await carillon.until(async () => told(), (receipts) => receipts.length > 0)
  t.assert.deepEqual(told().map(({ result }) => result), [200])
  t.assert.deepEqual(await counted(world, task), { oppo_target: 2, oppo_sent: 2 })
  const again = await pushed(world, 'oppo', { title: 'T' }, { to: toDevices(...phones) })
  t.assert.deepEqual(again.pushes.map(({ tokens }) => tokens), [[full]])
})

test('a receipt with the id of another app is not taken', limit, async (t: TestContext) => {
  const { task, token, phone } = await notificationOf({ title: 'T' })
  await countedOnce(world, task, { oppo_received: 1 })
  const event = { eventTime: '1700000003123', param: `${task}`, eventType: 'regid_invalid' }
  const body = JSON.stringify([{ messageId: 'm', appId: 'Other', taskId: 'm', registrationIds: token, ...event }])
  const response = await fetch(receiptUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  t.assert.equal(response.status, 403)
  const { pushes } = await pushed(world, 'oppo', { title: 'T' }, { to: toDevices(phone) })
  t.assert.deepEqual(pushes.map(({ taken }) => taken), [[token]])
})

test('access that ran out is renewed once', limit, (t: TestContext) => expiredAccessIsRenewedOnce(t, world, 'oppo', 1))

test('however many requests find that access ran out, it is renewed once and each is repeated once', limit, async (t: TestContext) => {
  await world.setCertificate('oppo')
  const tokens = Array.from({ length: 401 }, () => registrationId())
  await world.importDevices('oppo', tokens, 'late')
  let old = ''
  const ranOut = (call: Call): string | undefined => {
    if (!isPush(call)) return undefined
    const { auth_token } = formOf(call)
    old ||= auth_token!
    return auth_token === old ? '{"code":11,"message":"Invalid AuthToken"}' : undefined
  }
  let task = 0
  const calls = await tap.answering(ranOut, async () => (task = await world.send({ title: 'T' }, { tag: ['late'] })))
  t.assert.equal(calls.filter(isAuth).length, 2)
  t.assert.equal(calls.filter(isPush).length, 6)
  t.assert.equal((await counted(world, task)).oppo_sent, 401)
  t.assert.equal((await laneOf(world, 'oppo'))?.state, 'open')
})

test('a wrong secret pauses the lane, and the right one wakes it', limit, (t: TestContext) =>
  wrongCredentialsWait(t, world, 'oppo', {
    wrong: { app_secret: 'f'.repeat(32) }, words: /must be the MasterSecret \(16/,
  }))

test('a dead token goes on to the next vendor and is not used again until it is bound anew', limit, (t: TestContext) =>
  tokenIsDead(t, world, 'oppo', { outcome: '10000', next: 'xiaomi', words: /oppo: the vendor says .* gone \(.*10000/ }))

test('a code nobody knows is tried three times more, then refused, counted and shown', limit, (t: TestContext) =>
  codeIsUnknown(t, world, 'oppo', {
    tap, isPush, answer: '{"code":777,"message":"Brand new"}', words: /oppo: refused \(.*777: Brand new/,
  }))

test("used up messages of the day pause the lane until China's next day, and a webhook tells", limit, (t: TestContext) =>
  dayIsUsedUp(t, world, 'oppo', { outcome: '33', words: /messages of the day are used up \(33/ }))
