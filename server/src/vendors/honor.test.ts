import test, { type TestContext } from 'node:test'
import { parseJson } from '@carillon/protocol/json.ts'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import honor from './honor.ts'
import type { AccessToken, Account, Addressed, Reply, Verdict, VendorPush } from './vendor.ts'

const NOW = 1_700_000_000_000
const TOKEN = 'HONORTESTTOKEN0001'
const INTENT = 'intent:#Intent;component=com.example.app/com.example.app.ChatActivity;S.room=42;end'
const ICON = 'com.example.app.MainActivity'

const account = (options: Record<string, unknown> = {}): Account => ({
  app_id: '104436234',
  app_key: 'carillon-test-client',
  app_secret: 's3cr3t/with+odd=chars',
  certificate: '',
  name: '',
  options,
  environment: 1,
})

interface Case {
  message: Message
  setting?: Setting
  options?: Record<string, unknown>
  tokens?: string[]
  seconds?: number
}

const addressed = ({ message, setting = {}, options, tokens = [TOKEN], seconds = 3600 }: Case): Addressed => {
  const push: VendorPush = {
    taskId: 42, message, setting, appName: 'Bells', now: NOW, expiresAt: NOW + seconds * 1000, receiptUrl: undefined,
  }
  const addresses = tokens.map((token, deviceId) => ({ token, deviceId, badge: 7 }))
  const none = { region: '', variant: '', prepared: '' }
  return { push, account: account(options), addresses, access: 'the+access/token=', ...none }
}

const bodyFor = (given: Case) => JSON.parse(honor.request(addressed(given)).body)
const noticeFor = (message: Message, more: Partial<Case> = {}) => bodyFor({ message, ...more }).android.notification

const hello: Message = { title: 'Ana', body: 'Lunch at noon?' }
const reply = (status: number, body: unknown): Reply =>
  ({ status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) })
const verdicts = (answer: Reply, tokens = [TOKEN]): Verdict[] =>
  honor.read(answer, addressed({ message: hello, tokens }))
const kinds = (answer: Reply, tokens = [TOKEN]) => verdicts(answer, tokens).map((verdict) => verdict.kind)
const whyOf = (verdict: Verdict | AccessToken): string => ('why' in verdict ? verdict.why : '')

const access = honor.access!
if (!('request' in access)) throw new Error('Honor is asked for access tokens')
const tokenFrom = (status: number, body: unknown) => access.read(reply(status, body), NOW)

test('an access token is asked for with the Client ID and its secret, encoded', (t: TestContext) => {
  const request = access.request(account(), '', NOW)
  t.assert.deepEqual(request, {
    origin: 'https://iam.developer.honor.com',
    method: 'POST',
    path: '/auth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials&client_id=carillon-test-client&client_secret=s3cr3t%2Fwith%2Bodd%3Dchars',
  })
  t.assert.equal(Buffer.byteLength(request.body), 102)
})

test('an access token is renewed five minutes before its end, whenever that is', (t: TestContext) => {
  for (const seconds of [3600, 86_400]) {
    const endsAt = NOW + seconds * 1000
    const answer = { access_token: 'a/b', expires_in: seconds, token_type: 'Bearer' }
    t.assert.deepEqual(tokenFrom(200, answer), { value: 'a/b', renewAt: endsAt - 300_000, endsAt })
  }
})

test('every refusal of an access token is told apart', (t: TestContext) => {
  const error_description = 'Invalid client or Invalid client credentials'
  const rows: [number, unknown, Verdict['kind'], string][] = [
    [400, { error: 'unauthorized_client', error_description }, 'denied', ': unauthorized_client (HTTP 400)'],
    [401, { error: 'invalid_client', error_description }, 'denied', ': invalid_client (HTTP 401)'],
    [401, { error: 'one s3cr3t/with+odd=chars' }, 'denied', 'wrong (HTTP 401)'],
    [401, { error: { toString: 1 } }, 'denied', 'wrong (HTTP 401)'],
    [400, '<html>', 'denied', 'wrong (HTTP 400)'],
    [429, '', 'limited', '(HTTP 429)'],
    [503, '', 'limited', '(HTTP 503)'],
    [500, '', 'down', '(HTTP 500)'],
    [502, '', 'down', '(HTTP 502)'],
    [404, '', 'unknown', '(HTTP 404)'],
    [200, '{"access_token":', 'unknown', '(HTTP 200)'],
    [200, { access_token: 'a' }, 'unknown', '(HTTP 200)'],
    [200, { access_token: 7, expires_in: 3600 }, 'unknown', '(HTTP 200)'],
    [200, { access_token: 'ä', expires_in: 3600 }, 'unknown', '(HTTP 200)'],
  ]
  for (const [status, body, kind, end] of rows) {
    const verdict = tokenFrom(status, body)
    t.assert.equal('kind' in verdict && verdict.kind, kind, JSON.stringify(body))
    t.assert.ok(whyOf(verdict).endsWith(end), whyOf(verdict))
    t.assert.ok(!whyOf(verdict).includes('s3cr3t'))
  }
})

test('a message is sent as in the documented example', (t: TestContext) => {
  const message: Message = { ...hello, badge: '5', honor: { badge_class: ICON } }
  const options = { importance: 'NORMAL', target_user_type: 0 }
  const { body, ...request } = honor.request(addressed({ message, options }))
  t.assert.deepEqual(request, {
    origin: 'https://push-api.cloud.honor.com',
    method: 'POST',
    path: '/api/v1/104436234/sendMessage',
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      authorization: 'Bearer the+access/token=',
      timestamp: '1700000000000',
    },
  })
  // The example's own task and data in place of ours; everything else agrees to the byte.
  const task = '8f1b6c1e-2f0a-4d9e-9b57-3a1c5e7d9f10'
  const built = JSON.parse(body)
  built.data = JSON.stringify({ task, room: '42' })
  built.android.biTag = task
  const example =
    '{"data":"{\\"task\\":\\"8f1b6c1e-2f0a-4d9e-9b57-3a1c5e7d9f10\\",\\"room\\":\\"42\\"}","android":{"ttl":"3600s",' +
    '"biTag":"8f1b6c1e-2f0a-4d9e-9b57-3a1c5e7d9f10","targetUserType":0,"notification":{"title":"Ana",' +
    '"body":"Lunch at noon?","importance":"NORMAL","clickAction":{"type":3},"badge":{"badgeClass":' +
    `"${ICON}","setNum":5}}},"token":["${TOKEN}"]}`
  t.assert.equal(JSON.stringify(built), example)
  t.assert.equal(Buffer.byteLength(example), 368)
})

test('an App ID with odd characters stays one part of the path', (t: TestContext) => {
  const to = { ...addressed({ message: hello }), account: { ...account(), app_id: 'a/../b?c' } }
  t.assert.equal(honor.request(to).path, '/api/v1/a%2F..%2Fb%3Fc/sendMessage')
})

test('the data is JSON text with the task, the channel and ext as it was written', (t: TestContext) => {
  const ext = parseJson(Buffer.from('{"id":12345678901234567890}')) as Record<string, unknown>
  const { data } = bodyFor({ message: { ...hello, ext } })
  t.assert.equal(data, '{"task_id":42,"channel":"honor","type":"text","ext":{"id":12345678901234567890}}')
})

test('a notification says no more than the message does, and always what a click does', (t: TestContext) => {
  t.assert.deepEqual(bodyFor({ message: hello }), {
    data: '{"task_id":42,"channel":"honor","type":"text"}',
    android: { ttl: '3600s', biTag: '42', notification: { ...hello, clickAction: { type: 3 } } },
    token: [TOKEN],
  })
  t.assert.deepEqual(noticeFor({ ext: { a: 1 } }), { title: 'Bells', body: 'Bells', clickAction: { type: 3 } })
})

test('every field has its place in the notification; sounds and bar channels have none', (t: TestContext) => {
  const click = (android: Message['android']) => noticeFor({ ...hello, android }).clickAction
  t.assert.deepEqual(click({ click_action: 'open_app', intent: INTENT }), { type: 3 })
  t.assert.deepEqual(click({ click_action: 'intent', intent: INTENT }), { type: 1, intent: INTENT })
  t.assert.deepEqual(click({ click_action: 'intent', intent: '' }), { type: 3 })

  const rows: [Message, Setting, object][] = [
    [{ big_text: 'Long' }, {}, { style: 1, bigTitle: 'Ana', bigBody: 'Long' }],
    [{ type: 'image', attachment_url: 'https://x.example/a.PNG' }, {}, { image: 'https://x.example/a.PNG' }],
    [{ attachment_url: 'http://x.example/a.png' }, {}, {}],
    [{ attachment_url: 'https://x.example/a.mp4' }, {}, {}],
    [{}, { collapse_id: 'score' }, { tag: 'score' }],
    [{ ios: { apns_collapse_id: 'own' } }, { collapse_id: 'score' }, { tag: 'score' }],
    [{ ios: { apns_collapse_id: 'own', thread_id: 'match' } }, {}, { tag: 'own', group: 'match' }],
    [{ honor: { sound: 'ding', channel_id: 'chat' } }, { priority: 'high' }, {}],
  ]
  for (const [message, setting, expected] of rows) {
    const notice = noticeFor({ ...hello, ...message }, { setting })
    t.assert.deepEqual(notice, { ...hello, clickAction: { type: 3 }, ...expected })
  }
  t.assert.equal(noticeFor(hello, { options: { importance: 'LOW' } }).importance, 'LOW')
})

test('a long title or body ends in an ellipsis, never inside a character', (t: TestContext) => {
  const notice = noticeFor({ title: '🔔'.repeat(41), body: '長'.repeat(257), big_text: 'b'.repeat(300) })
  t.assert.equal(notice.title, '🔔'.repeat(39) + '…')
  t.assert.equal(notice.bigTitle, notice.title)
  t.assert.equal(notice.body, '長'.repeat(255) + '…')
  t.assert.equal(notice.bigBody, 'b'.repeat(300))
  const full = { title: '🔔'.repeat(40), body: '長'.repeat(256) }
  t.assert.partialDeepStrictEqual(noticeFor(full), full)
})

test('a badge is set or raised within what Honor takes, and needs the class of the icon', (t: TestContext) => {
  const badge = (text: string | undefined, badge_class = ICON) =>
    noticeFor({ ...hello, ...(text && { badge: text }), honor: { badge_class } }).badge
  t.assert.deepEqual(badge('5'), { badgeClass: ICON, setNum: 5 })
  t.assert.deepEqual(badge('0'), { badgeClass: ICON, setNum: 0 })
  t.assert.deepEqual(badge('100'), { badgeClass: ICON, setNum: 99 })
  t.assert.deepEqual(badge('+1'), { badgeClass: ICON, addNum: 1 })
  t.assert.deepEqual(badge('+500'), { badgeClass: ICON, addNum: 99 })
  t.assert.deepEqual(badge(undefined), { badgeClass: ICON, addNum: 1 })
  t.assert.equal(badge('+0'), undefined)
  t.assert.equal(badge('5', ''), undefined)
  t.assert.equal(noticeFor({ ...hello, badge: '5', huawei: { badge_class: ICON } }).badge, undefined)
})

test('a cmd shows nothing: its texts are data', (t: TestContext) => {
  const message: Message = { ...hello, type: 'cmd', badge: '5', honor: { badge_class: ICON } }
  t.assert.deepEqual(bodyFor({ message, options: { importance: 'NORMAL', target_user_type: 1 } }), {
    data: '{"task_id":42,"channel":"honor","type":"cmd","title":"Ana","body":"Lunch at noon?"}',
    android: { ttl: '3600s', biTag: '42', targetUserType: 1 },
    token: [TOKEN],
  })
  t.assert.ok(honor.carries(message, account()))
})

test('time to live stays within one second and fifteen days', (t: TestContext) => {
  const ttl = (seconds: number, setting: Setting = {}) => bodyFor({ message: hello, seconds, setting }).android.ttl
  t.assert.equal(ttl(90), '90s')
  t.assert.equal(ttl(2_592_000), '1296000s')
  t.assert.equal(ttl(15, { time_to_live: 0 }), '1s')
})

test('a token that comes twice is written once, and judged twice', (t: TestContext) => {
  t.assert.deepEqual(bodyFor({ message: hello, tokens: ['a', 'b', 'a'] }).token, ['a', 'b'])
  t.assert.equal(verdicts(reply(200, { code: 200 }), ['a', 'b', 'a']).length, 3)
})

test('a show time is not Honor\'s to keep', (t: TestContext) => {
  t.assert.equal(honor.presents, undefined)
})

const result = (data: unknown, code: unknown = 200) => reply(200, { code, message: 'success', data })

test('a request that was taken says of each token what became of it', (t: TestContext) => {
  const lists = { sendResult: true, requestId: '1', failTokens: ['f', 'both'], expireTokens: ['x', 'both'] }
  t.assert.deepEqual(kinds(result({ ...lists, failTokens: [], expireTokens: [] }), ['a', 'b']), ['sent', 'sent'])
  for (const code of [200, '200', 80000000, '80000000']) {
    const found = verdicts(result(lists, code), ['a', 'f', 'x', 'both', 'F'])
    t.assert.deepEqual(found.map((verdict) => verdict.kind), ['sent', 'refused', 'dead', 'dead', 'sent'])
    t.assert.ok(whyOf(found[1]!).endsWith(`(${code}, failTokens)`))
    t.assert.ok(whyOf(found[2]!).endsWith(`(${code}, expireTokens)`))
  }
  t.assert.deepEqual(kinds(result({ ...lists, sendResult: false }), ['a', 'f']), ['sent', 'refused'])
})

test('a request that was taken and not sent is tried again, unless it names who failed', (t: TestContext) => {
  const unsent = { sendResult: false, failTokens: [], expireTokens: [] }
  t.assert.deepEqual(kinds(result(unsent), ['a', 'b']), ['down', 'down'])
  t.assert.deepEqual(kinds(result({ sendResult: false })), ['down'])
  for (const data of [undefined, null, 7, [], {}, { failTokens: 'a', expireTokens: { a: 1 } }]) {
    t.assert.deepEqual(kinds(result(data), ['a']), ['sent'], JSON.stringify(data))
  }
})

test('every code has its verdict, whatever the HTTP status, as a number or as text', (t: TestContext) => {
  const rows: [number, Verdict['kind']][] = [
    [400, 'refused'],
    [401, 'renew'],
    [403, 'denied'],
    [404, 'denied'],
    [429, 'limited'],
    [500, 'down'],
    [502, 'down'],
    [503, 'limited'],
    [80100001, 'refused'],
    [80300007, 'refused'],
    [402, 'unknown'],
    [1000, 'unknown'],
    [-1, 'unknown'],
  ]
  for (const [code, kind] of rows) {
    for (const status of kind === 'unknown' ? [200, 400] : [200, 400, 401, 500, 503]) {
      for (const written of [code, String(code)]) {
        const found = verdicts(reply(status, { code: written, message: 'words of Honor' }), ['a', 'b'])
        t.assert.deepEqual(found.map((verdict) => verdict.kind), [kind, kind], `${status} ${code}`)
        t.assert.ok(whyOf(found[0]!).endsWith(` (${code})`), whyOf(found[0]!))
      }
    }
  }
})

test('what has to be put right is told in Honor\'s own words', (t: TestContext) => {
  const told = (code: number, message: unknown) => whyOf(verdicts(reply(200, { code, message }))[0]!)
  const words = 'intent or action is required when click type=1'
  t.assert.equal(told(400, words), `the message is wrong: ${words} (400)`)
  t.assert.equal(told(400, [words]), 'the message is wrong (400)')
  t.assert.equal(told(1000, 'new'), 'the code is in no table: new (1000)')
  t.assert.ok(!told(401, 'the+access/token= is over').includes('the+access'))
})

test('an answer without a code that is known is judged by its HTTP status', (t: TestContext) => {
  const rows: [number, Verdict['kind']][] = [
    [200, 'unknown'],
    [302, 'unknown'],
    [400, 'unknown'],
    [401, 'renew'],
    [403, 'denied'],
    [404, 'denied'],
    [429, 'limited'],
    [500, 'down'],
    [502, 'down'],
    [503, 'limited'],
  ]
  const bodies = [
    '', 'null', '[200]', '200', '{"code":', '{"code":200', '<html>'.repeat(10_000), '{"code":null}', '{"code":[200]}',
    '{"code":{"toString":1}}', '{"code":"constructor"}', '{"code":"__proto__"}', '{"code":200.5}',
  ]
  for (const [status, kind] of rows) {
    for (const body of bodies) {
      const found = verdicts(reply(status, body), ['a', 'b'])
      t.assert.deepEqual(found.map((verdict) => verdict.kind), [kind, kind], `${status} ${body.slice(0, 40)}`)
      t.assert.ok(whyOf(found[0]!).endsWith(`(HTTP ${status})`))
    }
    t.assert.deepEqual(kinds(reply(status, { code: 1000 })), [kind])
  }
})

test('credentials are tried with a message to a token that nobody has', (t: TestContext) => {
  const { token, variant } = honor.probe!
  t.assert.equal(variant, '')
  t.assert.deepEqual(bodyFor({ message: hello, tokens: [token] }).token, [token])
})

const readReceipt = (body: unknown) =>
  honor.receipts!.read({ headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) }, [account()])
const report = (changes: object) =>
  ({ biTag: '42', appid: '104436234', token: TOKEN, timestamp: NOW, requestId: '1', ...changes })
const received = [{ taskId: 42, token: TOKEN, event: 'received' }]

test('a receipt says delivered by one of two statuses; any other failed, and kills no token', (t: TestContext) => {
  for (const status of [0, '0', 40000002, '40000002']) {
    t.assert.deepEqual(readReceipt({ statuses: [report({ status })] }), received)
  }
  for (const status of [2, 5, 6, 10, 40000001, -1]) {
    const failed = { taskId: 42, token: TOKEN, event: 'failed', why: `not delivered (${status})` }
    t.assert.deepEqual(readReceipt({ statuses: [report({ status })] }), [failed])
  }
  t.assert.equal(honor.receipts!.answer, '{"code":"0","message":"success"}')
})

test('what is not a receipt is malformed, and a report that names no task of ours is passed over', (t: TestContext) => {
  for (const body of ['', 'null', '[]', '{', '{}', '{"statuses":{}}', '<html>']) {
    t.assert.equal(readReceipt(body), 'malformed')
  }
  const odd = [
    null, 7, 'a', [], {}, report({}), report({ status: 0, biTag: '' }), report({ status: 0, biTag: 'x' }),
    report({ status: 0, token: 7 }), report({ status: { valueOf: 1, toString: 1 } }),
  ]
  t.assert.deepEqual(readReceipt({ statuses: [...odd, report({ status: 0 })] }), received)
})
