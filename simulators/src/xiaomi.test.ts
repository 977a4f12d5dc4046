import { createHash } from 'node:crypto'
import test from 'node:test'
import { startTrial } from './trial.ts'
import xiaomi from './xiaomi.ts'

const account = { appSecret: 'c2VjcmV0LWZvci10ZXN0cw==', packageName: 'com.example.app' }
const send = '/v3/message/regid'
const headers = {
  authorization: `key=${account.appSecret}`,
  'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
}
const hello = {
  registration_id: 'Ab+/cd==,Ef+/gh==',
  restricted_package_name: 'com.example.app',
  pass_through: '0',
  title: '你好',
  description: 'a b&c=d',
  payload: '{"task":"42","ext":{"k":"v"}}',
  notify_type: '-1',
  notify_id: '1234567',
  time_to_live: '86400000',
  'extra.channel_id': '110001',
  'extra.notify_effect': '1',
  'extra.notify_foreground': '1',
  'extra.callback': 'http://push.example.com/r/xiaomi',
  'extra.callback.param': 'task-42',
  'extra.callback.type': '1203',
}

const start = (options: Partial<typeof xiaomi.options> = {}) => {
  const trial = startTrial(xiaomi, { accounts: [account], options })
  const push = async (change: Record<string, string> = {}, path = send) => {
    const reply = await trial.send(path, new URLSearchParams({ ...hello, ...change }).toString(), headers)
    return { ...reply, answer: JSON.parse(reply.body) }
  }
  const reported = () =>
    trial.receipts.map(({ body }) => Object.values<any>(JSON.parse(new URLSearchParams(body).get('data')!))[0])
  return { ...trial, push, reported }
}

test('the worked example is taken, and its ids have the form of the vendor', async (t) => {
  const body = new URLSearchParams(hello).toString()
  t.assert.equal(
    createHash('sha256').update(body).digest('hex'),
    '5ab92163463a173eaeba8bf025fa01fee3c0a2774e220affe5b46952ce1b4217',
  )
  const { send: post, tokensOf } = start()
  const reply = await post(send, body, headers)
  const { data, trace_id, ...answer } = JSON.parse(reply.body)
  t.assert.deepEqual(answer, { result: 'ok', code: 0, description: '成功', info: 'Received push messages for 2 REGID' })
  t.assert.match(data.id, /^sdm\d{17}[0-9a-z]{2}$/)
  t.assert.match(trace_id, /^Xdm\d{17}[0-9a-z]{2}$/)
  t.assert.deepEqual([data.day_acked, data.day_quota, data.bad_regids], ['0', '50000', undefined])
  t.assert.deepEqual(reply.push?.taken, ['Ab+/cd==', 'Ef+/gh=='])
  t.assert.deepEqual(tokensOf(send, body, headers), ['Ab+/cd==', 'Ef+/gh=='])
})

test('only the right secret in its exact form is let in', async (t) => {
  const { send: post } = start()
  for (const authorization of [
    '',
    account.appSecret,
    `Bearer ${account.appSecret}`,
    `KEY=${account.appSecret}`,
    'key=wrong',
  ]) {
    const answer = JSON.parse(
      (await post(send, new URLSearchParams(hello).toString(), { ...headers, authorization })).body,
    )
    t.assert.deepEqual([answer.result, answer.code, answer.reason], ['error', 21301, 'Invalid application secret.'])
  }
})

test('dead registration ids are joined in one text, and only dead ones fail the request', async (t) => {
  const { push } = start()
  const partly = await push({ registration_id: 'a,dead1,b,dead2' })
  t.assert.deepEqual([partly.answer.code, partly.answer.data.bad_regids], [0, 'dead1,dead2'])
  t.assert.deepEqual(partly.push?.taken, ['a', 'b'])
  const all = await push({ registration_id: 'dead1' })
  t.assert.deepEqual([all.answer.code, all.answer.reason], [20301, 'No valid targets!'])
})

test('a plus that was not encoded makes a registration id unknown', async (t) => {
  const { send: post } = start()
  const body = new URLSearchParams({ ...hello, registration_id: 'X' }).toString().replace('=X', '=Ab+cd')
  t.assert.equal(JSON.parse((await post(send, body, headers)).body).code, 20301)
})

test('what breaks a rule of the message is turned down with the code of that rule', async (t) => {
  const { push } = start({ channels: '110001' })
  const faults: [number, Record<string, string>][] = [
    [10016, { registration_id: '' }],
    [10017, { registration_id: Array.from({ length: 1001 }, (_, at) => `t${at}`).join(',') }],
    [65011, { restricted_package_name: '' }],
    [22022, { restricted_package_name: 'com.example.other' }],
    [65011, { title: ' ' }],
    [65011, { description: '' }],
    [10017, { title: '字'.repeat(50) }],
    [10017, { description: 'x'.repeat(128) }],
    [65009, { payload: 'x'.repeat(4096) }],
    [10017, { pass_through: '1' }],
    [10017, { notify_id: '2147483648' }],
    [10017, { notify_type: '8' }],
    [10017, { time_to_live: '1.5' }],
    [10017, { 'extra.notify_effect': '4' }],
    [65011, { 'extra.notify_effect': '2' }],
    [65011, { 'extra.notification_style_type': '2' }],
    [10017, { 'extra.jobkey': '_a' }],
    [10017, { 'extra.template_param': '{"a":""}' }],
    [27001, { 'extra.channel_id': '2' }],
    [65036, { 'extra.callback.param': 'x'.repeat(65) }],
    [65037, { 'extra.callback': `http://push.example.com/${'x'.repeat(128)}` }],
    [65038, { 'extra.callback': 'push.example.com' }],
    [65014, Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`extra.k${at}`, 'v']))],
    [65015, { 'extra.k': 'x'.repeat(1024) }],
  ]
  for (const [code, change] of faults)
    t.assert.equal((await push(change)).answer.code, code, JSON.stringify(change).slice(0, 200))
  t.assert.equal((await push({ title: '字'.repeat(49), description: 'x'.repeat(127) })).answer.code, 0)
  t.assert.equal(
    (await push({ restricted_package_name: 'com.example.app,com.example.app' }, '/v2/message/regid')).answer.code,
    10017,
  )
})

test('messages that show nothing and messages without a channel depend on the app', async (t) => {
  const { push, options } = start({ passThrough: true })
  t.assert.equal((await push({ pass_through: '1', title: '', description: '' })).answer.code, 0)
  t.assert.equal((await push({ 'extra.channel_id': '' })).answer.code, 0)
  options.channelRequired = true
  t.assert.equal((await push({ 'extra.channel_id': '' })).answer.code, 27001)
})

test('the quota of a day comes back at midnight in China', async (t) => {
  const { push, clock } = start({ dayQuota: 3 })
  clock.now = Date.parse('2026-11-14T15:59:59Z')
  t.assert.equal((await push()).answer.data.day_acked, '0')
  t.assert.equal((await push()).answer.code, 200001)
  clock.now += 1000
  t.assert.equal((await push()).answer.data.day_acked, '0')
})

test('every code and every receipt of the tables can be met by the beginning of a token', async (t) => {
  const { push, receipts, reported } = start()
  for (const [word, prefix] of Object.entries(xiaomi.outcomes)) {
    receipts.length = 0
    const { answer } = await push({ registration_id: `${prefix}1`, 'extra.callback.type': '1267' })
    const types = reported().map(({ type }) => type)
    if (word === 'bad') t.assert.equal(answer.code, 20301)
    else if (word === 'offline') t.assert.deepEqual([answer.code, types], [0, []])
    else if (word === 'clicked') t.assert.deepEqual([answer.code, types], [0, [1, 2]])
    else if (word.startsWith('receipt ')) t.assert.deepEqual([answer.code, types], [0, [Number(word.split(' ')[1])]])
    else t.assert.equal(answer.code, Number(word))
  }
})

test('a receipt is a form with one field, keyed by the message id, for the address the message names', async (t) => {
  const { push, receipts } = start()
  const { answer } = await push({ registration_id: 'a,b', 'extra.jobkey': 't42' })
  t.assert.equal(receipts[0]!.url, hello['extra.callback'])
  t.assert.deepEqual(JSON.parse(new URLSearchParams(receipts[0]!.body).get('data')!), {
    [answer.data.id]: {
      param: 'task-42',
      type: 1,
      targets: 'a,b',
      jobkey: 't42',
      barStatus: 'Enable',
      timestamp: 1_700_000_000_000,
    },
  })
})

test('receipts keep to the kinds that were asked for, and a wrong sum of kinds gets none', async (t) => {
  const { push, receipts, reported } = start()
  await push({ registration_id: 'a,click-1,R16-1', 'extra.callback.type': '2' })
  t.assert.deepEqual(
    reported().map(({ type, targets }) => [type, targets]),
    [[2, 'click-1']],
  )
  receipts.length = 0
  await push({ registration_id: 'a', 'extra.callback.type': String(1 + 2 + 3 + 16) })
  t.assert.equal((await push({ registration_id: 'a', 'extra.callback.type': String(4 + 1) })).answer.code, 0)
  t.assert.equal(receipts.length, 0)
})

test('a replaced registration id is reported with the one that took its place', async (t) => {
  const { push, reported } = start()
  await push({ registration_id: 'R16replaced-1' })
  const [receipt] = reported()
  t.assert.deepEqual(
    [receipt.type, receipt.errorCode, receipt.replaceTarget],
    [16, 1, { 'R16replaced-1': 'newR16replaced-1' }],
  )
})
