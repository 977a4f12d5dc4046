import test, { type TestContext } from 'node:test'
import { openTrial } from '../access/trial.ts'
import { groupRoutes } from './group.ts'
import { openDoor } from './open-door.ts'
import { tokenRoutes } from './token.ts'
import { userRoutes } from './user.ts'

const password = 'correct horse'

const open = async (t: TestContext) => {
  const trial = await openTrial(t)
  const routes = [...tokenRoutes(trial), ...userRoutes(trial), ...groupRoutes(trial)]
  const door = await openDoor(t, routes, { access: trial.access })
  const call = async (path: string, body?: unknown, token?: string, more: Record<string, string> = {}) => {
    const headers = { app_id: 'bells', ...(token === undefined ? {} : { 'access-token': token }), ...more }
    const answer = await door.call(body === undefined ? 'GET' : 'POST', path, body, headers)
    return { ...answer.body, status: answer.status, retryAfter: answer.headers.get('retry-after') }
  }
  return { trial, call }
}

test('somebody registers, logs in three ways, changes the password and logs out', async (t) => {
  const { call } = await open(t)
  const { user_id } = (await call('/user/register/v2', { username: 'ann', password, mobile: '12345' })).data
  const logins: [string, object][] = [
    ['/token/id', { user_id }],
    ['/token/user', { name: 'ann' }],
    ['/token/login', { login_name: '12345' }],
  ]
  for (const [path, who] of logins) {
    const { data } = await call(path, { ...who, password, device_guid: 'phone' }, 'a token here is ignored')
    t.assert.equal(data.user_id, user_id, path)
    t.assert.match(data.push_token, /^cp_/)
    t.assert.equal((await call(path, { ...who, password: 'wrong horse' })).code, 10020)
    t.assert.equal((await call(path, { ...who, password: ' ' })).code, 10002)
  }
  const { token } = (await call('/token/id', { user_id, password })).data
  const change = { old_password: password, password: 'another horse' }
  t.assert.deepEqual(await call('/user/change_password', change, token), {
    code: 200,
    data: null,
    message: null,
    status: 200,
    retryAfter: null,
  })
  t.assert.equal((await call('/token/logout', {}, token)).code, 200)
  t.assert.equal((await call('/token/logout', {}, token)).code, 10008)
  t.assert.equal((await call('/token/id', { user_id, password: 'another horse' })).code, 200)
})

test('what only admins may do is refused to users, and the other way round', async (t) => {
  const { trial, call } = await open(t)
  const [ann] = (await call('/user/register/batch', { list: [{ username: 'ann', password }] }, trial.admin)).data
  const { token } = (await call('/token/admin', { user_id: ann.user_id }, trial.admin)).data
  const ofAdmins: [string, object | undefined][] = [
    ['/token/admin', { user_id: ann.user_id }],
    ['/user/register/batch', { list: [{ username: 'bob' }] }],
    ['/user/change_password_admin', { user_id: ann.user_id, password }],
    ['/user/disable', { user_id: ann.user_id }],
    ['/user/enable', { user_id: ann.user_id }],
    ['/user/delete', { user_id: ann.user_id }],
    ['/user/list', undefined],
    ['/group/create', { name: 'ringers' }],
    ['/group/member/add', { group_id: 1, list: [1] }],
    ['/group/member/remove', { group_id: 1, list: [1] }],
    ['/group/list', undefined],
  ]
  for (const [path, body] of ofAdmins) {
    t.assert.equal((await call(path, body)).code, 10003, path)
    t.assert.equal((await call(path, body, token)).code, 10010, path)
    t.assert.equal((await call(path, body, trial.admin, { user_id: String(ann.user_id) })).code, 10010, path)
  }
  t.assert.equal((await call('/user/kick', {}, trial.admin)).code, 10002)
  const group = (await call('/group/create', { name: 'ringers', members: [ann.user_id] }, trial.admin)).data.group_id
  t.assert.equal((await call('/user/kick', {}, trial.admin, { group_id: String(group) })).code, 10010)
  t.assert.equal((await call('/user/kick', {}, trial.admin, { 'user-id': String(ann.user_id) })).code, 200)
  t.assert.equal((await call('/user/kick', {}, token)).code, 10008)
})

test('admin calls say which user or group they could not find, however large its id', async (t) => {
  const { trial, call } = await open(t)
  for (const user_id of ['999', '9007199254740993', '9223372036854775807']) {
    for (const path of ['/token/admin', '/user/disable', '/user/enable', '/user/delete']) {
      t.assert.equal((await call(path, `{"user_id":${user_id}}`, trial.admin)).code, 10000, path)
    }
    const group = `{"group_id":${user_id},"list":[1]}`
    t.assert.equal((await call('/group/member/add', group, trial.admin)).code, 20001)
    t.assert.equal((await call('/token/id', `{"user_id":${user_id},"password":"${password}"}`)).code, 10020)
  }
  t.assert.equal((await call('/user/disable', '{"user_id":1.0}', trial.admin)).code, 10002)
})

test('pages of users and groups are told with their total', async (t) => {
  const { trial, call } = await open(t)
  const list = ['a', 'b', 'c'].map((username) => ({ username }))
  await call('/user/register/batch', { list }, trial.admin)
  await call('/group/create', { name: 'ringers' }, trial.admin)
  const users = (await call('/user/list?page_num=2&page_size=2', undefined, trial.admin)).data
  t.assert.deepEqual([users.total, users.list.map((user: { username: string }) => user.username)], [3, ['c']])
  const groups = (await call('/group/list', undefined, trial.admin)).data
  t.assert.deepEqual([groups.total, groups.list[0].name, groups.list[0].member_count], [1, 'ringers', 0])
  t.assert.equal((await call('/user/list?page_size=501', undefined, trial.admin)).code, 10002)
})

test('a source that guesses on is told when to come again', async (t) => {
  const { trial, call } = await open(t)
  for (let i = 0; i < 61; i += 1) {
    const { code } = await call('/token/user', { name: `name ${i}`, password })
    t.assert.equal(code, 10020)
  }
  const answer = await call('/token/user', { name: 'ann', password })
  t.assert.deepEqual([answer.code, answer.status, answer.retryAfter], [42900, 429, '5'])
  trial.clock.move(5_000)
  t.assert.equal((await call('/token/user', { name: 'ann', password })).code, 10020)
})
