import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type Carillon, startCarillon } from '../harness/carillon.ts'
import { conform } from './conform.ts'
import { connectPhone, type Phone } from './phone.ts'

const carillon: Carillon = await startCarillon({ after })
const token = carillon.admin

const password = 'correct horse battery'
const kim = { username: 'kim', password }
const [registered] = await carillon.ok('/user/register/batch', { token, body: { list: [kim] } })

const phones = [
  await connectPhone({ after }, carillon, 'ann'),
  await connectPhone({ after }, carillon, 'ben'),
  await connectPhone({ after }, carillon, 'cem'),
] as const
const [ann, ben, cem] = phones

const makeGroup = async (name: string, phones: Phone[]): Promise<number> => {
  const body = { name, members: phones.map(({ login }) => login.user_id) }
  return (await carillon.ok('/group/create', { token, body })).group_id
}
const band = await makeGroup('band', [ann, ben])
const choir = await makeGroup('choir', [ben, cem])

const notify = { audience: 'all', message: { body: 'rehearsal' } }
const logins = [
  { path: '/token/id', body: { user_id: registered.user_id, password } },
  { path: '/token/login', body: { login_name: 'kim', password } },
  { path: '/token/user', body: { name: 'kim', password } },
]
const guarded = [
  { path: '/push/certificate?provider=1', body: undefined, code: 12010 },
  { path: '/push/notify', body: notify, code: 200 },
  { path: '/push/task/detail', body: { list: [1] }, code: 200 },
]

/** Which phones a task reached, once it has reached as many as it should and was meant for no more. */
const reached = async (task: number, count: number): Promise<Phone[]> => {
  const counters = await carillon.until(() => carillon.counters(task), (row) => row.nativepush_received! >= count)
  assert.equal(counters.nativepush_target, count)
  return phones.filter(({ device }) => device.tasks.includes(task))
}

/** The task, if that caller may see it. */
const seen = async (task: number, options: object): Promise<number[]> => {
  const found: { task_id: number }[] = await carillon.ok('/push/task/detail', { ...options, body: { list: [task] } })
  return found.map(({ task_id }) => task_id)
}

conform('headers', {
  'header access-token': async () => {
    for (const { path, body, code } of guarded) {
      assert.equal((await carillon.call(path, { token, body })).code, code, path)
      assert.equal((await carillon.call(path, { body })).code, 10003, path)
      assert.equal((await carillon.call(path, { token: `${token}x`, body })).code, 10008, path)
    }
  },
  'header app_id': async () => {
    for (const { path, body } of [...logins, ...guarded]) {
      const missing = await carillon.call(path, { app: null, token, body })
      assert.equal(missing.code, 10002, path)
      assert.match(missing.message!, /app_id/)
      assert.equal((await carillon.call(path, { app: 'nowhere', token, body })).code, 40000, path)
    }
  },
  'header group_id': async () => {
    assert.deepEqual(await reached(await carillon.notify(notify, { group: band }), 2), [ann, ben])
    assert.deepEqual(await reached(await carillon.notify(notify, { group: choir }), 2), [ben, cem])
  },
  'header group_id, admin tokens only': async () => {
    const call = async (token: string, group: number | string): Promise<number> =>
      (await carillon.call('/push/notify', { token, group, body: notify })).code
    assert.equal(await call(ann.login.token, band), 10010)
    assert.equal(await call(token, 'band'), 10002)
    assert.equal(await call(token, 1.5), 10002)
    assert.equal(await call(token, 999_999), 20001)
  },
  'header user_id, user token': async () => {
    const call = (user: number | string) =>
      carillon.call('/push/notify', { token: ann.login.token, user, body: notify })
    const own = await call(ann.login.user_id)
    assert.equal(own.code, 200)
    assert.deepEqual(await reached(own.data.task_id, 1), [ann])
    assert.equal((await call(ben.login.user_id)).code, 10010)
    assert.equal((await call('ann')).code, 10002)
  },
  'header user_id, admin token': async () => {
    assert.deepEqual(await reached(await carillon.notify(notify, { user: ben.login.user_id }), 1), [ben])
    assert.equal((await carillon.call('/push/notify', { token, user: 999_999, body: notify })).code, 10000)
    assert.equal((await carillon.call('/push/notify', { token, user: 'ben', body: notify })).code, 10002)
  },
  'authentication 1': async () => {
    for (const { path, body } of logins) {
      for (const sent of [undefined, token, 'worn out']) {
        const answer = await carillon.call(path, { token: sent, body })
        assert.deepEqual([answer.code, answer.data?.user_id], [200, registered.user_id], path)
      }
    }
  },
  'authentication 3': async () => {
    const task = await carillon.notify(notify, { group: band })
    assert.deepEqual(await seen(task, { token, group: band }), [task])
    assert.deepEqual(await seen(task, { token }), [task])
    assert.deepEqual(await seen(task, { token, group: choir }), [])
  },
  'authentication 4': async () => {
    const task = await carillon.notify(notify, { user: ann.login.user_id })
    assert.deepEqual(await seen(task, { token: ann.login.token }), [task])
    assert.deepEqual(await seen(task, { token, user: ann.login.user_id }), [task])
    assert.deepEqual(await seen(task, { token: ben.login.token }), [])
  },
  'authentication 5': async () => {
    const { stdout } = await carillon.cli(['token', 'create', '--app', 'demo'])
    const made = stdout.trim()
    assert.notEqual(made, token)
    assert.equal((await carillon.call('/user/list', { token: made })).code, 200)
    assert.deepEqual(await reached(await carillon.notify(notify, { token: made }), 3), [ann, ben, cem])
  },
})
