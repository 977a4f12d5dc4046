import { createHash } from 'node:crypto'
import { after, test, type TestContext } from 'node:test'
import type { Login } from '../harness/carillon.ts'
import { startVendorWorld, vendorToken } from '../harness/vendor-world.ts'
import { counted, countedOnce, exactly, pushed, receiptUrlOf, toDevices } from './exercise.ts'
import { wrongCredentialsWait } from './stories.ts'
import { startTap } from './tap.ts'
import { codeIsUnknown, dayIsUsedUp, tokenIsDead } from './troubles.ts'

const tap = await startTap({ after })
const env = { CARILLON_VENDOR_URL_MEIZU: tap.url }
const world = await startVendorWorld({ after }, { vendors: ['flyme', 'oppo'], env })
const { carillon, simulators } = world
tap.lead(simulators.urls.flyme)

const limit = { timeout: 60_000 }
const shownPath = '/garcia/api/server/push/varnished/pushByPushId'
const hiddenPath = '/garcia/api/server/push/unvarnished/pushByPushId'
const pushId = (): string => vendorToken('flyme', 'RA')

const receiptUrl = await receiptUrlOf(world, 'flyme')

interface Shown {
  noticeBarInfo: { noticeMsgType: number; noticeBarType: number; title: string; content: string }
  noticeExpandInfo?: { noticeExpandType: number; noticeExpandContent: string }
  clickTypeInfo: { clickType: number; activity?: string; parameters: Record<string, string> }
  pushTimeInfo: { offLine: number; validTime: number }
  advanceInfo: Record<string, unknown> & { notifyKey: string }
  extra: Record<string, string>
}

/** Sends to one device and shows the message Meizu got, with the key that differs from push to push taken out of it. */
const messageOf = async (message: Record<string, unknown>, { setting = {}, token = pushId() } = {}) => {
  const phone = await world.addDevice({ flyme: token })
  const from = Date.now()
  const { task, pushes } = await pushed(world, 'flyme', message, { to: toDevices(phone), setting })
  const [push, ...more] = pushes
  if (!push || more.length > 0) throw new Error(`Meizu got ${pushes.length} requests`)
  const { appId, message: shown } = push.fields as { appId: string; message: Shown }
  const { advanceInfo: { notifyKey, ...advanceInfo }, ...rest } = shown
  return { task, phone, token, from, push, appId, notifyKey, shown: { ...rest, advanceInfo } }
}

/** What every notification of a task carries. */
const always = (task: number, title: string, content: string, parameters: Record<string, string> = {}) => ({
  noticeBarInfo: { noticeMsgType: 0, noticeBarType: 0, title, content },
  clickTypeInfo: { clickType: 0, parameters: { task_id: `${task}`, channel: 'flyme', type: 'text', ...parameters } },
  pushTimeInfo: { offLine: 1, validTime: 24 },
  advanceInfo: {},
  extra: { callback: receiptUrl, 'callback.param': `${task}`, 'callback.type': '3' },
})

test('a text to one device is the documented request with its signature, and nothing else is in it', limit, async (t: TestContext) => {
    const since = tap.calls.length
  const ext = { order: exactly('12345678901234567890'), deep: { list: [1, null, '字'] } }
  const { task, token, push, appId, notifyKey, shown } = await messageOf({ title: '你好', body: 'a=b&c d+%', ext })
  const written = '{"order":12345678901234567890,"deep":{"list":[1,null,"字"]}}'
  t.assert.deepEqual(shown, always(task, '你好', 'a=b&c d+%', { ext: written }))
  t.assert.match(notifyKey, /^[0-9A-Za-z_-]{1,8}$/)
  t.assert.equal(appId, '100999')
  t.assert.deepEqual(push.taken, [token])
  t.assert.ok(Buffer.byteLength(receiptUrl) <= 128)

  const [call, ...more] = tap.calls.slice(since)
  t.assert.deepEqual(more, [])
  t.assert.deepEqual([call!.method, call!.path], ['POST', shownPath])
  t.assert.equal(call!.headers['content-type'], 'application/x-www-form-urlencoded;charset=UTF-8')
  const { sign, ...form } = Object.fromEntries(new URLSearchParams(call!.body))
  t.assert.deepEqual(Object.keys(form).sort(), ['appId', 'messageJson', 'pushIds'])
  t.assert.equal(form.pushIds, token)
  const signed = `appId=100999messageJson=${form.messageJson}pushIds=${token}${world.certificates.flyme.app_secret}`
  t.assert.equal(sign, createHash('md5').update(signed).digest('hex'))
  const counters = { flyme_target: 1, flyme_sent: 1, flyme_received: 1 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
})

test('an image goes as text, and the app gets the address of the picture', limit, async (t: TestContext) => {
  const attachment_url = 'https://example.com/a.jpg'
  const { task, shown } = await messageOf({ type: 'image', title: 'T', body: 'B', attachment_url })
  t.assert.deepEqual(shown, always(task, 'T', 'B', { type: 'image', attachment_url }))
})

test('big_text unfolds, cut to the room there is for it', limit, async (t: TestContext) => {
  const { task, shown } = await messageOf({ title: 'T', body: 'B', big_text: '大'.repeat(200) })
  const noticeExpandInfo = { noticeExpandType: 1, noticeExpandContent: '大'.repeat(200) }
  t.assert.deepEqual(shown, { ...always(task, 'T', 'B'), noticeExpandInfo })
  const long = await messageOf({ title: 'T', body: 'B', big_text: '大😀'.repeat(1000) })
  const { noticeExpandContent } = long.shown.noticeExpandInfo!
  t.assert.match(noticeExpandContent, /^(大😀)+大?$/u)
  t.assert.ok(noticeExpandContent.length > 1000)
  t.assert.equal(long.push.taken.length, 1)
})

test("the flyme object goes before android, and an intent opens its page with the intent's values", limit, async (t: TestContext) => {
  const intent = 'intent:#Intent;component=com.example.app/.Chat;S.room=a%20b;S.channel=mine;end'
  const android = { sound: 'none', channel_id: 'c', click_action: 'intent', intent }
  const others = { huawei: { sound: 'h', badge_class: 'x' }, vivo: { classification: 1 }, ios: { subtitle: 's' } }
  const byAndroid = await messageOf({ title: 'T', body: 'B', android, ...others })
  const plain = always(byAndroid.task, 'T', 'B', { room: 'a b' })
  t.assert.deepEqual(byAndroid.shown, {
    ...plain,
    clickTypeInfo: { ...plain.clickTypeInfo, clickType: 1, activity: 'com.example.app.Chat' },
    advanceInfo: { notificationType: { vibrate: 1, lights: 1, sound: 0 } },
  })
  const byBoth = await messageOf({ title: 'T', body: 'B', android, flyme: { sound: 'bell', click_action: 'open_app' } })
  t.assert.deepEqual(byBoth.shown, always(byBoth.task, 'T', 'B'))
})

test('title and text are cut to 32 and 100 characters, an emoji at the cut whole', limit, async (t: TestContext) => {
  const { shown } = await messageOf({ title: `${'字'.repeat(31)}😀😀`, body: `${'语'.repeat(99)}🎉🎉` })
  const { title, content } = shown.noticeBarInfo
  t.assert.deepEqual([title, content], [`${'字'.repeat(31)}😀`, `${'语'.repeat(99)}🎉`])
})

test("a blank title is the app's name, a blank body the title", limit, async (t: TestContext) => {
  const { shown: both } = await messageOf({ title: ' ', body: '', ext: { a: 1 } })
  t.assert.deepEqual([both.noticeBarInfo.title, both.noticeBarInfo.content], ['Demo', 'Demo'])
  const { shown } = await messageOf({ title: '你好' })
  t.assert.deepEqual([shown.noticeBarInfo.title, shown.noticeBarInfo.content], ['你好', '你好'])
})

test('the time to live is whole hours, up to 72; now or never is not kept for a device that is off', limit, async (t: TestContext) => {
  const kept = async (time_to_live: number) => {
    const { task, shown } = await messageOf({ title: 'T' }, { setting: { time_to_live, priority: 'high' } })
    t.assert.deepEqual({ ...shown, pushTimeInfo: {} }, { ...always(task, 'T', 'T'), pushTimeInfo: {} })
    return shown.pushTimeInfo
  }
  t.assert.deepEqual(await kept(600), { offLine: 1, validTime: 1 })
  t.assert.deepEqual(await kept(2 * 3600), { offLine: 1, validTime: 2 })
  t.assert.deepEqual(await kept(2_592_000), { offLine: 1, validTime: 72 })
  t.assert.equal((await kept(0)).offLine, 0)
})

test('pushes with one collapse_id share their key, others have their own', limit, async (t: TestContext) => {
  const setting = { collapse_id: 'score-42' }
  const [first, second] = [await messageOf({ title: '1' }, { setting }), await messageOf({ title: '2' }, { setting })]
  t.assert.equal(first.notifyKey, second.notifyKey)
  const others = [await messageOf({ title: '3' }), await messageOf({ title: '4' })]
  const another = await messageOf({ title: '5' }, { setting: { collapse_id: 'score-43' } })
  t.assert.equal(new Set([first, another, ...others].map(({ notifyKey }) => notifyKey)).size, 4)
})

test('Meizu has no badge: one that is set or added to changes nothing', limit, async (t: TestContext) => {
  for (const badge of ['5', '+2']) {
    const { task, shown } = await messageOf({ title: 'T', badge })
    t.assert.deepEqual(shown, always(task, 'T', 'T'))
  }
})

/** As a clock in China shows it. */
const inChina = (seconds: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Shanghai', dateStyle: 'short', timeStyle: 'medium' })
    .format(seconds * 1000)

test('Meizu itself shows a push within its time, told by the clock of China', limit, async (t: TestContext) => {
  const now = Math.floor(Date.now() / 1000)
  const [begin, end] = [now + 3600, now + 7200]
  const both = await messageOf({ title: 'T', show_begin_time: begin, show_end_time: end })
  t.assert.deepEqual(both.shown, {
    ...always(both.task, 'T', 'T', { show_begin_time: `${begin}`, show_end_time: `${end}` }),
    pushTimeInfo: { offLine: 1, validTime: 2 },
    advanceInfo: { fixDisplay: 1, fixStartDisplayTime: inChina(begin), fixEndDisplayTime: inChina(end) },
  })
  const { shown: begun } = await messageOf({ title: 'T', show_begin_time: begin }, { setting: { time_to_live: 600 } })
  const tenMinutes = { fixStartDisplayTime: inChina(begin), fixEndDisplayTime: inChina(begin + 600) }
  t.assert.deepEqual(begun.advanceInfo, { fixDisplay: 1, ...tenMinutes })
  const { shown: ended, from, push } = await messageOf({ title: 'T', show_end_time: end })
  const { fixStartDisplayTime, ...window } = ended.advanceInfo
  t.assert.deepEqual(window, { fixDisplay: 1, fixEndDisplayTime: inChina(end) })
  // Written as they are, these times sort as text.
  const opened = String(fixStartDisplayTime)
  t.assert.ok(opened >= inChina(Math.floor(from / 1000)) && opened <= inChina(Math.floor(push.at / 1000)))
})

test('what Meizu would not keep until its time is handed over then', limit, async (t: TestContext) => {
  const begin = Math.floor(Date.now() / 1000) + 2
  const setting = { time_to_live: 5 * 86_400 }
  const { push, shown } = await messageOf({ title: 'T', show_begin_time: begin }, { setting })
  t.assert.ok(push.at >= begin * 1000)
  t.assert.deepEqual(shown.advanceInfo, {})
  t.assert.deepEqual(shown.pushTimeInfo, { offLine: 1, validTime: 72 })
})

test("the app's options decide the class of its messages and what its receipts must show", limit, async (t: TestContext) => {
  await world.setCertificate('flyme', { options: { notice_msg_type: 1, receipt_access_token: 'tok-1' } })
  const forged = await messageOf({ title: 'T' })
  t.assert.equal(forged.shown.noticeBarInfo.noticeMsgType, 1)
  const told = (task: number) =>
    simulators.receipts('flyme').filter(({ body }) => new URLSearchParams(body).get('cb')!.includes(`"param":"${task}"`))
  const [refused] = await carillon.until(async () => told(forged.task), (receipts) => receipts.length > 0)
  t.assert.equal(refused!.result, 403)
  t.assert.deepEqual(await counted(world, forged.task), { flyme_target: 1, flyme_sent: 1 })

  simulators.order({ vendor: 'flyme', options: { receiptAccessToken: 'tok-1' } })
  const { task } = await messageOf({ title: 'T' })
  const counters = { flyme_target: 1, flyme_sent: 1, flyme_received: 1 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
  await world.setCertificate('flyme')
})

test('a cmd goes to nobody that cannot carry it, and to Meizu once the operator says so', limit, async (t: TestContext) => {
  const message = { type: 'cmd', title: 'hidden', ext: { sync: true } }
  const setting = { ospush_sequence: ['oppo', 'flyme'], time_to_live: 7000 }
  const token = pushId()
  const phone = await world.addDevice({ flyme: token, oppo: vendorToken('oppo') })
  const to = toDevices(phone)
  const nowhere = await pushed(world, 'flyme', message, { to, setting })
  t.assert.deepEqual(nowhere.pushes, [])
  t.assert.deepEqual(await counted(world, nowhere.task), {})
  t.assert.match(await carillon.trace(nowhere.task, phone.push_token), /no vendor can reach the device/)

  simulators.order({ vendor: 'flyme', options: { passThrough: true } })
  await world.setCertificate('flyme', { options: { pass_through: true } })
  const { task, pushes } = await pushed(world, 'flyme', message, { to, setting })
  t.assert.deepEqual(pushes.map(({ path, taken }) => [path, taken]), [[hiddenPath, [token]]])
  const { message: sent } = pushes[0]!.fields as { message: { content: string } }
  t.assert.deepEqual({ ...sent, content: JSON.parse(sent.content) }, {
    content: { task_id: task, channel: 'flyme', ...message },
    pushTimeInfo: { offLine: 1, validTime: 2 },
  })
  t.assert.deepEqual(await counted(world, task), { flyme_target: 1, flyme_sent: 1 })
  await world.setCertificate('flyme')
})

test('1,001 devices get it in requests of up to 100, each device once, and every one is counted', limit, async (t: TestContext) => {
  const tokens = Array.from({ length: 1001 }, pushId)
  await world.importDevices('flyme', tokens, 'crowd')
  const { task, pushes } = await pushed(world, 'flyme', { title: '大家好' }, { to: { tag: ['crowd'] } })
  const sizes = pushes.map(({ taken }) => taken.length)
  t.assert.deepEqual(sizes.sort((a, b) => a - b), [1, ...Array.from({ length: 10 }, () => 100)])
  t.assert.deepEqual(pushes.flatMap(({ taken }) => taken).sort(), tokens.sort())
  for (const { fields } of pushes) {
    const { advanceInfo: { notifyKey: _, ...advanceInfo }, ...rest } = (fields as { message: Shown }).message
    t.assert.deepEqual({ ...rest, advanceInfo }, always(task, '大家好', '大家好'))
  }
  const counters = { flyme_target: 1001, flyme_sent: 1001, flyme_received: 1001 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
})

test('of several devices, each has what Meizu says of it: dead, switched off, folded away or taken', limit, async (t: TestContext) => {
  const outcomes = [undefined, '110002', '110003', '110010', '520', '201']
  const tokens = outcomes.map(() => pushId())
  const phones: Login[] = []
  for (const flyme of tokens) phones.push(await world.addDevice({ flyme }))
  for (const [i, outcome = null] of outcomes.entries()) simulators.order({ vendor: 'flyme', token: tokens[i]!, outcome })
  const { task, pushes } = await pushed(world, 'flyme', { title: 'T' }, { to: toDevices(...phones) })
  t.assert.deepEqual(pushes.map(({ taken }) => taken), [[tokens[0]]])
  const counters = { flyme_target: 6, flyme_sent: 1, flyme_received: 1 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
  const muted = await carillon.trace(task, phones[3]!.push_token)
  t.assert.match(muted, /flyme: refused \(push is switched off on the device \(110010\)\)/)
  const again = await pushed(world, 'flyme', { title: 'T' }, { to: toDevices(...phones) })
  const living = tokens.filter((_, i) => i !== 1 && i !== 2)
  t.assert.deepEqual(again.pushes.map((push) => new Set(push.tokens)), [new Set(living)])
})

test('a device that has had its public messages of the day waits alone, and the lane goes on', limit, async (t: TestContext) => {
  const token = pushId()
  const phone = await world.addDevice({ flyme: token })
  simulators.order({ vendor: 'flyme', token, outcome: '110011' })
  const setting = { distribution_strategy: 'ospush_only' }
  const task = await carillon.notify({ audience: toDevices(phone), message: { title: 'T' }, setting })
  const trace = () => carillon.trace(task, phone.push_token)
  await carillon.until(trace, (steps) => /flyme: not taken yet \(.*110011/.test(steps))
  const other = await messageOf({ title: 'T' })
  t.assert.equal(other.push.taken.length, 1)
  t.assert.deepEqual(await counted(world, task), { flyme_target: 1 })
  await carillon.ok('/push/task/cancel', { token: carillon.admin, body: { task_id: task } })
})

test('a click is told by a receipt, too', limit, async (t: TestContext) => {
  const token = pushId()
  simulators.order({ vendor: 'flyme', token, outcome: 'clicked' })
  const { task, phone } = await messageOf({ title: 'T' }, { token })
  const trace = () => carillon.trace(task, phone.push_token)
  await carillon.until(trace, (steps) => steps.includes('the person has clicked it'))
  t.assert.deepEqual(await counted(world, task), { flyme_target: 1, flyme_sent: 1, flyme_received: 1 })
})

test('a wrong secret pauses the lane, and the right one wakes it', limit, (t: TestContext) =>
  wrongCredentialsWait(t, world, 'flyme', {
    wrong: { app_secret: 'f'.repeat(32) }, words: /the AppSecret is not the one of this AppId.*1006/,
  }))

test('a dead token goes on to the next vendor and is not used again until it is bound anew', limit, (t: TestContext) =>
  tokenIsDead(t, world, 'flyme', { outcome: '110002', next: 'oppo', words: /flyme: the vendor says .* gone \(.*110002/ }))

test('a code nobody knows is tried three times more, then refused, counted and shown', limit, (t: TestContext) =>
  codeIsUnknown(t, world, 'flyme', {
    tap, isPush: ({ path }) => path === shownPath,
    answer: '{"code":"199999","message":"Brand new","value":""}', words: /flyme: refused \(.*Brand new \(199999/,
  }))

test("used up pushes of the day pause the lane until China's next day, and a webhook tells", limit, (t: TestContext) =>
  dayIsUsedUp(t, world, 'flyme', { outcome: 'all 110019', words: /number of pushes of the day is used up.*110019/ }))
