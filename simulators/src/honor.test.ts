import test from 'node:test'
import honor from './honor.ts'
import { startTrial } from './trial.ts'

const account = { appId: '104436234', clientId: 'carillon-test-client', clientSecret: 's3cr3t/with+odd=chars' }
const other = { appId: '104436235', clientId: 'another-client', clientSecret: 'another-secret' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const send = `/api/v1/${account.appId}/sendMessage`

const start = (extra: { options?: Partial<typeof honor.options>; receiptUrl?: string } = {}) => {
  const trial = startTrial(honor, { accounts: [account, other], ...extra })
  const access = async ({ clientId, clientSecret }: typeof account) => {
    const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    return trial.send('/auth/token', new URLSearchParams(fields).toString(), form)
  }
  const headersOf = async (of = account) => ({
    'content-type': 'application/json; charset=UTF-8',
    authorization: `Bearer ${JSON.parse((await access(of)).body).access_token}`,
    timestamp: `${trial.clock.now}`,
  })
  const push = async (body: unknown, headers?: Record<string, string>, path = send) => {
    const reply = await trial.send(path, JSON.stringify(body), headers ?? (await headersOf()))
    return { ...reply, answer: JSON.parse(reply.body) }
  }
  return { ...trial, access, headersOf, push }
}

const shown = { title: 'Ana', body: 'Lunch?', clickAction: { type: 3 } }
const hello = (token: string[], notification: object = shown, android: object = {}) => ({
  data: '{"room":"42"}',
  android: { ttl: '3600s', biTag: 'task-42', targetUserType: 0, notification, ...android },
  token,
})

test('the client id and its secret get an access token; anything else is an unauthorized client', async (t) => {
  const { access } = start()
  const good = await access(account)
  t.assert.equal(good.status, 200)
  t.assert.deepEqual(Object.keys(JSON.parse(good.body)), ['access_token', 'expires_in', 'token_type'])
  const bad = await access({ ...account, clientId: account.appId })
  t.assert.equal(bad.status, 401)
  t.assert.equal(JSON.parse(bad.body).error, 'unauthorized_client')
})

test('a push needs the access token of its app and the time in milliseconds', async (t) => {
  const { push, headersOf, clock } = start()
  const headers = await headersOf()
  const result = async (change: Record<string, string>, path = send) => {
    const { status, answer } = await push(hello(['a']), { ...headers, ...change }, path)
    return [status, answer.code]
  }
  t.assert.deepEqual(await result({}), [200, 200])
  t.assert.deepEqual(await result({ authorization: headers.authorization.slice('Bearer '.length) }), [401, 401])
  t.assert.deepEqual(await result({ timestamp: '1700000000' }), [200, 400])
  t.assert.deepEqual(await result(await headersOf(other)), [403, 403])
  t.assert.deepEqual(await result({}, '/api/v1/1/sendMessage'), [404, 404])
  clock.now += 3600_000
  t.assert.deepEqual(await result({}), [401, 401])
})

test('expired and failed tokens are listed apart, and the rest is taken', async (t) => {
  const { push } = start()
  const { answer, push: noted } = await push(hello(['a', 'dead1', 'fail-1']))
  t.assert.equal(answer.code, 200)
  t.assert.deepEqual(
    [answer.data.expireTokens, answer.data.failTokens, answer.data.sendResult],
    [['dead1'], ['fail-1'], true],
  )
  t.assert.deepEqual(noted?.taken, ['a'])
})

test('what breaks a rule of the message has code 400, with the HTTP status that is chosen', async (t) => {
  const { push, options } = start()
  const huaweis = { message: { android: { notification: { ...shown, click_action: { type: 3 } } }, token: ['a'] } }
  const faults: unknown[] = [
    huaweis,
    hello([]),
    hello(Array.from({ length: 1001 }, (_, at) => `t${at}`)),
    hello(['a'], { ...shown, body: 'x'.repeat(4096) }),
    hello(['a'], { title: 'a', body: 'b' }),
    hello(['a'], { ...shown, clickAction: { type: 1, intent: '' } }),
    hello(['a'], { ...shown, title: undefined }),
    hello(['a'], { ...shown, style: 1, bigTitle: 'a' }),
    hello(['a'], { ...shown, importance: 'HIGH' }),
    hello(['a'], { ...shown, badge: { badgeClass: 'a', setNum: 100 } }),
    hello(['a'], shown, { ttl: 3600 }),
    hello(['a'], shown, { ttl: '1296001s' }),
    hello(['a'], shown, { targetUserType: '0' }),
    { ...hello(['a']), data: { room: 42 } },
    { token: ['a'] },
  ]
  for (const body of faults) {
    const { status, answer } = await push(body)
    t.assert.deepEqual([status, answer.code, answer.data], [200, 400, undefined], JSON.stringify(body).slice(0, 200))
  }
  options.payloadFaultStatus = 400
  const { status, answer } = await push(hello(['a'], { ...shown, clickAction: { type: 1 } }))
  t.assert.deepEqual([status, answer.message], [400, 'intent or action is required when click type=1'])
  t.assert.equal((await push({ data: 'any text', android: { ttl: '60s' }, token: ['a'] })).answer.code, 200)
})

test('every ending can be met by the beginning of a token', async (t) => {
  const { push, receipts } = start({ receiptUrl: 'https://carillon.example/r' })
  for (const [word, prefix] of Object.entries(honor.outcomes)) {
    receipts.length = 0
    const token = `${prefix}1`
    const { status, answer } = await push(hello([token]))
    const reported = receipts.length === 0 ? undefined : JSON.parse(receipts[0]!.body).statuses[0].status
    if (word === 'expired') t.assert.deepEqual(answer.data.expireTokens, [token])
    else if (word === 'failed') t.assert.deepEqual(answer.data.failTokens, [token])
    else if (word === 'unsent')
      t.assert.deepEqual([answer.code, answer.data.sendResult, answer.data.failTokens], [200, false, []])
    else if (word === 'offline') t.assert.deepEqual([answer.code, reported], [200, undefined])
    else if (word.startsWith('receipt ')) t.assert.deepEqual([answer.code, reported], [200, Number(word.slice(8))])
    else
      t.assert.deepEqual(
        [answer.code, status],
        [Number(word), Number(word) > 400 && Number(word) < 1000 ? Number(word) : 200],
      )
  }
})

test('a receipt names the app, the tag and the request of the push', async (t) => {
  const { push, receipts } = start({ receiptUrl: 'https://carillon.example/r' })
  const { answer } = await push(hello(['a']))
  t.assert.deepEqual(JSON.parse(receipts[0]!.body), {
    statuses: [
      {
        biTag: 'task-42',
        appid: account.appId,
        token: 'a',
        status: 40000002,
        timestamp: 1_700_000_000_000,
        requestId: answer.data.requestId,
      },
    ],
  })
})
