import { createHash } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import type { Account, Address, Addressed, Verdict } from './vendor.ts'
import xiaomi from './xiaomi.ts'

const NOW = 1_700_000_000_000
const DAY = 86_400
const SECRET = 'c2VjcmV0LWZvci10ZXN0cw=='
const account: Account = {
  app_id: '', app_key: '', app_secret: SECRET, certificate: '', name: 'com.example.app', options: {}, environment: 1,
}
const withOptions = (options: Record<string, unknown>): Account => ({ ...account, options })
const addressesOf = (...tokens: string[]): Address[] =>
  tokens.map((token, i) => ({ token, deviceId: i + 1, badge: null }))

interface Case extends Partial<Pick<Addressed, 'account' | 'addresses' | 'variant'>> {
  setting?: Setting
  seconds?: number
  receiptUrl?: string
}

const addressed = (message: Message, { setting = {}, seconds = DAY, receiptUrl, ...more }: Case = {}): Addressed => ({
  push: { taskId: 42, message, setting, appName: 'Demo', now: NOW, expiresAt: NOW + seconds * 1000, receiptUrl },
  account, addresses: addressesOf('regA'), region: '', access: '', variant: '', prepared: '', ...more,
})

const formOf = (message: Message, more: Case = {}) => new URLSearchParams(xiaomi.request(addressed(message, more)).body)
const fieldsOf = (message: Message, more: Case = {}) => Object.fromEntries(formOf(message, more))
const payloadOf = (message: Message, more: Case = {}) => JSON.parse(fieldsOf(message, more).payload!)

const hello: Message = { title: 'hello', body: 'world' }

type Answered = Case & { status?: number; tokens?: string[] }

const judge = (body: unknown, { status = 200, tokens = ['regA'], ...more }: Answered = {}) =>
  xiaomi.read(
    { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) },
    addressed(hello, { addresses: addressesOf(...tokens), ...more }),
  )
const kindsOf = (verdicts: Verdict[]) => verdicts.map(({ kind }) => kind)
const whyOf = (verdict: Verdict | undefined) => (verdict && 'why' in verdict ? verdict.why : undefined)

test('a request is the documented one, but for our own payload, ids and job', (t: TestContext) => {
  const to = addressed(
    { title: '你好', body: 'a b&c=d', android: { channel_id: '110001' } },
    { addresses: addressesOf('Ab+/cd==', 'Ef+/gh=='), receiptUrl: 'http://push.example.com/r/xiaomi' },
  )
  const { origin, method, path, headers, body } = xiaomi.request(to)
  t.assert.deepEqual([origin, method, path], ['https://api.xmpush.xiaomi.com', 'POST', '/v3/message/regid'])
  t.assert.deepEqual(headers, {
    authorization: 'key=c2VjcmV0LWZvci10ZXN0cw==',
    'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
  })

  const form = new URLSearchParams(body)
  t.assert.equal(form.toString(), body)
  form.set('payload', '{"task":"42","ext":{"k":"v"}}')
  form.set('notify_id', '1234567')
  form.set('extra.callback.param', 'task-42')
  form.delete('extra.jobkey')
  t.assert.equal(form.toString().length, 468)
  const hash = createHash('sha256').update(form.toString()).digest('hex')
  t.assert.equal(hash, '5ab92163463a173eaeba8bf025fa01fee3c0a2774e220affe5b46952ce1b4217')
})

test('the app gets task, channel, type and ext in the payload, numbers as they were written', (t: TestContext) => {
  const ext = { a: 1, deep: { list: [true, null, '字'] } }
  t.assert.deepEqual(payloadOf({ ...hello, ext }), { task_id: 42, channel: 'xiaomi', type: 'text', ext })
  const raw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('9007199254740993')
  t.assert.ok(fieldsOf({ ...hello, ext: { raw } }).payload!.includes('"raw":9007199254740993'))
})

test('title and text are cut below 50 and 128 characters, never inside one', (t: TestContext) => {
  const fields = fieldsOf({ title: '😀'.repeat(60), body: '字'.repeat(200) })
  t.assert.equal(fields.title, '😀'.repeat(49))
  t.assert.equal(fields.description, '字'.repeat(127))
})

test('a blank title is the name of the app, a blank text is the title', (t: TestContext) => {
  const { title, description } = fieldsOf({ ext: { k: 1 } })
  t.assert.deepEqual([title, description], ['Demo', 'Demo'])
  t.assert.equal(fieldsOf({ title: 'only' }).description, 'only')
})

test('a long text unfolds, a short one does not, an image shows its picture', (t: TestContext) => {
  t.assert.equal(fieldsOf(hello)['extra.notification_style_type'], undefined)
  t.assert.equal(fieldsOf({ ...hello, body: 'long '.repeat(10) })['extra.notification_style_type'], '1')
  const attachment_url = 'https://example.com/p.png'
  const image = fieldsOf({ ...hello, body: 'long '.repeat(10), type: 'image', attachment_url })
  t.assert.equal(image.pass_through, '0')
  t.assert.equal(image['extra.notification_style_type'], '2')
  t.assert.equal(image['extra.notification_bigPic_uri'], attachment_url)
  t.assert.equal(JSON.parse(image.payload!).attachment_url, attachment_url)
  const text = fieldsOf({ ...hello, attachment_url })
  t.assert.equal(text['extra.notification_bigPic_uri'], undefined)
  t.assert.equal(JSON.parse(text.payload!).attachment_url, attachment_url)
})

test('big_text reaches the app while the payload has room, and never costs the push its ext', (t: TestContext) => {
  t.assert.equal(payloadOf({ ...hello, big_text: 'more' }).big_text, 'more')
  const crowded = fieldsOf({ ...hello, big_text: 'x'.repeat(4000), ext: { k: 'y'.repeat(100) } }).payload!
  t.assert.deepEqual(JSON.parse(crowded), { task_id: 42, channel: 'xiaomi', type: 'text', ext: { k: 'y'.repeat(100) } })
  const room = 4095 - JSON.stringify({ task_id: 42, channel: 'xiaomi', type: 'text', big_text: '' }).length
  t.assert.equal(payloadOf({ ...hello, big_text: 'x'.repeat(room) }).big_text.length, room)
  t.assert.equal(payloadOf({ ...hello, big_text: 'x'.repeat(room + 1) }).big_text, undefined)
})

test('the badge is in the payload where all devices of a request have the same one', (t: TestContext) => {
  const badged = (...badges: (number | null)[]) =>
    payloadOf(hello, { addresses: badges.map((badge, i) => ({ token: `reg${i}`, deviceId: i, badge })) }).badge
  t.assert.equal(badged(5), 5)
  t.assert.equal(badged(5, 5, 5), 5)
  t.assert.equal(badged(0), 0)
  t.assert.equal(badged(5, 6), undefined)
  t.assert.equal(badged(null, null), undefined)
})

test('time to live is in milliseconds, at most a day, ten days with a template', (t: TestContext) => {
  t.assert.equal(fieldsOf(hello, { seconds: 90.7 }).time_to_live, '90000')
  t.assert.equal(fieldsOf(hello, { seconds: 20 * DAY }).time_to_live, '86400000')
  const templated = withOptions({ template_id: 'M1' })
  t.assert.equal(fieldsOf(hello, { seconds: 20 * DAY, account: templated }).time_to_live, '864000000')
  t.assert.equal(fieldsOf(hello)['extra.only_send_once'], undefined)
})

test('now or never goes to devices that are online alone', (t: TestContext) => {
  const fields = fieldsOf(hello, { setting: { time_to_live: 0 }, seconds: 15 })
  t.assert.equal(fields['extra.only_send_once'], '1')
  t.assert.equal(fields.time_to_live, '1000')
})

test('one collapse id is one notification, every other push is one of its own', (t: TestContext) => {
  const idOf = (collapse_id: string | undefined, taskId: number) => {
    const to = addressed(hello, { setting: { collapse_id } })
    return new URLSearchParams(xiaomi.request({ ...to, push: { ...to.push, taskId } }).body).get('notify_id')
  }
  t.assert.equal(idOf('order 7', 1), idOf('order 7', 2))
  t.assert.notEqual(idOf('order 7', 1), idOf('order 8', 1))
  t.assert.notEqual(idOf(undefined, 1), idOf(undefined, 2))
  t.assert.notEqual(idOf('1', 2), idOf(undefined, 1))
  t.assert.match(idOf('order 7', 1)!, /^[1-9][0-9]{0,9}$/)
})

test('a push sent again is the same job, which a device shows once', (t: TestContext) => {
  t.assert.equal(fieldsOf(hello)['extra.jobkey'], '42')
  const longest = addressed(hello)
  const body = xiaomi.request({ ...longest, push: { ...longest.push, taskId: Number.MAX_SAFE_INTEGER } }).body
  t.assert.match(new URLSearchParams(body).get('extra.jobkey')!, /^[0-9]{1,20}$/)
})

test("the vendor's own fields go before android's, and those before the options", (t: TestContext) => {
  const options = withOptions({ default_channel_id: 'd' })
  const channel = (message: Message) => fieldsOf({ ...hello, ...message }, { account: options })['extra.channel_id']
  t.assert.equal(channel({}), 'd')
  t.assert.equal(channel({ android: { channel_id: 'a' } }), 'a')
  t.assert.equal(channel({ android: { channel_id: 'a' }, xiaomi: { channel_id: 'x' } }), 'x')
  t.assert.equal(fieldsOf(hello)['extra.channel_id'], undefined)
})

test('a click opens the app, or the page of an intent unchanged', (t: TestContext) => {
  const intent = 'intent:#Intent;component=com.example.app/.Page;S.k=a%20b;end'
  const click = (android: Message['android']) => {
    const fields = fieldsOf({ ...hello, android })
    return [fields['extra.notify_effect'], fields['extra.intent_uri']]
  }
  t.assert.deepEqual(click(undefined), ['1', undefined])
  t.assert.deepEqual(click({ click_action: 'open_app', intent }), ['1', undefined])
  t.assert.deepEqual(click({ click_action: 'intent', intent }), ['2', intent])
})

test('a sound is a resource of the app, default leaves it alone, none is quiet', (t: TestContext) => {
  const heard = (sound: string) => {
    const fields = fieldsOf({ ...hello, xiaomi: { sound } })
    return [fields['extra.sound_uri'], fields.notify_type]
  }
  t.assert.deepEqual(heard('ding'), ['android.resource://com.example.app/raw/ding', '-1'])
  t.assert.deepEqual(heard('ding.mp3'), ['android.resource://com.example.app/raw/ding', '-1'])
  t.assert.deepEqual(heard('android.resource://other/raw/x.y'), ['android.resource://other/raw/x.y', '-1'])
  t.assert.deepEqual(heard('default'), [undefined, '-1'])
  t.assert.deepEqual(heard('none'), [undefined, '6'])
})

test('a template gets title and text without the symbols it refuses, on its own channel alone', (t: TestContext) => {
  const templated = withOptions({ template_id: 'M1', default_channel_id: 'private' })
  const sent = (message: Message) => {
    const fields = fieldsOf(message, { account: templated })
    return [fields['extra.template_id'], fields['extra.template_param']]
  }
  t.assert.deepEqual(sent({ title: 'Ann 👩🏽‍🚀', body: '☎️ call\u0378 me 1️⃣ ©' }), [
    'M1', '{"keywords1":"Ann","keywords2":"call me 1"}',
  ])
  t.assert.deepEqual(sent({ title: '👍', body: '🎉' }), ['M1', '{"keywords1":"Demo","keywords2":"Demo"}'])
  t.assert.deepEqual(sent({ ...hello, android: { channel_id: 'private' } })[0], 'M1')
  t.assert.deepEqual(sent({ ...hello, android: { channel_id: 'news' } }), [undefined, undefined])
  t.assert.equal(fieldsOf(hello, { account: templated }).title, 'hello')
})

test('a template never gets a blank value', (t: TestContext) => {
  const to = addressed({ title: '👍' }, { account: withOptions({ template_id: 'M1' }) })
  const body = xiaomi.request({ ...to, push: { ...to.push, appName: '🔔' } }).body
  t.assert.equal(
    new URLSearchParams(body).get('extra.template_param'),
    '{"keywords1":"com.example.app","keywords2":"com.example.app"}',
  )
})

test('cmd is carried only where the operator wants to try, and then shows nothing', (t: TestContext) => {
  const cmd: Message = { type: 'cmd', title: 'T', body: 'B', big_text: 'L'.repeat(5000), ext: { k: 1 } }
  t.assert.equal(xiaomi.carries(cmd, account), false)
  t.assert.equal(xiaomi.carries(cmd, withOptions({ pass_through: false })), false)
  t.assert.equal(xiaomi.carries(cmd, withOptions({ pass_through: true })), true)
  t.assert.equal(xiaomi.carries(hello, account), true)
  t.assert.equal(xiaomi.carries({ ...hello, type: 'image' }, account), true)

  const options = withOptions({ pass_through: true, default_channel_id: 'c', template_id: 'M1' })
  const fields = fieldsOf(cmd, { account: options })
  t.assert.deepEqual(Object.keys(fields).sort(), [
    'extra.channel_id', 'extra.jobkey', 'pass_through', 'payload', 'registration_id', 'restricted_package_name',
    'time_to_live',
  ])
  t.assert.equal(fields.pass_through, '1')
  t.assert.deepEqual(JSON.parse(fields.payload!), { task_id: 42, channel: 'xiaomi', ...cmd })
})

test('receipts are asked for with the task, unless their address is missing or too long', (t: TestContext) => {
  const asked = (receiptUrl: string | undefined, variant = '') => {
    const fields = fieldsOf(hello, { receiptUrl, variant })
    return [fields['extra.callback'], fields['extra.callback.param'], fields['extra.callback.type']]
  }
  const longest = `http://push.example.com/${'s'.repeat(104)}`
  t.assert.deepEqual(asked(longest), [longest, '42', '1203'])
  t.assert.deepEqual(asked(`${longest}s`), [undefined, undefined, undefined])
  t.assert.deepEqual(asked(undefined), [undefined, undefined, undefined])
  t.assert.deepEqual(asked(longest, 'without receipts'), [undefined, undefined, undefined])
})

test('a token with a comma in it is never sent and is dead, whatever the answer', (t: TestContext) => {
  const addresses = addressesOf('regA', 'regB,regC', 'regD')
  t.assert.equal(fieldsOf(hello, { addresses }).registration_id, 'regA,regD')
  t.assert.deepEqual(kindsOf(judge({ code: 0 }, { tokens: ['regA', 'regB,regC', 'regD'] })), ['sent', 'dead', 'sent'])
  t.assert.deepEqual(kindsOf(judge('', { status: 500, tokens: ['regB,regC', 'regD'] })), ['dead', 'down'])
})

test('an answer without bad_regids means sent for all', (t: TestContext) => {
  const answer = {
    result: 'ok', trace_id: 'Xdm00001700000000000zz', code: 0, description: '成功',
    data: { id: 'sdm00001700000000000aa', day_acked: '0', day_quota: '50000' },
    info: 'Received push messages for 1 REGID',
  }
  t.assert.deepEqual(judge(answer, { tokens: ['regA', 'regB'] }), [{ kind: 'sent' }, { kind: 'sent' }])
  for (const bad_regids of ['', null, 7, {}, ['regA']]) {
    t.assert.deepEqual(kindsOf(judge({ code: 0, data: { bad_regids } })), ['sent'])
  }
  for (const data of [undefined, null, 'x', []]) t.assert.deepEqual(kindsOf(judge({ code: 0, data })), ['sent'])
})

test('the regids listed as bad are dead, the others are sent', (t: TestContext) => {
  const verdicts = judge({ code: 0, data: { bad_regids: 'r+/3==,r1' } }, { tokens: ['r1', 'r2', 'r+/3==', 'r'] })
  t.assert.deepEqual(kindsOf(verdicts), ['dead', 'sent', 'dead', 'sent'])
  t.assert.equal(whyOf(verdicts[0]), 'the regid is not valid (bad_regids)')
})

const table: Record<Exclude<Verdict['kind'], 'sent' | 'adapt' | 'renew' | 'unknown'>, number[]> = {
  down: [-1, 1, 10001, 10002, 10003, 10037, 20301, 20607, 22102, 26003, 65003],
  refused: [10008, 10012, 10016, 10017, 10018, 21305, 26006, 27001, 65009, 65011, 65014, 65015, 65036, 65037, 65038],
  limited: [10022, 10023, 10024, 10027, 10028, 26004, 200002],
  denied: [10026, 10031, 10036, 21301, 21302, 21303, 22000, 22006, 22007, 22008, 22022],
  exhausted: [10034, 200001],
  dead: [10029],
}

for (const [kind, list] of Object.entries(table)) {
  for (const code of list) {
    test(`code ${code} means ${kind}, at any status, as a number or a text`, (t: TestContext) => {
      for (const status of [200, 400, 403, 500]) {
        for (const given of [code, String(code)]) {
          const [verdict] = judge({ result: 'error', reason: 'Some words.', code: given }, { status })
          t.assert.equal(verdict!.kind, kind)
          t.assert.match(whyOf(verdict)!, new RegExp(`^[^:]+: Some words\\. \\(${code}\\)$`))
        }
      }
    })
  }
}

test('no valid targets means that every token of the request is dead', (t: TestContext) => {
  const answer = { result: 'error', reason: 'No valid targets!', trace_id: 'X', code: 20301, description: '发送消息失败' }
  const verdicts = judge(answer, { tokens: ['a', 'b'] })
  t.assert.deepEqual(kindsOf(verdicts), ['dead', 'dead'])
  t.assert.equal(whyOf(verdicts[0]), 'the regid is not valid for this app: No valid targets! (20301)')
  t.assert.deepEqual(kindsOf(judge({ ...answer, reason: 'Timeout' }, { tokens: ['a', 'b'] })), ['down', 'down'])
  t.assert.deepEqual(kindsOf(judge({ ...answer, reason: { no: 1 } })), ['down'])
  t.assert.deepEqual(kindsOf(judge({ ...answer, code: 10001 })), ['down'])
})

test('a wrong secret is denied, in words with the reason', (t: TestContext) => {
  const reason = 'Invalid application secret.'
  const answer = { result: 'error', reason, trace_id: 'X', code: 21301, description: '认证失败' }
  t.assert.deepEqual(judge(answer), [
    { kind: 'denied', why: 'the AppSecret is not right: Invalid application secret. (21301)', said: '21301: Invalid application secret.' },
  ])
})

test('an illegal device among several kills none of them', (t: TestContext) => {
  t.assert.deepEqual(kindsOf(judge({ code: 10029 }, { tokens: ['a', 'b'] })), ['unknown', 'unknown'])
})

test('a receipt address that Xiaomi does not take is left out in a second try', (t: TestContext) => {
  const receiptUrl = 'https://push.example.com/r'
  for (const code of [65036, 65037, 65038]) {
    const [first] = judge({ code }, { receiptUrl })
    t.assert.ok(first?.kind === 'adapt')
    t.assert.equal(fieldsOf(hello, { receiptUrl, variant: first.variant })['extra.callback'], undefined)
    t.assert.deepEqual(kindsOf(judge({ code }, { receiptUrl, variant: first.variant })), ['refused'])
  }
})

test('a code in no table is unknown and told, unless the status says more', (t: TestContext) => {
  t.assert.deepEqual(judge({ code: 99999, reason: 'new' }), [
    { kind: 'unknown', why: 'an answer that is not understood: new (99999)', said: '99999: new' },
  ])
  t.assert.deepEqual(kindsOf(judge({ code: 503 }, { status: 503 })), ['down'])
})

test('an answer that is no answer of Xiaomi is judged by its status', (t: TestContext) => {
  const bodies = [
    '', '<html>502</html>', '{"code":', '[]', 'null', '7', '"0"', '{}', '{"code":null}', '{"code":[0]}',
    '{"code":true}', '{"code":{"a":1}}', '{"code":0.5}', '{"code":""}', '{"code":"constructor"}', '{"code":"00"}',
    '['.repeat(65_536),
  ]
  const statuses: [number, Verdict['kind']][] = [
    [200, 'unknown'], [302, 'unknown'], [400, 'unknown'], [404, 'unknown'], [401, 'denied'], [403, 'denied'],
    [429, 'limited'], [500, 'down'], [502, 'down'], [503, 'down'], [504, 'down'],
  ]
  for (const [status, kind] of statuses) {
    for (const body of bodies) {
      const verdicts = judge(body, { status, tokens: ['a', 'b'] })
      t.assert.deepEqual(kindsOf(verdicts), [kind, kind], `${status} ${body.slice(0, 40)}`)
      t.assert.match(whyOf(verdicts[0])!, new RegExp(`\\(HTTP ${status}\\)$`))
    }
  }
})

test('what Xiaomi says is one short line without the secret', (t: TestContext) => {
  const why = whyOf(judge({ code: 10017, reason: `a\n\u0000b${'x'.repeat(60_000)}` })[0])!
  t.assert.ok(why.length < 250 && why.endsWith('(10017)') && !/\p{Cc}/u.test(why), why)
  const [echo] = judge({ code: 21301, reason: `key=${SECRET} is wrong` })
  t.assert.equal(whyOf(echo), 'the AppSecret is not right (21301)')
})

test('credentials are tried with a token that is a regid in shape alone', (t: TestContext) => {
  t.assert.match(xiaomi.probe!.token, /^[A-Za-z0-9+/=]{64,}$/)
})

const receiptsOf = (data: unknown) => {
  const form = new URLSearchParams({ data: typeof data === 'string' ? data : JSON.stringify(data) })
  return xiaomi.receipts!.read({ headers: {}, body: form.toString() }, [account])
}

test('receipts name the task, the token and what became of it', (t: TestContext) => {
  const data = {
    sdm00001700000000000aa: {
      param: '42', type: 1, targets: 'regA,regB', jobkey: '42', barStatus: 'Enable', timestamp: 1_700_000_001_000,
    },
    sdm00001700000000000ab: { param: '42', type: 2, targets: 'r+/A==' },
    sdm00001700000000000bb: {
      param: '43', type: 16, targets: 'regC,regD', barStatus: 'Unknown', errorCode: 1, replaceTarget: { regC: 'regC2' },
    },
    sdm00001700000000000bc: { param: '43', type: 32, targets: 'regH' },
    sdm00001700000000000cc: { param: '43', type: 128, targets: 'regE', extra: { ack: '50000', quota: '50000' } },
    sdm00001700000000000ee: { param: '44', type: '1024', targets: 'regG', timestamp: 1_700_000_005_000 },
  }
  const full = { event: 'failed', why: "the limit of the day is reached, the app's or the device's (128)" }
  const gone = { event: 'dead', why: 'the regid is not valid any more (16)' }
  t.assert.deepEqual(receiptsOf(data), [
    { taskId: 42, token: 'regA', event: 'received' },
    { taskId: 42, token: 'regB', event: 'received' },
    { taskId: 42, token: 'r+/A==', event: 'clicked' },
    { taskId: 43, token: 'regC', ...gone, replacedBy: 'regC2' },
    { taskId: 43, token: 'regD', ...gone },
    { taskId: 43, token: 'regH', event: 'failed', why: 'the app switched push off on the device (32)' },
    { taskId: 43, token: 'regE', ...full },
    { taskId: 44, token: 'regG', event: 'failed', why: 'it expired before the device came online (1024)' },
  ])
})

test('a receipt without our task, of another kind or of another shape is passed over', (t: TestContext) => {
  const good = { param: '42', type: 1, targets: 'regA' }
  const odd = [
    { type: 1, targets: 'regA' }, { ...good, param: 'task-42' }, { ...good, param: '0' },
    { ...good, param: '9'.repeat(17) }, { ...good, type: 3 }, { ...good, type: 64 },
    { ...good, type: 'constructor' }, { ...good, type: undefined },
    { ...good, targets: ['regA'] }, { ...good, targets: '' }, null, 'x', 7, [],
  ]
  for (const entry of odd) t.assert.deepEqual(receiptsOf({ id: entry }), [], JSON.stringify(entry))
  const replaced = { ...good, type: 16, replaceTarget: { regA: 7 } }
  t.assert.deepEqual(receiptsOf({ a: null, b: good, c: replaced }), [
    { taskId: 42, token: 'regA', event: 'received' },
    { taskId: 42, token: 'regA', event: 'dead', why: 'the regid is not valid any more (16)' },
  ])
})

test('a call that is not what Xiaomi sends is malformed', (t: TestContext) => {
  for (const data of ['', '[]', 'null', '{"a":', '7', '['.repeat(60_000)]) t.assert.equal(receiptsOf(data), 'malformed')
  for (const body of ['', '{"data":{}}', '%', 'data', 'cb={}', '\u0000']) {
    t.assert.equal(xiaomi.receipts!.read({ headers: {}, body }, []), 'malformed')
  }
})
