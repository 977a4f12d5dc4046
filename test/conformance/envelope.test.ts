import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type Answer, type CallOptions, startCarillon } from '../harness/carillon.ts'
import { conform } from './conform.ts'

const carillon = await startCarillon({ after })
const token = carillon.admin

const password = 'correct horse battery'
const ann = { username: 'ann', password }
const [{ user_id }] = await carillon.ok('/user/register/batch', { token, body: { list: [ann] } })
const { token: userToken } = await carillon.tokenFor(user_id)
await carillon.ok('/push/certificate', {
  method: 'PUT',
  token,
  body: { provider: 6, name: 'shop', app_key: 'key', app_secret: 'secret' },
})
const notify = { audience: 'all', message: { body: 'hello' } }
const task = await carillon.notify(notify)

/** The six endpoints, each with a call that succeeds. */
const endpoints: Record<string, CallOptions> = {
  '/token/id': { body: { user_id, password } },
  '/token/login': { body: { login_name: 'ann', password } },
  '/token/user': { body: { name: 'ann', password } },
  '/push/certificate?provider=6': { token },
  '/push/notify': { token, body: notify },
  '/push/task/detail': { token, body: { list: [task] } },
}
const succeed = async (check: (answer: Answer, path: string) => void): Promise<void> => {
  for (const [path, options] of Object.entries(endpoints)) check(await carillon.call(path, options), path)
}

/** A call for each condition, the code it answers with, and the HTTP status of that code. */
const failures: [path: string, options: CallOptions, code: number, status: number][] = [
  ['/push/notify', { token, body: { message: { body: 'to whom?' } } }, 10002, 400],
  ['/push/notify', { token, body: '{"audience":' }, 10002, 400],
  ['/push/notify', { body: notify }, 10003, 401],
  ['/push/notify', { token: 'forged', body: notify }, 10008, 401],
  ['/token/user', { body: { name: 'ann', password: 'not this one' } }, 10020, 401],
  ['/push/notify', { token: userToken, user: user_id + 1, body: notify }, 10010, 403],
  ['/push/notify', { token, user: 999_999, body: notify }, 10000, 404],
  ['/push/notify', { token, group: 999_999, body: notify }, 20001, 404],
  ['/push/notify', { token, app: 'nowhere', body: notify }, 40000, 404],
  ['/push/task/detail', { token, body: { list: Array.from({ length: 501 }, (_, i) => i + 1) } }, 12005, 400],
  ['/push/certificate?provider=5', { token }, 12010, 404],
  ['/push/nothing', { token, body: notify }, 40400, 404],
  ['/push/notify', { token, method: 'GET' }, 40500, 405],
  ['/push/notify', { token, headers: { 'content-type': 'text/plain' }, body: 'all' }, 41500, 415],
]

conform('envelope', {
  'envelope code': () => succeed(({ code }, path) => assert.equal(code, 200, path)),
  'envelope data': () =>
    succeed(({ data }, path) => {
      assert.equal(Array.isArray(data), path === '/push/task/detail', path)
      const records = [data].flat()
      assert.equal(records.length, 1)
      for (const record of records) assert.ok(record !== null && typeof record === 'object', path)
    }),
  'envelope message': async () => {
    await succeed(({ message }, path) => assert.equal(message, null, path))
    for (const [path, options] of failures) {
      const { message } = await carillon.call(path, options)
      assert.ok(typeof message === 'string' && message.length > 0, path)
    }
  },
  bodies: async () => {
    await succeed(({ headers }, path) => assert.match(headers.get('content-type') ?? '', /^application\/json/, path))
    const plain = { token, headers: { 'content-type': 'text/plain' }, body: JSON.stringify(notify) }
    assert.equal((await carillon.call('/push/notify', plain)).code, 41500)
    assert.equal((await carillon.call('/push/notify', { token, body: 'audience=all' })).code, 10002)
  },
  'errors 1': async () => {
    const isEnvelope = (answer: Answer, path: string): void => {
      const { status: _, headers, ...envelope } = answer
      assert.deepEqual(Object.keys(envelope).sort(), ['code', 'data', 'message'], path)
      assert.ok(Number.isInteger(envelope.code), path)
      assert.match(headers.get('content-type') ?? '', /^application\/json/, path)
    }
    await succeed(isEnvelope)
    for (const [path, options] of failures) isEnvelope(await carillon.call(path, options), path)
  },
  'errors 2': () => succeed(({ code, message }, path) => assert.deepEqual([code, message], [200, null], path)),
  'errors 3': async () => {
    const told = async (body: unknown): Promise<string> =>
      (await carillon.call('/push/notify', { token, body })).message ?? ''
    assert.match(await told({ ...notify, message: { badge: 'many' } }), /^message\.badge must be .*digits/)
    assert.match(await told({ ...notify, audience: { tag: ['a'], alias: ['b'] } }), /^audience must be .*exactly one/)
    assert.match(await told({ message: notify.message }), /^audience is required/)
  },
  'errors 4': async () => {
    for (const [path, options, code] of failures) {
      const answer = await carillon.call(path, options)
      assert.deepEqual([answer.code, answer.data], [code, null], path)
    }
  },
  'errors 5': async () => {
    await succeed(({ status }, path) => assert.equal(status, 200, path))
    for (const [path, options, code, status] of failures) {
      const answer = await carillon.call(path, options)
      assert.equal(answer.status, status, `${path} ${code}`)
    }
  },
  versioning: async () => {
    await succeed(({ status }, path) => assert.equal(status, 200, path))
    for (const [path, options] of Object.entries(endpoints)) {
      assert.equal((await carillon.call(`/v1${path}`, options)).code, 40400, path)
    }
  },
})
