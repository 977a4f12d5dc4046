import { createHash } from 'node:crypto'
import test from 'node:test'
import { startTrial } from './trial.ts'
import vivo from './vivo.ts'

const account = {
  appId: 100004,
  appKey: '7a1f0c3e5b9d4826a0c4e8f12d3b5a79',
  appSecret: 'c0ffee00-1234-4abc-9def-0123456789ab',
}
const other = { appId: 100005, appKey: 'other-key', appSecret: 'other-secret' }

const start = ({ options, receiptUrl }: { options?: Partial<typeof vivo.options>; receiptUrl?: string } = {}) => {
  const trial = startTrial(vivo, { accounts: [account, other], options, receiptUrl })
  const post = async (path: string, body: unknown, authToken?: string) => {
    const headers = {
      'content-type': 'application/json;charset=UTF-8',
      ...(authToken !== undefined && { authtoken: authToken }),
    }
    const reply = await trial.send(path, JSON.stringify(body), headers)
    return { ...reply, answer: JSON.parse(reply.body) }
  }
  const authorize = ({ appId, appKey, appSecret }: typeof account, change: Record<string, unknown> = {}) => {
    const timestamp = trial.clock.now
    const sign = createHash('md5').update(`${appId}${appKey}${timestamp}${appSecret}`).digest('hex')
    return post('/message/auth', { appId, appKey, timestamp, sign, ...change })
  }
  let access: string | undefined
  const authorized = async (path: string, body: unknown) =>
    post(path, body, (access ??= (await authorize(account)).answer.authToken))
  const push = (regId: string, change: object = {}) => authorized('/message/send', { ...hello, regId, ...change })
  const save = (change: object = {}) => authorized('/message/saveListPayload', { ...hello, ...change })
  const toList = (regIds: string[], taskId: unknown, change: object = {}) =>
    authorized('/message/pushToList', { appId: account.appId, regIds, taskId, requestId: 'list-1', ...change })
  return { ...trial, post, authorize, push, save, toList }
}

const hello = {
  appId: 100004,
  notifyType: 4,
  title: '你好',
  content: '订单已发货',
  timeToLive: 86400,
  skipType: 4,
  skipContent: 'intent:#Intent;component=com.demo.app/com.demo.app.ChatActivity;S.cid=77;end',
  networkType: -1,
  classification: 1,
  category: 'ORDER',
  clientCustomMap: { ext: '{"cid":77}' },
  requestId: 't-42.d-7',
  pushMode: 0,
  extra: { callback: 'https://push.example.com/r/vivo/k3y', 'callback.param': 't-42' },
}

test('the signature is the hash of id, key, time and secret; each fault has its code', async (t) => {
  const { post, authorize } = start()
  const vector = {
    appId: 100004,
    appKey: account.appKey,
    timestamp: 1_700_000_000_000,
    sign: '60c4a5f150149432f488b1bc06adfe47',
  }
  const good = await post('/message/auth', vector)
  t.assert.deepEqual([good.answer.result, good.answer.desc], [0, '请求成功'])
  t.assert.match(good.answer.authToken, /^[0-9a-f-]{36}$/)
  t.assert.equal((await post('/message/auth', { ...vector, appId: '100004' })).answer.result, 0)
  const faults: [number, Record<string, unknown>][] = [
    [10200, { appId: undefined }],
    [10201, { appKey: '' }],
    [10202, { appKey: 'wrong' }],
    [10203, { timestamp: null }],
    [10204, { sign: '' }],
    [10205, { appId: 1 }],
    [10206, { sign: '0'.repeat(32) }],
    [10207, { timestamp: 1_700_000_000_000 + 10 * 60_000 + 1 }],
  ]
  for (const [result, change] of faults) {
    const { answer } = await authorize(account, change)
    t.assert.deepEqual([answer.result, answer.authToken], [result, undefined], JSON.stringify(change))
  }
})

test('an app may ask for ten access tokens a second', async (t) => {
  const { authorize, clock } = start()
  for (let count = 0; count < 10; count += 1) t.assert.equal((await authorize(account)).answer.result, 0)
  t.assert.equal((await authorize(account)).answer.result, 10093)
  clock.now += 1000
  t.assert.equal((await authorize(account)).answer.result, 0)
})

test('a push needs an access token of its own app that is not a day old, before all else', async (t) => {
  const { authorize, post, clock } = start()
  const { authToken } = (await authorize(account)).answer
  const foreign = (await authorize(other)).answer.authToken
  const body = { ...hello, regId: 'a' }
  t.assert.equal((await post('/message/send', body, authToken)).answer.result, 0)
  t.assert.equal((await post('/message/send', {})).answer.result, 10000)
  t.assert.equal((await post('/message/send', body, 'made-up')).answer.result, 10000)
  t.assert.equal((await post('/message/send', body, foreign)).answer.result, 10094)
  t.assert.equal((await post('/message/send', { ...body, appId: '100004' }, authToken)).answer.result, 10205)
  clock.now += 24 * 3600_000
  t.assert.equal((await post('/message/send', body, authToken)).answer.result, 10000)
})

test('what breaks a rule of the message is turned down with the code of that rule', async (t) => {
  const { push, clock } = start()
  const soon = clock.now + 11 * 60_000
  const faults: [number, object][] = [
    [10050, { regId: '' }],
    [10054, { notifyType: 5 }],
    [10055, { title: '' }],
    [10056, { title: '字'.repeat(41) }],
    [10057, { content: ' ' }],
    [10058, { content: 'x'.repeat(101) }],
    [10059, { timeToLive: 59 }],
    [10060, { skipType: undefined }],
    [10061, { skipType: 5 }],
    [10062, { skipType: 2, skipContent: undefined }],
    [10063, { skipType: 2, skipContent: 'no address' }],
    [10064, { skipType: 3, skipContent: 'x'.repeat(1025) }],
    [10068, { skipContent: '' }],
    [10069, { skipContent: 'x'.repeat(2049) }],
    [10065, { networkType: 0 }],
    [10066, { clientCustomMap: { cid: 77 } }],
    [10067, { clientCustomMap: { ext: 'x'.repeat(1022) } }],
    [10051, { classification: 2 }],
    [10096, { category: 'GOSSIP' }],
    [10097, { category: 'MARKETING' }],
    [10095, { notifyId: 0 }],
    [10304, { extra: { room: '42' } }],
    [10305, { extra: { callback: `https://push.example.com/${'x'.repeat(128)}` } }],
    [10306, { extra: { 'callback.param': 'x'.repeat(65) } }],
    [10352, { requestId: '' }],
    [10353, { requestId: 'x'.repeat(65) }],
    [10059, { timedDisplay: { showStartTime: clock.now, showEndTime: soon } }],
  ]
  for (const [result, change] of faults) {
    const { answer, push: noted } = await push('a', change)
    t.assert.deepEqual([answer.result, noted?.taken], [result, []], JSON.stringify(change).slice(0, 200))
  }
  const fine = {
    title: '字'.repeat(40),
    timeToLive: 900_000,
    timedDisplay: { showStartTime: soon, showEndTime: soon + 60_000 },
    addBadge: true,
  }
  t.assert.equal((await push('a', fine)).answer.result, 0)
})

test('older counting, the review of texts, the night and missing rights can be switched on', async (t) => {
  const { push, options, clock } = start()
  const operational = { classification: 0, category: 'MARKETING' }
  clock.now = Date.parse('2026-11-14T16:00:00Z')
  t.assert.equal((await push('a', operational)).answer.result, 0)
  options.hours = true
  t.assert.equal((await push('a', operational)).answer.result, 10071)
  t.assert.equal((await push('a')).answer.result, 0)
  options.wideCharactersCountTwice = true
  t.assert.equal((await push('a', { title: '字'.repeat(21) })).answer.result, 10056)
  options.textReview = true
  t.assert.equal((await push('a', { content: 'hello' })).answer.result, 10104)
  t.assert.equal((await push('a', { content: '这是测试' })).answer.result, 10085)
  options.systemRight = false
  t.assert.equal((await push('a')).answer.result, 10082)
})

test('a body is stored once, and lists of 2 to 1000 devices refer to it', async (t) => {
  const { save, toList, clock } = start()
  const { taskId } = (await save()).answer
  t.assert.match(taskId, /^\d{18}$/)
  const { answer, push } = await toList(['a', 'dead1', 'inactive-1', 'b'], taskId)
  t.assert.deepEqual(answer, {
    result: 0,
    desc: '请求成功',
    requestId: 'list-1',
    invalidUsers: [
      { status: 2, userid: 'dead1' },
      { status: 3, userid: 'inactive-1' },
    ],
  })
  t.assert.deepEqual(push?.taken, ['a', 'b'])
  t.assert.equal((push!.fields as any).message.title, '你好')
  t.assert.deepEqual((await toList(['c', 'd'], taskId)).answer.invalidUsers, [])
  t.assert.equal((await toList([], taskId)).answer.result, 10150)
  t.assert.equal((await toList(['a'], taskId)).answer.result, 10153)
  t.assert.equal(
    (
      await toList(
        Array.from({ length: 1001 }, (_, at) => `t${at}`),
        taskId,
      )
    ).answer.result,
    10154,
  )
  t.assert.equal((await toList(['a', 'b'], '')).answer.result, 10151)
  t.assert.equal((await toList(['a', 'b'], '123456789012345678')).answer.result, 10152)
  t.assert.equal((await toList(['a', 'b'], taskId, { requestId: undefined })).answer.result, 10352)
  t.assert.equal((await toList(['a', 'b'], taskId, { appId: 100005 })).answer.result, 10094)
  clock.now += 12 * 3600_000
  t.assert.equal((await toList(['a', 'b'], taskId)).answer.result, 0)
})

test('stored bodies end after a day, and their number a day is limited', async (t) => {
  const { save, toList, authorize, post, clock } = start({ options: { bodiesPerDay: 1 } })
  const { taskId } = (await save()).answer
  t.assert.equal((await save()).answer.result, 10252)
  t.assert.equal((await save({ title: '' })).answer.result, 10055)
  clock.now += 24 * 3600_000
  t.assert.equal((await toList(['a', 'b'], taskId)).answer.result, 10000)
  const { authToken } = (await authorize(account)).answer
  const list = { appId: account.appId, regIds: ['a', 'b'], taskId, requestId: 'list-2' }
  t.assert.equal((await post('/message/pushToList', list, authToken)).answer.result, 10155)
})

test('a test push reaches listed devices alone and is not reported', async (t) => {
  const { push, toList, save, receipts } = start({ options: { testDevices: 'a,b' } })
  const refused = await push('c', { pushMode: 1 })
  t.assert.deepEqual([refused.answer.result, refused.answer.invalidUser], [10302, { status: 4, userid: 'c' }])
  t.assert.deepEqual((await push('a', { pushMode: 1 })).push?.taken, ['a'])
  const { taskId } = (await save({ pushMode: 1 })).answer
  t.assert.deepEqual((await toList(['a', 'c'], taskId)).answer.invalidUsers, [{ status: 4, userid: 'c' }])
  t.assert.equal(receipts.length, 0)
})

test('every result of the tables can be met by the beginning of a token', async (t) => {
  const { push } = start()
  const statuses: Record<string, number> = { unknown: 1, uninstalled: 2, inactive: 3, 'no test device': 4 }
  for (const [word, prefix] of Object.entries(vivo.outcomes)) {
    const { answer } = await push(`${prefix}1`)
    const expected = word in statuses ? 10302 : /^\d+$/.test(word) ? Number(word) : 0
    t.assert.deepEqual([answer.result, answer.invalidUser?.status], [expected, statuses[word]], word)
  }
})

test('the older receipt goes to the address of a single push, keyed by its task', async (t) => {
  const { push, save, toList, receipts } = start()
  const { taskId } = (await push('a')).answer
  t.assert.deepEqual(
    receipts.map(({ url }) => url),
    [hello.extra.callback],
  )
  t.assert.deepEqual(JSON.parse(receipts[0]!.body), { [taskId]: { param: 't-42', targets: 'a' } })
  await toList(['a', 'b'], (await save()).answer.taskId)
  await push('offline-1')
  await push('R2183-1')
  t.assert.equal(receipts.length, 1)
})

test('the newer receipt goes to the address of the console, for lists too, with its kind and finer kind', async (t) => {
  const { save, toList, receipts } = start({ receiptUrl: 'https://console.example/r' })
  const { taskId } = (await save({ extra: { ...hello.extra, 'callback.id': '7' } })).answer
  const finer = Object.entries(vivo.outcomes).filter(([word]) => word.startsWith('receipt '))
  await toList(['a', 'b', ...finer.map(([, prefix]) => `${prefix}1`)], taskId)
  t.assert.equal(receipts.length, 1 + finer.length)
  const entries = receipts.map(
    ({ url, body }) => (t.assert.equal(url, 'https://console.example/r'), JSON.parse(body)[taskId]),
  )
  t.assert.deepEqual([entries[0].targets, entries[0].param, entries[0].ackType], ['a,b', 't-42', '0'])
  const gone = entries.find(({ targets }) => targets === 'R2183-1')
  t.assert.deepEqual([gone.ackType, gone.subAckType], ['102', '2183'])
})
