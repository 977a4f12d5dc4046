import test, { type TestContext } from 'node:test'
import { Refused } from '@carillon/protocol/errors.ts'
import { Type } from '@carillon/protocol/type.ts'
import { Int, Text } from '@carillon/protocol/types.ts'
import { StoreUnavailable } from '../store/store.ts'
import { envelopeOf, openDoor } from './open-door.ts'
import { operationsRoutes } from './operations.ts'
import { type Route, route } from './route.ts'

const admin = { 'access-token': 'admin' }

const echo = route({
  method: ['POST', 'DELETE'],
  path: '/echo',
  who: 'any',
  noun: 'operations',
  summary: 'Says it again.',
  answer: Type.Unknown(),
  body: Type.Object({ n: Int(0, 9), text: Type.Optional(Text(128)) }),
  handle: async ({ body }) => body,
})

const thing = route({
  method: 'GET',
  path: '/thing/:id',
  who: 'app',
  noun: 'operations',
  summary: 'One thing.',
  answer: Type.Unknown(),
  params: Type.Object({ id: Int(0, 999) }),
  query: Type.Object({ deep: Type.Optional(Type.Boolean()) }),
  handle: async ({ app, params, query }) => ({ app: app.app_id, ...params, ...query }),
})

const failing = (path: string, error: () => unknown): Route =>
  route({
    method: 'POST',
    path,
    who: 'any',
    noun: 'operations',
    summary: 'Fails.',
    answer: Type.Unknown(),
    handle: async () => {
      throw error()
    },
  })

const only = (who: 'admin' | 'user'): Route =>
  route({
    method: 'GET',
    path: `/only/${who}`,
    who,
    noun: 'operations',
    summary: 'Some may.',
    answer: Type.Unknown(),
    handle: async ({ scope: { kind, id } }) => ({ kind, id }),
  })

test('a call is answered in an envelope', async (t) => {
  const { call } = await openDoor(t, [echo, thing])
  const { status, headers, body } = await call('POST', '/echo', { n: 3 }, admin)
  t.assert.equal(status, 200)
  t.assert.deepEqual(body, { code: 200, data: { n: 3 }, message: null })
  t.assert.equal(headers.get('content-type'), 'application/json')
  t.assert.equal(headers.get('cache-control'), 'no-store')
  t.assert.equal(headers.get('x-content-type-options'), 'nosniff')
  t.assert.deepEqual((await call('GET', '/thing/7?deep=true')).body.data, { app: 'demo', id: 7, deep: true })
})

test('unknown paths and methods are told in an envelope, whatever else is wrong with the call', async (t) => {
  const { call, talk } = await openDoor(t, [echo, thing])
  for (const path of ['/nope', '/', '//', '//echo', '/echo/', '/thing/', `/${'x'.repeat(9_000)}`]) {
    const { status, body } = await call('POST', path, '{')
    t.assert.deepEqual([status, body.code], [404, 40400], path)
  }
  for (const method of ['PUT', 'PATCH', 'OPTIONS', 'PROPFIND']) {
    const { status, headers, body } = await call(method, '/echo')
    t.assert.deepEqual([status, body.code, headers.get('allow')], [405, 40500, 'POST, DELETE'], method)
  }
  t.assert.equal((await call('POST', '/thing/7')).headers.get('allow'), 'GET, HEAD')
  t.assert.equal((await call('GET', '/thing/%zz')).body.code, 10002)
  t.assert.equal(envelopeOf(await talk('OPTIONS * HTTP/1.1\r\nconnection: close\r\n\r\n')).code, 40400)
  t.assert.equal(envelopeOf(await talk('CONNECT a:1 HTTP/1.1\r\n\r\n')).code, 40500)
})

test('HEAD answers like GET without the body', async (t: TestContext) => {
  const { url } = await openDoor(t, [thing])
  const response = await fetch(`${url}/thing/7`, { method: 'HEAD', headers: { app_id: 'demo' } })
  t.assert.equal(response.status, 200)
  t.assert.equal(await response.text(), '')
  t.assert.ok(Number(response.headers.get('content-length')) > 0)
})

test('a security header sent twice, or in two spellings that differ, is refused by name', async (t) => {
  const { talk } = await openDoor(t, [only('admin')])
  const ask = async (...headers: string[]) =>
    envelopeOf(await talk(`GET /only/admin HTTP/1.1\r\n${headers.join('\r\n')}\r\nconnection: close\r\n\r\n`))
  const good = ['app_id: demo', 'access-token: admin']
  t.assert.equal((await ask(...good)).code, 200)
  t.assert.equal((await ask('App-Id: demo', 'Access-Token: admin')).code, 200)
  t.assert.equal((await ask(...good, 'app-id: demo')).code, 200)
  const repeated: [string, string][] = [
    ['app_id: demo', 'app_id'],
    ['APP_ID: demo', 'app_id'],
    ['app-id: other', 'app_id'],
    ['access-token: admin', 'access-token'],
    ['user_id: 1\r\nuser_id: 1', 'user_id'],
    ['group_id: 1\r\ngroup-id: 2', 'group_id'],
  ]
  for (const [header, name] of repeated) {
    const { code, message } = await ask(...good, header)
    t.assert.equal(code, 10002, header)
    t.assert.match(message!, new RegExp(name))
  }
})

test('header values are read as UTF-8', async (t) => {
  let heard: string | undefined
  const access = {
    app: async (appId: string | undefined) => {
      heard = appId
      throw new Refused('appUnknown')
    },
    scope: () => Promise.reject(new Error('not asked')),
  }
  const { talk } = await openDoor(t, [thing], { access })
  const ask = (value: Buffer) =>
    talk('GET /thing/1 HTTP/1.1\r\nconnection: close\r\napp_id: ', value, '\r\n\r\n')
  t.assert.equal(envelopeOf(await ask(Buffer.from('时钟'))).code, 40000)
  t.assert.equal(heard, '时钟')
  t.assert.equal(envelopeOf(await ask(Buffer.from([0xff, 0xfe]))).code, 10002)
  await ask(Buffer.from('   '))
  t.assert.equal(heard, undefined)
})

test('who is calling is settled before the body is looked at', async (t) => {
  const { call } = await openDoor(t, [echo, only('admin'), only('user')])
  t.assert.equal((await call('POST', '/echo', '{', { app_id: '' })).body.code, 10002)
  t.assert.equal((await call('POST', '/echo', '{', { app_id: 'other' })).body.code, 40000)
  t.assert.equal((await call('POST', '/echo', '{')).body.code, 10003)
  t.assert.equal((await call('POST', '/echo', '{', { 'access-token': 'x', 'content-type': 'what' })).body.code, 10008)
  t.assert.equal((await call('POST', '/echo', '{', { ...admin, 'content-type': 'what' })).body.code, 41500)
  t.assert.equal((await call('POST', '/echo', '{', admin)).body.code, 10002)
})

test('admin routes want the whole app, user routes one user', async (t) => {
  const { call } = await openDoor(t, [only('admin'), only('user')])
  const ask = async (path: string, headers: Record<string, string>) =>
    (await call('GET', path, undefined, headers)).body
  const user = { 'access-token': 'user 7' }
  t.assert.equal((await ask('/only/admin', admin)).code, 200)
  t.assert.equal((await ask('/only/admin', user)).code, 10010)
  t.assert.equal((await ask('/only/admin', { ...admin, user_id: '7' })).code, 10010)
  t.assert.equal((await ask('/only/admin', { ...admin, group_id: '7' })).code, 10010)
  t.assert.deepEqual((await ask('/only/user', user)).data, { kind: 'user', id: 7 })
  t.assert.deepEqual((await ask('/only/user', { ...admin, user_id: '7' })).data, { kind: 'user', id: 7 })
  t.assert.equal((await ask('/only/user', { ...admin, group_id: '7' })).code, 10010)
  const asAdmin = await ask('/only/user', admin)
  t.assert.equal(asAdmin.code, 10002)
  t.assert.match(asAdmin.message!, /user_id/)
})

test('bodies are JSON in UTF-8, and say so', async (t) => {
  const { call } = await openDoor(t, [echo])
  const ask = async (type: string, more = {}) =>
    (await call('POST', '/echo', '{"n":1}', { ...admin, 'content-type': type, ...more })).body.code
  const json = 'application/json'
  for (const type of [json, `${json}; charset=utf-8`, 'Application/JSON;Charset="UTF-8"', `${json}; v=1`]) {
    t.assert.equal(await ask(type), 200, type)
  }
  for (const type of ['text/plain', `${json}; charset=latin1`, `${json}x`, 'application/x-www-form-urlencoded']) {
    t.assert.equal(await ask(type), 41500, type)
  }
  t.assert.equal(await ask('application/json', { 'content-encoding': 'gzip' }), 41500)
})

test('no body is a body without fields: what is missing is named', async (t) => {
  const { call } = await openDoor(t, [echo])
  for (const method of ['POST', 'DELETE']) {
    const { body } = await call(method, '/echo', undefined, admin)
    t.assert.equal(body.code, 10002)
    t.assert.match(body.message!, /^n /)
  }
  t.assert.match((await call('POST', '/echo', '', admin)).body.message!, /^n /)
})

test('what breaks inside is answered with an id that the log explains, and nothing else', async (t) => {
  const { call, lines } = await openDoor(t, [failing('/bug', () => new Error('the database password is hunter2'))])
  const { status, body } = await call('POST', '/bug', undefined, { 'access-token': 'admin' })
  t.assert.deepEqual([status, body.code, body.data], [500, 50000, null])
  t.assert.doesNotMatch(body.message!, /hunter2|at /)
  const id = /id ([0-9a-f]+)/.exec(body.message!)![1]!
  const line = JSON.parse(lines.find((text) => text.includes(id))!)
  t.assert.equal(line.path, '/bug')
  t.assert.match(line.err.stack, /server\.test\.ts/)
})

test('a store that cannot take it, and too many calls, say when to come back', async (t) => {
  const { call } = await openDoor(t, [
    failing('/full', () => new StoreUnavailable('disk full')),
    failing('/many', () => new Refused('tooMany', undefined, { retryAfter: 3 })),
  ])
  const full = await call('POST', '/full', undefined, admin)
  t.assert.deepEqual([full.status, full.body.code, full.headers.get('retry-after')], [503, 50300, '1'])
  const many = await call('POST', '/many', undefined, admin)
  t.assert.deepEqual([many.status, many.body.code, many.headers.get('retry-after')], [429, 42900, '3'])
})

test('the log never holds a token, a query or a body', async (t) => {
  const { call, lines } = await openDoor(t, [echo, thing, failing('/bug', () => new Error('broken'))])
  await call('POST', '/echo?q=secret-query', { n: 'secret-body' }, { 'access-token': 'admin secret-token' })
  await call('POST', '/bug?q=secret-query', undefined, { 'access-token': 'admin secret-token' })
  await call('GET', '/secret-path')
  t.assert.equal(lines.length, 3)
  t.assert.doesNotMatch(lines.join(''), /secret/)
})

test('with always-200 the code alone tells failures apart; health keeps its status', async (t) => {
  const checks = async () => [{ name: 'store', ok: false, why: 'disk full' }]
  const { call } = await openDoor(t, [echo, ...operationsRoutes({ checks })], { alwaysOk: true })
  for (const [path, code] of [['/echo', 10003], ['/nope', 40400]] as const) {
    const { status, body } = await call('POST', path)
    t.assert.deepEqual([status, body.code], [200, code])
  }
  t.assert.equal((await call('GET', '/health/ready')).status, 503)
})

test('ready names what is wrong', async (t) => {
  const parts = [{ name: 'store', ok: true }, { name: 'bus', ok: true, why: '' }]
  const { call } = await openDoor(t, operationsRoutes({ checks: async () => parts }))
  t.assert.deepEqual((await call('GET', '/health/live')).body.data, { live: true })
  t.assert.equal((await call('GET', '/health/ready')).body.data.ready, true)
  parts[1] = { name: 'bus', ok: false, why: 'no connection' }
  const { status, body } = await call('GET', '/health/ready')
  t.assert.deepEqual([status, body.code], [503, 50300])
  t.assert.match(body.message!, /bus \(no connection\)/)
  t.assert.deepEqual(body.data, { ready: false, parts })
})

test('a part that is degraded is named, and the node is ready', async (t) => {
  const parts = [{ name: 'store', ok: true }, { name: 'bus', ok: true, degraded: true, why: 'no connection' }]
  const { call } = await openDoor(t, operationsRoutes({ checks: async () => parts }))
  const { status, body } = await call('GET', '/health/ready')
  t.assert.deepEqual([status, body.data], [200, { ready: true, parts }])
})

test('pages of allowed origins may call, others are not told that they may', async (t) => {
  const { call, url } = await openDoor(t, [echo], { corsOrigins: ['https://a.example'] })
  const preflight = (origin: string) =>
    fetch(`${url}/echo`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
  const allowed = await preflight('https://a.example')
  t.assert.equal(allowed.status, 204)
  t.assert.match(allowed.headers.get('access-control-allow-headers')!, /app_id/)
  t.assert.equal((await preflight('https://b.example')).status, 405)
  const { headers } = await call('POST', '/echo', { n: 1 }, { ...admin, origin: 'https://a.example' })
  t.assert.equal(headers.get('access-control-allow-origin'), 'https://a.example')
  const other = await call('POST', '/echo', { n: 1 }, { ...admin, origin: 'https://b.example' })
  t.assert.equal(other.headers.get('access-control-allow-origin'), null)
})

test('X-Forwarded-For counts only behind the proxies that were named', async (t) => {
  const whence = route({
    method: 'GET',
    path: '/whence',
    who: 'nobody',
    noun: 'operations',
    summary: 'The source address.',
    answer: Type.Unknown(),
    handle: async ({ address }) => address,
  })
  const headers = { 'x-forwarded-for': '203.0.113.1, 203.0.113.2' }
  const cases: [string[] | number, string][] = [
    [[], '127.0.0.1'],
    [0, '127.0.0.1'],
    [1, '203.0.113.2'],
    [['127.0.0.1', '203.0.113.2'], '203.0.113.1'],
    [['10.0.0.1'], '127.0.0.1'],
  ]
  for (const [trustProxy, address] of cases) {
    const { call } = await openDoor(t, [whence], { trustProxy })
    t.assert.equal((await call('GET', '/whence', undefined, headers)).body.data, address)
  }
})
