import { createHash } from 'node:crypto'
import { after, test, type TestContext } from 'node:test'
import type { Login } from '../harness/carillon.ts'
import { startVendorWorld, vendorToken } from '../harness/vendor-world.ts'
import {
  areLeftOf, counted, countedOnce, exactly, laneOf, pushed, receiptUrlOf, startReceiptDoor, toDevices,
} from './exercise.ts'
import { expiredAccessIsRenewedOnce, wrongCredentialsWait } from './stories.ts'
import { startTap, type Call } from './tap.ts'
import { codeIsUnknown, dayIsUsedUp, tokenIsDead } from './troubles.ts'

const tap = await startTap({ after })
const door = await startReceiptDoor({ after })
const world = await startVendorWorld({ after }, {
  vendors: ['vivo', 'xiaomi'],
  env: { CARILLON_VENDOR_URL_VIVO: tap.url },
  simulators: { receiptUrls: { vivo: door.urlFor('vivo') } },
})
const { carillon, simulators } = world
tap.lead(simulators.urls.vivo)
await door.lead(world, 'vivo')

const limit = { timeout: 60_000 }
const JSON_TYPE = 'application/json;charset=UTF-8'
const intent = 'intent:#Intent;component=com.example.app/.Chat;S.room=7;end'
const regId = (): string => `v2-${vendorToken('vivo')}`

const receiptUrl = await receiptUrlOf(world, 'vivo')

type Body = Record<string, unknown>
const bodyOf = ({ body }: Call): Body => JSON.parse(body)
const pathsOf = (...names: string[]): string[] => names.map((name) => `/message/${name}`)
const isTo = (name: string) => ({ path }: Call): boolean => path === `/message/${name}`

/** Sends to one device and shows the body vivo got, with what differs from push to push taken out of it. */
const bodySent = async (message: Record<string, unknown>, { setting = {}, token = regId() } = {}) => {
  const phone = await world.addDevice({ vivo: token })
  const from = Date.now()
  const { task, pushes } = await pushed(world, 'vivo', message, { to: toDevices(phone), setting })
  const [push, ...more] = pushes
  if (!push || more.length > 0) throw new Error(`vivo got ${pushes.length} requests`)
  const { requestId, timeToLive, ...body } = push.fields as Body
  return { task, phone, token, from, push, body, requestId: requestId as string, seconds: timeToLive as number }
}

/** What every message of a task carries, to one device or to a list. */
const shared = (task: number, type = 'text'): Body => ({
  appId: 100_004, notifyType: 4, skipType: 1, classification: 0, pushMode: 0, addBadge: true,
  clientCustomMap: { task_id: `${task}`, channel: 'vivo', type },
})
/** What one to a single device carries beside it. */
const always = (task: number, token: string, type?: string): Body => ({
  ...shared(task, type), regId: token, extra: { callback: receiptUrl, 'callback.param': `${task}` },
})

const addPhones = async (tokens: readonly string[]) => {
  const phones: Login[] = []
  for (const vivo of tokens) phones.push(await world.addDevice({ vivo }))
  return toDevices(...phones)
}

test('a text to one device is a signed request for access and the documented message, nothing else', limit, async (t: TestContext) => {
    const since = tap.calls.length
  const ext = { order: exactly('12345678901234567890'), deep: { list: [1, null, '字'] } }
  const one = await bodySent({ title: '你好', body: '订单已发货', ext })
  const { task, token, push, body, requestId, seconds } = one
  const clientCustomMap = {
    task_id: `${task}`, channel: 'vivo', type: 'text', ext: '{"order":12345678901234567890,"deep":{"list":[1,null,"字"]}}',
  }
  t.assert.deepEqual(body, { ...always(task, token), title: '你好', content: '订单已发货', clientCustomMap })
  t.assert.match(requestId, new RegExp(`^${task}\\.[0-9]+$`))
  t.assert.ok(areLeftOf(seconds, 86_400, one))
  t.assert.deepEqual(push.taken, [token])
  t.assert.ok(receiptUrl.length <= 128)

  const [auth, sent, ...more] = tap.calls.slice(since)
  t.assert.deepEqual(more, [])
  t.assert.deepEqual([auth!.method, auth!.path, auth!.headers['content-type']], ['POST', '/message/auth', JSON_TYPE])
  const { app_key, app_secret } = world.certificates.vivo
  const { timestamp, sign, ...rest } = bodyOf(auth!)
  t.assert.deepEqual(rest, { appId: 100_004, appKey: app_key })
  t.assert.match(String(timestamp), /^[0-9]{13}$/)
  t.assert.equal(sign, createHash('md5').update(`100004${app_key}${timestamp}${app_secret}`).digest('hex'))
  t.assert.deepEqual([sent!.method, sent!.path, sent!.headers['content-type']], ['POST', '/message/send', JSON_TYPE])
  t.assert.equal('authtoken' in auth!.headers, false)
  t.assert.match(String(sent!.headers.authtoken), /^[0-9a-f-]{36}$/)
  const counters = { vivo_target: 1, vivo_sent: 1, vivo_received: 1 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
})

test('an image goes as text, and the app gets the address of the picture', limit, async (t: TestContext) => {
  const attachment_url = 'https://example.com/a.jpeg'
  const { task, token, body } = await bodySent({ type: 'image', title: 'T', body: 'B', attachment_url })
  const clientCustomMap = { task_id: `${task}`, channel: 'vivo', type: 'image', attachment_url }
  t.assert.deepEqual(body, { ...always(task, token), title: 'T', content: 'B', clientCustomMap })
})

test('the vivo object goes before android: sound, page, class and mode', limit, async (t: TestContext) => {
  const android = { sound: 'none', channel_id: 'c', click_action: 'intent', intent }
  const others = { huawei: { sound: 'h', badge_class: 'x' }, oppo: { channel_id: 'o' }, ios: { subtitle: 's' } }
  const byAndroid = await bodySent({ title: 'T', body: 'B', android, ...others })
  t.assert.deepEqual(byAndroid.body, {
    ...always(byAndroid.task, byAndroid.token), title: 'T', content: 'B', notifyType: 1, skipType: 4, skipContent: intent,
  })
  const token = regId()
  simulators.order({ vendor: 'vivo', options: { testDevices: token } })
  const vivo = { sound: 'default', click_action: 'open_app', classification: 1, push_mode: 1 }
  const byBoth = await bodySent({ title: 'T', body: 'B', android, vivo }, { token })
  t.assert.deepEqual(byBoth.body, { ...always(byBoth.task, token), title: 'T', content: 'B', classification: 1, pushMode: 1 })
  t.assert.deepEqual(byBoth.push.taken, [token])
})

test('a test push to a device that is not listed for tests is refused, and its token is kept', limit, async (t: TestContext) => {
  const refused = await bodySent({ title: 'T', vivo: { push_mode: 1 } })
  t.assert.deepEqual(refused.push.taken, [])
  t.assert.match(await carillon.trace(refused.task, refused.phone.push_token), /vivo: refused \(not a test device.*status 4/)
  t.assert.deepEqual(await counted(world, refused.task), { vivo_target: 1 })
  const { pushes } = await pushed(world, 'vivo', { title: 'T' }, { to: toDevices(refused.phone) })
  t.assert.deepEqual(pushes.map(({ taken }) => taken), [[refused.token]])
})

test('title and text are cut to 40 and 100 characters, an emoji at the cut whole', limit, async (t: TestContext) => {
  const { body: cut } = await bodySent({ title: `${'字'.repeat(39)}😀😀`, body: `${'语'.repeat(99)}🎉🎉` })
  t.assert.deepEqual([cut.title, cut.content], [`${'字'.repeat(39)}😀`, `${'语'.repeat(99)}🎉`])
  const { body: big } = await bodySent({ title: 'T', big_text: '大'.repeat(101) })
  t.assert.equal(big.content, '大'.repeat(100))
})

test('where vivo counts wide characters twice it is cut once more, for one device and for a list', limit, async (t: TestContext) => {
  simulators.order({ vendor: 'vivo', options: { wideCharactersCountTwice: true } })
  const message = { title: `${'字'.repeat(30)}a`, body: '语'.repeat(80) }
  const narrow = { title: '字'.repeat(20), content: '语'.repeat(50) }
  const [one, two] = [regId(), regId()]
  const single = await pushed(world, 'vivo', message, { to: await addPhones([one]) })
  t.assert.deepEqual(single.pushes.map(({ taken }) => taken), [[], [one]])
  const { title, content } = single.pushes[1]!.fields as Body
  t.assert.deepEqual({ title, content }, narrow)
  const to = await addPhones([one, two])
  let list: Awaited<ReturnType<typeof pushed>> | undefined
  const calls = await tap.during(async () => (list = await pushed(world, 'vivo', message, { to })))
  t.assert.deepEqual(calls.map(({ path }) => path), pathsOf('saveListPayload', 'saveListPayload', 'pushToList'))
  t.assert.equal(bodyOf(calls[1]!).title, narrow.title)
  t.assert.equal(bodyOf(calls[1]!).content, narrow.content)
  t.assert.deepEqual(list!.pushes.map(({ taken }) => taken.length), [2])
  simulators.order({ vendor: 'vivo', options: { wideCharactersCountTwice: false } })
})

test("a blank title is the app's name, a blank body the title", limit, async (t: TestContext) => {
  const { body: both } = await bodySent({ title: '', body: ' ', ext: { a: 1 } })
  t.assert.deepEqual([both.title, both.content], ['Demo', 'Demo'])
  const { body } = await bodySent({ title: '你好' })
  t.assert.deepEqual([body.title, body.content], ['你好', '你好'])
})

test('the time to live is a minute to a day; now or never is for devices that are online', limit, async (t: TestContext) => {
  const short = await bodySent({ title: 'T' }, { setting: { time_to_live: 600, priority: 'high' } })
  t.assert.ok(areLeftOf(short.seconds, 600, short))
  t.assert.deepEqual(short.body, { ...always(short.task, short.token), title: 'T', content: 'T' })
  t.assert.equal((await bodySent({ title: 'T' }, { setting: { time_to_live: 50 } })).seconds, 60)
  t.assert.equal((await bodySent({ title: 'T' }, { setting: { time_to_live: 2_592_000 } })).seconds, 86_400)
  const now = await bodySent({ title: 'T' }, { setting: { time_to_live: 0 } })
  t.assert.deepEqual([now.body.sendOnline, now.seconds], [true, undefined])
})

test('pushes with one collapse_id share their notifyId, and without one there is none', limit, async (t: TestContext) => {
  const setting = { collapse_id: 'score-42' }
  const [first, second] = [await bodySent({ title: '1' }, { setting }), await bodySent({ title: '2' }, { setting })]
  const id = first.body.notifyId as number
  t.assert.ok(Number.isInteger(id) && id > 0 && id < 2 ** 31)
  t.assert.deepEqual(second.body, { ...always(second.task, second.token), title: '2', content: '2', notifyId: id })
  t.assert.notEqual(first.requestId, second.requestId)
  const { body: byIos } = await bodySent({ title: '3', ios: { apns_collapse_id: 'score-42' } })
  t.assert.equal(byIos.notifyId, id)
})

test('a badge is added to by one; vivo cannot set it, so the app gets the number', limit, async (t: TestContext) => {
  const set = await bodySent({ title: 'T', badge: '5' })
  const { addBadge: _, ...rest } = always(set.task, set.token)
  const clientCustomMap = { task_id: `${set.task}`, channel: 'vivo', type: 'text', badge: '5' }
  t.assert.deepEqual(set.body, { ...rest, title: 'T', content: 'T', clientCustomMap })
  const added = await bodySent({ title: 'T', badge: '+3' })
  t.assert.deepEqual(added.body, { ...always(added.task, added.token), title: 'T', content: 'T' })
  const none = await bodySent({ title: 'T', badge: '+0' })
  t.assert.equal('addBadge' in none.body, false)
})

test('an ext too long for vivo is left out, and the push arrives without it', limit, async (t: TestContext) => {
  const { task, push, body } = await bodySent({ title: 'T', ext: { long: 'x'.repeat(1100) } })
  t.assert.deepEqual(body.clientCustomMap, { task_id: `${task}`, channel: 'vivo', type: 'text' })
  t.assert.equal(push.taken.length, 1)
})

const CHINA_MS = 8 * 3_600_000
const DAY_MS = 86_400_000
/** In a quarter of an hour, for ten minutes, on one day in China whatever the time is. */
const windowSoon = (): { begin: number; end: number } => {
  const begin = Math.floor(Date.now() / 1000) + 900
  const dayOf = (seconds: number) => Math.floor((seconds * 1000 + CHINA_MS) / DAY_MS)
  const later = dayOf(begin) === dayOf(begin + 600) ? 0 : 600
  return { begin: begin + later, end: begin + later + 600 }
}

test('vivo itself shows a push within its time, where its rules for that allow it', limit, async (t: TestContext) => {
  const { begin, end } = windowSoon()
  // A system message is free of the hours of the day.
  const window = { show_begin_time: begin, show_end_time: end }
  const one = await bodySent({ title: 'T', ...window, vivo: { classification: 1 } })
  const { task, token, body, seconds, from, push } = one
  const times = { show_begin_time: `${begin}`, show_end_time: `${end}` }
  const clientCustomMap = { task_id: `${task}`, channel: 'vivo', type: 'text', ...times }
  const timedDisplay = { overtimeDisplay: false, showStartTime: begin * 1000, showEndTime: end * 1000 }
  const asSystem = { classification: 1, clientCustomMap, timedDisplay }
  t.assert.deepEqual(body, { ...always(task, token), title: 'T', content: 'T', ...asSystem })
  const second = Math.floor(from / 1000)
  t.assert.ok(areLeftOf(seconds, end - second, { from: second * 1000, push }))
})

test('what vivo would not show in time is handed over when its time has come', limit, async (t: TestContext) => {
  const begin = Math.floor(Date.now() / 1000) + 2
  const window = { show_begin_time: begin, show_end_time: begin + 600 }
  const { push, body, seconds } = await bodySent({ title: 'T', ...window, vivo: { classification: 1 } })
  t.assert.ok(push.at >= begin * 1000)
  t.assert.equal('timedDisplay' in body, false)
  t.assert.ok(areLeftOf(seconds, 600, { from: begin * 1000, push }))
})

test("the app's options are the categories of both classes, and the id its receipts are known by", limit, async (t: TestContext) => {
  const categories = { system_category: 'ORDER', operational_category: 'NEWS' }
  await world.setCertificate('vivo', { options: { ...categories, receipt_id: '4711' } })
  for (const [classification, category] of [[1, 'ORDER'], [0, 'NEWS']] as const) {
    const { task, token, body } = await bodySent({ title: 'T', vivo: { classification } })
    const extra = { 'callback.id': '4711', 'callback.param': `${task}` }
    t.assert.deepEqual(body, { ...always(task, token), title: 'T', content: 'T', classification, category, extra })
    await countedOnce(world, task, { vivo_received: 1 })
  }
  await world.setCertificate('vivo')
})

test('a cmd is not for vivo: the next vendor that can carry it gets it', limit, async (t: TestContext) => {
  simulators.order({ vendor: 'xiaomi', options: { passThrough: true } })
  await world.setCertificate('xiaomi', { options: { pass_through: true } })
  const phone = await world.addDevice({ vivo: regId(), xiaomi: vendorToken('xiaomi') })
  const message = { type: 'cmd', ext: { sync: true } }
  const setting = { ospush_sequence: ['vivo', 'xiaomi'] }
  let task = 0
  const to = toDevices(phone)
  const calls = await tap.during(async () => ({ task } = await pushed(world, 'xiaomi', message, { to, setting })))
  t.assert.deepEqual(calls, [])
  const counters = { xiaomi_target: 1, xiaomi_sent: 1, xiaomi_received: 1 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
  await world.setCertificate('xiaomi')
  const nowhere = await pushed(world, 'vivo', message, { to, setting })
  t.assert.deepEqual(nowhere.pushes, [])
  t.assert.deepEqual(await counted(world, nowhere.task), {})
})

test('for 1,001 devices the body is stored once, a remainder of one goes by itself, and all are counted', limit, async (t: TestContext) => {
  await world.setCertificate('vivo', { options: { receipt_id: '4711' } })
  const tokens = Array.from({ length: 1001 }, regId)
  await world.importDevices('vivo', tokens, 'crowd')
  let sent: Awaited<ReturnType<typeof pushed>> | undefined
  const to = { tag: ['crowd'] }
  const from = Date.now()
  const calls = await tap.during(async () => (sent = await pushed(world, 'vivo', { title: '大家好' }, { to })))
  const { task, pushes } = sent!
  const extra = { 'callback.id': '4711', 'callback.param': `${task}` }
  const stored = calls.filter(isTo('saveListPayload')).map(bodyOf)
  t.assert.equal(stored.length, 1)
  const { requestId: _saved, timeToLive, ...body } = stored[0]!
  t.assert.deepEqual(body, { ...shared(task), title: '大家好', content: '大家好', extra })
  t.assert.ok(areLeftOf(timeToLive as number, 86_400, { from, push: pushes.at(-1)! }))

  const lists = calls.filter(isTo('pushToList')).map(bodyOf)
  const singles = calls.filter(isTo('send')).map(bodyOf)
  const sizes = lists.map(({ regIds }) => (regIds as string[]).length)
  t.assert.deepEqual(sizes.sort((a, b) => a - b), [200, 400, 400])
  t.assert.equal(singles.length, 1)
  const { requestId: _sent, timeToLive: _ttl, ...single } = singles[0]!
  t.assert.deepEqual(single, { ...always(task, single.regId as string), title: '大家好', content: '大家好', extra })
  t.assert.equal(new Set(lists.map(({ taskId }) => taskId)).size, 1)
  for (const { regIds: _regIds, taskId: _taskId, requestId: _requestId, ...list } of lists) {
    t.assert.deepEqual(list, { appId: 100_004, pushMode: 0 })
  }
  const requestIds = [...stored, ...lists, ...singles].map(({ requestId }) => requestId as string)
  t.assert.equal(new Set(requestIds).size, 5)
  t.assert.ok(requestIds.every((id) => id.length <= 64))
  t.assert.deepEqual(pushes.flatMap(({ taken }) => taken).sort(), tokens.sort())
  const counters = { vivo_target: 1001, vivo_sent: 1001, vivo_received: 1001 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
  await world.setCertificate('vivo')
})

test("once the day's stored bodies are used up, devices are sent to one by one, and no further body is tried", limit, async (t: TestContext) => {
  simulators.order({ vendor: 'vivo', options: { bodiesPerDay: 0 } })
  await world.importDevices('vivo', Array.from({ length: 12 }, regId), 'poor')
  const to = { tag: ['poor'] }
  const first = await tap.during(async () => void (await pushed(world, 'vivo', { title: '大家好' }, { to })))
  const second = await tap.during(async () => void (await pushed(world, 'vivo', { title: '大家好' }, { to })))
  const counted = [first, second].map((calls) => ['saveListPayload', 'pushToList', 'send'].map((path) => calls.filter(isTo(path)).length))
  t.assert.deepEqual(counted, [[1, 0, 12], [0, 0, 12]])
  simulators.order({ vendor: 'vivo', options: { bodiesPerDay: 10_000 } })
  await world.setCertificate('vivo', { name: 'another vivo' }) // a changed record begins anew
})

test('of a list, those vivo calls invalid are dead, and one long offline keeps its token', limit, async (t: TestContext) => {
  const tokens = [regId(), regId(), regId(), regId()]
  const [good, unknown, uninstalled, inactive] = tokens
  simulators.order({ vendor: 'vivo', token: unknown!, outcome: 'unknown' })
  simulators.order({ vendor: 'vivo', token: uninstalled!, outcome: 'uninstalled' })
  simulators.order({ vendor: 'vivo', token: inactive!, outcome: 'inactive' })
  const to = await addPhones(tokens)
  const { task, pushes } = await pushed(world, 'vivo', { title: 'T' }, { to })
  t.assert.deepEqual(pushes.map(({ taken }) => taken), [[good]])
  // Without an id for receipts, vivo reports single devices alone.
  t.assert.deepEqual(await counted(world, task), { vivo_target: 4, vivo_sent: 1 })
  const again = await pushed(world, 'vivo', { title: 'T' }, { to })
  t.assert.deepEqual(again.pushes.map((push) => new Set(push.tokens)), [new Set([good, inactive])])
})

test('receipts tell of a token that is gone, and of what was not shown', limit, async (t: TestContext) => {
  await world.setCertificate('vivo', { options: { receipt_id: '4711' } })
  const [gone, expired] = [regId(), regId()]
  simulators.order({ vendor: 'vivo', token: gone, outcome: 'receipt 2183' })
  simulators.order({ vendor: 'vivo', token: expired, outcome: 'receipt 2144' })
  const to = await addPhones([gone, expired])
  const { task } = await pushed(world, 'vivo', { title: 'T' }, { to })
  const told = () => simulators.receipts('vivo').filter(({ body }) => body.includes(`"param":"${task}"`))
  await carillon.until(async () => told(), (receipts) => receipts.length === 2)
  t.assert.deepEqual(told().map(({ result }) => result), [200, 200])
  t.assert.deepEqual(await counted(world, task), { vivo_target: 2, vivo_sent: 2 })
  const again = await pushed(world, 'vivo', { title: 'T' }, { to })
  t.assert.deepEqual(again.pushes.map((push) => push.tokens), [[expired]])
  await world.setCertificate('vivo')
})

test('access that ran out is renewed once', limit, (t: TestContext) => expiredAccessIsRenewedOnce(t, world, 'vivo', 1))

for (const [name, calls] of [['saveListPayload', 5], ['pushToList', 5]] as const) {
  test(`access that ran out before ${name} is renewed once, and what was asked is asked again`, limit, async (t: TestContext) => {
    await world.setCertificate('vivo')
    // The tests around this one ask for access many times a second, which vivo would count against it.
    simulators.order({ vendor: 'vivo', options: { authsPerSecond: 1000 } })
    let old: unknown
    const ranOut = (call: Call): string | undefined => {
      if (!isTo(name)(call)) return undefined
      old ??= call.headers.authtoken
      return call.headers.authtoken === old ? '{"result":10000,"desc":"权限认证失败"}' : undefined
    }
    const to = await addPhones([regId(), regId()])
    let task = 0
    const made = await tap.answering(ranOut, async () => (task = await world.send({ title: 'T' }, to)))
    t.assert.equal(made.filter(isTo('auth')).length, 2)
    t.assert.equal(made.filter(isTo(name)).length, 2)
    t.assert.equal(made.length, calls)
    t.assert.deepEqual(await counted(world, task), { vivo_target: 2, vivo_sent: 2 })
    t.assert.equal((await laneOf(world, 'vivo'))?.state, 'open')
  })
}

test('a stored body that vivo has forgotten is stored anew, once', limit, async (t: TestContext) => {
  let first: unknown
  const forgotten = (call: Call): string | undefined => {
    if (!isTo('pushToList')(call)) return undefined
    first ??= bodyOf(call).taskId
    return bodyOf(call).taskId === first ? '{"result":10155,"desc":"消息体已过期"}' : undefined
  }
  const to = await addPhones([regId(), regId()])
  let task = 0
  const calls = await tap.answering(forgotten, async () => (task = await world.send({ title: 'T' }, to)))
  const twice = pathsOf('saveListPayload', 'pushToList', 'saveListPayload', 'pushToList')
  t.assert.deepEqual(calls.map(({ path }) => path), twice)
  t.assert.deepEqual(await counted(world, task), { vivo_target: 2, vivo_sent: 2 })
})

test('a wrong secret pauses the lane, and the right one wakes it', limit, (t: TestContext) =>
  wrongCredentialsWait(t, world, 'vivo', {
    wrong: { app_secret: 'f'.repeat(32) }, words: /app_secret does not belong to app_id and app_key \(10206/,
  }))

test('a dead token goes on to the next vendor and is not used again until it is bound anew', limit, (t: TestContext) =>
  tokenIsDead(t, world, 'vivo', {
    outcome: 'uninstalled', next: 'xiaomi', words: /vivo: the vendor says this address is gone \(.*status 2/,
  }))

test('a code nobody knows is tried three times more, then refused, counted and shown', limit, (t: TestContext) =>
  codeIsUnknown(t, world, 'vivo', {
    tap, isPush: isTo('send'), answer: '{"result":19999,"desc":"Brand new"}', words: /vivo: refused \(.*19999/,
  }))

test("used up messages of the day pause the lane until China's next day, and a webhook tells", limit, (t: TestContext) =>
  dayIsUsedUp(t, world, 'vivo', { outcome: '10070', words: /operational messages are used up \(10070/ }))
