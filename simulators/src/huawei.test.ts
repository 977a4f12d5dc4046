import { createHmac } from 'node:crypto'
import test from 'node:test'
import huawei from './huawei.ts'
import { startTrial } from './trial.ts'

const account = { appId: '104567891', appSecret: '9f2c4d6e8a0b1c3d5e7f90a1b2c3d4e5', projectId: '736430079244' }
const other = { appId: '104567892', appSecret: 'another-secret' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const send = `/v1/${account.appId}/messages:send`

const start = (
  extra: Omit<Parameters<typeof startTrial<typeof account | typeof other, typeof huawei.options>>[1], 'accounts'> = {},
) => {
  const trial = startTrial(huawei, { accounts: [account, other], ...extra })
  const authorize = (fields: Record<string, string>) =>
    trial.send('/oauth2/v3/token', new URLSearchParams(fields).toString(), form)
  const access = async ({ appId, appSecret }: { appId: string; appSecret: string } = account) => {
    const reply = await authorize({ grant_type: 'client_credentials', client_id: appId, client_secret: appSecret })
    return JSON.parse(reply.body).access_token as string
  }
  const headersOf = (token: string) => ({
    'content-type': 'application/json;charset=UTF-8',
    authorization: `Bearer ${token}`,
  })
  const push = async (body: unknown, path = send) => {
    const reply = await trial.send(path, JSON.stringify(body), headersOf(await access()))
    return { ...reply, answer: JSON.parse(reply.body) }
  }
  return { ...trial, authorize, access, push, headersOf }
}

const hello = (token: string[], android: object = {}, rest: object = {}) => ({
  message: {
    data: '{"room":"42"}',
    android: {
      ttl: '3600s',
      bi_tag: 'task-42',
      notification: { title: 'Ana', body: 'Lunch?', click_action: { type: 3 } },
      ...android,
    },
    token,
    ...rest,
  },
})

test('an access token is given for the right secret alone, and the answer escapes its slashes', async (t) => {
  const { authorize } = start()
  const right = { grant_type: 'client_credentials', client_id: account.appId, client_secret: account.appSecret }
  const good = await authorize(right)
  t.assert.equal(good.status, 200)
  t.assert.equal(good.headers?.['cache-control'], 'no-store')
  t.assert.match(good.body, /\\\//)
  t.assert.equal(JSON.parse(good.body).expires_in, 3600)
  const faults = {
    20182: { grant_type: 'password' },
    20002: { client_id: 'abc' },
    20171: { client_secret: '' },
    20172: { client_secret: 'with space' },
    12304: { client_secret: 'wrong' },
  }
  for (const [subError, change] of Object.entries(faults)) {
    const bad = await authorize({ ...right, ...change })
    t.assert.equal(bad.status, 400)
    t.assert.deepEqual([JSON.parse(bad.body).error, JSON.parse(bad.body).sub_error], [1101, Number(subError)])
  }
})

test('more than 1000 access tokens in five minutes are refused until the time is over', async (t) => {
  const { authorize, clock } = start()
  const right = { grant_type: 'client_credentials', client_id: account.appId, client_secret: account.appSecret }
  for (let count = 0; count < 1000; count += 1) t.assert.equal((await authorize(right)).status, 200)
  t.assert.equal((await authorize(right)).status, 503)
  clock.now += 5 * 60_000
  t.assert.equal((await authorize(right)).status, 200)
})

test('a push needs an access token of its own app that has not run out', async (t) => {
  const { send: post, access, headersOf, clock } = start()
  const body = JSON.stringify(hello(['a']))
  const code = async (headers: Record<string, string>, path = send) => {
    const reply = await post(path, body, headers)
    return [reply.status, JSON.parse(reply.body).code]
  }
  const token = await access()
  t.assert.deepEqual(await code(headersOf(token)), [200, '80000000'])
  t.assert.deepEqual(await code({ ...headersOf(token), authorization: token }), [401, '80200001'])
  t.assert.deepEqual(await code({ ...headersOf(token), authorization: 'Bearer made-up' }), [401, '80200001'])
  t.assert.deepEqual(await code(headersOf(await access(other))), [401, '80200001'])
  t.assert.deepEqual(await code(headersOf(token), `/v2/${account.projectId}/messages:send`), [200, '80000000'])
  t.assert.deepEqual(await code(headersOf(token), '/v2/1/messages:send'), [400, '80300002'])
  clock.now += 3600_000
  t.assert.deepEqual(await code(headersOf(token)), [401, '80200003'])
  t.assert.equal((await post('/v3/1/messages:send', body, headersOf(token))).status, 404)
})

test('some bad tokens fail alone, in a JSON text inside the answer; all of them fail the request', async (t) => {
  const { push } = start()
  const partly = await push(hello(['a', 'dead1', 'b', 'dead2']))
  t.assert.equal(partly.status, 200)
  t.assert.equal(partly.answer.code, '80100000')
  t.assert.deepEqual(JSON.parse(partly.answer.msg), { success: 2, failure: 2, illegal_tokens: ['dead1', 'dead2'] })
  t.assert.deepEqual(partly.push?.taken, ['a', 'b'])
  const all = await push(hello(['dead1']))
  t.assert.deepEqual([all.status, all.answer.code, all.answer.msg], [400, '80300007', 'All the tokens are invalid'])
})

test('what breaks a rule of the message is turned down with the code of that rule', async (t) => {
  const { push } = start()
  const shown = { title: 'a', body: 'b', click_action: { type: 3 } }
  const faults: [string, unknown][] = [
    ['80100003', 'text'],
    ['80300010', {}],
    ['80300010', { mesage: {} }],
    ['80300010', hello([])],
    ['80300010', hello(Array.from({ length: 1001 }, (_, at) => `t${at}`))],
    ['80300008', hello(['a'], { notification: { ...shown, body: 'x'.repeat(4096) } })],
    ['80100001', hello(['a'], { ttl: 3600 })],
    ['80100001', hello(['a'], { ttl: '1296001s' })],
    ['80100004', hello(['a'], { ttl: '0s' })],
    ['80100013', hello(['a'], { collapse_key: 101 })],
    ['80100001', hello(['a'], { category: 'GOSSIP' })],
    ['80100001', hello(['a'], { notification: { title: 'a', body: 'b' } })],
    ['80100001', hello(['a'], { notification: { ...shown, click_action: { type: 1 } } })],
    ['80100001', hello(['a'], { notification: { ...shown, click_action: { type: 2, url: 'http://a.example' } } })],
    ['80100001', hello(['a'], { notification: { ...shown, title: '' } })],
    ['80100001', hello(['a'], { notification: { ...shown, image: 'http://a.example/a.png' } })],
    ['80100001', hello(['a'], { notification: { ...shown, style: 1, big_title: 'a' } })],
    ['80100001', hello(['a'], { notification: { ...shown, badge: { class: 'a', set_num: 100 } } })],
    ['80100001', hello(['a'], {}, { data: { room: 42 } })],
    ['80100001', hello(['a'], {}, { data: 'no JSON' })],
    ['80300011', hello(['a'], { urgency: 'HIGH' })],
    ['80300011', hello(['a'], { notification: { ...shown, importance: 'HIGH' } })],
  ]
  for (const [code, body] of faults) {
    const reply = await push(body)
    t.assert.equal(reply.answer.code, code, JSON.stringify(body).slice(0, 200))
    t.assert.deepEqual(reply.push?.taken, [])
  }
})

test('tokens do not count among the 4096 bytes, and a silent message may carry any text', async (t) => {
  const { push } = start()
  t.assert.equal(
    (await push(hello(Array.from({ length: 1000 }, (_, at) => `token-${at}`.padEnd(130, 'x'))))).answer.code,
    '80000000',
  )
  const silent = { message: { data: 'any text', android: { ttl: '60s' }, token: ['a'] } }
  t.assert.equal((await push(silent)).answer.code, '80000000')
})

test('a push that is only checked reaches nobody', async (t) => {
  const { push, receipts } = start({ receiptUrl: 'https://carillon.example/r' })
  const reply = await push({ validate_only: true, ...hello(['a']) })
  t.assert.equal(reply.answer.code, '80000000')
  t.assert.deepEqual(reply.push?.taken, [])
  t.assert.equal(receipts.length, 0)
})

test('every code and every receipt of the tables can be met by the beginning of a token', async (t) => {
  const { push, receipts } = start({ receiptUrl: 'https://carillon.example/r' })
  for (const [word, prefix] of Object.entries(huawei.outcomes)) {
    receipts.length = 0
    const { answer } = await push(hello([`${prefix}1`]))
    const status = receipts.length === 0 ? undefined : JSON.parse(receipts[0]!.body).statuses[0].status
    if (word === 'illegal') t.assert.equal(answer.code, '80300007')
    else if (word === 'offline') t.assert.deepEqual([answer.code, status], ['80000000', undefined])
    else if (word.startsWith('receipt ')) t.assert.deepEqual([answer.code, status], ['80000000', Number(word.slice(8))])
    else t.assert.equal(answer.code, word)
  }
})

test('receipts come in calls of at most a hundred, unsigned while no key is set', async (t) => {
  const { push, receipts } = start({ receiptUrl: 'https://carillon.example/r' })
  const { answer } = await push(hello(Array.from({ length: 150 }, (_, at) => `t${at}`)))
  t.assert.deepEqual(
    receipts.map(({ body }) => JSON.parse(body).statuses.length),
    [100, 50],
  )
  t.assert.equal(receipts[0]!.headers['x-huawei-callback-id'], undefined)
  t.assert.deepEqual(JSON.parse(receipts[0]!.body).statuses[0], {
    token: 't0',
    biTag: 'task-42',
    status: 0,
    timestamp: 1_700_000_000_000,
    clientId: account.appId,
    requestId: answer.requestId,
  })
})

test('a receipt is signed over timestamp, nonce and user, in both forms of the key and of the body', async (t) => {
  const secret = 'Zm9yLXRlc3Qtb25seS1jYXJpbGxvbi1rZXktMDAwMQ=='
  const sign = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('base64')
  const vector = '17000000001230d9f3c1e-6a2b-4c7d-8e9f-112233445566carillon'
  t.assert.equal(sign(Buffer.from(secret, 'base64'), vector), 'vlC6fi7YnVcF+0YIXgdBKYL8z3LNLB2wbeWcEdsNAY4=')
  for (const receiptKeyIsBase64 of [true, false]) {
    const options = { receiptUser: 'carillon', receiptKey: secret, receiptKeyIsBase64, receiptVersion: 2 }
    const { push, receipts } = start({ receiptUrl: 'https://carillon.example/r', options })
    await push(hello(['a']))
    const header = receipts[0]!.headers['x-huawei-callback-id']!
    const [, timestamp, nonce, value] = /^timestamp=(\d{13}); nonce=([0-9a-f-]{36}); value=(\S+)$/.exec(header)!
    const key = Buffer.from(secret, receiptKeyIsBase64 ? 'base64' : 'utf8')
    t.assert.equal(value, sign(key, `${timestamp}${nonce}carillon`))
    const [status] = JSON.parse(receipts[0]!.body).statuses
    t.assert.deepEqual([status.appPackageName, status.deliveryStatus.result], ['com.example.app', 0])
  }
})
