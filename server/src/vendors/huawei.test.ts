import { createHmac } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { parseJson } from '@carillon/protocol/json.ts'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import huawei from './huawei.ts'
import type { AccessToken, Account, Addressed, Reply, Verdict, VendorPush } from './vendor.ts'

const NOW = 1_700_000_000_000
const SECRET = '9f2c4d6e8a0b1c3d5e7f90a1b2c3d4e5f60718293a4b5c6d7e8f9a0b1c2d3e4f'
const TOKEN = 'IQAAAACyTESTTOKEN-0001_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
const INTENT = 'intent:#Intent;component=com.example.app/com.example.app.ChatActivity;S.room=42;end'
const ICON = 'com.example.app.MainActivity'

const account = (options: Record<string, unknown> = {}, app_key = ''): Account => ({
  app_id: '104567891', app_key, app_secret: SECRET, certificate: '', name: '', options, environment: 1,
})

interface Case {
  message: Message
  setting?: Setting
  options?: Record<string, unknown>
  tokens?: string[]
  variant?: string
  seconds?: number
}

const addressed = (given: Case): Addressed => {
  const { message, setting = {}, options, tokens = [TOKEN], variant = '', seconds = 3600 } = given
  const push: VendorPush = {
    taskId: 42, message, setting, appName: 'Bells', now: NOW, expiresAt: NOW + seconds * 1000, receiptUrl: undefined,
  }
  const addresses = tokens.map((token, deviceId) => ({ token, deviceId, badge: 7 }))
  return { push, account: account(options), addresses, region: '', access: 'CgB6/e3x9+=', variant, prepared: '' }
}

const bodyFor = (given: Case) => JSON.parse(huawei.request(addressed(given)).body)
const androidFor = (given: Case) => bodyFor(given).message.android
const noticeFor = (message: Message, more: Partial<Case> = {}) => androidFor({ message, ...more }).notification

const hello: Message = { title: 'Ana', body: 'Lunch at noon?' }
const reply = (status: number, body: unknown): Reply =>
  ({ status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) })
const verdicts = (answer: Reply, tokens = [TOKEN]): Verdict[] =>
  huawei.read(answer, addressed({ message: hello, tokens }))
const whyOf = (verdict: Verdict | AccessToken): string => ('why' in verdict ? verdict.why : '')

const access = huawei.access!
if (!('request' in access)) throw new Error('Huawei is asked for access tokens')
const tokenFrom = (status: number, body: unknown) => access.read(reply(status, body), NOW)

test('an access token is asked for with the form Huawei documents', (t: TestContext) => {
  const request = access.request(account(), '', NOW)
  t.assert.deepEqual(request, {
    origin: 'https://oauth-login.cloud.huawei.com',
    method: 'POST',
    path: '/oauth2/v3/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=client_credentials&client_id=104567891&client_secret=${SECRET}`,
  })
  t.assert.equal(Buffer.byteLength(request.body), 128)
})

test('an access token is renewed five minutes before its end, or halfway when it is short', (t: TestContext) => {
  const answer = '{"access_token":"CgB6e3x9\\/+=","expires_in":3600,"token_type":"Bearer"}'
  const token = { value: 'CgB6e3x9/+=', renewAt: NOW + 3_300_000, endsAt: NOW + 3_600_000 }
  t.assert.deepEqual(tokenFrom(200, answer), token)
  const short = { access_token: 'a', expires_in: '400' }
  t.assert.deepEqual(tokenFrom(200, short), { value: 'a', renewAt: NOW + 200_000, endsAt: NOW + 400_000 })
})

test('every refusal of an access token is told apart', (t: TestContext) => {
  const rows: [number, unknown, Verdict['kind'], string][] = [
    [400, { error: 1101, sub_error: 20002 }, 'denied', '(1101/20002)'],
    [400, { error: 1101, sub_error: 12304 }, 'denied', '(1101/12304)'],
    [400, { error: 1101, sub_error: 20171 }, 'denied', '(1101/20171)'],
    [400, { error: 1101, sub_error: 20172 }, 'denied', '(1101/20172)'],
    [400, { error: 1101, sub_error: 20182 }, 'denied', '(1101/20182)'],
    [400, { error: '1101', sub_error: '12304' }, 'denied', '(1101/12304)'],
    [400, { error: 1101, sub_error: 99999 }, 'unknown', '(HTTP 400)'],
    [403, '<html>', 'down', '(HTTP 403)'],
    [429, '', 'limited', '(HTTP 429)'],
    [503, '', 'limited', '(HTTP 503)'],
    [500, '', 'down', '(HTTP 500)'],
    [502, '', 'down', '(HTTP 502)'],
    [504, '', 'down', '(HTTP 504)'],
    [590, '', 'down', '(HTTP 590)'],
    [200, '{"access_token":', 'unknown', '(HTTP 200)'],
    [200, { access_token: 'a' }, 'unknown', '(HTTP 200)'],
    [200, { access_token: 'a', expires_in: { valueOf: 1, toString: 1 } }, 'unknown', '(HTTP 200)'],
    [200, { access_token: 'a', expires_in: 0 }, 'unknown', '(HTTP 200)'],
    [200, { access_token: 'a\r\nb: c', expires_in: 3600 }, 'unknown', '(HTTP 200)'],
    [400, { access_token: 'a', expires_in: 3600 }, 'unknown', '(HTTP 400)'],
  ]
  for (const [status, body, kind, end] of rows) {
    const verdict = tokenFrom(status, body)
    t.assert.equal('kind' in verdict && verdict.kind, kind, JSON.stringify(body))
    t.assert.ok(whyOf(verdict).endsWith(end), whyOf(verdict))
  }
})

test('what a refusal of an access token describes is not repeated: it may hold the secret', (t: TestContext) => {
  const refusal = tokenFrom(400, { error: 1101, sub_error: 12304, error_description: `secret ${SECRET} is wrong` })
  t.assert.ok(!whyOf(refusal).includes(SECRET))
})

test('a message is sent as in the documented example', (t: TestContext) => {
  const message: Message = {
    ...hello,
    badge: '+1',
    huawei: { click_action: 'intent', intent: INTENT, badge_class: ICON },
  }
  const { body, ...request } = huawei.request(
    addressed({ message, options: { default_category: 'IM', importance: 'NORMAL' } }),
  )
  t.assert.deepEqual(request, {
    origin: 'https://push-api.cloud.huawei.com',
    method: 'POST',
    path: '/v1/104567891/messages:send',
    headers: { 'content-type': 'application/json;charset=UTF-8', authorization: 'Bearer CgB6/e3x9+=' },
  })
  // The example's own task and data in place of ours; everything else agrees to the byte.
  const task = '8f1b6c1e-2f0a-4d9e-9b57-3a1c5e7d9f10'
  const built = JSON.parse(body)
  built.message.data = JSON.stringify({ task, room: '42' })
  built.message.android.bi_tag = task
  const example =
    '{"validate_only":false,"message":{' +
    '"data":"{\\"task\\":\\"8f1b6c1e-2f0a-4d9e-9b57-3a1c5e7d9f10\\",\\"room\\":\\"42\\"}",' +
    '"android":{"ttl":"3600s","bi_tag":"8f1b6c1e-2f0a-4d9e-9b57-3a1c5e7d9f10","category":"IM","notification":{' +
    '"title":"Ana","body":"Lunch at noon?","importance":"NORMAL","click_action":{"type":1,"intent":' +
    `"${INTENT}"},"badge":{"class":"${ICON}","add_num":1}}},"token":["${TOKEN}"]}}`
  t.assert.equal(JSON.stringify(built), example)
  t.assert.equal(Buffer.byteLength(example), 553)
})

test('a project ID sends on the level of the project', (t: TestContext) => {
  const to = { ...addressed({ message: hello }), account: account({}, '7360') }
  t.assert.equal(huawei.request(to).path, '/v2/7360/messages:send')
})

test('the data is JSON text with the task, the channel and ext as it was written', (t: TestContext) => {
  const written = '{"id":12345678901234567890,"deep":[1.50]}'
  const ext = parseJson(Buffer.from(written)) as Record<string, unknown>
  const { data } = bodyFor({ message: { ...hello, ext } }).message
  t.assert.equal(data, `{"task_id":42,"channel":"huawei","type":"text","ext":${written}}`)
})

test('a notification says no more than the message does, and always what a click does', (t: TestContext) => {
  t.assert.deepEqual(bodyFor({ message: hello }), {
    validate_only: false,
    message: {
      data: '{"task_id":42,"channel":"huawei","type":"text"}',
      android: { ttl: '3600s', bi_tag: '42', notification: { ...hello, click_action: { type: 3 } } },
      token: [TOKEN],
    },
  })
  const untitled = { title: 'Bells', body: 'Bells', click_action: { type: 3 } }
  t.assert.deepEqual(noticeFor({ ext: { a: 1 } }), untitled)
})

test('every field has its place in the notification', (t: TestContext) => {
  const click = (android: Message['android']) => noticeFor({ ...hello, android }).click_action
  t.assert.deepEqual(click({ click_action: 'open_app', intent: INTENT }), { type: 3 })
  t.assert.deepEqual(click({ click_action: 'intent', intent: INTENT }), { type: 1, intent: INTENT })
  t.assert.deepEqual(click({ click_action: 'intent', intent: '' }), { type: 3 })

  const rows: [Message, Setting, object][] = [
    [{ big_text: 'Long' }, {}, { body: 'Lunch at noon?', style: 1, big_title: 'Ana', big_body: 'Long' }],
    [{ type: 'image', attachment_url: 'https://x.example/a.PNG' }, {}, { image: 'https://x.example/a.PNG' }],
    [{ attachment_url: 'https://x.example/a.jpeg?s=1' }, {}, { image: 'https://x.example/a.jpeg?s=1' }],
    [{ android: { sound: 'ding' } }, {}, { sound: '/raw/ding', default_sound: false }],
    [{ android: { sound: 'ding' }, huawei: { sound: '/raw/dong' } }, {}, { sound: '/raw/dong', default_sound: false }],
    [{ android: { channel_id: 'news' } }, {}, { channel_id: 'news' }],
    [{ android: { channel_id: 'news' }, huawei: { channel_id: 'chat' } }, {}, { channel_id: 'chat' }],
    [{}, { collapse_id: 'score' }, { tag: 'score' }],
    [{ ios: { apns_collapse_id: 'own' } }, { collapse_id: 'score' }, { tag: 'score' }],
    [{ ios: { apns_collapse_id: 'own', thread_id: 'match' } }, {}, { tag: 'own', group: 'match' }],
  ]
  for (const [message, setting, expected] of rows) {
    t.assert.partialDeepStrictEqual(noticeFor({ ...hello, ...message }, { setting }), expected)
  }
})

test('only a picture over https is shown; other attachments reach the app as data alone', (t: TestContext) => {
  for (const attachment_url of ['http://x.example/a.png', 'https://x.example/a.mp3', 'https://x.example/a?b=c.png']) {
    const { message } = bodyFor({ message: { ...hello, attachment_url } })
    t.assert.ok(!('image' in message.android.notification), attachment_url)
    t.assert.equal(JSON.parse(message.data).attachment_url, attachment_url)
  }
})

test('a badge is set or raised within what Huawei takes, and needs the class of the icon', (t: TestContext) => {
  const badge = (text: string | undefined, badge_class = ICON) =>
    noticeFor({ ...hello, ...(text && { badge: text }), huawei: { badge_class } }).badge
  t.assert.deepEqual(badge('5'), { class: ICON, set_num: 5 })
  t.assert.deepEqual(badge('0'), { class: ICON, set_num: 0 })
  t.assert.deepEqual(badge('100'), { class: ICON, set_num: 99 })
  t.assert.deepEqual(badge('+1'), { class: ICON, add_num: 1 })
  t.assert.deepEqual(badge('+500'), { class: ICON, add_num: 99 })
  t.assert.deepEqual(badge(undefined), { class: ICON, add_num: 1 })
  t.assert.equal(badge('+0'), undefined)
  t.assert.equal(badge('5', ''), undefined)
  t.assert.equal(noticeFor({ ...hello, badge: '5' }).badge, undefined)
})

test('a cmd shows nothing: its texts are data, its priority is the urgency', (t: TestContext) => {
  const message: Message = { ...hello, type: 'cmd', badge: '5', huawei: { badge_class: ICON } }
  const data = '{"task_id":42,"channel":"huawei","type":"cmd","title":"Ana","body":"Lunch at noon?"}'
  t.assert.deepEqual(bodyFor({ message, setting: { priority: 'high' } }).message, {
    data,
    android: { ttl: '3600s', bi_tag: '42', urgency: 'HIGH' },
    token: [TOKEN],
  })
  t.assert.equal(androidFor({ message, setting: { priority: 'normal' } }).urgency, 'NORMAL')
  t.assert.ok(!('urgency' in androidFor({ message })))
  t.assert.ok(!('urgency' in androidFor({ message: hello, setting: { priority: 'high' } })))
  t.assert.ok(huawei.carries(message, account()))
})

test('time to live stays within one second and fifteen days', (t: TestContext) => {
  const ttl = (seconds: number, setting: Setting = {}) => androidFor({ message: hello, seconds, setting }).ttl
  t.assert.equal(ttl(90), '90s')
  t.assert.equal(ttl(2_592_000), '1296000s')
  t.assert.equal(ttl(15, { time_to_live: 0 }), '1s')
})

test('the options of the account fill in what the message does not name', (t: TestContext) => {
  const options = {
    receipt_id: 'r1', default_category: 'WORK', default_channel_id: 'usual', importance: 'LOW', target_user_type: 0,
  }
  const { notification, ...android } = androidFor({ message: hello, options })
  t.assert.deepEqual(android, { ttl: '3600s', bi_tag: '42', receipt_id: 'r1', category: 'WORK', target_user_type: 0 })
  t.assert.partialDeepStrictEqual(notification, { importance: 'LOW', channel_id: 'usual' })
  t.assert.equal(noticeFor({ ...hello, android: { channel_id: 'chat' } }, { options }).channel_id, 'chat')
  const voice = { default_category: 'PLAY_VOICE' }
  t.assert.ok(!('category' in androidFor({ message: hello, options: voice })))
  t.assert.equal(androidFor({ message: { ...hello, type: 'cmd' }, options: voice }).category, 'PLAY_VOICE')
})

test('a token that comes twice is written once, and judged twice', (t: TestContext) => {
  t.assert.deepEqual(bodyFor({ message: hello, tokens: ['a', 'b', 'a'] }).message.token, ['a', 'b'])
  t.assert.equal(verdicts(reply(200, { code: '80000000' }), ['a', 'b', 'a']).length, 3)
})

test('a show time is not Huawei\'s to keep', (t: TestContext) => {
  t.assert.equal(huawei.presents, undefined)
})

const codes: [number, Verdict['kind']][] = [
  [80000000, 'sent'],
  [80100001, 'refused'],
  [80100002, 'refused'],
  [80100003, 'refused'],
  [80100004, 'refused'],
  [80100013, 'refused'],
  [80100016, 'refused'],
  [80100017, 'limited'],
  [80100018, 'refused'],
  [80200001, 'renew'],
  [80200003, 'renew'],
  [80200005, 'renew'],
  [80300002, 'denied'],
  [80300007, 'dead'],
  [80300008, 'refused'],
  [80300010, 'refused'],
  [80300011, 'adapt'],
  [80300013, 'denied'],
  [80600003, 'renew'],
  [81000001, 'down'],
  [82000001, 'unknown'],
  [80999999, 'unknown'],
]

test('every code has its verdict, whatever the HTTP status, as text or as a number', (t: TestContext) => {
  for (const [code, kind] of codes) {
    for (const status of kind === 'unknown' ? [200, 400] : [200, 400, 401, 500, 503]) {
      for (const written of [code, String(code)]) {
        const found = verdicts(reply(status, { code: written, msg: 'words of Huawei', requestId: '1' }), ['a', 'b'])
        t.assert.deepEqual(found.map((verdict) => verdict.kind), [kind, kind], `${status} ${code}`)
        if (kind !== 'sent') t.assert.ok(whyOf(found[0]!).endsWith(` (${code})`), whyOf(found[0]!))
      }
    }
  }
})

test('what has to be put right is told in Huawei\'s own words, on one line', (t: TestContext) => {
  const told = (code: string, msg: unknown) => whyOf(verdicts(reply(400, { code, msg }))[0]!)
  t.assert.equal(told('80100001', 'ttl\n is\u0000 wrong'), 'a parameter is wrong: ttl is wrong (80100001)')
  t.assert.equal(told('80100001', { ttl: 1 }), 'a parameter is wrong (80100001)')
  t.assert.ok(told('80100001', '長'.repeat(60_000)).length < 200)
  t.assert.ok(!told('80200001', 'Bearer CgB6/e3x9+=').includes('CgB6'))
})

test('only the listed tokens are dead where some were illegal; the others were taken', (t: TestContext) => {
  const code = '80100000'
  const msg = JSON.stringify({ success: 3, failure: 1, illegal_tokens: ['badtok'] })
  t.assert.deepEqual(verdicts(reply(200, { code, msg, requestId: '1' }), ['a', 'badtok', 'b', 'BADTOK']), [
    { kind: 'sent' },
    { kind: 'dead', why: 'the token is illegal (80100000)', said: '80100000' },
    { kind: 'sent' },
    { kind: 'sent' },
  ])
})

test('where the list of illegal tokens does not read, nobody is dead and nobody is sent it again', (t: TestContext) => {
  for (const msg of [undefined, 7, '', 'some', '[]', '{"illegal_tokens":"a"}', '{"illegal_tokens":["a"']) {
    const found = verdicts(reply(200, { code: '80100000', msg }), ['a', 'b'])
    t.assert.deepEqual(found.map((verdict) => verdict.kind), ['refused', 'refused'], String(msg))
  }
})

test('an answer that lists every token of a full request fits into what is read of it', (t: TestContext) => {
  const tokens = Array.from({ length: huawei.limits.batch }, (_, i) => String(i).padStart(130, 'A'))
  const msg = JSON.stringify({ success: 0, failure: tokens.length, illegal_tokens: tokens })
  const answer = reply(200, { code: '80100000', msg, requestId: '170000000012345678000507' })
  t.assert.ok(Buffer.byteLength(answer.body) <= 65_536)
  t.assert.ok(verdicts(answer, tokens).every((verdict) => verdict.kind === 'dead'))
})

test('an answer without a code that is known is judged by its HTTP status', (t: TestContext) => {
  const rows: [number, Verdict['kind']][] = [
    [200, 'unknown'],
    [302, 'unknown'],
    [400, 'unknown'],
    [401, 'renew'],
    [404, 'denied'],
    [429, 'limited'],
    [500, 'down'],
    [502, 'down'],
    [503, 'limited'],
    [504, 'down'],
  ]
  const bodies = [
    '', 'null', '[]', '"80000000"', '{"code":', '{"code":"80000000', '<html>'.repeat(10_000), '{"code":null}',
    '{"code":{"toString":1}}', '{"code":["80000000"]}', '{"code":"constructor"}', '{"code":"__proto__"}',
    '{"code":80000000.5}',
  ]
  for (const [status, kind] of rows) {
    for (const body of bodies) {
      const found = verdicts(reply(status, body), ['a', 'b'])
      t.assert.deepEqual(found.map((verdict) => verdict.kind), [kind, kind], `${status} ${body.slice(0, 40)}`)
      t.assert.ok(whyOf(found[0]!).endsWith(`(HTTP ${status})`))
    }
    const withCode = verdicts(reply(status, { code: '80999999' }))
    t.assert.equal(withCode[0]!.kind, kind)
  }
})

test('without the right to high-level messages it is built once more without asking for one', (t: TestContext) => {
  const [verdict] = verdicts(reply(400, { code: '80300011', msg: 'no right' }))
  t.assert.partialDeepStrictEqual(verdict, { kind: 'adapt', variant: 'normal' })
  const again = { setting: { priority: 'high' }, variant: 'normal' } as const
  t.assert.equal(androidFor({ ...again, message: { ...hello, type: 'cmd' } }).urgency, 'NORMAL')
  t.assert.equal(noticeFor(hello, again).importance, 'NORMAL')
  t.assert.equal(noticeFor(hello, { ...again, options: { importance: 'LOW' } }).importance, 'LOW')
})

test('credentials are tried with a message that Huawei only looks over', (t: TestContext) => {
  const { token, variant } = huawei.probe!
  t.assert.equal(bodyFor({ message: hello, tokens: [token], variant }).validate_only, true)
  t.assert.equal(bodyFor({ message: hello, variant: 'normal' }).validate_only, false)
})

const receipts = huawei.receipts!
const receiptSecret = 'Zm9yLXRlc3Qtb25seS1jYXJpbGxvbi1rZXktMDAwMQ=='
const proved = [account({ receipt_user: 'carillon', receipt_key: receiptSecret })]
const status = (changes: object) =>
  ({ statuses: [{ token: TOKEN, biTag: '42', status: 0, timestamp: NOW, ...changes }] })
const readReceipt = (body: unknown, header?: string, accounts: Account[] = [account()]) =>
  receipts.read({
    headers: header === undefined ? {} : { 'x-huawei-callback-id': header },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }, accounts)

const received = [{ taskId: 42, token: TOKEN, event: 'received' }]
const NONCE = '0d9f3c1e-6a2b-4c7d-8e9f-112233445566'
const headerOf = (value: string, timestamp = '1700000000123') =>
  `timestamp=${timestamp}; nonce=${NONCE}; value=${value}`

test('a receipt is proved by the decoded key or by its text', (t: TestContext) => {
  const values = ['vlC6fi7YnVcF+0YIXgdBKYL8z3LNLB2wbeWcEdsNAY4=', '6aZzyhUXVmO1Or1JFDqZsOx7VuUqQGLh3mlR6+XNsiw=']
  for (const value of values) {
    const turned = headerOf(value).split('; ').reverse().join(' ;')
    for (const header of [headerOf(value), headerOf(value).replaceAll('; ', ';'), turned]) {
      t.assert.deepEqual(readReceipt(status({}), header, proved), received, header)
    }
    t.assert.deepEqual(readReceipt(status({}), headerOf(value), [account(), ...proved]), received)
  }
})

test('a receipt that does not prove what it should is forged', (t: TestContext) => {
  const right = 'vlC6fi7YnVcF+0YIXgdBKYL8z3LNLB2wbeWcEdsNAY4='
  const later = headerOf(right, '1700000000124')
  for (const header of [undefined, '', ';;=', 'value', headerOf(''), headerOf(right.slice(4)), later]) {
    t.assert.equal(readReceipt(status({}), header, proved), 'forged', `${header}`)
    t.assert.equal(readReceipt(status({}), header, [account(), ...proved]), 'forged', `${header}`)
  }
  const others = [account({ receipt_user: 'other', receipt_key: receiptSecret })]
  t.assert.equal(readReceipt(status({}), headerOf(right), others), 'forged')
})

test('a key that is no base64 does not open the door to a signature with an empty one', (t: TestContext) => {
  const accounts = [account({ receipt_user: 'carillon', receipt_key: '!' })]
  const sign = (key: string) => createHmac('sha256', key).update(`1700000000123${NONCE}carillon`).digest('base64')
  t.assert.equal(readReceipt(status({}), headerOf(sign('')), accounts), 'forged')
  t.assert.deepEqual(readReceipt(status({}), headerOf(sign('!')), accounts), received)
})

test('both forms of a receipt are understood, and no proof is asked for where none is set up', (t: TestContext) => {
  t.assert.deepEqual(readReceipt(status({ clientId: '104567891', requestId: '1' })), received)
  t.assert.deepEqual(readReceipt(status({ appid: '104567891' }), 'anything'), received)
  const second = { pushType: 0, status: undefined, deliveryStatus: { result: 0, timestamp: NOW } }
  t.assert.deepEqual(readReceipt(status(second)), received)
  t.assert.deepEqual(readReceipt(status({}), undefined, [account({ receipt_user: 'alone' })]), received)
  t.assert.equal(receipts.answer, '{"code":"0","message":"success"}')
})

test('every status of a receipt has its event', (t: TestContext) => {
  const rows: [number, string | undefined][] = [
    [0, 'received'],
    [2, 'dead'],
    [5, 'dead'],
    [6, 'failed'],
    [10, 'failed'],
    [14, 'failed'],
    [15, 'failed'],
    [22, 'failed'],
    [27, undefined],
    [31, 'failed'],
    [51, undefined],
    [102, 'failed'],
    [144, 'failed'],
    [201, 'failed'],
    [256, 'failed'],
    [259, 'failed'],
    [777, 'failed'],
  ]
  for (const [result, event] of rows) {
    const second = { status: undefined, deliveryStatus: { result } }
    for (const form of [{ status: result }, { status: String(result) }, second]) {
      const found = readReceipt(status(form))
      t.assert.ok(Array.isArray(found))
      t.assert.deepEqual(found.map((receipt) => receipt.event), event ? [event] : [], String(result))
      if (event && event !== 'received') t.assert.ok(found[0]!.why!.endsWith(` (${result})`))
    }
  }
})

test('what is not a receipt is malformed, and a report that names no task of ours is passed over', (t: TestContext) => {
  for (const body of ['', 'null', '[]', '{', '{}', '{"statuses":{}}', '<html>']) {
    t.assert.equal(readReceipt(body), 'malformed')
  }
  const odd = [
    null, 7, 'a', [], {}, { biTag: '', token: 'a', status: 0 }, { biTag: 'x', token: 'a', status: 0 },
    { biTag: '42', status: 0 }, { biTag: '42', token: 'a' },
    { biTag: '42', token: 'a', status: { valueOf: 1, toString: 1 } },
    { biTag: '9999999999999999', token: 'a', status: 0 }, { biTag: '042', token: 'a', status: 0 },
  ]
  t.assert.deepEqual(readReceipt({ statuses: [...odd, ...status({}).statuses] }), received)
})
