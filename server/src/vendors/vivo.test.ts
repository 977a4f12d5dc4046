import test, { type TestContext } from 'node:test'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import type { Account, Address, Addressed, Reply, Verdict, VendorPush } from './vendor.ts'
import vivo from './vivo.ts'

const NOW = Date.parse('2023-11-15T12:00:00+08:00')
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const TOKEN = '15517820401031121234567'
const OTHER = '15517820401031121234568'
const AUTH = '2612ee0f-0d6c-4e5f-9b8e-3a0c6c1d2e3f'
const RECEIPTS = 'https://push.example.com/push/receipt/vivo/unguessable'

const accountWith = (options: Record<string, unknown> = {}): Account => ({
  app_id: '100004',
  app_key: '7a1f0c3e5b9d4826a0c4e8f12d3b5a79',
  app_secret: 'c0ffee00-1234-4abc-9def-0123456789ab',
  certificate: '',
  name: '',
  environment: 1,
  options,
})

const pushOf = (message: Message, setting: Setting = {}, more: Partial<VendorPush> = {}): VendorPush => ({
  taskId: 42,
  message,
  setting,
  appName: 'Demo',
  now: NOW,
  expiresAt: NOW + HOUR_MS,
  receiptUrl: undefined,
  ...more,
})

const addressOf = (token: string, deviceId = 7): Address => ({ token, deviceId, badge: 1 })
const two = [addressOf(TOKEN, 7), addressOf(OTHER, 8)]

const to = (push: VendorPush, more: Partial<Addressed> = {}): Addressed => ({
  push,
  account: accountWith(),
  addresses: [addressOf(TOKEN)],
  region: '',
  access: AUTH,
  variant: '',
  prepared: '',
  ...more,
})

const sentFor = (push: VendorPush, more: Partial<Addressed> = {}) => JSON.parse(vivo.request(to(push, more)).body)
const savedFor = (push: VendorPush, more: Partial<Addressed> = {}) =>
  JSON.parse(vivo.prepare!.request(to(push, { addresses: two, ...more })).body)
const sentOf = (message: Message, setting: Setting = {}, more: Partial<VendorPush> = {}, options = {}) =>
  sentFor(pushOf(message, setting, more), { account: accountWith(options) })

const access = vivo.access as Extract<typeof vivo.access, { request: unknown }>
const replyOf = (body: unknown, status = 200): Reply =>
  ({ status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) })
const hello = pushOf({ title: 'Hi' })
const readOne = (reply: Reply, push = hello): Verdict => vivo.read(reply, to(push))[0]!
const readTwo = (reply: Reply): Verdict[] => vivo.read(reply, to(hello, { addresses: two, prepared: '1' }))
const kinds = (verdicts: Verdict[]) => verdicts.map(({ kind }) => kind)

test('the auth request is signed as the vector says', (t: TestContext) => {
  t.assert.deepStrictEqual(access.request(accountWith(), '', 1_700_000_000_000), {
    origin: 'https://api-push.vivo.com.cn',
    method: 'POST',
    path: '/message/auth',
    headers: { 'content-type': 'application/json;charset=UTF-8' },
    body:
      '{"appId":100004,"appKey":"7a1f0c3e5b9d4826a0c4e8f12d3b5a79","timestamp":1700000000000,' +
      '"sign":"60c4a5f150149432f488b1bc06adfe47"}',
  })
})

test('an auth token lives a day and is renewed after two hours', (t: TestContext) => {
  const reply = replyOf({ result: 0, desc: '请求成功', authToken: AUTH })
  t.assert.deepStrictEqual(access.read(reply, NOW), { value: AUTH, renewAt: NOW + 2 * HOUR_MS, endsAt: NOW + DAY_MS })
})

test('an auth answer without a token says what stands in the way, and never speaks of a push', (t: TestContext) => {
  const read = (body: unknown, status?: number) => access.read(replyOf(body, status), NOW) as Verdict & { why: string }
  t.assert.match(read({ result: 10206 }).why, /app_secret.*\(10206\)$/)
  t.assert.match(read({ result: 10207 }).why, /clock.*\(10207\)$/)
  for (const result of [10202, 10207]) t.assert.equal(read({ result }).kind, 'denied')
  t.assert.equal(read({ result: 10093 }).kind, 'limited')
  t.assert.equal(read('Internet server error!', 500).kind, 'down')
  for (const result of [10000, 10302, 10056, 10050, 5]) t.assert.equal(read({ result }).kind, 'unknown')
  for (const authToken of [undefined, '', 5, 'a b', 'a\nb', 'ключ']) {
    t.assert.equal(read({ result: 0, authToken }).kind, 'unknown')
  }
})

test('one device gets the message with its token, in a call of its own', (t: TestContext) => {
  const push = pushOf({ title: '你好', body: '订单已发货', ext: { cid: 77 } }, {}, { receiptUrl: RECEIPTS })
  const { origin, path, method, headers, body } = vivo.request(to(push))
  t.assert.deepStrictEqual([origin, method, path], ['https://api-push.vivo.com.cn', 'POST', '/message/send'])
  t.assert.deepStrictEqual(headers, { 'content-type': 'application/json;charset=UTF-8', authToken: AUTH })
  t.assert.deepStrictEqual(JSON.parse(body), {
    appId: 100004,
    regId: TOKEN,
    notifyType: 4,
    title: '你好',
    content: '订单已发货',
    timeToLive: 3600,
    skipType: 1,
    classification: 0,
    clientCustomMap: { task_id: '42', channel: 'vivo', type: 'text', ext: '{"cid":77}' },
    pushMode: 0,
    addBadge: true,
    requestId: '42.7',
    extra: { callback: RECEIPTS, 'callback.param': '42' },
  })
  t.assert.equal(vivo.prepare!.isFor(to(push)), false)
})

test('several devices get a saved body and a list that refers to it', (t: TestContext) => {
  const push = pushOf({ title: '你好', vivo: { push_mode: 1 } }, {}, { receiptUrl: RECEIPTS })
  const list = to(push, { addresses: two, prepared: '561151469521809408' })
  t.assert.equal(vivo.prepare!.isFor(list), true)

  const save = vivo.prepare!.request(list)
  t.assert.equal(save.path, '/message/saveListPayload')
  t.assert.equal(save.headers.authToken, AUTH)
  const { regId: _token, requestId: _request, extra: _receipt, ...single } = sentFor(push)
  const { requestId, ...saved } = JSON.parse(save.body)
  t.assert.deepStrictEqual(saved, single)
  t.assert.equal(requestId, '42.list')
  for (const taskId of ['"561151469521809409"', '561151469521809409']) {
    const prepared = vivo.prepare!.read(replyOf(`{"result":0,"taskId":${taskId}}`))
    t.assert.deepStrictEqual(prepared, { prepared: '561151469521809409' })
  }

  const send = vivo.request(list)
  t.assert.equal(send.path, '/message/pushToList')
  t.assert.equal(send.headers.authToken, AUTH)
  const { requestId: listId, ...sent } = JSON.parse(send.body)
  t.assert.deepStrictEqual(sent, { appId: 100004, regIds: [TOKEN, OTHER], taskId: '561151469521809408', pushMode: 1 })
  t.assert.match(listId, /^42\.7-\d{1,10}$/)
})

test('request ids differ by device, list and variant, and stay within 64 characters', (t: TestContext) => {
  const taskId = Number.MAX_SAFE_INTEGER
  const push = pushOf({ title: 'Hi' }, {}, { taskId })
  const far = addressOf(OTHER, Number.MAX_SAFE_INTEGER - 1)
  const singles = ['', 'narrow'].flatMap((variant) => [{ variant }, { variant, addresses: [far] }])
  const lists = [two, [two[0]!, far], [far, two[0]!]].map((addresses) => ({ addresses }))
  const ids = [...singles, ...lists].map((more) => sentFor(push, more).requestId)
  ids.push(...['', 'narrow', 'anew'].map((variant) => savedFor(push, { variant }).requestId))
  t.assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) t.assert.ok(id.length <= 64, id)
  t.assert.equal(sentFor(push, { push: { ...push, now: NOW + 1000 } }).requestId, ids[0])
})

test('title and content are there and cut by code points; big_text stands in for a missing body', (t: TestContext) => {
  const shown = (message: Message, variant = '') => {
    const { title, content } = sentFor(pushOf(message), { variant })
    return [title, content]
  }
  t.assert.deepStrictEqual(shown({ ext: { a: 1 } }), ['Demo', 'Demo'])
  t.assert.deepStrictEqual(shown({ title: '😀'.repeat(41), body: '好'.repeat(101) }), ['😀'.repeat(40), '好'.repeat(100)])
  t.assert.deepStrictEqual(shown({ title: 'T', body: 'b', big_text: 'big' }), ['T', 'b'])
  t.assert.deepStrictEqual(shown({ title: 'T', big_text: 'g'.repeat(101) }), ['T', 'g'.repeat(100)])
  const narrow = shown({ title: `a${'😀'.repeat(40)}`, body: `${'好'.repeat(49)}abc` }, 'narrow')
  t.assert.deepStrictEqual(narrow, [`a${'😀'.repeat(19)}`, `${'好'.repeat(49)}ab`])
  t.assert.deepStrictEqual(shown({ title: 'T', body: 'x'.repeat(101) }, 'narrow'), ['T', 'x'.repeat(100)])
  t.assert.equal(savedFor(pushOf({ title: '好'.repeat(30) }), { variant: 'narrow' }).title, '好'.repeat(20))
  t.assert.equal(savedFor(pushOf({ title: '好'.repeat(30) }), { variant: 'anew' }).title, '好'.repeat(30))
})

test('the app gets its data as texts; what vivo has no room for is left out, ext last', (t: TestContext) => {
  const mapOf = (message: Message) => sentOf({ title: 'T', ...message }).clientCustomMap
  const attachment_url = `https://example.com/${'a'.repeat(300)}.png`
  const ids = { task_id: '42', channel: 'vivo' }
  t.assert.deepStrictEqual(mapOf({ type: 'image', attachment_url, ext: { id: JSON.rawJSON('9007199254740993') } }), {
    ...ids, type: 'image', attachment_url, ext: '{"id":9007199254740993}',
  })
  t.assert.deepStrictEqual(mapOf({ badge: '5' }), { ...ids, type: 'text', badge: '5' })
  // task_id42channelvivotypetextext are 31 characters, {"k":""} another 8.
  const fits = { k: 'x'.repeat(1024 - 31 - 8) }
  t.assert.deepStrictEqual(mapOf({ ext: fits }), { ...ids, type: 'text', ext: JSON.stringify(fits) })
  t.assert.deepStrictEqual(mapOf({ ext: fits, attachment_url }), { ...ids, type: 'text', ext: JSON.stringify(fits) })
  t.assert.deepStrictEqual(mapOf({ ext: { k: `${fits.k}x` } }), { ...ids, type: 'text' })
})

test('a click opens the app, or the intent as it was written', (t: TestContext) => {
  const intent = 'intent:#Intent;component=com.demo.app/com.demo.app.ChatActivity;S.cid=77;end'
  const clicks = (message: Message) => {
    const { skipType, skipContent } = sentOf({ title: 'T', ...message })
    return [skipType, skipContent]
  }
  const android = { click_action: 'intent', intent } as const
  t.assert.deepStrictEqual(clicks({}), [1, undefined])
  t.assert.deepStrictEqual(clicks({ android: { click_action: 'open_app', intent } }), [1, undefined])
  t.assert.deepStrictEqual(clicks({ android }), [4, intent])
  t.assert.deepStrictEqual(clicks({ android, vivo: { click_action: 'open_app' } }), [1, undefined])
  const other = intent.replace('77', '78')
  t.assert.deepStrictEqual(clicks({ android, vivo: { intent: other } }), [4, other])
})

test('it lives a minute to a day, and is not kept at all where it must not come later', (t: TestContext) => {
  const kept = (setting: Setting, seconds: number, message: Message = {}) => {
    const { timeToLive, sendOnline } = sentOf({ title: 'T', ...message }, setting, { expiresAt: NOW + seconds * 1000 })
    return [timeToLive, sendOnline]
  }
  t.assert.deepStrictEqual(kept({}, 3600), [3600, undefined])
  t.assert.deepStrictEqual(kept({ time_to_live: 2_592_000 }, 2_592_000), [86_400, undefined])
  t.assert.deepStrictEqual(kept({}, 5), [60, undefined])
  t.assert.deepStrictEqual(kept({ time_to_live: 0 }, 15), [undefined, true])
  const ends = (seconds: number) => ({ show_end_time: NOW / 1000 + seconds })
  t.assert.deepStrictEqual(kept({}, 59, ends(59)), [undefined, true])
  t.assert.deepStrictEqual(kept({}, 60, ends(60)), [60, undefined])
})

const at = (time: string) => Date.parse(`2023-11-${time}:00+08:00`)
const timed = (begin: string, end: string | undefined, message: Message = {}, expiresAt = at(end ?? begin)) => {
  const window = { show_begin_time: at(begin) / 1000, show_end_time: end === undefined ? undefined : at(end) / 1000 }
  return pushOf({ title: 'T', ...window, ...message }, {}, { expiresAt })
}

test('vivo keeps a push for its time only by its own rules', (t: TestContext) => {
  const presents = (push: VendorPush) => vivo.presents!(push, accountWith())
  const system = { vivo: { classification: 1 } } as const
  const windows: [string, string, Message, boolean][] = [
    ['15T12:11', '15T13:00', {}, true],
    ['15T12:10', '15T13:00', {}, false], // ten minutes are over when it arrives
    ['15T11:00', '15T13:00', {}, false],
    ['15T13:00', '15T14:59', {}, true],
    ['15T13:00', '15T15:00', {}, false],
    ['15T21:30', '15T23:00', {}, true],
    ['15T21:30', '15T23:01', {}, false],
    ['15T21:30', '15T23:01', system, true],
    ['15T23:30', '16T00:30', system, false],
    ['16T00:00', '16T01:00', system, true],
    ['16T06:59', '16T08:00', {}, false],
    ['16T07:00', '16T08:00', {}, true],
    ['16T11:00', '16T12:00', {}, true],
    ['16T11:00', '16T12:01', {}, false],
  ]
  for (const [begin, end, message, kept] of windows) {
    t.assert.equal(presents(timed(begin, end, message)), kept, `${begin} ${end}`)
  }
  t.assert.equal(presents(timed('15T13:00', undefined, {}, at('15T14:00'))), true)
  t.assert.equal(presents(timed('15T13:00', undefined, {}, at('16T13:00'))), false)
  t.assert.equal(presents({ ...timed('15T13:00', '15T14:00'), setting: { time_to_live: 0 } }), false)
  t.assert.equal(presents(hello), false)
})

test('a push handed over before its time carries the window, on its own and in a saved body', (t: TestContext) => {
  const early = timed('15T13:00', '15T14:00')
  const timedDisplay = { overtimeDisplay: false, showStartTime: at('15T13:00'), showEndTime: at('15T14:00') }
  t.assert.deepStrictEqual(sentFor(early).timedDisplay, timedDisplay)
  t.assert.deepStrictEqual(savedFor(early).timedDisplay, timedDisplay)
  const open = sentFor(timed('15T13:00', undefined, {}, at('15T14:30')))
  t.assert.equal(open.timedDisplay.showEndTime, at('15T14:30'))
  // Also when it was held up on its way until vivo's own rules no longer allow it: it must not be shown early.
  t.assert.deepStrictEqual(sentFor({ ...early, now: at('15T12:58') }).timedDisplay, timedDisplay)
  t.assert.equal(sentFor({ ...early, now: at('15T13:00') }).timedDisplay, undefined)
})

test('the badge is raised by one where something is added, and left alone otherwise', (t: TestContext) => {
  const raised = (badge: string | undefined) => sentOf({ title: 'T', badge }).addBadge
  for (const badge of [undefined, '+1', '+5']) t.assert.equal(raised(badge), true)
  for (const badge of ['0', '5', '+0']) t.assert.equal(raised(badge), undefined)
})

test('class, category, mode and sound come from the message, then from the options', (t: TestContext) => {
  const options = { system_category: 'IM', operational_category: 'NEWS' }
  const told = (message: Message, by = options as Record<string, unknown>) => {
    const { classification, category, pushMode, notifyType } = sentOf({ title: 'T', ...message }, {}, {}, by)
    return [classification, category, pushMode, notifyType]
  }
  t.assert.deepStrictEqual(told({}), [0, 'NEWS', 0, 4])
  t.assert.deepStrictEqual(told({ vivo: { classification: 0, push_mode: 0, sound: 'bell' } }), [0, 'NEWS', 0, 4])
  t.assert.deepStrictEqual(told({ vivo: { classification: 1, push_mode: 1, sound: 'none' } }), [1, 'IM', 1, 1])
  const android = { sound: 'none' }
  t.assert.deepStrictEqual(told({ android }, {}), [0, undefined, 0, 1])
  t.assert.deepStrictEqual(told({ android, vivo: { sound: 'bell', classification: 1 } }, {}), [1, undefined, 0, 4])
})

test('pushes with one collapse id share a number, others do not', (t: TestContext) => {
  const idFor = (setting: Setting, ios = {}) => sentOf({ title: 'T', ios }, setting).notifyId
  const chat = idFor({ collapse_id: 'chat' })
  t.assert.ok(Number.isInteger(chat) && chat >= 1 && chat <= 2_147_483_647)
  t.assert.equal(idFor({}, { apns_collapse_id: 'chat' }), chat)
  t.assert.equal(idFor({ collapse_id: 'chat' }, { apns_collapse_id: 'other' }), chat)
  t.assert.notEqual(idFor({ collapse_id: 'mail' }), chat)
  t.assert.equal(idFor({}), undefined)
})

test('receipts are asked for by an id that covers lists too, or by an address for one device', (t: TestContext) => {
  const asked = (receiptUrl: string | undefined, options: Record<string, unknown> = {}) => {
    const push = pushOf({ title: 'T' }, {}, { receiptUrl })
    const account = accountWith(options)
    return [sentFor(push, { account }).extra, savedFor(push, { account }).extra]
  }
  const byAddress = (callback: string) => ({ callback, 'callback.param': '42' })
  const byId = { 'callback.id': '12', 'callback.param': '42' }
  t.assert.deepStrictEqual(asked(RECEIPTS), [byAddress(RECEIPTS), undefined])
  t.assert.deepStrictEqual(asked(RECEIPTS.padEnd(128, 'x')), [byAddress(RECEIPTS.padEnd(128, 'x')), undefined])
  const none = [undefined, undefined]
  for (const url of [undefined, RECEIPTS.padEnd(129, 'x')]) t.assert.deepStrictEqual(asked(url), none)
  for (const url of [undefined, RECEIPTS]) t.assert.deepStrictEqual(asked(url, { receipt_id: '12' }), [byId, byId])
})

test('there is no way to carry a message that shows nothing', (t: TestContext) => {
  for (const type of ['text', 'image', undefined] as const) {
    t.assert.equal(vivo.carries({ type, title: 'T' }, accountWith()), true)
  }
  t.assert.equal(vivo.carries({ type: 'cmd', ext: { a: 1 } }, accountWith()), false)
})

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
const table: Record<string, number[]> = {
  renew: [10000],
  down: [10040],
  denied: [10043, 10045, 10082, 10094, ...range(10200, 10207)],
  refused: [
    10050, 10150, 10051, 11000, 10054, 10055, 10057, ...range(10059, 10069), 10085, 10104, 10103, 10095, 10096, 10097,
    10153, 10154, 10301, 10304, 10305, 10306, 10311, 10352, 10353, 10471, 10473,
  ],
  adapt: [10056, 10058, 10151, 10152, 10155, 10252],
  exhausted: [10070, 10073, 10254],
  limited: [10071, 10072, 10093],
  dead: [10302],
  unknown: [1, 9999, 10044, 10303, 20000, -1],
}

test('every result has its verdict, for one device, for a list and for a saved body', (t: TestContext) => {
  for (const [kind, results] of Object.entries(table)) {
    for (const result of results) {
      const verdict = readOne(replyOf({ result, desc: 'in words' })) as Verdict & { why: string }
      t.assert.equal(verdict.kind, kind, `${result}`)
      t.assert.ok(verdict.why.endsWith(` (${result})`), verdict.why)
      t.assert.equal(readOne(replyOf({ result: `${result}` }, 500)).kind, kind, `${result} as text`)
      // Of a list one bad token says nothing about the others.
      const whole = kind === 'dead' ? 'unknown' : kind
      t.assert.deepStrictEqual(kinds(readTwo(replyOf({ result }))), [whole, whole], `${result}`)
      t.assert.equal((vivo.prepare!.read(replyOf({ result })) as Verdict).kind, whole, `${result}`)
    }
  }
  t.assert.deepStrictEqual(readOne(replyOf({ result: 0, desc: '请求成功', taskId: '121397329' })), { kind: 'sent' })
})

test('a text that is too long is tried in the narrow form, and a lost body is saved anew', (t: TestContext) => {
  const variantOf = (result: number) => (readOne(replyOf({ result })) as { variant: string }).variant
  for (const result of [10056, 10058]) t.assert.equal(variantOf(result), 'narrow')
  for (const result of [10151, 10152, 10155]) t.assert.equal(variantOf(result), 'anew')
})

test('what vivo holds back at night waits alone until the morning', (t: TestContext) => {
  const waits = (now: number) => {
    const { alone, waitMs } = readOne(replyOf({ result: 10071 }), { ...hello, now }) as Verdict & { kind: 'limited' }
    return [alone, waitMs]
  }
  t.assert.deepStrictEqual(waits(at('15T23:00')), [true, 8 * HOUR_MS])
  t.assert.deepStrictEqual(waits(at('16T00:00')), [true, 7 * HOUR_MS])
  t.assert.deepStrictEqual(waits(at('16T06:59')), [true, MINUTE_MS])
  t.assert.deepStrictEqual(waits(at('16T07:00')), [true, undefined])
  t.assert.deepStrictEqual(waits(at('15T22:59')), [true, undefined])
  t.assert.equal((vivo.prepare!.read(replyOf({ result: 10071 })) as { alone: boolean }).alone, true)
  t.assert.ok(!('alone' in readOne(replyOf({ result: 10072 }))))
})

const statuses: [number, string][] = [[1, 'dead'], [2, 'dead'], [3, 'refused'], [4, 'refused']]

test('the status of a token decides whether it is dead', (t: TestContext) => {
  const invalid = (status: unknown) =>
    readOne(replyOf({ result: 10302, desc: 'regId不合法', invalidUser: { status, userid: TOKEN } }))
  for (const [status, kind] of statuses) {
    t.assert.equal(invalid(status).kind, kind, `${status}`)
    t.assert.ok((invalid(status) as { why: string }).why.endsWith(` (status ${status})`))
  }
  for (const status of [9, undefined, 'x', {}]) t.assert.equal(invalid(status).kind, 'dead')
  t.assert.match((invalid(4) as { why: string }).why, /push_mode 1/)
})

test('of a list everyone is taken whom vivo does not name', (t: TestContext) => {
  const named = (status: unknown, userid: string) => `{"status":${JSON.stringify(status)},"userid":${userid}}`
  const read = (...users: string[]) =>
    kinds(readTwo(replyOf(`{"result":0,"desc":"","requestId":"r","invalidUsers":[${users.join()}]}`)))
  for (const [status, kind] of statuses) {
    t.assert.deepStrictEqual(read(named(status, `"${OTHER}"`)), ['sent', kind])
    // 23 digits without quotes, which a number cannot hold: the neighbour differs in the last one.
    t.assert.deepStrictEqual(read(named(status, OTHER)), ['sent', kind])
  }
  t.assert.deepStrictEqual(read(named(2, `"${TOKEN}"`), named(1, `"${OTHER}"`), 'null', '5'), ['dead', 'dead'])
  for (const status of [7, 'x', null]) t.assert.deepStrictEqual(read(named(status, `"${TOKEN}"`)), ['unknown', 'sent'])
  t.assert.deepStrictEqual(read(), ['sent', 'sent'])
  for (const invalidUsers of [undefined, null, {}, 'x']) {
    t.assert.deepStrictEqual(kinds(readTwo(replyOf({ result: 0, invalidUsers }))), ['sent', 'sent'])
  }
  const refused = { result: 10302, invalidUsers: [{ status: 1, userid: TOKEN }] }
  t.assert.deepStrictEqual(kinds(readTwo(replyOf(refused))), ['dead', 'unknown'])
})

test('an answer that cannot be read is judged by its status and never throws', (t: TestContext) => {
  const answers: [unknown, number, string][] = [
    ['Internet server error!', 500, 'down'],
    ['<html>', 200, 'down'],
    ['{"result":0,"de', 200, 'down'],
    ['', 200, 'down'],
    ['[]', 404, 'down'],
    [{ result: 0 }, 502, 'down'],
    [{}, 503, 'down'],
    ['slow down', 429, 'limited'],
    [{}, 200, 'unknown'],
    [{ result: null }, 200, 'unknown'],
    [{ result: 'x'.repeat(60_000) }, 200, 'unknown'],
    [{ result: 'constructor' }, 400, 'unknown'],
    ['{"__proto__":{"result":0}}', 200, 'unknown'],
  ]
  for (const [body, status, kind] of answers) {
    const reply = replyOf(body, status)
    t.assert.equal(readOne(reply).kind, kind, JSON.stringify(body).slice(0, 80))
    t.assert.deepStrictEqual(kinds(readTwo(reply)), [kind, kind])
    t.assert.equal((vivo.prepare!.read(reply) as Verdict).kind, kind)
  }
  for (const taskId of [undefined, '', null, {}]) {
    t.assert.equal((vivo.prepare!.read(replyOf({ result: 0, taskId })) as Verdict).kind, 'unknown')
  }
})

const readReceipts = (body: unknown) =>
  vivo.receipts!.read({ headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) }, [accountWith()])

test('receipts of several tasks in one call are told apart', (t: TestContext) => {
  const body = {
    '561151469521809408': { param: '42', targets: `${TOKEN},${OTHER}` },
    '561151469521809409': { param: '43', targets: ' v2-EXAMPLE ,' },
  }
  t.assert.deepStrictEqual(readReceipts(body), [
    { taskId: 42, token: TOKEN, event: 'received' },
    { taskId: 42, token: OTHER, event: 'received' },
    { taskId: 43, token: 'v2-EXAMPLE', event: 'received' },
  ])
})

test('a receipt with types tells deliveries, failures and dead tokens apart', (t: TestContext) => {
  const told = (ackType: unknown, subAckType?: unknown) => {
    const receipts = readReceipts({ 1: [{ param: '42', targets: TOKEN, ackType, subAckType, ackTime: NOW }] })
    return (receipts as { event: string; why?: string }[]).map(({ event, why }) => [event, why])[0]
  }
  for (const main of [0, '0']) t.assert.deepStrictEqual(told(main), ['received', undefined])
  for (const main of [100, 101, 102, 103, 104, 999]) {
    t.assert.equal(told(main)![0], 'failed')
    t.assert.match(told(main)![1]!, new RegExp(`\\(${main}\\)$`))
  }
  for (const sub of [1000, 1017, 1020, 1040, 2124, 2144, 2158, 2161, 2162, 10012, 11001, 12000, 20006, 99999]) {
    t.assert.equal(told(104, sub)![0], 'failed', `${sub}`)
    t.assert.match(told(104, `${sub}`)![1]!, new RegExp(`\\(${sub}\\)$`))
  }
  for (const sub of [2183, 20001, 20002]) t.assert.equal(told(102, sub)![0], 'dead', `${sub}`)
  t.assert.equal(told('strange'), undefined)
})

test('a receipt that says what we cannot read is passed over, one that is no object is malformed', (t: TestContext) => {
  const list = [{ param: 't-42', targets: TOKEN }, { targets: TOKEN }, { param: '42', targets: 5 }, 5, null, [[]]]
  const body = { 1: list, 2: 5, 3: null, 4: { param: '42', targets: TOKEN, mainType: 104 } }
  t.assert.deepStrictEqual(readReceipts(body), [])
  for (const other of ['', '{', '[]', 'null', '"x"', '<html>']) t.assert.equal(readReceipts(other), 'malformed', other)
  t.assert.doesNotThrow(() => JSON.parse(vivo.receipts!.answer))
})
