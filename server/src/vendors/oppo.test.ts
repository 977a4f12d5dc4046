import test, { type TestContext } from 'node:test'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import oppo from './oppo.ts'
import type { Account, Address, Addressed, Reply, Verdict, VendorPush } from './vendor.ts'

const NOW = 1_700_000_000_000
const SECONDS = NOW / 1000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const TOKEN = 'CN_0123456789abcdef0123456789abcdef'
const OTHER = 'CN_fedcba9876543210fedcba9876543210'
const AUTH = '58ad47319e8d725350a5afd5'
const RECEIPTS = 'https://push.example.com/push/receipt/oppo/unguessable'

const accountWith = (options: Record<string, unknown> = {}, fields: Partial<Account> = {}): Account => ({
  app_id: '',
  app_key: '0f3c9a5be1d24c7f8a6b1e2d3c4f5a60',
  app_secret: '9e8d7c6b5a4f4e3d2c1b0a9f8e7d6c5b',
  certificate: '',
  name: '',
  environment: 1,
  options,
  ...fields,
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

const addressOf = (token: string, deviceId = 7, badge: number | null = 1): Address => ({ token, deviceId, badge })

const to = (push: VendorPush, more: Partial<Addressed> = {}): Addressed => ({
  push,
  account: accountWith(),
  addresses: [addressOf(TOKEN)],
  region: 'china',
  access: AUTH,
  variant: '',
  prepared: '',
  ...more,
})

const sentFor = (push: VendorPush, more: Partial<Addressed> = {}) => {
  const { body } = oppo.request(to(push, more))
  return JSON.parse(new URLSearchParams(body).get('message')!)
}
const noticeOf = (message: Message, setting: Setting = {}, more: Partial<VendorPush> = {}, options = {}) =>
  sentFor(pushOf(message, setting, more), { account: accountWith(options) }).notification
const parametersOf = (message: Message) => JSON.parse(noticeOf(message).action_parameters)

const access = oppo.access as Extract<typeof oppo.access, { request: unknown }>
const replyOf = (body: unknown, status = 200): Reply =>
  ({ status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) })
const two = { addresses: [addressOf(TOKEN, 7), addressOf(OTHER, 8)] }
const readOne = (reply: Reply): Verdict => oppo.read(reply, to(pushOf({ title: 'Hi' })))[0]!
const readTwo = (reply: Reply): Verdict[] => oppo.read(reply, to(pushOf({ title: 'Hi' }), two))
const kinds = (verdicts: Verdict[]) => verdicts.map(({ kind }) => kind)

test('the auth request is signed as the vector says', (t: TestContext) => {
  t.assert.deepStrictEqual(access.request(accountWith(), 'china', NOW), {
    origin: 'https://api.push.oppomobile.com',
    method: 'POST',
    path: '/server/v1/auth',
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
    body:
      'app_key=0f3c9a5be1d24c7f8a6b1e2d3c4f5a60' +
      '&sign=4dff387680a091785b5e404c9912c6ebb30992a4bb93e3f70da361169c6b1037&timestamp=1700000000000',
  })
})

test('an auth token lives 24 hours from its making and is renewed after 20', (t: TestContext) => {
  const answer = (create_time: unknown) =>
    access.read(replyOf({ code: 0, message: 'success', data: { auth_token: AUTH, create_time } }), NOW)
  const fresh = { value: AUTH, renewAt: NOW + 20 * HOUR_MS, endsAt: NOW + DAY_MS }
  for (const time of [NOW, `${NOW}`, NOW + 60_000, undefined, 'soon', 5]) t.assert.deepStrictEqual(answer(time), fresh)
  const old = { value: AUTH, renewAt: NOW + 10 * HOUR_MS, endsAt: NOW + 12 * HOUR_MS }
  for (const time of [NOW - 12 * HOUR_MS, `${NOW - 12 * HOUR_MS}`]) t.assert.deepStrictEqual(answer(time), old)
})

test('an auth answer without a token says what stands in the way, and never speaks of a push', (t: TestContext) => {
  const read = (body: unknown, status?: number) => access.read(replyOf(body, status), NOW) as Verdict & { why: string }
  t.assert.equal(read({ code: 16, message: 'no' }).kind, 'denied')
  t.assert.match(read({ code: 16 }).why, /MasterSecret.*\(16\)$/)
  t.assert.match(read({ code: 19 }).why, /clock.*\(19\)$/)
  for (const data of [undefined, [], { auth_token: '' }, { auth_token: 5 }]) {
    t.assert.equal(read({ code: 0, data }).kind, 'unknown')
  }
  for (const code of [10000, 11, 40]) t.assert.equal(read({ code }).kind, 'unknown')
  t.assert.equal(read('<html>', 502).kind, 'down')
  t.assert.equal(read({ code: -2 }).kind, 'limited')
})

test('the region of a token is told by its parts, and each has its host', (t: TestContext) => {
  const hash = '0123456789abcdef0123456789abcdef'
  const regions: Record<string, string> = {
    [hash]: 'china',
    [`CN_${hash}`]: 'china',
    [`OPPO_CN_${hash}`]: 'china',
    [`IN_${hash}`]: 'overseas',
    [`realme_IN_${hash}`]: 'overseas',
    [`CN_IN_${hash}`]: 'overseas',
    [`A_B_CN_${hash}`]: 'overseas',
  }
  for (const [token, region] of Object.entries(regions)) {
    t.assert.equal(oppo.regionOf!(token, accountWith()), region, token)
  }
  const originOf = (region: string, options = {}) =>
    oppo.request(to(pushOf({ title: 'Hi' }), { region, account: accountWith(options) })).origin
  const moved = { china_host: 'api-push-cn.heytapmobi.com' }
  t.assert.equal(originOf('china'), 'https://api.push.oppomobile.com')
  t.assert.equal(originOf('china', moved), 'https://api-push-cn.heytapmobi.com')
  t.assert.equal(originOf('overseas', moved), 'https://api-intl.push.oppomobile.com')
  t.assert.equal(access.request(accountWith(), 'overseas', NOW).origin, 'https://api-intl.push.oppomobile.com')
})

test('one device gets a form with one message, encoded as the vector says', (t: TestContext) => {
  const vector =
    'auth_token=58ad47319e8d725350a5afd5&message=%7B%22target_type%22%3A2%2C%22target_value%22%3A%22' +
    'CN_0123456789abcdef0123456789abcdef%22%2C%22verify_registration_id%22%3Afalse%2C%22notification%22%3A%7B%22' +
    'app_message_id%22%3A%22t-42%3Ad-7%22%2C%22title%22%3A%22Hi+%26+bye%22%2C%22content%22%3A%22' +
    '50%25+off+%2B+%E4%BD%A0%E5%A5%BD%22%2C%22click_action_type%22%3A0%2C%22action_parameters%22%3A%22' +
    '%7B%5C%22k%5C%22%3A%5C%22v%5C%22%7D%22%2C%22off_line%22%3Atrue%2C%22off_line_ttl%22%3A3600%7D%7D'
  const push = pushOf({ title: 'Hi & bye', body: '50% off + 你好', badge: '+0' })
  const { path, headers, body } = oppo.request(to(push))
  t.assert.equal(path, '/server/v1/message/notification/unicast')
  t.assert.equal(headers['content-type'], 'application/x-www-form-urlencoded; charset=UTF-8')
  // The vector's own ids and data in place of ours; `style` is all that we say beyond it.
  const { app_message_id, action_parameters } = sentFor(push).notification
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  const asVector = body
    .replace(encoded(JSON.stringify(app_message_id)), encoded('"t-42:d-7"'))
    .replace(encoded(JSON.stringify(action_parameters)), encoded(JSON.stringify('{"k":"v"}')))
    .replace(encoded(',"style":1'), '')
  t.assert.equal(asVector, vector)
})

test('several devices get one form with a list of messages, each with its token, id and badge', (t: TestContext) => {
  const addresses = [addressOf(TOKEN, 7, 4), addressOf(OTHER, 8, 9)]
  const { path, body } = oppo.request(to(pushOf({ title: 'Hi', badge: '+3' }), { addresses }))
  const form = new URLSearchParams(body)
  t.assert.equal(path, '/server/v1/message/notification/unicast_batch')
  t.assert.deepStrictEqual([...form.keys()], ['auth_token', 'messages'])
  const [first, second] = JSON.parse(form.get('messages')!)
  t.assert.deepStrictEqual([first.target_type, first.target_value, second.target_value], [2, TOKEN, OTHER])
  t.assert.deepStrictEqual([first.notification.badge_message_count, second.notification.badge_message_count], [4, 9])
  t.assert.notEqual(first.notification.app_message_id, second.notification.app_message_id)
})

test('the message id is the same on a repeat and another one for any other task or device', (t: TestContext) => {
  const idFor = (more: Partial<VendorPush>, device = 7) =>
    sentFor(pushOf({ title: 'Hi' }, {}, more), { addresses: [addressOf(TOKEN, device)] }).notification.app_message_id
  const first = idFor({})
  t.assert.match(first, /^[0-9a-f]{32}$/)
  t.assert.equal(idFor({ now: NOW + 60_000 }), first)
  t.assert.equal(new Set([first, idFor({ taskId: 43 }), idFor({}, 8), idFor({ expiresAt: NOW + 2 * HOUR_MS })]).size, 4)
})

test('title and content are there and cut by code points, long content is long text', (t: TestContext) => {
  const shown = (message: Message) => {
    const { title, content, style } = noticeOf(message)
    return [title, content, style]
  }
  t.assert.deepStrictEqual(shown({ ext: { a: 1 } }), ['Demo', 'Demo', 1])
  t.assert.deepStrictEqual(shown({ title: 'T' }), ['T', 'T', 1])
  t.assert.deepStrictEqual(shown({ title: '😀'.repeat(51), body: '好'.repeat(50) }), ['😀'.repeat(50), '好'.repeat(50), 1])
  t.assert.deepStrictEqual(shown({ title: 'T', body: '😀'.repeat(51) }), ['T', '😀'.repeat(51), 2])
  t.assert.deepStrictEqual(shown({ title: 'T', body: '😀'.repeat(129) }), ['T', '😀'.repeat(128), 2])
  t.assert.deepStrictEqual(shown({ title: 'T', body: 'b', big_text: 'big' }), ['T', 'big', 2])
  t.assert.deepStrictEqual(shown({ title: 'T', body: 'b', big_text: '好'.repeat(200) }), ['T', '好'.repeat(128), 2])
  t.assert.equal(noticeOf({ title: 'T', ios: { subtitle: '😀'.repeat(11) } }).sub_title, '😀'.repeat(10))
  t.assert.ok(!('sub_title' in noticeOf({ title: 'T' })))
})

test('the app gets task, channel, type, ext and attachment as texts', (t: TestContext) => {
  const attachment_url = 'https://example.com/a.png'
  const ext = { id: JSON.rawJSON('9007199254740993'), s: 'ü' }
  t.assert.deepStrictEqual(parametersOf({ type: 'image', title: 'T', attachment_url, ext }), {
    task_id: '42',
    channel: 'oppo',
    type: 'image',
    ext: '{"id":9007199254740993,"s":"ü"}',
    attachment_url,
  })
})

test('a click opens the app, or the page of the intent with its extras', (t: TestContext) => {
  const intent = 'intent:#Intent;component=com.demo.app/.Chat;S.cid=7%207;i.n=5;B.on=true;S.task_id=0;end'
  const clicks = (message: Message) => {
    const { click_action_type, click_action_activity, click_action_url } = noticeOf({ title: 'T', ...message })
    return [click_action_type, click_action_activity, click_action_url]
  }
  const app = [0, undefined, undefined]
  const android = { click_action: 'intent', intent } as const
  const other = intent.replace('.Chat', 'com.demo.Other')
  t.assert.deepStrictEqual(clicks({}), app)
  t.assert.deepStrictEqual(clicks({ android: { click_action: 'open_app', intent } }), app)
  t.assert.deepStrictEqual(clicks({ android }), [4, 'com.demo.app.Chat', undefined])
  t.assert.deepStrictEqual(clicks({ android, oppo: { click_action: 'open_app' } }), app)
  t.assert.deepStrictEqual(clicks({ android, oppo: { intent: other } }), [4, 'com.demo.Other', undefined])
  const bare = 'demo://page?id=1'
  t.assert.deepStrictEqual(clicks({ oppo: { click_action: 'intent', intent: bare } }), [5, undefined, bare])
  t.assert.deepStrictEqual(parametersOf({ title: 'T', oppo: { click_action: 'intent', intent } }), {
    cid: '7 7', n: '5', on: 'true', task_id: '42', channel: 'oppo', type: 'text',
  })
})

test('it is kept for a device that is off, ten days at most, and not at all for now or never', (t: TestContext) => {
  const kept = (setting: Setting, seconds: number) => {
    const { off_line, off_line_ttl } = noticeOf({ title: 'T' }, setting, { expiresAt: NOW + seconds * 1000 })
    return [off_line, off_line_ttl]
  }
  t.assert.deepStrictEqual(kept({}, 86_400), [true, 86_400])
  t.assert.deepStrictEqual(kept({}, 0.5), [true, 1])
  t.assert.deepStrictEqual(kept({ time_to_live: 2_592_000 }, 2_592_000), [true, 864_000])
  t.assert.deepStrictEqual(kept({ time_to_live: 0 }, 15), [false, undefined])
})

test('a window for showing goes along in milliseconds with both ends', (t: TestContext) => {
  const window = (begin?: number, end?: number, expiresAt = NOW + HOUR_MS) => {
    const message = { title: 'T', show_begin_time: begin, show_end_time: end }
    const { show_time_type, show_start_time, show_end_time } = noticeOf(message, {}, { expiresAt })
    return [show_time_type, show_start_time, show_end_time]
  }
  t.assert.deepStrictEqual(window(), [undefined, undefined, undefined])
  t.assert.deepStrictEqual(window(SECONDS + 60, SECONDS + 120, NOW + 120_000), [1, NOW + 60_000, NOW + 120_000])
  t.assert.deepStrictEqual(window(SECONDS + 60), [1, NOW + 60_000, NOW + HOUR_MS])
  t.assert.deepStrictEqual(window(undefined, SECONDS + 120, NOW + 120_000), [1, NOW, NOW + 120_000])
  t.assert.deepStrictEqual(window(SECONDS - 60, SECONDS + 120, NOW + 120_000), [1, NOW, NOW + 120_000])
  t.assert.deepStrictEqual(window(SECONDS - 60), [undefined, undefined, undefined])
})

test('OPPO keeps a push for its time where it can keep it so long', (t: TestContext) => {
  const presents = (begin: number | undefined, setting: Setting = {}) =>
    oppo.presents!(pushOf({ title: 'T', show_begin_time: begin }, setting), accountWith())
  t.assert.equal(presents(SECONDS + 60), true)
  t.assert.equal(presents(SECONDS + 863_999), true)
  t.assert.equal(presents(SECONDS + 864_000), false)
  t.assert.equal(presents(SECONDS), false)
  t.assert.equal(presents(undefined), false)
  t.assert.equal(presents(SECONDS + 60, { time_to_live: 0 }), false)
})

test('a badge is set, or one is added, or a larger step goes out as the number it leads to', (t: TestContext) => {
  const badge = (text: string | undefined, number: number | null) => {
    const { notification } = sentFor(pushOf({ title: 'T', badge: text }), { addresses: [addressOf(TOKEN, 7, number)] })
    return [notification.badge_operation_type, notification.badge_message_count]
  }
  t.assert.deepStrictEqual(badge('5', 5), [0, 5])
  t.assert.deepStrictEqual(badge('0', 0), [0, 0])
  t.assert.deepStrictEqual(badge('250', 250), [0, 99])
  t.assert.deepStrictEqual(badge('+1', 3), [1, undefined])
  t.assert.deepStrictEqual(badge(undefined, 3), [1, undefined])
  t.assert.deepStrictEqual(badge('+4', 7), [0, 7])
  t.assert.deepStrictEqual(badge('+400', 407), [0, 99])
  t.assert.deepStrictEqual(badge('+0', 3), [undefined, undefined])
  t.assert.deepStrictEqual(badge('5', null), [undefined, undefined])
})

test('bar channel, class, level and template come from the message, then from the options', (t: TestContext) => {
  const options = { default_channel_id: 'std', default_category: 'IM', notify_level: 16, private_template_id: 't1' }
  const named = noticeOf({ title: 'T', android: { channel_id: 'a' } }, {}, {}, options)
  t.assert.deepStrictEqual(
    [named.channel_id, named.category, named.notify_level, named.private_msg_template_id], ['a', 'IM', 16, 't1'],
  )
  t.assert.equal(noticeOf({ title: 'T' }, {}, {}, options).channel_id, 'std')
  t.assert.equal(noticeOf({ title: 'T', android: { channel_id: 'a' }, oppo: { channel_id: 'o' } }).channel_id, 'o')
  const bare = noticeOf({ title: 'T' }, {}, {}, { notify_level: 2 })
  for (const key of ['channel_id', 'category', 'notify_level', 'private_msg_template_id', 'notify_id']) {
    t.assert.ok(!(key in bare), key)
  }
})

test('pushes with one collapse id share a number, others do not', (t: TestContext) => {
  const idFor = (setting: Setting, ios = {}) => noticeOf({ title: 'T', ios }, setting).notify_id
  const chat = idFor({ collapse_id: 'chat' })
  t.assert.ok(Number.isInteger(chat) && chat > 0 && chat < 2 ** 31)
  t.assert.equal(idFor({}, { apns_collapse_id: 'chat' }), chat)
  t.assert.equal(idFor({ collapse_id: 'chat' }, { apns_collapse_id: 'other' }), chat)
  t.assert.notEqual(idFor({ collapse_id: 'mail' }), chat)
})

test('receipts are asked for with the task, unless their address is missing or too long', (t: TestContext) => {
  const asked = (receiptUrl: string | undefined) => {
    const { call_back_url, call_back_parameter } = noticeOf({ title: 'T' }, {}, { receiptUrl })
    return [call_back_url, call_back_parameter]
  }
  t.assert.deepStrictEqual(asked(RECEIPTS), [RECEIPTS, '42'])
  t.assert.deepStrictEqual(asked(RECEIPTS.padEnd(200, 'x')), [RECEIPTS.padEnd(200, 'x'), '42'])
  const none = [undefined, undefined]
  for (const url of [undefined, RECEIPTS.padEnd(201, 'x')]) t.assert.deepStrictEqual(asked(url), none)
})

test('there is no way to carry a message that shows nothing', (t: TestContext) => {
  for (const type of ['text', 'image', undefined] as const) {
    t.assert.equal(oppo.carries({ type, title: 'T' }, accountWith()), true)
  }
  t.assert.equal(oppo.carries({ type: 'cmd', ext: { a: 1 } }, accountWith()), false)
})

const table: Record<string, number[]> = {
  limited: [-2, 13, 55, 69],
  down: [-1],
  renew: [11, 29],
  refused: [12, 20, 21, 22, 23, 24, 25, 31, 32, 40, 41, 51, 54, 59, 67, 10001, 15000, 20000],
  denied: [14, 15, 16, 17, 18, 19, 26, 27, 28, 30],
  exhausted: [33, 34, 42],
  dead: [10000],
  unknown: [1, 10, 43, 9999, 20001, -3],
}

test('every code has its verdict, for one device, for a list and inside a list', (t: TestContext) => {
  for (const [kind, codes] of Object.entries(table)) {
    for (const code of codes) {
      const verdict = readOne(replyOf({ code, message: 'in words' })) as Verdict & { why: string }
      t.assert.equal(verdict.kind, kind, `${code}`)
      const words = kind === 'refused' || kind === 'unknown' ? ': in words' : ''
      t.assert.ok(verdict.why.endsWith(` (${code}${words})`), verdict.why)
      t.assert.equal(readOne(replyOf({ code: `${code}` }, 503)).kind, kind, `${code} as text`)
      // Of a list one bad token says nothing about the others.
      const whole = kind === 'dead' ? 'unknown' : kind
      t.assert.deepStrictEqual(kinds(readTwo(replyOf({ code, message: 'in words' }))), [whole, whole], `${code}`)
      const failed = { registrationId: OTHER, errorCode: code, errorMessage: 'in words' }
      const data = [failed, { registrationId: TOKEN, messageId: 'm' }]
      t.assert.deepStrictEqual(readTwo(replyOf({ code: 0, data })), [{ kind: 'sent' }, verdict], `${code}`)
    }
  }
  const data = { messageId: 'A-1-1-622ff7cfae27668d2ed3afec' }
  t.assert.deepStrictEqual(readOne(replyOf({ code: 0, message: '', data })), { kind: 'sent' })
})

test('an argument that is wrong is the token where the words name it', (t: TestContext) => {
  for (const message of ['invalid registration_id', 'target_value error', 'RegistrationId is wrong']) {
    t.assert.equal(readOne(replyOf({ code: 41, message })).kind, 'dead', message)
    t.assert.equal(readOne(replyOf({ code: 40, message })).kind, 'refused', message)
  }
  for (const message of ['title too long', '', undefined, 5]) {
    t.assert.equal(readOne(replyOf({ code: 41, message })).kind, 'refused')
  }
})

test('rows of a list are matched by token, and a token that has none is asked for again', (t: TestContext) => {
  const kindsOf = (data: unknown) => kinds(readTwo(replyOf({ code: 0, data })))
  const bad = { registrationId: OTHER, messageId: 'm', errorCode: 10000, errorMessage: 'bad' }
  t.assert.deepStrictEqual(kindsOf([bad]), ['unknown', 'dead'])
  t.assert.deepStrictEqual(kindsOf([bad, { registrationId: TOKEN, errorCode: 0 }]), ['sent', 'dead'])
  t.assert.deepStrictEqual(kindsOf([null, 5, { registrationId: TOKEN, errorCode: {} }]), ['unknown', 'unknown'])
  for (const data of [undefined, null, {}, 'x', []]) t.assert.deepStrictEqual(kindsOf(data), ['unknown', 'unknown'])
})

test('an answer that cannot be read is judged by its status and never throws', (t: TestContext) => {
  const answers: [unknown, number, string][] = [
    ['<html>Bad gateway</html>', 502, 'down'],
    ['{"code":0,"da', 200, 'down'],
    ['', 200, 'down'],
    ['[]', 200, 'down'],
    ['null', 404, 'down'],
    [{ code: 0 }, 503, 'down'],
    ['slow down', 429, 'limited'],
    [{}, 200, 'unknown'],
    [{ code: null }, 200, 'unknown'],
    [{ code: 'x'.repeat(60_000) }, 200, 'unknown'],
    [{ code: 1.5 }, 200, 'unknown'],
    [{ code: 'constructor' }, 200, 'unknown'],
    ['{"__proto__":{"code":0}}', 200, 'unknown'],
  ]
  for (const [body, status, kind] of answers) {
    t.assert.equal(readOne(replyOf(body, status)).kind, kind, JSON.stringify(body).slice(0, 80))
    t.assert.deepStrictEqual(kinds(readTwo(replyOf(body, status))), [kind, kind])
  }
  const { why } = readOne(replyOf({ code: 41, message: 'x'.repeat(60_000) })) as { why: string }
  t.assert.ok(why.length < 200)
})

const report = (changes: Record<string, unknown> = {}) => ({
  messageId: 'ZngA-1-1-622ff7cfae27668d2ed3afec',
  appId: 'ZngA',
  taskId: 'ZngA-1-1-622ff7cfae27668d2ed3afec',
  registrationIds: `${TOKEN}, ${OTHER}`,
  eventTime: '1700000003123',
  param: '42',
  eventType: 'push_arrive',
  ...changes,
})
const readReceipts = (body: unknown, accounts = [accountWith()]) =>
  oppo.receipts!.read({ headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) }, accounts)

test('receipts of several tasks in one call are told apart', (t: TestContext) => {
  const body = [
    report(),
    report({ param: '43', registrationIds: OTHER, eventType: 'regid_invalid' }),
    report({ param: '44', registrationIds: OTHER, eventType: 'user_daily_limit' }),
  ]
  const removed = 'the app was removed or the device was away for 30 days (regid_invalid)'
  t.assert.deepStrictEqual(readReceipts(body), [
    { taskId: 42, token: TOKEN, event: 'received' },
    { taskId: 42, token: OTHER, event: 'received' },
    { taskId: 43, token: OTHER, event: 'dead', why: removed },
    { taskId: 44, token: OTHER, event: 'failed', why: 'the device had its messages of the day (user_daily_limit)' },
  ])
})

test('what a receipt says beyond what we know is passed over', (t: TestContext) => {
  const names = [{ eventType: 'newer' }, { eventType: 'constructor' }, { eventType: 5 }]
  const odd = [...names, { param: 't-42' }, { param: undefined }, { registrationIds: 5 }].map(report)
  const body = [...odd, 5, null, 'x', report({ registrationIds: ` ,${TOKEN},` })]
  t.assert.deepStrictEqual(readReceipts(body), [{ taskId: 42, token: TOKEN, event: 'received' }])
})

test('a receipt of another app is forged where the app id is known, what is no list is malformed', (t: TestContext) => {
  const known = [accountWith({}, { app_id: 'ZngA' }), accountWith({}, { app_id: 'Dev' })]
  t.assert.equal(readReceipts([report()], known).length, 2)
  for (const appId of ['Other', undefined, null]) {
    t.assert.equal(readReceipts([report(), report({ appId })], known), 'forged')
  }
  t.assert.equal(readReceipts([report({ appId: 'Other' })], [known[0]!, accountWith()]).length, 2)
  t.assert.equal(readReceipts([report()], []).length, 2)
  for (const body of ['', '{', '{}', 'null', '"x"', '<html>']) t.assert.equal(readReceipts(body), 'malformed', body)
})
