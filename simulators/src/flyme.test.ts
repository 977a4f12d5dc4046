import { createHash } from 'node:crypto'
import test from 'node:test'
import flyme from './flyme.ts'
import { startTrial } from './trial.ts'

const account = { appId: '100999', appSecret: '00112233445566778899aabbccddeeff' }
const headers = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }
const shownPath = '/garcia/api/server/push/varnished/pushByPushId'
const dataPath = '/garcia/api/server/push/unvarnished/pushByPushId'

const signOf = (fields: Record<string, string>, secret: string) => {
  const text = Object.keys(fields)
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('')
  return createHash('md5')
    .update(text + secret)
    .digest('hex')
}

const start = (options: Partial<typeof flyme.options> = {}) => {
  const trial = startTrial(flyme, { accounts: [account], options })
  const post = async (fields: Record<string, string>, path = shownPath) => {
    const reply = await trial.send(path, new URLSearchParams(fields).toString(), headers)
    return { ...reply, answer: JSON.parse(reply.body) }
  }
  const push = (pushIds: string, change: object = {}, path = shownPath) => {
    const fields = { appId: account.appId, pushIds, messageJson: JSON.stringify({ ...hello, ...change }) }
    return post({ ...fields, sign: signOf(fields, account.appSecret) }, path)
  }
  const reported = () => trial.receipts.map(({ body }) => JSON.parse(new URLSearchParams(body).get('cb')!))
  return { ...trial, post, push, reported }
}

const hello = {
  noticeBarInfo: { noticeMsgType: 1, noticeBarType: 0, title: '你好', content: 'a=b&c d' },
  clickTypeInfo: { clickType: 0 },
  pushTimeInfo: { offLine: 1, validTime: 24 },
  extra: { callback: 'http://push.example.com/r/meizu', 'callback.param': 'task-42', 'callback.type': '3' },
}

test('the worked request is taken with its signature, and no other one', async (t) => {
  const { send, post, tokensOf } = start()
  const [first, second] = [
    'TESTPUSHID0000000000000000000000000000000001A',
    'TESTPUSHID0000000000000000000000000000000002B',
  ]
  const fields = {
    appId: '100999',
    pushIds: `${first},${second}`,
    messageJson: JSON.stringify(hello),
    sign: '05ef00113c99ea4a947cb1a50b78c508',
  }
  const body = new URLSearchParams(fields).toString()
  t.assert.equal(body.length, 603)
  const reply = await send(shownPath, body, headers)
  const { msgId, ...answer } = JSON.parse(reply.body)
  t.assert.deepEqual(answer, { code: '200', message: '', value: {} })
  t.assert.match(msgId, /^[0-9a-f]{32}$/)
  t.assert.deepEqual(reply.push?.taken, [first, second])
  t.assert.deepEqual(tokensOf(shownPath, body, headers), [first, second])
  t.assert.doesNotMatch(JSON.stringify(reply.push), new RegExp(fields.sign))
  const { answer: forged } = await post({ ...fields, pushIds: first })
  t.assert.deepEqual(forged, { code: '1006', message: 'sign error', value: '', redirect: '' })
})

test('every field is signed, optional ones too', async (t) => {
  const { post } = start()
  const fields = {
    appId: '100999',
    pushIds: 'P1',
    messageJson: JSON.stringify(hello),
    restrictedPackageNames: 'com.example.a,com.example.b',
  }
  t.assert.equal((await post({ ...fields, sign: signOf(fields, account.appSecret) })).answer.code, '200')
  const { restrictedPackageNames: _, ...rest } = fields
  t.assert.equal((await post({ ...fields, sign: signOf(rest, account.appSecret) })).answer.code, '1006')
  t.assert.equal((await post({ ...fields, appId: '1', sign: 'x' })).answer.code, '110000')
  t.assert.equal((await post({ appId: '100999', pushIds: 'P1', sign: 'x' })).answer.code, '110004')
})

test('failed targets are grouped by code beside those that were taken', async (t) => {
  const { push } = start()
  const { answer, push: noted } = await push('P1,UNSUB1,BAD1,UNSUB2,P2')
  t.assert.deepEqual([answer.code, answer.value], ['200', { 110002: ['UNSUB1', 'UNSUB2'], 110003: ['BAD1'] }])
  t.assert.deepEqual(noted?.taken, ['P1', 'P2'])
})

test('what breaks a rule of the message is a parameter error, with an empty text as its value', async (t) => {
  const { push } = start()
  const bar = { title: 'a', content: 'b' }
  const faults: object[] = [
    { noticeBarInfo: undefined },
    { noticeBarInfo: { ...bar, title: '字'.repeat(33) } },
    { noticeBarInfo: { ...bar, content: 'x'.repeat(101) } },
    { noticeBarInfo: { ...bar, content: '' } },
    { noticeBarInfo: { ...bar, noticeBarType: 1 } },
    { clickTypeInfo: { clickType: 1 } },
    { clickTypeInfo: { clickType: 2 } },
    { clickTypeInfo: { clickType: 3 } },
    { clickTypeInfo: { clickType: 1, activity: 'a.B', parameters: '{"k":"v"}' } },
    { pushTimeInfo: { offLine: 1, validTime: 73 } },
    { noticeExpandInfo: { noticeExpandType: 1 } },
    { noticeExpandInfo: { noticeExpandType: 2, noticeExpandImgUrl: 'https://a.example/a.png' } },
    { advanceInfo: { notifyKey: 'ninechars' } },
    { advanceInfo: { fixDisplay: 1, fixStartDisplayTime: '2026-11-15 08:00:00' } },
    {
      advanceInfo: {
        fixDisplay: 1,
        fixStartDisplayTime: '2026-11-15 08:00:00',
        fixEndDisplayTime: '2026-11-15 07:00:00',
      },
    },
    { extra: { callback: `http://push.example.com/${'x'.repeat(128)}` } },
    { extra: { 'callback.param': 'x'.repeat(65) } },
    { extra: { 'callback.type': 3 } },
    { vipInfo: { subtitle: 'a' } },
  ]
  for (const change of faults) {
    const { answer } = await push('P1', change)
    t.assert.deepEqual(
      [answer.code, answer.value, answer.msgId],
      ['1005', '', undefined],
      JSON.stringify(change).slice(0, 200),
    )
  }
  t.assert.equal((await push(Array.from({ length: 101 }, (_, at) => `P${at}`).join(','))).answer.code, '1005')
  const display = {
    fixDisplay: true,
    fixStartDisplayTime: '2026-11-15 08:00:00',
    fixEndDisplayTime: '2026-11-15 09:00:00',
    notifyKey: 'a_b-C1',
  }
  t.assert.equal(
    (
      await push('P1', {
        advanceInfo: display,
        clickTypeInfo: { clickType: 1, activity: 'a.B', parameters: { k: 'v' } },
      })
    ).answer.code,
    '200',
  )
})

test('messages that show nothing are over the limit unless the app may send them', async (t) => {
  const { post, options, receipts } = start()
  const fields = {
    appId: account.appId,
    pushIds: 'P1',
    messageJson: JSON.stringify({ content: '{"k":1}', extra: hello.extra }),
  }
  const signed = { ...fields, sign: signOf(fields, account.appSecret) }
  t.assert.equal((await post(signed, dataPath)).answer.code, '110053')
  options.passThrough = true
  t.assert.equal((await post(signed, dataPath)).answer.code, '200')
  t.assert.equal(receipts.length, 0)
})

test('the sixth push within a minute is folded, and public ones can have a limit a day', async (t) => {
  const { push, clock, options } = start()
  for (let count = 0; count < 5; count += 1) t.assert.deepEqual((await push('P1')).answer.value, {})
  t.assert.deepEqual((await push('P1,P2')).answer.value, { 520: ['P1'] })
  clock.now += 60_000
  t.assert.deepEqual((await push('P1')).answer.value, {})
  options.publicPerDay = 1
  const isPublic = { noticeBarInfo: { ...hello.noticeBarInfo, noticeMsgType: 0 } }
  t.assert.deepEqual((await push('P3', isPublic)).answer.value, {})
  t.assert.deepEqual((await push('P3', isPublic)).answer.value, { 110011: ['P3'] })
  t.assert.deepEqual((await push('P3')).answer.value, {})
})

test('every code of both tables can be met by the beginning of a token', async (t) => {
  const { push, reported, receipts } = start()
  for (const [word, prefix] of Object.entries(flyme.outcomes)) {
    receipts.length = 0
    const token = `${prefix}1`
    const { answer } = await push(token)
    const types = Object.keys(reported()[0] ?? {}).map((key) => key.at(-1))
    if (word === 'clicked') t.assert.deepEqual([answer.code, types], ['200', ['1', '2']])
    else if (word === 'offline') t.assert.deepEqual([answer.code, types], ['200', []])
    else if (word.startsWith('all '))
      t.assert.deepEqual([answer.code, answer.value, answer.redirect !== ''], [word.slice(4), '', word === 'all 300'])
    else t.assert.deepEqual([answer.code, answer.value], ['200', { [word]: [token] }])
  }
})

test('a receipt is a form with the access token of the console and one entry a kind', async (t) => {
  const { push, receipts, reported } = start({ receiptAccessToken: 'tok-1' })
  const { msgId } = (await push('P1,CLICK1,UNSUB1')).answer
  t.assert.equal(receipts[0]!.url, hello.extra.callback)
  t.assert.equal(new URLSearchParams(receipts[0]!.body).get('access_token'), 'tok-1')
  t.assert.deepEqual(reported(), [
    {
      [`${msgId}-1`]: { param: 'task-42', type: 1, targets: ['P1', 'CLICK1'] },
      [`${msgId}-2`]: { param: 'task-42', type: 2, targets: ['CLICK1'] },
    },
  ])
  receipts.length = 0
  await push('P1', { extra: { ...hello.extra, 'callback.type': '2' } })
  t.assert.equal(receipts.length, 0)
})
