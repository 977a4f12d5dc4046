import test, { after, suite } from 'node:test'
import { type Envelope, startCarillon } from './harness/carillon.ts'

const carillon = await startCarillon({ after })

/** What a browser sends of itself; `cookie` is what the server has set. */
const asked = async (path: string, { method = 'GET', headers }: {
  method?: string; headers: Record<string, string>,
}) => {
  const response = await fetch(carillon.http + path, { method, headers: { app_id: 'demo', ...headers } })
  return { headers: response.headers, ...((await response.json()) as Envelope) }
}

const open = async (): Promise<{ cookie: string; attributes: string[] }> => {
  const { headers, code } = await carillon.call(
    '/console/session', { app: null, body: { app_id: 'demo', token: carillon.admin } },
  )
  if (code !== 200) throw new Error(`answered ${code}`)
  const [cookie, ...attributes] = headers.get('set-cookie')!.split('; ')
  return { cookie: cookie!, attributes }
}

test('a session opens with an admin token, which no script can read and no other site sends', async (t) => {
  const { cookie, attributes } = await open()
  t.assert.equal(cookie, `carillon_session=${carillon.admin}`)
  t.assert.deepEqual(attributes.sort(), ['HttpOnly', 'Path=/', 'SameSite=Strict'])
  const { data } = await asked('/console/session', { headers: { cookie } })
  t.assert.deepEqual(
    { ...data, token: { ...data.token, id: 0 } },
    { app_id: 'demo', name: data.name, token: { id: 0, name: data.token.name, expires_at: null } },
  )
  t.assert.equal((await asked('/user/list', { headers: { cookie } })).code, 200)
})

test('a page that was loaded anew learns its session and its app from the cookie', async (t) => {
  const { cookie } = await open()
  for (const more of [{}, { 'app-id': '' }] as Record<string, string>[]) {
    const { code, data } = await carillon.call('/console/session', { app: null, headers: { cookie, ...more } })
    t.assert.deepEqual([code, data.app_id], [200, 'demo'])
  }
  for (const headers of [{}, { cookie, 'sec-fetch-site': 'cross-site' }] as Record<string, string>[]) {
    const { code, data } = await carillon.call('/console/session', { app: null, headers })
    t.assert.deepEqual([code, data], [200, null])
  }
  t.assert.equal((await carillon.call('/console/session', { app: 'nowhere', headers: { cookie } })).code, 40000)
})

test('closing it takes the cookie back, and the token stays valid', async (t) => {
  const { cookie } = await open()
  const closed = await asked('/console/session', { method: 'DELETE', headers: { cookie } })
  t.assert.match(
    closed.headers.get('set-cookie')!, /^carillon_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  t.assert.equal((await carillon.call('/user/list', { token: carillon.admin })).code, 200)
})

test('what is no living admin token of the app opens nothing', async (t) => {
  const login = await carillon.tokenFor(await carillon.addUser('ann'))
  const other = await carillon.addApp('other')
  const codeOf = async (body: object) => (await carillon.call('/console/session', { app: null, body })).code
  t.assert.equal(await codeOf({ app_id: 'demo', token: 'ca_nobody' }), 10008)
  t.assert.equal(await codeOf({ app_id: 'demo', token: other }), 10008)
  t.assert.equal(await codeOf({ app_id: 'nowhere', token: carillon.admin }), 40000)
  t.assert.equal(await codeOf({ app_id: 'demo', token: login.token }), 10010)
  const { message, code } = await carillon.call('/console/session', { app: null, body: { app_id: 'demo' } })
  t.assert.deepEqual([code, message?.startsWith('token ')], [10002, true])
})

suite("the cookie counts for the console's own page alone", () => {
  const refused = (more: Record<string, string>, code: number) => async (t: test.TestContext) => {
    const { cookie } = await open()
    t.assert.equal((await asked('/user/list', { headers: { cookie, ...more } })).code, code)
  }
  test('as the browser says: from here', refused({ 'sec-fetch-site': 'same-origin' }, 200))
  test('not from a neighbour', refused({ 'sec-fetch-site': 'same-site' }, 10003))
  test('not from elsewhere', refused({ 'sec-fetch-site': 'cross-site' }, 10003))
  test(
    'what the browser says goes before the origin',
    refused({ 'sec-fetch-site': 'cross-site', origin: carillon.http }, 10003),
  )
  test('where the browser says nothing, its origin is ours', refused({ origin: carillon.http }, 200))
  test('and no other', refused({ origin: 'http://127.0.0.1:1' }, 10003))
  test('nor a hidden one', refused({ origin: 'null' }, 10003))
  test('of two different ones none', async (t) => {
    const { cookie } = await open()
    const { code, message } = await asked('/user/list', { headers: { cookie: `${cookie}; carillon_session=ca_other` } })
    t.assert.deepEqual([code, message], [10002, 'cookie carillon_session must be sent once'])
  })
  test('an access token in the headers goes before it', async (t) => {
    const { cookie } = await open()
    t.assert.equal((await asked('/user/list', { headers: { cookie, 'access-token': 'ca_nobody' } })).code, 10008)
  })
  test('every call names its app: a page elsewhere cannot without being allowed to', async (t) => {
    const { cookie } = await open()
    const { code, message } = await carillon.call('/user/list', { app: null, headers: { cookie } })
    t.assert.deepEqual([code, message], [10002, 'header app_id is required'])
  })
  test('it opens no stream of a device', async (t) => {
    const { cookie } = await open()
    t.assert.equal((await asked('/push/stream', { headers: { cookie, 'push-token': 'cp_x' } })).code, 10003)
  })
  test("a token of a user in it is nobody's", async (t) => {
    const { token } = await carillon.tokenFor(await carillon.addUser('bob'))
    t.assert.equal((await asked('/user/device/list', { headers: { cookie: `carillon_session=${token}` } })).code, 10008)
  })
  test('no page elsewhere opens or closes a session', async (t) => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const body = { app_id: 'demo', token: carillon.admin }
    t.assert.equal((await carillon.call('/console/session', { app: null, body, headers })).code, 10010)
    t.assert.equal((await carillon.call('/console/session', { method: 'DELETE', app: null, headers })).code, 10010)
  })
})

test('origins that may call cannot do so with the cookie', async (t) => {
  const allowed = await startCarillon(t, { CARILLON_CORS_ORIGINS: 'https://friend.example' })
  const cookie = `carillon_session=${allowed.admin}`
  const origin = 'https://friend.example'
  const { code, headers } = await allowed.call('/user/list', { headers: { cookie, origin } })
  t.assert.deepEqual(
    [code, headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')],
    [10003, origin, null],
  )
  t.assert.equal((await allowed.call('/user/list', { token: allowed.admin, headers: { origin } })).code, 200)
})

test('behind a trusted proxy that speaks TLS the cookie stays on TLS', async (t) => {
  const proxied = await startCarillon(t, { CARILLON_TRUST_PROXY: '127.0.0.1' })
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'push.example.com' }
  const body = { app_id: 'demo', token: proxied.admin }
  const opened = await proxied.call(
    '/console/session', { app: null, body, headers: { ...headers, origin: 'https://push.example.com' } },
  )
  t.assert.match(opened.headers.get('set-cookie')!, /; Secure$/)
  const untrusted = await carillon.call(
    '/console/session', { app: null, body: { app_id: 'demo', token: carillon.admin }, headers },
  )
  t.assert.doesNotMatch(untrusted.headers.get('set-cookie')!, /Secure/)
})

test('an expired token is told apart from one nobody has', async (t) => {
  const { stdout } = await carillon.cli(['token', 'create', '--app', 'demo', '--expires', '1s'])
  const body = { app_id: 'demo', token: stdout.trim() }
  const { code } = await carillon.until(
    () => carillon.call('/console/session', { app: null, body }), (answer) => answer.code !== 200,
  )
  t.assert.equal(code, 402)
})

test('guessing from one address is slowed down, as with passwords', async (t) => {
  const strict = await startCarillon(t, { CARILLON_ADDRESS_FAILURES: '3' })
  const attempt = (token: string) => strict.call('/console/session', { app: null, body: { app_id: 'demo', token } })
  for (let i = 0; i < 4; i += 1) t.assert.equal((await attempt(`ca_guess${i}`)).code, 10008)
  const { code, headers } = await attempt('ca_guess')
  t.assert.equal(code, 42900)
  t.assert.match(headers.get('retry-after')!, /^[1-9]/)
})
