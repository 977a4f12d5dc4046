import test from 'node:test'
import { Refused } from '@carillon/protocol/errors.ts'
import { purgeTokens, revokeToken } from '../store/tokens.ts'
import { makeAdminToken, makeApp } from './apps.ts'
import { makeGroup } from './groups.ts'
import { issueToken } from './login.ts'
import { openTrial, type Trial } from './trial.ts'
import { registerBatch } from './users.ts'

const DAY_MS = 86_400_000

const peopled = async (trial: Trial) => {
  const rows = await registerBatch(trial, trial.app, [{ username: 'ann' }, { username: 'bob' }])
  const [ann, bob] = rows.map((row) => row.user_id!) as [number, number]
  const group = await makeGroup(trial, trial.app, 'ringers', [ann])
  const admin = await trial.access.scope({ appId: 'bells', accessToken: trial.admin })
  const annToken = (await issueToken(trial, admin, ann, undefined)).token
  const { app: other } = await makeApp(trial, { appId: 'other', name: 'Other', actor: 'test' })
  const otherAdmin = (await makeAdminToken(trial, other, { name: null, expiresAt: null, actor: 'test' })).token
  const [eve] = await registerBatch(trial, other, [{ username: 'eve' }])
  const otherGroup = await makeGroup(trial, other, 'others', [eve!.user_id!])
  return { ann, bob, group, admin, annToken, otherAdmin, eve: eve!.user_id!, otherGroup }
}

test('every combination of headers has one scope or one refusal', async (t) => {
  const trial = await openTrial(t)
  const { ann, bob, group, annToken, otherAdmin, eve, otherGroup } = await peopled(trial)
  const { admin } = trial
  const asAdmin = { accessToken: admin }
  const asAnn = { accessToken: annToken }
  const cases: [string, object, string | number][] = [
    ['no app_id', { ...asAdmin, appId: undefined }, 10002],
    ['blank app_id', { ...asAdmin, appId: ' ' }, 10002],
    ['unknown app_id', { ...asAdmin, appId: 'nobody' }, 40000],
    ['app_id in another case', { ...asAdmin, appId: 'Bells' }, 40000],
    ['no token', { accessToken: undefined }, 10003],
    ['blank token', { accessToken: '' }, 10003],
    ['a token nobody has', { accessToken: 'ca_made_up' }, 10008],
    ["another app's token", { accessToken: otherAdmin }, 10008],
    ['admin', asAdmin, 'app 0'],
    ['admin for a group', { ...asAdmin, groupId: String(group) }, `group ${group}`],
    ['admin for an unknown group', { ...asAdmin, groupId: '999' }, 20001],
    ["admin for another app's group", { ...asAdmin, groupId: String(otherGroup) }, 20001],
    ['admin for a group beyond 2^53', { ...asAdmin, groupId: '9007199254740993' }, 20001],
    ['admin as a user', { ...asAdmin, userId: String(bob) }, `user ${bob}`],
    ['admin as an unknown user', { ...asAdmin, userId: '999' }, 10000],
    ["admin as another app's user", { ...asAdmin, userId: String(eve) }, 10000],
    ['admin as a user beyond 2^53', { ...asAdmin, userId: '9223372036854775807' }, 10000],
    ['admin as a user that is negative', { ...asAdmin, userId: '-1' }, 10000],
    ['admin with both', { ...asAdmin, groupId: String(group), userId: String(ann) }, 10002],
    ['admin with blank ones', { ...asAdmin, groupId: '', userId: ' ' }, 'app 0'],
    ['user', asAnn, `user ${ann}`],
    ['user with the own id', { ...asAnn, userId: String(ann) }, `user ${ann}`],
    ['user with another id', { ...asAnn, userId: String(bob) }, 10010],
    ['user with an unknown id', { ...asAnn, userId: '999' }, 10010],
    ['user with an id beyond 2^53', { ...asAnn, userId: '9007199254740993' }, 10010],
    ['user for a group', { ...asAnn, groupId: String(group) }, 10010],
    ['user with both', { ...asAnn, groupId: String(group), userId: String(ann) }, 10002],
  ]
  for (const id of ['1.0', '1e3', '01', '+1', '0x1', 'one', '1 2', '-0', '9223372036854775808', '9'.repeat(30)]) {
    cases.push([`admin as user ${id}`, { ...asAdmin, userId: id }, 10002])
    cases.push([`user for group ${id}`, { ...asAnn, groupId: id }, 10002])
  }
  for (const [name, headers, expected] of cases) {
    const found = await trial.access
      .scope({ appId: 'bells', accessToken: undefined, ...headers })
      .then((scope) => `${scope.kind} ${scope.id}`)
      .catch((error: Refused) => error.code)
    t.assert.equal(found, expected, name)
  }
})

test('a scope says which token made the call', async (t) => {
  const trial = await openTrial(t)
  const { ann, annToken, admin } = await peopled(trial)
  t.assert.equal(admin.token.kind, 'admin')
  t.assert.equal(admin.token.name, 'ci')
  const scope = await trial.access.scope({ appId: 'bells', accessToken: annToken })
  const { id: _, expiresAt, ...token } = scope.token
  t.assert.deepEqual(token, { kind: 'user', name: null, userId: ann, deviceId: null })
  t.assert.deepEqual([expiresAt! > trial.clock.now(), admin.token.expiresAt], [true, null])
})

test('a token that has expired is told apart from one that never was', async (t) => {
  const trial = await openTrial(t)
  const { annToken } = await peopled(trial)
  const call = () => trial.access.scope({ appId: 'bells', accessToken: annToken })
  trial.clock.move(30 * DAY_MS - 1)
  await call()
  trial.clock.move(1)
  await t.assert.rejects(call(), { code: 402 })
  trial.clock.move(30 * DAY_MS)
  await trial.store.write(purgeTokens, { now: trial.clock.now() })
  await t.assert.rejects(call(), { code: 402 })
  trial.clock.move(1_000)
  await trial.store.write(purgeTokens, { now: trial.clock.now() })
  await t.assert.rejects(call(), { code: 10008 })
})

test('a revoked token is refused as soon as its revocation has been announced', async (t) => {
  const trial = await openTrial(t)
  const { token, id } = await makeAdminToken(trial, trial.app, { name: null, expiresAt: null, actor: 'test' })
  const call = () => trial.access.scope({ appId: 'bells', accessToken: token })
  await call()
  t.assert.equal(await trial.store.write(revokeToken, { app: trial.app.id, id, actor: 'test', now: 0 }), true)
  await trial.changes.announce()
  await t.assert.rejects(call(), { code: 10008 })
})

test('a token revoked behind our back is refused a second later at the latest', async (t) => {
  const trial = await openTrial(t)
  await trial.changes.stop()
  const { token, id } = await makeAdminToken(trial, trial.app, { name: null, expiresAt: null, actor: 'test' })
  const call = () => trial.access.scope({ appId: 'bells', accessToken: token })
  await call()
  await trial.store.write(revokeToken, { app: trial.app.id, id, actor: 'test', now: 0 })
  trial.clock.move(1_000)
  await t.assert.rejects(call(), { code: 10008 })
})

test('a device is known by its push token and any living access token of its owner, and by nothing else', async (t) => {
  const trial = await openTrial(t)
  const { ann, bob, admin, annToken } = await peopled(trial)
  const phone = await issueToken(trial, admin, ann, 'phone')
  const tablet = await issueToken(trial, admin, ann, 'tablet')
  const bobs = await issueToken(trial, admin, bob, 'watch')
  const known = await trial.access.device(phone.push_token!, phone.token)
  t.assert.equal(known?.userId, ann)
  t.assert.equal(known?.appId, trial.app.id)
  for (const token of [annToken, tablet.token]) {
    t.assert.equal((await trial.access.device(phone.push_token!, token))?.deviceId, known?.deviceId)
  }
  for (const token of [bobs.token, trial.admin, phone.push_token!, phone.store_token, '']) {
    t.assert.equal(await trial.access.device(phone.push_token!, token), undefined)
  }
  t.assert.equal(await trial.access.device('cp_made_up', phone.token), undefined)
  trial.clock.move(30 * DAY_MS)
  t.assert.equal(await trial.access.device(phone.push_token!, phone.token), undefined)
})
