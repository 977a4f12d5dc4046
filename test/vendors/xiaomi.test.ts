import { randomBytes } from 'node:crypto'
import { after, test, type TestContext } from 'node:test'
import type { Login } from '../harness/carillon.ts'
import { spokenName, startVendorWorld, vendorToken } from '../harness/vendor-world.ts'
import { areLeftOf, counted, countedOnce, exactly, pushed, receiptUrlOf, toDevices } from './exercise.ts'
import { wrongCredentialsWait } from './stories.ts'
import { startTap } from './tap.ts'
import { codeIsUnknown, dayIsUsedUp, tokenIsDead } from './troubles.ts'

const tap = await startTap({ after })
const env = { CARILLON_VENDOR_URL_XIAOMI: tap.url }
const world = await startVendorWorld({ after }, { vendors: ['xiaomi', 'flyme'], env })
const { carillon, simulators } = world
tap.lead(simulators.urls.xiaomi)

const limit = { timeout: 60_000 }
const path = '/v3/message/regid'
const intent = 'intent:#Intent;component=com.example.app/.Chat;S.room=7;end'
/** As real ones look: a form must not turn their plus signs into spaces. */
const regid = (): string => `+${randomBytes(47).toString('base64')}`.slice(0, 64)

const receiptUrl = await receiptUrlOf(world, 'xiaomi')

type Form = Record<string, string>

/** Sends to one device and shows the form Xiaomi got, with what differs from push to push taken out of it. */
const formOf = async (message: Record<string, unknown>, { setting = {}, token = regid() } = {}) => {
  const phone = await world.addDevice({ xiaomi: token })
  const from = Date.now()
  const { task, pushes } = await pushed(world, 'xiaomi', message, { to: toDevices(phone), setting })
  const [push, ...more] = pushes
  if (!push || more.length > 0) throw new Error(`Xiaomi got ${pushes.length} requests`)
  const { payload, notify_id, time_to_live, ...form } = push.fields as Form
  return {
    task, phone, token, from, push, form,
    payload: JSON.parse(payload!), notifyId: Number(notify_id), seconds: Number(time_to_live) / 1000,
  }
}

/** What every notification of a task carries. */
const always = (task: number, token: string): Form => ({
  registration_id: token, restricted_package_name: 'com.example.app', pass_through: '0', notify_type: '-1',
  'extra.notify_effect': '1', 'extra.notify_foreground': '1', 'extra.jobkey': `${task}`,
  'extra.callback': receiptUrl, 'extra.callback.param': `${task}`, 'extra.callback.type': '1203',
})

test('a text to one device is the documented request, and nothing else is in it', limit, async (t: TestContext) => {
    const since = tap.calls.length
  const ext = { order: exactly('12345678901234567890'), deep: { list: [1, null, '字'] } }
  const sent = await formOf({ title: '你好', body: 'a b&c=d+e%', ext })
  const { task, token, form, payload: { ext: _, ...payload }, notifyId, seconds, push } = sent
  t.assert.deepEqual(form, { ...always(task, token), title: '你好', description: 'a b&c=d+e%' })
  t.assert.deepEqual(payload, { task_id: task, channel: 'xiaomi', type: 'text', badge: 1 })
  const written = '"ext":{"order":12345678901234567890,"deep":{"list":[1,null,"字"]}}'
  t.assert.ok((push.fields as Form).payload!.includes(written))
  t.assert.ok(Number.isInteger(notifyId) && notifyId > 0 && notifyId < 2 ** 31)
  t.assert.ok(areLeftOf(seconds, 86_400, sent))
  t.assert.deepEqual(push.taken, [token])

  const [call, ...more] = tap.calls.slice(since)
  t.assert.deepEqual(more, [])
  t.assert.deepEqual([call!.method, call!.path], ['POST', path])
  t.assert.equal(call!.headers.authorization, `key=${world.certificates.xiaomi.app_secret}`)
  t.assert.equal(call!.headers['content-type'], 'application/x-www-form-urlencoded;charset=UTF-8')
  t.assert.ok(Buffer.byteLength(receiptUrl) <= 128)
  const counters = { xiaomi_target: 1, xiaomi_sent: 1, xiaomi_received: 1 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
})

test('an image is shown as a large picture, whose address the app gets too', limit, async (t: TestContext) => {
  const attachment_url = 'https://example.com/a/b.PNG?size=876'
  const image = { type: 'image', title: 'T', body: '字'.repeat(60), attachment_url }
  const { task, token, form, payload } = await formOf(image)
  t.assert.deepEqual(form, {
    ...always(task, token), title: 'T', description: '字'.repeat(60),
    'extra.notification_style_type': '2', 'extra.notification_bigPic_uri': attachment_url,
  })
  t.assert.deepEqual(payload, { task_id: task, channel: 'xiaomi', type: 'image', attachment_url, badge: 1 })
})

test('big_text reaches the app, and a long text can be unfolded', limit, async (t: TestContext) => {
  const [body, big_text] = ['b'.repeat(100), 'B'.repeat(1000)]
  const { task, token, form, payload } = await formOf({ title: 'T', body, big_text, badge: '+0' })
  t.assert.deepEqual(form, { ...always(task, token), title: 'T', description: body, 'extra.notification_style_type': '1' })
  t.assert.deepEqual(payload, { task_id: task, channel: 'xiaomi', type: 'text', big_text, badge: 0 })
})

test("the xiaomi object goes before android, and fields of other makers' objects nowhere", limit, async (t: TestContext) => {
  const others = { huawei: { channel_id: 'h' }, vivo: { classification: 1 }, ios: { sound: 'i', subtitle: 's' } }
  const android = { sound: 'bell.mp3', channel_id: 'android-channel', click_action: 'intent', intent }
  const byAndroid = await formOf({ title: 'T', body: 'B', android, ...others })
  t.assert.deepEqual(byAndroid.form, {
    ...always(byAndroid.task, byAndroid.token), title: 'T', description: 'B', 'extra.channel_id': 'android-channel',
    'extra.notify_effect': '2', 'extra.intent_uri': intent,
    'extra.sound_uri': 'android.resource://com.example.app/raw/bell',
  })
  const xiaomi = { sound: 'none', channel_id: 'own', click_action: 'open_app' }
  const byBoth = await formOf({ title: 'T', body: 'B', android, xiaomi })
  t.assert.deepEqual(byBoth.form, {
    ...always(byBoth.task, byBoth.token), title: 'T', description: 'B', 'extra.channel_id': 'own', notify_type: '6',
  })
})

test('title and body are cut below 50 and 128 characters, an emoji at the cut whole', limit, async (t: TestContext) => {
  const { form } = await formOf({ title: `${'字'.repeat(48)}😀😀`, body: `${'语'.repeat(126)}🎉🎉` })
  t.assert.equal(form.title, `${'字'.repeat(48)}😀`)
  t.assert.equal(form.description, `${'语'.repeat(126)}🎉`)
  const { form: whole } = await formOf({ title: '😀'.repeat(49), body: '语'.repeat(127) })
  t.assert.equal(whole.title, '😀'.repeat(49))
  t.assert.equal(whole.description, '语'.repeat(127))
})

test("a blank title is the app's name, a blank body the title", limit, async (t: TestContext) => {
  const { form: both } = await formOf({ title: ' ', body: '', ext: { a: 1 } })
  t.assert.deepEqual([both.title, both.description], ['Demo', 'Demo'])
  const { form: body } = await formOf({ title: '你好' })
  t.assert.deepEqual([body.title, body.description], ['你好', '你好'])
})

test('the time to live is at most a day, in milliseconds; now or never is for devices that are online', limit, async (t: TestContext) => {
  const short = await formOf({ title: 'T' }, { setting: { time_to_live: 600, priority: 'high' } })
  t.assert.ok(areLeftOf(short.seconds, 600, short))
  t.assert.deepEqual(short.form, { ...always(short.task, short.token), title: 'T', description: 'T' })
  const long = await formOf({ title: 'T' }, { setting: { time_to_live: 2_592_000 } })
  t.assert.equal(long.seconds, 86_400)
  const now = await formOf({ title: 'T' }, { setting: { time_to_live: 0 } })
  t.assert.equal(now.form['extra.only_send_once'], '1')
})

test('pushes with one collapse_id share their notify_id, others have their own', limit, async (t: TestContext) => {
  const setting = { collapse_id: 'score-42' }
  const [first, second] = [await formOf({ title: '1' }, { setting }), await formOf({ title: '2' }, { setting })]
  t.assert.equal(first.notifyId, second.notifyId)
  const others = [await formOf({ title: '3' }), await formOf({ title: '4' })]
  const another = await formOf({ title: '5' }, { setting: { collapse_id: 'score-43' } })
  t.assert.equal(new Set([first, another, ...others].map(({ notifyId }) => notifyId)).size, 4)
})

test('a badge that is set and one that is added to reach the app as the number to show', limit, async (t: TestContext) => {
  const { phone, payload } = await formOf({ title: 'T', badge: '5' })
  t.assert.equal(payload.badge, 5)
  const { pushes } = await pushed(world, 'xiaomi', { title: 'T', badge: '+2' }, { to: toDevices(phone) })
  t.assert.equal(JSON.parse((pushes[0]!.fields as Form).payload!).badge, 7)
  // Both get one request with one payload, which cannot say two numbers.
  const other = await world.addDevice({ xiaomi: regid() })
  const { pushes: [both] } = await pushed(world, 'xiaomi', { title: 'T' }, { to: toDevices(phone, other) })
  t.assert.equal(both!.taken.length, 2)
  t.assert.equal('badge' in JSON.parse((both!.fields as Form).payload!), false)
})

test('a push with a time to be shown at is handed over then, and lives until its end', limit, async (t: TestContext) => {
  const begin = Math.floor(Date.now() / 1000) + 2
  const { push, seconds, payload } = await formOf({ title: 'T', show_begin_time: begin, show_end_time: begin + 600 })
  t.assert.ok(push.at >= begin * 1000)
  t.assert.ok(areLeftOf(seconds, 600, { from: begin * 1000, push }))
  t.assert.deepEqual([payload.show_begin_time, payload.show_end_time], [begin, begin + 600])
  const now = Math.floor(Date.now() / 1000)
  const ending = await formOf({ title: 'T', show_end_time: now + 900 })
  t.assert.ok(areLeftOf(ending.seconds, 900, { from: now * 1000, push: ending.push }))
})

test("the app's options are the defaults: a bar channel, and a template that carries title and body", limit, async (t: TestContext) => {
  await world.setCertificate('xiaomi', { options: { default_channel_id: '110001', template_id: 'P10001' } })
  const chat = await formOf({ title: '小明 😀', body: '在吗?' }, { setting: { time_to_live: 2_592_000 } })
  const { 'extra.template_param': param, ...form } = chat.form
  t.assert.deepEqual(form, {
    ...always(chat.task, chat.token), title: '小明 😀', description: '在吗?',
    'extra.channel_id': '110001', 'extra.template_id': 'P10001',
  })
  t.assert.deepEqual(JSON.parse(param!), { keywords1: '小明', keywords2: '在吗?' })
  t.assert.equal(chat.seconds, 864_000)
  const named = await formOf({ title: 'T', android: { channel_id: '110002' } })
  const channel = { 'extra.channel_id': '110002' }
  t.assert.deepEqual(named.form, { ...always(named.task, named.token), title: 'T', description: 'T', ...channel })
  await world.setCertificate('xiaomi')
})

test('a cmd goes to the next vendor that can carry it, and to Xiaomi once the operator says so', limit, async (t: TestContext) => {
  const message = { type: 'cmd', title: 'hidden', ext: { sync: true } }
  const setting = { ospush_sequence: ['xiaomi', spokenName('flyme')], time_to_live: 600 }
  const token = regid()
  const phone = await world.addDevice({ xiaomi: token, flyme: vendorToken('flyme') })
  const to = toDevices(phone)
  const nowhere = await pushed(world, 'xiaomi', message, { to, setting })
  t.assert.deepEqual(nowhere.pushes, [])
  t.assert.deepEqual(await counted(world, nowhere.task), {})
  t.assert.match(await carillon.trace(nowhere.task, phone.push_token), /no vendor can reach the device/)

  simulators.order({ vendor: 'flyme', options: { passThrough: true } })
  await world.setCertificate('flyme', { options: { pass_through: true } })
  const passed = await pushed(world, 'flyme', message, { to, setting })
  t.assert.equal(passed.pushes.length, 1)
  t.assert.deepEqual(await counted(world, passed.task), { flyme_target: 1, flyme_sent: 1 })
  await world.setCertificate('flyme')

  simulators.order({ vendor: 'xiaomi', options: { passThrough: true } })
  await world.setCertificate('xiaomi', { options: { pass_through: true } })
  const from = Date.now()
  const { task, pushes: [push] } = await pushed(world, 'xiaomi', message, { to, setting })
  const { payload, time_to_live, ...form } = push!.fields as Form
  t.assert.deepEqual(form, {
    registration_id: token, restricted_package_name: 'com.example.app', pass_through: '1', 'extra.jobkey': `${task}`,
    'extra.callback': receiptUrl, 'extra.callback.param': `${task}`, 'extra.callback.type': '1203',
  })
  t.assert.deepEqual(JSON.parse(payload!), { task_id: task, channel: 'xiaomi', ...message })
  t.assert.ok(areLeftOf(Number(time_to_live) / 1000, 600, { from, push: push! }))
  await world.setCertificate('xiaomi')
})

test('1,001 devices get it in requests of up to 1,000, each device once, and every one is counted', limit, async (t: TestContext) => {
  const tokens = Array.from({ length: 1001 }, regid)
  await world.importDevices('xiaomi', tokens, 'crowd')
  const { task, pushes } = await pushed(world, 'xiaomi', { title: '大家好' }, { to: { tag: ['crowd'] } })
  t.assert.deepEqual(pushes.map(({ taken }) => taken.length).sort((a, b) => a - b), [1, 1000])
  t.assert.deepEqual(pushes.flatMap(({ taken }) => taken).sort(), tokens.sort())
  const [first, second] = pushes.map(({ fields }) => ({ ...(fields as Form), registration_id: '', time_to_live: '' }))
  t.assert.deepEqual(first, second)
  const counters = { xiaomi_target: 1001, xiaomi_sent: 1001, xiaomi_received: 1001 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
})

test('of several devices, those Xiaomi lists as bad are dead and the others have it', limit, async (t: TestContext) => {
  const [good, bad] = [regid(), regid()]
  const phones = [await world.addDevice({ xiaomi: good }), await world.addDevice({ xiaomi: bad })]
  simulators.order({ vendor: 'xiaomi', token: bad, outcome: 'bad' })
  const { task, pushes } = await pushed(world, 'xiaomi', { title: 'T' }, { to: toDevices(...phones) })
  t.assert.deepEqual(pushes.map(({ taken }) => taken), [[good]])
  const counters = { xiaomi_target: 2, xiaomi_sent: 1, xiaomi_received: 1 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
  const again = await pushed(world, 'xiaomi', { title: 'T' }, { to: toDevices(...phones) })
  t.assert.deepEqual(again.pushes.map(({ tokens }) => tokens), [[good]])
  t.assert.match(await carillon.trace(task, phones[1]!.push_token), /bad_regids/)
})

test('receipts tell of clicks, of expiry, of a token that is gone and of the one in its place', limit, async (t: TestContext) => {
  const words = ['clicked', 'receipt 1024', 'receipt 16', 'receipt 16 replaced']
  const token = Object.fromEntries(words.map((word) => [word, regid()]))
  for (const [outcome, one] of Object.entries(token)) simulators.order({ vendor: 'xiaomi', token: one, outcome })
  const phones: Login[] = []
  for (const one of Object.values(token)) phones.push(await world.addDevice({ xiaomi: one }))
  const { task } = await pushed(world, 'xiaomi', { title: 'T' }, { to: toDevices(...phones) })
  const told = () => simulators.receipts('xiaomi').filter(({ body }) => body.includes(`%22param%22%3A%22${task}%22`))
  await carillon.until(async () => told(), (receipts) => receipts.length === 5)
  t.assert.deepEqual(new Set(told().map(({ result }) => result)), new Set([200]))
  const counters = { xiaomi_target: 4, xiaomi_sent: 4, xiaomi_received: 1 }
  t.assert.deepEqual(await countedOnce(world, task, counters), counters)
  const trace = () => carillon.trace(task, phones[0]!.push_token)
  await carillon.until(trace, (steps) => steps.includes('the person has clicked it'))

  for (const one of Object.values(token)) simulators.order({ vendor: 'xiaomi', token: one, outcome: null })
  const { pushes } = await pushed(world, 'xiaomi', { title: 'T' }, { to: toDevices(...phones) })
  const reached = [token.clicked, token['receipt 1024'], `new${token['receipt 16 replaced']}`]
  t.assert.deepEqual(new Set(pushes[0]!.tokens), new Set(reached))
})

test('an address for receipts that Xiaomi does not take costs the receipts, not the push', limit, async (t: TestContext) => {
  const refusal = JSON.stringify({ result: 'error', code: 65038, reason: 'Callback url is illegal', description: '' })
  let sent: Awaited<ReturnType<typeof formOf>> | undefined
  const calls = await tap.answering(
    ({ body }) => (new URLSearchParams(body).has('extra.callback') ? refusal : undefined),
    async () => (sent = await formOf({ title: 'T' })),
  )
  t.assert.equal(calls.length, 2)
  const { task, token, form } = sent!
  const known = Object.entries({ ...always(task, token), title: 'T', description: 'T' })
  t.assert.deepEqual(form, Object.fromEntries(known.filter(([name]) => !name.startsWith('extra.callback'))))
  t.assert.deepEqual(await counted(world, task), { xiaomi_target: 1, xiaomi_sent: 1 })
})

test('a wrong secret pauses the lane, and the right one wakes it', limit, (t: TestContext) =>
  wrongCredentialsWait(t, world, 'xiaomi', {
    wrong: { app_secret: 'bm90IHRoZSBzZWNyZXQgb2YgdGhlIGFwcA==' }, words: /AppSecret is not right.*21301/,
  }))

test('a dead token goes on to the next vendor and is not used again until it is bound anew', limit, (t: TestContext) =>
  tokenIsDead(t, world, 'xiaomi', { outcome: 'bad', next: 'flyme', words: /xiaomi: the vendor says .* gone \(.*20301/ }))

test('a code nobody knows is tried three times more, then refused, counted and shown', limit, (t: TestContext) =>
  codeIsUnknown(t, world, 'xiaomi', {
    tap, isPush: (call) => call.path === path,
    answer: '{"result":"error","code":77777,"reason":"Brand new"}', words: /xiaomi: refused .*Brand new \(77777\)/,
  }))

test("a used up total of the day pauses the lane until China's next day, and a webhook tells", limit, (t: TestContext) =>
  dayIsUsedUp(t, world, 'xiaomi', { outcome: '200001', words: /total of the day is used up.*200001/ }))
