import { createHash, createHmac } from 'node:crypto'
import test, { after, suite } from 'node:test'
import { errors } from '@carillon/protocol/errors.ts'
import { type Answer, type CallOptions, startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { isOfThree } from './harness/installation.ts'
import { ask, requestBytes } from './harness/raw-http.ts'
import { assertRefused, headerOf } from './harness/refusal.ts'
import { closeStore, damage, reopenStore, sqlBytes } from './harness/store-trouble.ts'

const hello = { audience: { alias: ['nobody'] }, message: { title: 'Hello' } }
const password = 'correct horse'

const carillon = await startCarillon({ after }, {
  CARILLON_TRUST_PROXY: '1', // so that each test can come from an address of its own
  CARILLON_LOGIN_FAILURES: '3',
  CARILLON_ADDRESS_FAILURES: '8',
})
const { admin } = carillon
const ann = await carillon.addUser('ann')
const phone = await carillon.tokenFor(ann, 'phone')

const seen = new Set<number>()

const largeImage = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(2 ** 20)])

const refused = (...[answer, code, status, says]: Parameters<typeof assertRefused>): void => {
  assertRefused(answer, code, status, says)
  seen.add(code)
}

let addresses = 0
const newAddress = (): Record<string, string> => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })

suite('10002 names the field that is wrong', () => {
  const wrong: [what: string, path: string, options: CallOptions, field: RegExp | string][] = [
    ['no app_id', '/user/list', { app: null, token: admin }, 'header app_id'],
    ['a blank app_id', '/user/list', { app: ' ', token: admin }, 'header app_id'],
    ['a group_id that is no number', '/user/list', { token: admin, group: 'x' }, 'header group_id'],
    ['a user_id beyond int64', '/user/list', { token: admin, user: '9223372036854775808' }, 'header user_id'],
    ['two scopes at once', '/user/list', { token: admin, group: 1, user: 1 }, /group_id and user_id/],
    ['two spellings that differ', '/user/list', { token: admin, headers: { 'app-id': 'other' } }, 'header app_id'],
    ['a call as nobody', '/user/device/list', { token: admin }, 'header user_id'],
    ['a field that is missing', '/token/admin', { token: admin, body: {} }, 'user_id'],
    ['a field of the wrong type', '/token/admin', { token: admin, body: { user_id: '1' } }, 'user_id'],
    [
      'a field deep inside',
      '/push/notify',
      { token: admin, body: { ...hello, message: { ios: { sound: 1 } } } },
      'message.ios.sound',
    ],
    ['an item of a list', '/push/task/detail', { token: admin, body: { list: [1, 'x'] } }, 'list[1]'],
    [
      'an item of a list of objects',
      '/push/receipt',
      { token: phone.token, body: { list: [{ task_id: 1, event: 'lost' }] } },
      'list[0].event',
    ],
    [
      'an unknown key of the audience',
      '/push/notify',
      { token: admin, body: { ...hello, audience: { tags: ['a'] } } },
      'audience.tags',
    ],
    ['a query that is missing', '/push/certificate', { token: admin }, 'provider'],
    ['a query that is no number', '/user/list?page_num=1.0', { token: admin }, 'page_num'],
    ['a query given twice', '/user/list?page_num=1&page_num=2', { token: admin }, 'page_num'],
    ['a part of the path', '/push/task/first', { token: admin }, 'task_id'],
    ['a body that is no object', '/push/notify', { token: admin, body: '[]' }, /^(body|audience) /],
    ['a body that is no JSON', '/push/notify', { token: admin, body: '{"audience":' }, 'body'],
    ['a path that cannot be decoded', '/push/task/%ff', { token: admin }, /path|task_id/],
  ]
  for (const [what, path, options, field] of wrong) {
    test(what, async () => refused(await carillon.call(path, options), 10002, 400, field))
  }

  for (const name of ['app_id', 'access-token', 'group_id', 'user_id']) {
    test(`header ${name} sent twice`, async () => {
      const value = name === 'app_id' ? 'demo' : name === 'access-token' ? admin : '1'
      const others = ['app_id', 'access-token'].filter((other) => other !== name).map(
        (other) => [other, other === 'app_id' ? 'demo' : admin] as const,
      )
      const bytes = requestBytes('GET', '/user/list', [...others, [name, value], [name.toUpperCase(), value]])
      refused(await ask(carillon.port, bytes), 10002, 400, `header ${name}`)
    })
  }

  test('bytes that are no HTTP', async () => {
    refused(await ask(carillon.port, Buffer.from('HELLO\r\n\r\n')), 10002, 400)
  })

  test('headers without end', async () => {
    const bytes = requestBytes('GET', '/user/list', [['x-long', 'x'.repeat(20_000)]])
    refused(await ask(carillon.port, bytes), 10002, 431)
  })
})

test('10003: no access-token, or a blank one', async () => {
  refused(await carillon.call('/user/list'), 10003, 401)
  refused(await carillon.call('/user/list', { token: '  ' }), 10003, 401)
})

test('10008: a token that never was, and one that was logged out', async () => {
  refused(await carillon.call('/user/list', { token: 'ca_nonsense' }), 10008, 401)
  const { token } = await carillon.tokenFor(ann)
  await carillon.ok('/token/logout', { method: 'POST', token })
  refused(
    await carillon.until(() => carillon.call('/user/device/list', { token }), ({ code }) => code !== 200),
    10008,
    401,
  )
})

test('402: a token whose time is over', async () => {
  const { stdout } = await carillon.cli(['token', 'create', '--app', 'demo', '--expires', '1s'])
  const answer = await carillon.until(
    () => carillon.call('/user/list', { token: stdout.trim() }),
    ({ code }) => code !== 200,
  )
  refused(answer, 402, 401, /log in again/)
})

test('10020: unknown user, wrong password, disabled user and throttled account get one and the same', async (t) => {
  const made = await carillon.ok('/user/register/batch', {
    token: admin,
    body: { list: ['bea', 'cas', 'dot'].map((username) => ({ username, password, email: `${username}@example.com` })) },
  })
  const [bea, cas, dot] = made.map((row: { user_id: number }) => row.user_id)
  await carillon.ok('/user/disable', { token: admin, body: { user_id: cas } })
  const logIn = (path: string, body: object, headers = newAddress()): Promise<Answer> =>
    carillon.call(path, { headers, body })
  t.assert.equal((await logIn('/token/user', { name: 'bea', password })).code, 200)

  const answers = [
    await logIn('/token/id', { user_id: 999_999, password }),
    await logIn('/token/id', { user_id: bea, password: 'wrong horse' }),
    await logIn('/token/id', { user_id: cas, password }),
    await logIn('/token/user', { name: 'nobody', password }),
    await logIn('/token/user', { name: 'ann', password }), // has no password at all
    await logIn('/token/login', { login_name: 'nobody@example.com', password }),
    await logIn('/token/login', { login_name: 'cas@example.com', password }),
    // A success begins the account's count anew: so if this machine was too slow for the wait, it is tried again.
    await carillon.until(
      async () => {
        const headers = newAddress()
        for (let failure = 0; failure < 4; failure++) {
          await logIn('/token/id', { user_id: dot, password: 'wrong horse' }, headers)
        }
        return logIn('/token/user', { name: 'dot', password }, headers)
      },
      ({ code }) => code !== 200,
    ),
  ]

  for (const answer of answers) refused(answer, 10020, 401)
  t.assert.equal(new Set(answers.map(({ message }) => message)).size, 1)
  const names = answers.map(({ headers }) => [...headers.keys()].filter((name) => name !== 'date').join())
  t.assert.equal(new Set(names).size, 1)
  // It was the throttle that refused: the password is right as soon as the wait is over.
  await carillon.until(() => logIn('/token/user', { name: 'dot', password }), ({ code }) => code === 200)
})

test('10010: what the scope of the call may not do', async () => {
  const group = (await carillon.ok('/group/create', { token: admin, body: { name: 'g', members: [ann] } })).group_id
  refused(await carillon.call('/user/list', { token: phone.token }), 10010, 403)
  refused(await carillon.call('/user/list', { token: admin, group }), 10010, 403)
  refused(await carillon.call('/push/certificate?provider=1', { token: admin, group }), 10010, 403)
  refused(await carillon.call('/user/device/list', { token: phone.token, user: ann + 1 }), 10010, 403)
  refused(await carillon.call('/user/device/list', { token: phone.token, group }), 10010, 403)
})

test('10004: a name, a mobile number or an email that is taken', async () => {
  const taken = { username: 'eve', password, mobile: '+4912345', email: 'eve@example.com' }
  await carillon.ok('/user/register/v2', { body: taken })
  for (const [field, body] of Object.entries({
    username: { username: 'eve', password },
    mobile: { username: 'eve2', password, mobile: '+4912345' },
    email: { username: 'eve2', password, email: 'EVE@example.com' },
  })) refused(await carillon.call('/user/register/v2', { body }), 10004, 409, field)
})

test('10000: a user that does not exist', async () => {
  refused(await carillon.call('/user/device/list', { token: admin, user: 999_999 }), 10000, 404)
  refused(await carillon.call('/user/device/list', { token: admin, user: '9007199254740993' }), 10000, 404)
  for (const path of ['/user/disable', '/user/enable', '/user/delete', '/token/admin']) {
    refused(await carillon.call(path, { token: admin, body: { user_id: 999_999 } }), 10000, 404)
  }
  refused(
    await carillon.call('/group/create', { token: admin, body: { name: 'g', members: [ann, 999_999] } }),
    10000,
    404,
    'members[1]',
  )
})

test('12002: an image that is not under 1 MB', async () => {
  const signature = createHash('sha256').update(largeImage).digest('hex')
  const key = createHmac('sha256', phone.access_key_secret).update(`PUT\n/file/large.png\n${signature}`).digest('hex')
  const headers = [['app_id', 'demo'], ['store-token', phone.store_token], ['signature', key]] as const
  refused(await ask(carillon.port, requestBytes('PUT', '/file/large.png', headers, largeImage)), 12002, 400)
})

test('12005: a list of more than 500', async () => {
  const list = Array.from({ length: 501 }, (_, i) => i + 1)
  refused(
    await carillon.call('/push/notify', { token: admin, body: { ...hello, audience: { user_id: list } } }),
    12005,
    400,
    'audience.user_id',
  )
  refused(await carillon.call('/push/task/detail', { token: admin, body: { list } }), 12005, 400, 'list')
})

test('12006: push is switched off for the app, until it is on again', async (t) => {
  await carillon.setApp({ push_enabled: false })
  refused(await carillon.call('/push/notify', { token: admin, body: hello }), 12006, 403)
  await carillon.setApp({ push_enabled: true })
  t.assert.equal((await carillon.call('/push/notify', { token: admin, body: hello })).code, 200)
})

test('12010: no such certificate', async () => {
  refused(await carillon.call('/push/certificate?provider=1', { token: admin }), 12010, 404)
  refused(await carillon.call('/push/certificate?provider=1', { token: phone.token }), 12010, 404)
  refused(
    await carillon.call('/push/certificate?provider=1&environment=0', { token: admin, method: 'DELETE' }),
    12010,
    404,
  )
  const body = { device_token: 'abc', notifier_name: 'no such name' }
  refused(await carillon.call('/user/token/bind', { token: phone.token, body }), 12010, 404)
})

test('12011: no such task, no such device', async () => {
  refused(await carillon.call('/push/task/999999', { token: admin }), 12011, 404, /task/)
  refused(await carillon.call('/push/task/9007199254740993', { token: admin }), 12011, 404, /task/)
  refused(await carillon.call('/push/task/cancel', { token: admin, body: { task_id: 999_999 } }), 12011, 404, /task/)
  const task = await carillon.notify(hello)
  refused(await carillon.call(`/push/task/${task}/trace?push_token=cp_unknown`, { token: admin }), 12011, 404, /device/)
  refused(
    await carillon.call('/user/device/remove', { token: phone.token, body: { push_token: 'cp_unknown' } }),
    12011,
    404,
    /device/,
  )
})

test('20001: a group that does not exist', async () => {
  refused(await carillon.call('/push/notify', { token: admin, group: 999_999, body: hello }), 20001, 404)
  refused(
    await carillon.call('/group/member/add', { token: admin, body: { group_id: 999_999, list: [ann] } }),
    20001,
    404,
  )
})

test('40000: an app that does not exist, whatever else the call says', async () => {
  refused(await carillon.call('/user/list', { app: 'nowhere', token: admin }), 40000, 404)
  refused(await carillon.call('/user/list', { app: 'nowhere' }), 40000, 404)
  refused(await carillon.call('/token/user', { app: 'nowhere', body: { name: 'ann', password } }), 40000, 404)
})

test('40400: a path that is not there, for whoever asks', async () => {
  for (const path of ['/push', '/push/notify/', '/Push/Notify', '/push//notify', '/push/task/1/trace/2', '/%2e%2e/a']) {
    refused(await carillon.call(path, { app: null }), 40400, 404)
  }
})

test('40500: a method the path does not have; Allow says which it has', async (t) => {
  const answer = await carillon.call('/push/certificate', { method: 'PATCH', token: admin })
  refused(answer, 40500, 405)
  t.assert.deepEqual(headerOf(answer, 'allow')?.split(', ').sort(), ['DELETE', 'GET', 'HEAD', 'PUT'])
  refused(await carillon.call('/push/notify', { token: admin }), 40500, 405)
})

test('41300: a body over 1 MiB, declared or not, and the answer arrives', async () => {
  const large = JSON.stringify({ ...hello, more: 'x'.repeat(2 ** 20) })
  refused(await carillon.call('/push/notify', { token: admin, body: large }), 41300, 413)
  const credentials = [['app_id', 'demo'], ['access-token', admin], ['content-type', 'application/json']] as const
  const chunked = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`
  const bytes = requestBytes('POST', '/push/notify', [...credentials, ['transfer-encoding', 'chunked']], chunked)
  refused(await ask(carillon.port, bytes), 41300, 413)
})

test('41500: a body that is not sent as JSON in UTF-8', async () => {
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'text/json']
  for (const type of types) {
    refused(
      await carillon.call('/push/notify', { token: admin, body: hello, headers: { 'content-type': type } }),
      41500,
      415,
      /content-type/,
    )
  }
  refused(
    await carillon.call('/push/notify', { token: admin, body: hello, headers: { 'content-encoding': 'gzip' } }),
    41500,
    415,
  )
})

test('42900: too many failed logins from one address, told when to come back, and others are let in', async (t) => {
  const headers = newAddress()
  let count = 0
  const guess = () => carillon.call('/token/user', { headers, body: { name: `nobody ${count++}`, password } })
  const answer = await carillon.until(guess, ({ code }) => code !== 10020)
  refused(answer, 42900, 429)
  t.assert.match(headerOf(answer, 'retry-after') ?? '', /^[1-9]\d*$/)
  const other = await carillon.call('/token/user', { headers: newAddress(), body: { name: 'somebody', password } })
  t.assert.equal(other.code, 10020)
})

suite('50000: a surprise inside', () => {
  const ourFault = async (t: test.TestContext, call: () => Promise<Answer>): Promise<void> => {
    const answer = await carillon.until(call, ({ code }) => code !== 200)
    refused(answer, 50000, 500)
    const id = /\b[0-9a-f]{12}\b/.exec(answer.message!)?.[0]
    t.assert.ok(id, answer.message!)
    const line = carillon.log.split('\n').find((text) => text.includes(id))
    t.assert.ok(line, `${id} is not in the log`)
    t.assert.match(line, /"stack"/)
    t.assert.equal((await carillon.call('/health/live', { app: null })).code, 200)
  }

  test('a push token that no longer opens', async (t) => {
    const user = await carillon.addUser('fay')
    const { token } = await carillon.tokenFor(user, 'damaged')
    await damage(carillon, `UPDATE devices SET push_token = ${sqlBytes('00')} WHERE user_id = ${user}`)
    await ourFault(t, () => carillon.call('/user/device/list', { token }))
  })

  test('a message that no longer reads, which is nothing the caller did wrong', async (t) => {
    const task = await carillon.notify(hello)
    await damage(carillon, `UPDATE tasks SET message = '{' WHERE id = ${task}`)
    await ourFault(t, () => carillon.call(`/push/task/${task}`, { token: admin }))
  })

  test('settings of an app that no longer read', async (t) => {
    await damage(carillon, "UPDATE apps SET settings = '{' WHERE app_id = 'demo'")
    await ourFault(t, () => carillon.call('/user/list', { token: admin }))
    await damage(carillon, "UPDATE apps SET settings = '{}' WHERE app_id = 'demo'")
    await carillon.until(() => carillon.call('/user/list', { token: admin }), ({ code }) => code === 200)
  })
})

test('50300: nothing is accepted, pushed or counted while the store takes nothing, and it recovers by itself', async (t) => {
  const full = await startCarillon(t)
  const login = await full.tokenFor(await full.addUser('ann'), 'phone')
  const device = await connectDevice(t, full, login)
  const everybody = { audience: 'all', message: { title: 'Hello' }, setting: { request_id: 'once' } }

  await closeStore(full)
  for (let i = 0; i < 3; i++) {
    const answer = await full.call('/push/notify', { token: full.admin, body: everybody })
    refused(answer, 50300, 503)
    t.assert.match(headerOf(answer, 'retry-after') ?? '', /^[1-9]\d*$/)
  }
  refused(
    await full.call('/user/register/batch', { token: full.admin, body: { list: [{ username: 'bob' }] } }),
    50300,
    503,
  )
  const notReady = await full.call('/health/ready', { app: null })
  t.assert.deepEqual([notReady.status, notReady.code, notReady.data.ready], [503, 50300, false])
  if (!isOfThree) t.assert.equal((await full.call('/user/list', { token: full.admin })).code, 200) // a full disk can be read

  await reopenStore(full)
  const sendAgain = () => full.call('/push/notify', { token: full.admin, body: everybody })
  const task = (await full.until(sendAgain, ({ code }) => code === 200)).data.task_id
  await full.until(() => full.counters(task), (row) => row.nativepush_received === 1)
  t.assert.deepEqual(device.tasks, [task])
  const listed = await full.ok('/push/task/list', { token: full.admin })
  t.assert.deepEqual(listed.map((row: { task_id: number }) => row.task_id), [task])
  t.assert.equal((await full.ok('/user/list', { token: full.admin })).total, 1)
  t.assert.equal((await full.call('/health/ready', { app: null })).code, 200)
})

// Keep this the last one: it looks at what the others have seen.
test('every code of the catalogue has been seen here', (t) => {
  const all = Object.values(errors).map(({ code }) => code)
  t.assert.deepEqual(all.filter((code) => !seen.has(code)), [])
})
