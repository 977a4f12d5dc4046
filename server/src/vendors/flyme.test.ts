import { createHash } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import flyme, { signedForm } from './flyme.ts'
import type { Account, Address, Addressed, Verdict } from './vendor.ts'

const NOW = Date.UTC(2026, 0, 31, 20, 0, 0) // four in the morning of the next day, and month, in China
const HOUR = 3600
const DAY = 24 * HOUR
const RECEIPTS = 'http://push.example.com/r'
const SECRET = '00112233445566778899aabbccddeeff'
const account: Account = {
  app_id: '100999', app_key: '', app_secret: SECRET, certificate: '', name: '', options: {}, environment: 1,
}
const withOptions = (options: Record<string, unknown>): Account => ({ ...account, options })
const addressesOf = (...tokens: string[]): Address[] => tokens.map((token, i) => ({ token, deviceId: i + 1, badge: 3 }))

interface Case extends Partial<Pick<Addressed, 'account' | 'addresses'>> {
  setting?: Setting
  seconds?: number
  receiptUrl?: string
}

const addressed = (message: Message, { setting = {}, seconds = DAY, receiptUrl, ...more }: Case = {}): Addressed => ({
  push: { taskId: 42, message, setting, appName: 'Demo', now: NOW, expiresAt: NOW + seconds * 1000, receiptUrl },
  account, addresses: addressesOf('pushIdA'), region: '', access: '', variant: '', prepared: '', ...more,
})

const jsonOf = (message: Message, more: Case = {}) =>
  new URLSearchParams(flyme.request(addressed(message, more)).body).get('messageJson')!
const sentOf = (message: Message, more: Case = {}) => JSON.parse(jsonOf(message, more))

const hello: Message = { title: 'hello', body: 'world' }

const judge = (body: unknown, { status = 200, tokens = ['pushIdA'] }: { status?: number; tokens?: string[] } = {}) =>
  flyme.read(
    { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) },
    addressed(hello, { addresses: addressesOf(...tokens) }),
  )
const kindsOf = (verdicts: Verdict[]) => verdicts.map(({ kind }) => kind)
const whyOf = (verdict: Verdict | undefined) => (verdict && 'why' in verdict ? verdict.why : undefined)

test('fields are signed as Meizu and its own programs sign them', (t: TestContext) => {
  const messageJson = '{"title":"title","content":"content","pushTimeInfo":{"offLine":1,"validTime":24}}'
  const pushIds = 'RA50c6348036344485d01776773577c64740465480a6b'
  const vectors: [Record<string, string>, string, string][] = [
    [{ appId: '10000', pushIds, messageJson }, '<APP_SECRET>', 'ac076ff25d9900015a681cb5172aa53b'],
    [
      { appId: '100999', taskId: '20457', pushIds: 'TESTPUSHID0000000000000000000000000000000001A' },
      SECRET, '712f251ae2dad6560f04d7c59fb8a305',
    ],
    [
      { appId: '100999', pushType: '0', messageJson: '{"noticeBarInfo":{"title":"t","content":"c"}}' },
      SECRET, 'a41191935f7b5f3210b47e07f97935ec',
    ],
    [
      {
        appId: '100999', pushIds: 'P1', messageJson: '{"content":"{\\"k\\":1}"}',
        restrictedPackageNames: 'com.example.a,com.example.b',
      },
      SECRET, 'abda73a301d1f33bc0305f6ff25cb855',
    ],
  ]
  for (const [fields, secret, sign] of vectors) {
    t.assert.deepEqual(Object.fromEntries(new URLSearchParams(signedForm(fields, secret))), { ...fields, sign })
  }
})

test('a whole form reads byte for byte as documented, Chinese text and signs included', (t: TestContext) => {
  const messageJson =
    '{"noticeBarInfo":{"noticeMsgType":1,"noticeBarType":0,"title":"你好","content":"a=b&c d"},' +
    '"clickTypeInfo":{"clickType":0},"pushTimeInfo":{"offLine":1,"validTime":24},' +
    '"extra":{"callback":"http://push.example.com/r/meizu","callback.param":"task-42","callback.type":"3"}}'
  const pushIds = 'TESTPUSHID0000000000000000000000000000000001A,TESTPUSHID0000000000000000000000000000000002B'
  const form = signedForm({ appId: '100999', pushIds, messageJson }, SECRET)
  t.assert.equal(
    form,
    'appId=100999' +
      '&pushIds=TESTPUSHID0000000000000000000000000000000001A%2CTESTPUSHID0000000000000000000000000000000002B' +
      '&messageJson=%7B%22noticeBarInfo%22%3A%7B%22noticeMsgType%22%3A1%2C%22noticeBarType%22%3A0%2C%22title%22%3A%22' +
      '%E4%BD%A0%E5%A5%BD%22%2C%22content%22%3A%22a%3Db%26c+d%22%7D%2C%22clickTypeInfo%22%3A%7B%22clickType%22%3A0%7D' +
      '%2C%22pushTimeInfo%22%3A%7B%22offLine%22%3A1%2C%22validTime%22%3A24%7D%2C%22extra%22%3A%7B%22callback%22%3A%22' +
      'http%3A%2F%2Fpush.example.com%2Fr%2Fmeizu%22%2C%22callback.param%22%3A%22task-42%22%2C%22callback.type%22%3A' +
      '%223%22%7D%7D&sign=05ef00113c99ea4a947cb1a50b78c508',
  )
})

test('a request has the fields, the place and the signature of a notification, never the secret', (t: TestContext) => {
  const to = addressed(
    { title: '你好', body: 'a=b&c d' },
    { addresses: addressesOf('P1', 'P2'), account: withOptions({ notice_msg_type: 1 }), receiptUrl: RECEIPTS },
  )
  const { origin, method, path, headers, body } = flyme.request(to)
  t.assert.deepEqual(
    [origin, method, path],
    ['https://server-api-push.meizu.com', 'POST', '/garcia/api/server/push/varnished/pushByPushId'],
  )
  t.assert.deepEqual(headers, { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' })
  t.assert.ok(!body.includes(SECRET))
  const { appId, pushIds, messageJson, sign, ...rest } = Object.fromEntries(new URLSearchParams(body))
  t.assert.deepEqual(rest, {})
  t.assert.deepEqual([appId, pushIds], ['100999', 'P1,P2'])
  const signed = `appId=${appId}messageJson=${messageJson}pushIds=${pushIds}${SECRET}`
  t.assert.equal(sign, createHash('md5').update(signed).digest('hex'))
  const sent = JSON.parse(messageJson!)
  t.assert.match(sent.advanceInfo.notifyKey, /^[0-9A-Za-z]{8}$/)
  t.assert.deepEqual(sent, {
    noticeBarInfo: { noticeMsgType: 1, noticeBarType: 0, title: '你好', content: 'a=b&c d' },
    clickTypeInfo: { clickType: 0, parameters: { task_id: '42', channel: 'flyme', type: 'text' } },
    pushTimeInfo: { offLine: 1, validTime: 24 },
    advanceInfo: { notifyKey: sent.advanceInfo.notifyKey },
    extra: { callback: RECEIPTS, 'callback.param': '42', 'callback.type': '3' },
  })
})

test('the region of the account chooses the host', (t: TestContext) => {
  const originOf = (region: string) => flyme.request(addressed(hello, { account: withOptions({ region }) })).origin
  t.assert.equal(originOf('overseas'), 'https://server-api-push.in.meizu.com')
  t.assert.equal(originOf('china'), 'https://server-api-push.meizu.com')
})

test('the class is public unless the account says private', (t: TestContext) => {
  const classOf = (options: Record<string, unknown>) =>
    sentOf(hello, { account: withOptions(options) }).noticeBarInfo.noticeMsgType
  t.assert.deepEqual([classOf({}), classOf({ notice_msg_type: 0 }), classOf({ notice_msg_type: 1 })], [0, 0, 1])
})

test('title and text are cut to 32 and 100 characters, never inside one, and never blank', (t: TestContext) => {
  const { title, content } = sentOf({ title: '😀'.repeat(40), body: '字'.repeat(200) }).noticeBarInfo
  t.assert.deepEqual([title, content], ['😀'.repeat(32), '字'.repeat(100)])
  const blank = sentOf({ ext: { k: 1 } }).noticeBarInfo
  t.assert.deepEqual([blank.title, blank.content], ['Demo', 'Demo'])
})

test('big_text unfolds, cut to the room that is left', (t: TestContext) => {
  t.assert.deepEqual(sentOf({ ...hello, big_text: 'long' }).noticeExpandInfo, {
    noticeExpandType: 1, noticeExpandContent: 'long',
  })
  t.assert.equal(sentOf(hello).noticeExpandInfo, undefined)
  for (const unit of ['x', '字', '😀', '"\n', '\u0001']) {
    const big_text = unit.repeat(5000)
    const json = jsonOf({ ...hello, big_text })
    const { noticeExpandContent } = JSON.parse(json).noticeExpandInfo
    t.assert.ok(Buffer.byteLength(json) <= 4096, unit)
    t.assert.ok(noticeExpandContent.length > 100 && big_text.startsWith(noticeExpandContent), unit)
    t.assert.ok(noticeExpandContent.isWellFormed(), unit)
  }
})

test('a message that leaves no room for big_text goes without it, whole', (t: TestContext) => {
  const ext = { k: 'x'.repeat(5000) }
  const sent = sentOf({ ...hello, big_text: 'long', ext })
  t.assert.equal(sent.noticeExpandInfo, undefined)
  t.assert.deepEqual(JSON.parse(sent.clickTypeInfo.parameters.ext), ext)
})

test('the app gets texts alone: ext as JSON, numbers as they were written', (t: TestContext) => {
  const raw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('9007199254740993')
  const attachment_url = 'https://example.com/p.png'
  const { noticeExpandInfo, clickTypeInfo } = sentOf({ ...hello, type: 'image', attachment_url, ext: { raw, s: '字' } })
  t.assert.equal(noticeExpandInfo, undefined)
  t.assert.deepEqual(clickTypeInfo.parameters, {
    task_id: '42', channel: 'flyme', type: 'image', attachment_url, ext: '{"raw":9007199254740993,"s":"字"}',
  })
})

test('a click opens the app, or the class of an intent with its values', (t: TestContext) => {
  const click = (android: Message['android'], vendor?: Message['flyme']) =>
    sentOf({ ...hello, android, flyme: vendor }).clickTypeInfo
  const intent = 'intent:#Intent;component=com.example.app/.Page;S.k=a%20b;S.type=order;S.task_id=7;S.channel=x;end'
  t.assert.equal(click(undefined).clickType, 0)
  t.assert.equal(click({ click_action: 'open_app', intent }).clickType, 0)
  t.assert.deepEqual(click({ click_action: 'intent', intent }), {
    clickType: 1, activity: 'com.example.app.Page',
    parameters: { task_id: '42', channel: 'flyme', type: 'order', k: 'a b' },
  })
  t.assert.equal(click({ click_action: 'intent', intent }, { click_action: 'open_app' }).clickType, 0)
  t.assert.equal(click({ click_action: 'intent', intent: 'intent:#Intent;S.k=v;end' }).clickType, 0)
})

test('time to live is in hours, rounded up, from one to 72; now or never is not kept', (t: TestContext) => {
  const kept = (seconds: number, setting: Setting = {}) => {
    const { offLine, validTime } = sentOf(hello, { seconds, setting }).pushTimeInfo
    return [offLine, validTime]
  }
  t.assert.deepEqual(kept(1), [1, 1])
  t.assert.deepEqual(kept(HOUR), [1, 1])
  t.assert.deepEqual(kept(HOUR + 1), [1, 2])
  t.assert.deepEqual(kept(72 * HOUR), [1, 72])
  t.assert.deepEqual(kept(30 * DAY), [1, 72])
  t.assert.deepEqual(kept(15, { time_to_live: 0 }), [0, 1])
})

test('Meizu keeps what begins later and ends within its three days', (t: TestContext) => {
  const presents = (message: Message, more: Case = {}) => flyme.presents!(addressed(message, more).push, account)
  const later = { ...hello, show_begin_time: NOW / 1000 + HOUR }
  t.assert.equal(presents(later, { seconds: 72 * HOUR }), true)
  t.assert.equal(presents(later, { seconds: 72 * HOUR + 1 }), false)
  t.assert.equal(presents(later, { seconds: HOUR + 15, setting: { time_to_live: 0 } }), false)
  t.assert.equal(presents({ ...later, type: 'cmd' }), false)
})

test('a window of presentation is told in the time of China, with both of its ends', (t: TestContext) => {
  const seconds = NOW / 1000
  const shown = (message: Message) => {
    const { fixDisplay, fixStartDisplayTime, fixEndDisplayTime } = sentOf({ ...hello, ...message }).advanceInfo
    return [fixDisplay, fixStartDisplayTime, fixEndDisplayTime]
  }
  t.assert.deepEqual(shown({ show_begin_time: seconds + HOUR, show_end_time: seconds + 2 * HOUR + 5 }), [
    1, '2026-02-01 05:00:00', '2026-02-01 06:00:05',
  ])
  t.assert.deepEqual(shown({ show_begin_time: seconds + HOUR }), [1, '2026-02-01 05:00:00', '2026-02-02 04:00:00'])
  t.assert.deepEqual(shown({ show_end_time: seconds + 60 }), [1, '2026-02-01 04:00:00', '2026-02-01 04:01:00'])
  t.assert.deepEqual(shown({ show_begin_time: seconds - 60, show_end_time: seconds + 60 }), [
    1, '2026-02-01 04:00:00', '2026-02-01 04:01:00',
  ])
  t.assert.deepEqual(shown({ show_end_time: 253_402_300_799 })[2], '9999-12-31 08:00:00')
  t.assert.deepEqual(shown({ show_begin_time: seconds }), [undefined, undefined, undefined])
  t.assert.deepEqual(shown({}), [undefined, undefined, undefined])
})

test('one collapse id is one key, every other push has one of its own', (t: TestContext) => {
  const keyOf = (collapse_id: string | undefined, taskId: number) => {
    const to = addressed(hello, { setting: { collapse_id } })
    const body = flyme.request({ ...to, push: { ...to.push, taskId } }).body
    return JSON.parse(new URLSearchParams(body).get('messageJson')!).advanceInfo.notifyKey
  }
  t.assert.equal(keyOf('order 7', 1), keyOf('order 7', 2))
  t.assert.notEqual(keyOf('order 7', 1), keyOf('order 8', 1))
  t.assert.notEqual(keyOf(undefined, 1), keyOf(undefined, 2))
  t.assert.notEqual(keyOf('1', 2), keyOf(undefined, 1))
  t.assert.match(keyOf('字'.repeat(20), 1), /^[0-9A-Za-z]{8}$/)
})

test('a sound can be left out; every other one is the standard', (t: TestContext) => {
  const signals = (sound: string) => sentOf({ ...hello, android: { sound } }).advanceInfo.notificationType
  t.assert.deepEqual(signals('none'), { vibrate: 1, lights: 1, sound: 0 })
  t.assert.equal(signals('default'), undefined)
  t.assert.equal(signals('ding'), undefined)
})

test('receipts are asked for with the task, unless their address is missing or too long', (t: TestContext) => {
  const longest = `http://push.example.com/${'s'.repeat(104)}`
  t.assert.equal(sentOf(hello, { receiptUrl: longest }).extra.callback, longest)
  t.assert.equal(sentOf(hello, { receiptUrl: `${longest}s` }).extra, undefined)
  t.assert.equal(sentOf(hello).extra, undefined)
})

test('cmd is carried only where the operator wants to try, as silent data without receipts', (t: TestContext) => {
  const cmd: Message = { type: 'cmd', title: 'T', body: 'B', big_text: 'L', ext: { k: 1 } }
  const open = withOptions({ pass_through: true })
  t.assert.equal(flyme.carries(cmd, account), false)
  t.assert.equal(flyme.carries(cmd, withOptions({ pass_through: false })), false)
  t.assert.equal(flyme.carries(cmd, open), true)
  t.assert.equal(flyme.carries(hello, account), true)
  t.assert.equal(flyme.carries({ ...hello, type: 'image' }, account), true)

  const to = addressed(cmd, { account: open, receiptUrl: RECEIPTS })
  const { path, body } = flyme.request(to)
  t.assert.equal(path, '/garcia/api/server/push/unvarnished/pushByPushId')
  const { content, ...rest } = JSON.parse(new URLSearchParams(body).get('messageJson')!)
  t.assert.deepEqual(JSON.parse(content), { task_id: 42, channel: 'flyme', ...cmd })
  t.assert.deepEqual(rest, { pushTimeInfo: { offLine: 1, validTime: 24 } })
})

test('a token with a comma in it is never sent and is dead, whatever the answer', (t: TestContext) => {
  const tokens = ['a', 'b,c', 'd']
  const { body } = flyme.request(addressed(hello, { addresses: addressesOf(...tokens) }))
  t.assert.equal(new URLSearchParams(body).get('pushIds'), 'a,d')
  t.assert.deepEqual(kindsOf(judge({ code: '200', value: {} }, { tokens })), ['sent', 'dead', 'sent'])
  t.assert.deepEqual(kindsOf(judge('', { status: 500, tokens })), ['down', 'dead', 'down'])
})

test('an answer that names no target means sent for all', (t: TestContext) => {
  const answer = { code: '200', message: '', value: {}, redirect: '', msgId: '0123456789abcdef0123456789abcdef' }
  t.assert.deepEqual(judge(answer, { tokens: ['a', 'b'] }), [{ kind: 'sent' }, { kind: 'sent' }])
  const values = ['', null, undefined, 'x', 7, [], { 110002: 'a' }, { 110002: { a: 1 } }, { 110002: [null, 7, ['a']] }]
  for (const value of values) {
    const verdicts = judge({ ...answer, value }, { tokens: ['a', 'b'] })
    t.assert.deepEqual(kindsOf(verdicts), ['sent', 'sent'], JSON.stringify(value))
  }
  t.assert.deepEqual(kindsOf(judge({ ...answer, code: 200 })), ['sent'])
})

test('targets that failed are judged by the code they stand under, the others are sent', (t: TestContext) => {
  const value = { 110002: ['a', 'b'], 110003: ['c'] }
  const verdicts = judge({ code: '200', value }, { tokens: ['a', 'x', 'b', 'c'] })
  t.assert.deepEqual(kindsOf(verdicts), ['dead', 'sent', 'dead', 'dead'])
  t.assert.equal(whyOf(verdicts[0]), 'the pushId is not subscribed (110002)')
})

const targetTable: [number, Verdict['kind']][] = [
  [201, 'refused'], [501, 'down'], [513, 'down'], [518, 'limited'], [519, 'down'], [520, 'refused'], [110002, 'dead'],
  [110003, 'dead'], [110005, 'refused'], [110010, 'refused'], [110011, 'exhausted'],
]
for (const [code, kind] of targetTable) {
  test(`code ${code} of a target means ${kind} for it alone`, (t: TestContext) => {
    const [failed, other] = judge({ code: '200', value: { [code]: ['a'] } }, { tokens: ['a', 'b'] })
    t.assert.equal(failed!.kind, kind)
    t.assert.match(whyOf(failed)!, new RegExp(`\\(${code}\\)$`))
    t.assert.equal('alone' in failed!, kind === 'exhausted')
    t.assert.deepEqual(other, { kind: 'sent' })
  })
}

test('a code of a target that is in no table is unknown, whatever it looks like', (t: TestContext) => {
  for (const code of ['999', 'constructor', '__proto__x', 'x'.repeat(60_000)]) {
    const [failed, other] = judge({ code: '200', value: { [code]: ['a'] } }, { tokens: ['a', 'b'] })
    t.assert.deepEqual([failed!.kind, other!.kind], ['unknown', 'sent'])
    t.assert.ok(whyOf(failed)!.length < 200)
  }
})

const table: [number, Verdict['kind']][] = [
  [300, 'down'], [500, 'down'], [1001, 'down'], [1003, 'down'], [1005, 'refused'], [1006, 'denied'], [110000, 'denied'],
  [110001, 'denied'], [110002, 'dead'], [110003, 'dead'], [110004, 'refused'], [110009, 'denied'], [110010, 'limited'],
  [110019, 'exhausted'], [110031, 'denied'], [110032, 'refused'], [110033, 'denied'], [110051, 'exhausted'],
  [110053, 'refused'],
]
for (const [code, kind] of table) {
  test(`code ${code} of an answer means ${kind}, as a text or a number`, (t: TestContext) => {
    for (const given of [String(code), code]) {
      const [verdict] = judge({ code: given, message: 'some words', value: '', redirect: '' })
      t.assert.equal(verdict!.kind, kind)
      t.assert.match(whyOf(verdict)!, new RegExp(`: some words \\(${code}\\)$`))
      t.assert.ok(!('alone' in verdict!))
    }
  })
}

test('a wrong token among several kills none of them when it is not named', (t: TestContext) => {
  for (const code of ['110002', '110003']) {
    t.assert.deepEqual(kindsOf(judge({ code, value: '' }, { tokens: ['a', 'b'] })), ['unknown', 'unknown'])
  }
})

test('a code in no table is unknown and told, unless the status says more', (t: TestContext) => {
  t.assert.deepEqual(judge({ code: '119999', message: 'new', value: '' }), [
    { kind: 'unknown', why: 'an answer that is not understood: new (119999)', said: '119999: new' },
  ])
  t.assert.deepEqual(kindsOf(judge({ code: 503 }, { status: 503 })), ['down'])
})

test('an answer that is no answer of Meizu is judged by its status', (t: TestContext) => {
  const bodies = [
    '', '<html>502</html>', '{"code":', '[]', 'null', '7', '"200"', '{}', '{"code":null}', '{"code":["200"]}',
    '{"code":{"a":1}}', '{"code":"constructor"}', '{"code":"0200"}', '['.repeat(65_536),
  ]
  const statuses: [number, Verdict['kind']][] = [
    [200, 'unknown'], [301, 'unknown'], [400, 'unknown'], [403, 'unknown'], [429, 'limited'], [500, 'down'],
    [502, 'down'], [503, 'down'],
  ]
  for (const [status, kind] of statuses) {
    for (const body of bodies) {
      const verdicts = judge(body, { status, tokens: ['a', 'b'] })
      t.assert.deepEqual(kindsOf(verdicts), [kind, kind], `${status} ${body.slice(0, 40)}`)
      t.assert.match(whyOf(verdicts[0])!, new RegExp(`\\(HTTP ${status}\\)$`))
    }
  }
})

test('what Meizu says is one short line without the secret', (t: TestContext) => {
  const why = whyOf(judge({ code: '500', message: `a\n\u0000b${'x'.repeat(60_000)}` })[0])!
  t.assert.ok(why.length < 250 && why.endsWith('(500)') && !/\p{Cc}/u.test(why), why)
  t.assert.equal(whyOf(judge({ code: '110033', message: `not ${SECRET}` })[0]), 'the AppSecret is not right (110033)')
})

test('credentials are tried with a token that is a pushId in shape alone', (t: TestContext) => {
  t.assert.match(flyme.probe!.token, /^[A-Za-z0-9]{45}$/)
})

const receiptsOf = (cb: unknown, token = 'tok-1', accounts = [account]) => {
  const fields = { access_token: token, cb: typeof cb === 'string' ? cb : JSON.stringify(cb) }
  return flyme.receipts!.read({ headers: {}, body: new URLSearchParams(fields).toString() }, accounts)
}
const delivered = { '0123456789abcdef0123456789abcdef-1': { param: '42', type: 1, targets: ['pushIdA'] } }

test('receipts name the task, the token and what became of it', (t: TestContext) => {
  const cb = {
    '0123456789abcdef0123456789abcdef-1': { param: '42', type: 1, targets: ['pushIdA', 'pushIdB'] },
    '0123456789abcdef0123456789abcdef-2': { param: '42', type: 2, targets: ['pushIdA'] },
  }
  t.assert.deepEqual(receiptsOf(cb), [
    { taskId: 42, token: 'pushIdA', event: 'received' },
    { taskId: 42, token: 'pushIdB', event: 'received' },
    { taskId: 42, token: 'pushIdA', event: 'clicked' },
  ])
})

test('the type inside a receipt counts; the end of its key does where there is none', (t: TestContext) => {
  const entry = { param: '42', targets: ['a'] }
  t.assert.deepEqual(receiptsOf({ 'x-2': { ...entry, type: 1 } }), [{ taskId: 42, token: 'a', event: 'received' }])
  t.assert.deepEqual(receiptsOf({ 'x-y-2': entry }), [{ taskId: 42, token: 'a', event: 'clicked' }])
})

test('a receipt without our task, of another kind or of another shape is passed over', (t: TestContext) => {
  const good = { param: '42', type: 1, targets: ['a'] }
  const odd = [
    { type: 1, targets: ['a'] }, { ...good, param: 'task-42' }, { ...good, param: '0' }, { ...good, type: 4 },
    { ...good, type: 'constructor' }, { ...good, targets: 'a' }, { ...good, targets: [7, null, ['a']] },
    null, 'x', 7, [],
  ]
  for (const entry of odd) t.assert.deepEqual(receiptsOf({ 'id-1': entry }), [], JSON.stringify(entry))
})

test('receipts must show the access token of one of the accounts, where one is set', (t: TestContext) => {
  const first = withOptions({ receipt_access_token: 'tok-1' })
  const second = withOptions({ receipt_access_token: 'tok-2' })
  const read = (token: string, ...accounts: Account[]) => receiptsOf(delivered, token, accounts)
  const passed = [{ taskId: 42, token: 'pushIdA', event: 'received' }]
  t.assert.deepEqual(read('tok-1', first), passed)
  t.assert.deepEqual(read('tok-2', first, second), passed)
  t.assert.deepEqual(read('tok-1', first, account), passed)
  t.assert.deepEqual(read('anything', account), passed)
  for (const token of ['', 'tok-', 'tok-11', 'tok-2']) {
    t.assert.equal(read(token, first), 'forged')
    t.assert.equal(read(token, first, account), 'forged')
  }
  const withoutToken = new URLSearchParams({ cb: JSON.stringify(delivered) }).toString()
  t.assert.equal(flyme.receipts!.read({ headers: {}, body: withoutToken }, [first]), 'forged')
})

test('a call that is not what Meizu sends is malformed', (t: TestContext) => {
  for (const cb of ['', '[]', 'null', '{"a":', '7', '['.repeat(60_000)]) t.assert.equal(receiptsOf(cb), 'malformed')
  for (const body of ['', '{"cb":{}}', '%', 'cb', 'data={}', '\u0000']) {
    t.assert.equal(flyme.receipts!.read({ headers: {}, body }, [account]), 'malformed')
  }
})
