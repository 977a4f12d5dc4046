import { createHash } from 'node:crypto'
import test from 'node:test'
import oppo from './oppo.ts'
import { startTrial } from './trial.ts'

const account = {
  appKey: '0f3c9a5be1d24c7f8a6b1e2d3c4f5a60',
  masterSecret: '9e8d7c6b5a4f4e3d2c1b0a9f8e7d6c5b',
  appId: 'ZngA',
}
const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
const base = '/server/v1/message/notification/'
const hex = '0123456789abcdef0123456789abcdef'
const id = (nth: number, start = 'CN_') => start + hex.slice(0, 28) + String(nth).padStart(4, '0')

const start = (options: Partial<typeof oppo.options> = {}) => {
  const trial = startTrial(oppo, { accounts: [account], options })
  const post = async (path: string, fields: Record<string, string>) => {
    const reply = await trial.send(path, new URLSearchParams(fields).toString(), headers)
    return { ...reply, answer: JSON.parse(reply.body) }
  }
  const authorize = (change: Record<string, string> = {}) => {
    const timestamp = change['timestamp'] ?? `${trial.clock.now}`
    const sign = createHash('sha256')
      .update(account.appKey + timestamp + account.masterSecret)
      .digest('hex')
    return post('/server/v1/auth', { app_key: account.appKey, timestamp, sign, ...change })
  }
  const access = async () => (await authorize()).answer.data.auth_token as string
  const unicast = async (message: unknown) =>
    post(`${base}unicast`, { auth_token: await access(), message: JSON.stringify(message) })
  const batch = async (messages: unknown) =>
    post(`${base}unicast_batch`, { auth_token: await access(), messages: JSON.stringify(messages) })
  return { ...trial, post, authorize, access, unicast, batch }
}

const hello = (target: string, notification: object = {}) => ({
  target_type: 2,
  target_value: target,
  verify_registration_id: false,
  notification: {
    title: 'Hi & bye',
    content: '50% off + 你好',
    click_action_type: 0,
    action_parameters: '{"k":"v"}',
    off_line: true,
    off_line_ttl: 3600,
    call_back_url: 'https://push.example.com/r/oppo',
    call_back_parameter: 't-42',
    ...notification,
  },
})

test('the signature is the hash of key, time and secret; each fault has its code', async (t) => {
  const { post, authorize } = start()
  const { answer } = await post('/server/v1/auth', {
    app_key: account.appKey,
    sign: '4dff387680a091785b5e404c9912c6ebb30992a4bb93e3f70da361169c6b1037',
    timestamp: '1700000000000',
  })
  t.assert.deepEqual([answer.code, answer.message, answer.data.create_time], [0, 'success', 1_700_000_000_000])
  t.assert.match(answer.data.auth_token, /^[0-9a-f]{24}$/)
  const tooOld = `${1_700_000_000_000 - 10 * 60_000 - 1}`
  const faults: [number, Record<string, string>][] = [
    [15, { app_key: '' }],
    [14, { app_key: 'unknown' }],
    [17, { sign: '' }],
    [16, { sign: '0'.repeat(64) }],
    [18, { timestamp: '' }],
    [19, { timestamp: tooOld }],
    [19, { timestamp: '1700000000' }],
  ]
  for (const [code, change] of faults)
    t.assert.equal((await authorize(change)).answer.code, code, JSON.stringify(change))
})

test('a push shows its access token among its fields, and that lasts a day', async (t) => {
  const { post, access, clock, send } = start()
  const message = JSON.stringify(hello(id(1)))
  const auth_token = await access()
  t.assert.equal((await post(`${base}unicast`, { auth_token, message })).answer.code, 0)
  t.assert.equal((await post(`${base}unicast`, { message })).answer.code, 29)
  t.assert.equal((await post(`${base}unicast`, { auth_token: 'made-up', message })).answer.code, 11)
  const asJson = { 'content-type': 'application/json' }
  t.assert.equal(
    JSON.parse((await send(`${base}unicast`, JSON.stringify({ auth_token, message }), asJson)).body).code,
    40,
  )
  t.assert.equal(JSON.parse((await send(`${base}unicast`, '', headers, 'GET')).body).code, 12)
  clock.now += 24 * 3600_000
  t.assert.equal((await post(`${base}unicast`, { auth_token, message })).answer.code, 11)
})

test('one message answers with its id, or with a code and no data', async (t) => {
  const { unicast } = start()
  const good = await unicast(hello(id(1)))
  t.assert.match(good.answer.data.messageId, /^ZngA-1-1-[0-9a-f]{24}$/)
  for (const target of ['not an id', `dead_CN_${hex}`, `CN_${hex}0`, `C_${hex}`]) {
    const { answer } = await unicast(hello(target))
    t.assert.deepEqual([answer.code, answer.data], [10000, undefined], target)
  }
  for (const target of [
    hex,
    `CN_${hex}`,
    `OPPO_CN_${hex}`,
    `IN_${hex}`,
    `realme_IN_${hex}`,
    `EUEX_${hex}`,
    hex.slice(0, 24),
  ]) {
    t.assert.equal((await unicast(hello(target))).answer.code, 0, target)
  }
})

test('a batch tells of each entry what became of it', async (t) => {
  const { batch } = start()
  const { answer, push } = await batch([hello(id(1)), hello('bad'), hello(id(2), { title: '' }), hello(id(3))])
  t.assert.equal(answer.code, 0)
  t.assert.deepEqual(
    answer.data.map(({ registrationId, errorCode }: any) => [registrationId, errorCode]),
    [
      [id(1), undefined],
      ['bad', 10000],
      [id(2), 40],
      [id(3), undefined],
    ],
  )
  t.assert.deepEqual(push?.taken, [id(1), id(3)])
  t.assert.equal((await batch(Array.from({ length: 1001 }, (_, at) => hello(id(at))))).answer.code, 41)
  t.assert.equal((await batch([])).answer.code, 41)
})

test('devices of another region than the first are unknown to the server that was reached', async (t) => {
  const { batch } = start()
  const { answer } = await batch([hello(`IN_${hex}`), hello(`CN_${hex}`), hello(`realme_IN_${hex}`), hello(hex)])
  t.assert.deepEqual(
    answer.data.map(({ errorCode }: any) => errorCode),
    [undefined, 10000, undefined, 10000],
  )
})

test('the same app_message_id for the same device is accepted again and shown once', async (t) => {
  const { unicast, batch, receipts } = start()
  const once = { app_message_id: 't-42:d-7' }
  t.assert.deepEqual((await unicast(hello(id(1), once))).push?.taken, [id(1)])
  const again = await unicast(hello(id(1), once))
  t.assert.deepEqual([again.answer.code, again.push?.taken], [0, []])
  t.assert.deepEqual((await batch([hello(id(1), once), hello(id(2), once)])).push?.taken, [id(2)])
  t.assert.equal(receipts.length, 2)
})

test('what breaks a rule of the notification is turned down with the code of that rule', async (t) => {
  const { unicast, options } = start()
  const faults: [number, object][] = [
    [40, { title: undefined }],
    [41, { title: '字'.repeat(51) }],
    [41, { content: 'x'.repeat(51) }],
    [41, { style: 2, content: 'x'.repeat(129) }],
    [41, { style: 3 }],
    [41, { sub_title: 'x'.repeat(11) }],
    [41, { action_parameters: { k: 'v' } }],
    [41, { action_parameters: 'k=v' }],
    [41, { click_action_type: 3 }],
    [40, { click_action_type: 4 }],
    [40, { click_action_type: 5 }],
    [40, { show_time_type: 1, show_start_time: 1_700_000_000_000 }],
    [41, { show_time_type: 1, show_start_time: 2, show_end_time: 1 }],
    [41, { off_line: 1 }],
    [41, { call_back_url: `https://push.example.com/${'x'.repeat(200)}` }],
    [41, { badge_operation_type: 0, badge_message_count: 100 }],
    [67, { category: 'GOSSIP' }],
    [67, { notify_level: 2 }],
    [67, { notify_level: 16, category: 'ORDER' }],
    [54, { category: 'IM' }],
  ]
  for (const [code, change] of faults) {
    const { answer, push } = await unicast(hello(id(1), change))
    t.assert.deepEqual([answer.code, push?.taken], [code, []], JSON.stringify(change))
  }
  t.assert.equal((await unicast({ ...hello(id(1)), target_type: '2' })).answer.code, 41)
  options.banner = true
  const fine = {
    notify_level: 16,
    category: 'IM',
    private_msg_template_id: 'a',
    style: 2,
    content: 'x'.repeat(128),
    off_line_ttl: 999_999,
  }
  t.assert.equal((await unicast(hello(id(1), fine))).answer.code, 0)
})

test('a stored body reaches lists of devices, and bad ones come back by their code', async (t) => {
  const { post, access, receipts } = start()
  const auth_token = await access()
  const body = {
    title: 'Hi',
    content: 'there',
    style: '1',
    off_line: 'true',
    off_line_ttl: '60',
    app_message_id: 'a-1',
    call_back_url: 'http://a.example/r',
  }
  const saved = await post(`${base}save_message_content`, { auth_token, ...body })
  const { message_id } = saved.answer.data
  t.assert.equal(
    (await post(`${base}save_message_content`, { auth_token, ...body })).answer.data.message_id,
    message_id,
  )
  t.assert.equal(
    (await post(`${base}save_message_content`, { auth_token, ...body, off_line_ttl: 'x' })).answer.code,
    41,
  )
  const list = { auth_token, message_id, target_type: '2' }
  const { answer, push } = await post(`${base}broadcast`, { ...list, target_value: `${id(1)};bad;${id(2)}` })
  t.assert.deepEqual([answer.code, answer.data.message_id, answer.data['10000']], [0, message_id, ['bad']])
  t.assert.deepEqual(push?.taken, [id(1), id(2)])
  const [receipt] = JSON.parse(receipts[0]!.body)
  t.assert.deepEqual(
    [receipt.messageId, receipt.taskId, receipt.registrationIds],
    [message_id, answer.data.task_id, `${id(1)}, ${id(2)}`],
  )
  t.assert.equal(
    (await post(`${base}broadcast`, { ...list, message_id: 'unknown', target_value: id(1) })).answer.code,
    31,
  )
  t.assert.equal((await post(`${base}broadcast`, { ...list, target_value: '' })).answer.code, 40)
})

test('every code and every event of the tables can be met by the beginning of a token', async (t) => {
  const { unicast, receipts } = start()
  for (const [word, prefix] of Object.entries(oppo.outcomes)) {
    receipts.length = 0
    const { answer } = await unicast(hello(`${prefix}CN_${hex}`))
    const event = receipts.length === 0 ? undefined : JSON.parse(receipts[0]!.body)[0].eventType
    if (word === 'offline') t.assert.deepEqual([answer.code, event], [0, undefined])
    else if (/^[a-z]/.test(word)) t.assert.deepEqual([answer.code, event], [0, word])
    else t.assert.equal(answer.code, Number(word))
  }
})

test('receipts for one address come together, as a list, one entry a message', async (t) => {
  const { batch, receipts } = start()
  const elsewhere = { call_back_url: 'https://b.example/r', call_back_parameter: 't-43' }
  const { answer } = await batch([
    hello(id(1)),
    hello(id(2)),
    hello(id(3), elsewhere),
    hello(id(4), { call_back_url: undefined }),
  ])
  t.assert.deepEqual(
    receipts.map(({ url, body }) => [url, JSON.parse(body).length]),
    [
      ['https://push.example.com/r/oppo', 2],
      ['https://b.example/r', 1],
    ],
  )
  const { messageId } = answer.data[0]
  t.assert.deepEqual(JSON.parse(receipts[0]!.body)[0], {
    messageId,
    appId: 'ZngA',
    taskId: messageId,
    registrationIds: id(1),
    eventTime: '1700000000000',
    param: 't-42',
    eventType: 'push_arrive',
  })
})
