import test from 'node:test'
import { auditRows } from '../store/audit.ts'
import { listGroups } from '../store/groups.ts'
import type { Tx } from '../store/store.ts'
import { joinGroup, leaveGroup, makeGroup, pageOfGroups } from './groups.ts'
import { issueToken, loginByName } from './login.ts'
import { openTrial, type Trial } from './trial.ts'
import {
  changePassword,
  disableUser,
  enableUser,
  eraseUser,
  kick,
  logout,
  pageOfUsers,
  register,
  registerBatch,
  resetPassword,
} from './users.ts'

const here = '192.0.2.1'
const password = 'correct horse'

const scopeOf = (trial: Trial, accessToken: string) => trial.access.scope({ appId: 'bells', accessToken })
const asAdmin = (trial: Trial) => scopeOf(trial, trial.admin)
const join = (trial: Trial, username: string, more = {}) =>
  register(trial, trial.app, { username, password, ...more }, here)
const login = (trial: Trial, name: string, device_guid?: string, secret = password) =>
  loginByName(trial, trial.app, { name, password: secret, device_guid }, here)

const working = (trial: Trial, tokens: string[]): Promise<boolean[]> =>
  Promise.all(tokens.map((token) => scopeOf(trial, token).then(() => true, () => false)))

/** guid → logged_in of all devices. */
const loggedIn = async (tx: Tx): Promise<Record<string, number>> => {
  const rows = await tx.all<{ guid: string; logged_in: number }>('SELECT guid, logged_in FROM devices ORDER BY id')
  return Object.fromEntries(rows.map((row) => [row.guid, row.logged_in]))
}

test('username, mobile and email are each unique within an app, email without case', async (t) => {
  const trial = await openTrial(t)
  await join(trial, 'ann', { mobile: '12345', email: 'ann@example.org' })
  await t.assert.rejects(join(trial, 'ann'), { code: 10004, message: 'username is taken' })
  await t.assert.rejects(join(trial, 'bob', { mobile: '12345' }), { code: 10004, message: 'mobile is taken' })
  await t.assert.rejects(join(trial, 'bob', { email: 'ANN@example.org' }), { code: 10004, message: 'email is taken' })
  await join(trial, 'Ann')
  const outcomes = await Promise.allSettled([join(trial, 'eve'), join(trial, 'eve'), join(trial, 'eve')])
  t.assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1)
})

test('registration follows the settings of the app', async (t) => {
  const trial = await openTrial(t)
  const closed = { ...trial.app, settings: { ...trial.app.settings, registration_enabled: false } }
  await t.assert.rejects(register(trial, closed, { username: 'ann', password }, here), { code: 10010 })
  const strict = { ...trial.app, settings: { ...trial.app.settings, password_min_length: 20 } }
  await t.assert.rejects(register(trial, strict, { username: 'ann', password }, here), { code: 10002 })
  await t.assert.rejects(join(trial, 'ann', { password: 'short' }), { code: 10002 })
})

test('a batch answers one row each, and a bad row costs only itself', async (t) => {
  const trial = await openTrial(t)
  await join(trial, 'ann')
  const rows = await registerBatch(trial, trial.app, [
    { username: 'bob', password },
    { username: 'ann', password },
    { username: 'cid', password: 'short' },
    { username: 'dot' },
    { username: 'dot', password },
    { username: 'eve', email: 'eve@example.org' },
  ])
  t.assert.deepEqual(
    rows.map(({ success, reason }) => (success ? 'ok' : reason)),
    ['ok', 'username is taken', 'password must have 8 to 256 characters', 'ok', 'username is taken', 'ok'],
  )
  t.assert.deepEqual(rows.map((row) => row.user_id !== null), rows.map((row) => row.success))
  t.assert.equal((await login(trial, 'bob')).user_id, rows[0]!.user_id)
})

test('a changed password ends all other tokens, and the call needs the old one', async (t) => {
  const trial = await openTrial(t)
  await join(trial, 'ann')
  const phone = await login(trial, 'ann', 'phone')
  const tablet = await login(trial, 'ann', 'tablet')
  const scope = await scopeOf(trial, phone.token)
  const body = { old_password: 'wrong horse', password: 'another horse' }
  await t.assert.rejects(changePassword(trial, scope, body, here), { code: 10020 })
  await t.assert.rejects(changePassword(trial, scope, { old_password: password, password: 'x' }, here), { code: 10002 })
  t.assert.deepEqual(await working(trial, [phone.token, tablet.token]), [true, true])
  await changePassword(trial, scope, { ...body, old_password: password }, here)
  t.assert.deepEqual(await working(trial, [phone.token, tablet.token]), [true, false])
  t.assert.deepEqual(await trial.store.read(loggedIn, {}), { phone: 1, tablet: 0 })
  await t.assert.rejects(login(trial, 'ann'), { code: 10020 })
  await login(trial, 'ann', undefined, 'another horse')
})

test('a password an admin sets ends every token', async (t) => {
  const trial = await openTrial(t)
  const ann = await join(trial, 'ann')
  const phone = await login(trial, 'ann', 'phone')
  const admin = await asAdmin(trial)
  await resetPassword(trial, admin, ann, 'another horse')
  t.assert.deepEqual(await working(trial, [phone.token]), [false])
  await login(trial, 'ann', undefined, 'another horse')
  await t.assert.rejects(resetPassword(trial, admin, 999, 'another horse'), { code: 10000 })
})

test('a disabled user is out at once, and logs in again once enabled', async (t) => {
  const trial = await openTrial(t)
  const ann = await join(trial, 'ann')
  const phone = await login(trial, 'ann', 'phone')
  const admin = await asAdmin(trial)
  await disableUser(trial, admin, ann)
  t.assert.deepEqual(await working(trial, [phone.token]), [false])
  await t.assert.rejects(login(trial, 'ann'), { code: 10020 })
  await enableUser(trial, admin, ann)
  t.assert.deepEqual(await working(trial, [phone.token]), [false])
  t.assert.equal((await login(trial, 'ann', 'phone')).push_token, phone.push_token)
  for (const change of [disableUser, enableUser, eraseUser]) {
    await t.assert.rejects(change(trial, admin, 2n ** 60n), { code: 10000 })
  }
})

test('a deleted user leaves no device, token or membership, and the name is free again', async (t) => {
  const trial = await openTrial(t)
  const ann = await join(trial, 'ann', { email: 'ann@example.org' })
  await makeGroup(trial, trial.app, 'ringers', [ann])
  const phone = await login(trial, 'ann', 'phone')
  const loose = await login(trial, 'ann')
  const ended = { device: 0, user: 0 }
  trial.changes.on('device', () => (ended.device += 1))
  trial.changes.on('user', () => (ended.user += 1))
  await eraseUser(trial, await asAdmin(trial), ann)
  t.assert.deepEqual(ended, { device: 1, user: 1 })
  t.assert.deepEqual(await working(trial, [phone.token, loose.token]), [false, false])
  t.assert.deepEqual(await trial.store.read(loggedIn, {}), {})
  const { groups } = await trial.store.read(listGroups, { app: trial.app.id, offset: 0, limit: 9 })
  t.assert.equal(groups[0]?.members, 0)
  t.assert.notEqual(await join(trial, 'ann', { email: 'ann@example.org' }), ann)
})

test('logging out ends this token and vendor pushes to its device, and nothing else', async (t) => {
  const trial = await openTrial(t)
  await join(trial, 'ann')
  const phone = await login(trial, 'ann', 'phone')
  const tablet = await login(trial, 'ann', 'tablet')
  await logout(trial, await scopeOf(trial, phone.token))
  t.assert.deepEqual(await working(trial, [phone.token, tablet.token]), [false, true])
  t.assert.deepEqual(await trial.store.read(loggedIn, {}), { phone: 0, tablet: 1 })
})

test('an admin who acts as a user does not log out by accident', async (t) => {
  const trial = await openTrial(t)
  const ann = await join(trial, 'ann')
  const scope = await trial.access.scope({ appId: 'bells', accessToken: trial.admin, userId: String(ann) })
  await t.assert.rejects(logout(trial, scope), { code: 10010 })
  await logout(trial, await asAdmin(trial))
  t.assert.deepEqual(await working(trial, [trial.admin]), [false])
})

test('a kick ends all tokens of the user, or those of one device', async (t) => {
  const trial = await openTrial(t)
  const ann = await join(trial, 'ann')
  await join(trial, 'bob')
  const phone = await login(trial, 'ann', 'phone')
  const tablet = await login(trial, 'ann', 'tablet')
  const loose = await login(trial, 'ann')
  const bobs = await login(trial, 'bob', 'watch')
  const tokens = [phone, tablet, loose, bobs].map((record) => record.token)
  const connections: number[] = []
  trial.changes.on('device', (id) => connections.push(id))
  const device = (await trial.access.device(phone.push_token!, phone.token))!.deviceId
  const scope = await scopeOf(trial, loose.token)

  await t.assert.rejects(kick(trial, scope, 'watch'), { code: 12011 }, "somebody else's device does not exist")
  await kick(trial, scope, 'phone')
  t.assert.deepEqual(await working(trial, tokens), [false, true, true, true])
  t.assert.deepEqual(connections, [device])
  t.assert.deepEqual(await trial.store.read(loggedIn, {}), { phone: 0, tablet: 1, watch: 1 })

  const asAnn = await trial.access.scope({ appId: 'bells', accessToken: trial.admin, userId: String(ann) })
  await kick(trial, asAnn, undefined)
  t.assert.deepEqual(await working(trial, tokens), [false, false, false, true])
  t.assert.deepEqual(await trial.store.read(loggedIn, {}), { phone: 0, tablet: 0, watch: 1 })
})

test('users are listed page by page, in order, without secrets', async (t) => {
  const trial = await openTrial(t)
  const rows = await registerBatch(trial, trial.app, ['a', 'b', 'c'].map((username) => ({ username })))
  const page = await pageOfUsers(trial, trial.app, { page_num: 2, page_size: 2 })
  t.assert.deepEqual(page, {
    total: 3,
    list: [
      {
        user_id: rows[2]!.user_id,
        username: 'c',
        mobile: null,
        email: null,
        disabled: false,
        has_password: false,
        created_at: trial.clock.now(),
      },
    ],
  })
})

test('a group takes users of its app alone, and names the one it cannot take', async (t) => {
  const trial = await openTrial(t)
  const rows = await registerBatch(trial, trial.app, ['a', 'b'].map((username) => ({ username })))
  const [a, b] = rows.map((row) => row.user_id!) as [number, number]
  const group = await makeGroup(trial, trial.app, 'ringers', [a])
  const size = async () => (await pageOfGroups(trial, trial.app, { page_num: 1, page_size: 9 })).list[0]?.member_count
  await joinGroup(trial, trial.app, group, [a, b])
  t.assert.equal(await size(), 2)
  await leaveGroup(trial, trial.app, group, [a, 999, 2n ** 60n])
  t.assert.equal(await size(), 1)
  await t.assert.rejects(makeGroup(trial, trial.app, 'x', [a, 999]), { code: 10000, message: /members\[1\]/ })
  await t.assert.rejects(joinGroup(trial, trial.app, group, [2n ** 60n]), { code: 10000, message: /list\[0\]/ })
  await t.assert.rejects(joinGroup(trial, trial.app, 999, [a]), { code: 20001 })
  await t.assert.rejects(leaveGroup(trial, trial.app, 999, [a]), { code: 20001 })
  const other = { ...trial.app, id: trial.app.id + 1 }
  await t.assert.rejects(joinGroup(trial, other, group, [a]), { code: 20001 })
  t.assert.equal((await pageOfGroups(trial, trial.app, { page_num: 1, page_size: 9 })).total, 1)
})

test('what admins do to people stands in the audit log, without secrets', async (t) => {
  const trial = await openTrial(t)
  const ann = await join(trial, 'ann')
  const admin = await asAdmin(trial)
  await issueToken(trial, admin, ann, undefined)
  await resetPassword(trial, admin, ann, 'another horse')
  await disableUser(trial, admin, ann)
  await enableUser(trial, admin, ann)
  await eraseUser(trial, admin, ann)
  const log = await trial.store.read(auditRows, { app: trial.app.id, before: 1_000, limit: 5 })
  const actions = log.map((entry) => entry.action)
  t.assert.deepEqual(actions, ['user.delete', 'user.enable', 'user.disable', 'user.password', 'token.issue'])
  t.assert.equal(JSON.stringify(log).includes('horse'), false)
})
