import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { LAST_PROVIDER } from '@carillon/protocol/names.ts'
import { issueToken } from '../access/login.ts'
import { openTrial } from '../access/trial.ts'
import { createGroup } from '../store/groups.ts'
import { databaseFile } from '../store/sqlite/sqlite.ts'
import { insertUsers } from '../store/users.ts'
import { type CheckCredentials, certificateRoutes } from './certificate.ts'
import { openDoor } from './open-door.ts'

const record = { app_id: '1', app_key: 'key', app_secret: 'very-secret', certificate: 'PEM-secret', name: 'main' }

const odd = { name: 'pasted_twice', values: { field: 'app_key' } } as const

const checkCredentials: CheckCredentials = (_vendor, _environment, { app_id, app_key }) => ({
  problems: app_id === '' ? [{ field: 'app_id', expected: 'is required' }] : [],
  warnings: app_key === 'odd' ? [odd] : [],
  expiresAt: 1_900_000_000_000,
})

const office = async (t: TestContext) => {
  const trial = await openTrial(t)
  const { store, app, access, admin } = trial
  const ann = { name: 'ann', mobile: null, email: null, emailKey: null, passwordHash: null }
  await store.write(insertUsers, { app: app.id, users: [ann], now: 1 })
  const { call } = await openDoor(t, certificateRoutes({ ...trial, tryCredentials: async () => undefined, receiptUrl: () => null, forms: () => [], checkCredentials }), { access })
  const { token } = await issueToken(trial, await access.scope({ appId: app.app_id, accessToken: admin }), 1, undefined)
  const as = (accessToken: string) => (method: string, path: string, body?: unknown, headers = {}) =>
    call(method, path, body, { app_id: app.app_id, 'access-token': accessToken, ...headers })
  const db = new DatabaseSync(databaseFile(trial.folder))
  t.after(() => db.close())
  return { trial, db, asAdmin: as(admin), asAnn: as(token) }
}

test('an admin sees the whole record, a user its public part, and nobody caches it', async (t) => {
  const { asAdmin, asAnn } = await office(t)
  const options = { receipt_key: 'r', big: 7 }
  const put = await asAdmin('PUT', '/push/certificate', { provider: 2, ...record, options })
  t.assert.deepEqual(put.body, { code: 200, data: { warnings: [], told: [] }, message: null })
  const whole = await asAdmin('GET', '/push/certificate?provider=2')
  t.assert.deepEqual(whole.body.data, { ...record, options })
  t.assert.equal(whole.headers.get('cache-control'), 'no-store')
  const part = { ...record, app_secret: '', certificate: '' }
  t.assert.deepEqual((await asAnn('GET', '/push/certificate?provider=2&environment=1')).body.data, part)
  const asUser = await asAdmin('GET', '/push/certificate?provider=2', undefined, { user_id: '1' })
  t.assert.deepEqual(asUser.body.data, part)
})

test('a group sees no certificate, and users neither list nor change them', async (t) => {
  const { trial, asAdmin, asAnn } = await office(t)
  await trial.store.write(createGroup, { app: trial.app.id, name: 'g', members: [], actor: 'test', now: 1 })
  t.assert.equal((await asAdmin('GET', '/push/certificate?provider=2', undefined, { group_id: '1' })).body.code, 10010)
  t.assert.equal((await asAnn('PUT', '/push/certificate', { provider: 2, ...record })).body.code, 10010)
  t.assert.equal((await asAnn('DELETE', '/push/certificate?provider=2')).body.code, 10010)
  t.assert.equal((await asAnn('GET', '/push/certificate/list')).body.code, 10010)
})

test('environments are kept apart, and one that is not there is 12010', async (t) => {
  const { asAdmin } = await office(t)
  await asAdmin('PUT', '/push/certificate', { provider: 1, environment: 0, ...record })
  t.assert.equal((await asAdmin('GET', '/push/certificate?provider=1')).body.code, 12010)
  t.assert.equal((await asAdmin('GET', '/push/certificate?provider=1&environment=0')).body.code, 200)
  t.assert.equal((await asAdmin('DELETE', '/push/certificate?provider=1')).body.code, 12010)
  t.assert.equal((await asAdmin('DELETE', '/push/certificate?provider=1&environment=0')).body.code, 200)
  t.assert.equal((await asAdmin('GET', '/push/certificate?provider=1&environment=0')).body.code, 12010)
  for (const query of ['', `?provider=${LAST_PROVIDER + 1}`, '?provider=1.0', '?provider=1&environment=2', '?provider=1&provider=1']) {
    t.assert.equal((await asAdmin('GET', `/push/certificate${query}`)).body.code, 10002, query)
  }
})

test('what the vendor cannot use is refused by its field, what is unusual only warns', async (t) => {
  const { asAdmin } = await office(t)
  const wrong = await asAdmin('PUT', '/push/certificate', { provider: 2, ...record, app_id: '' })
  t.assert.deepEqual([wrong.body.code, wrong.body.message], [10002, 'app_id is required'])
  const unusual = await asAdmin('PUT', '/push/certificate', { provider: 2, ...record, app_key: 'odd' })
  const words = 'app_key is the same as another field: one of the two was probably pasted twice'
  t.assert.deepEqual(unusual.body.data, { warnings: [words], told: [odd] })
  const options = { a: 'x'.repeat(17_000) }
  const large = await asAdmin('PUT', '/push/certificate', { provider: 2, ...record, options })
  t.assert.match(large.body.message!, /^options /)
})

test('replacing keeps one record, and the news of it is told', async (t) => {
  const { trial, asAdmin } = await office(t)
  const told: number[] = []
  trial.changes.on('certificate', (id) => told.push(id))
  await asAdmin('PUT', '/push/certificate', { provider: 2, ...record })
  await asAdmin('PUT', '/push/certificate', { provider: 2, ...record, name: 'second' })
  await asAdmin('DELETE', '/push/certificate?provider=2')
  t.assert.deepEqual(told, [1, 1, 1])
})

test('the list has dates and no secrets', async (t) => {
  const { trial, asAdmin } = await office(t)
  await asAdmin('PUT', '/push/certificate', { provider: 2, ...record })
  const { body } = await asAdmin('GET', '/push/certificate/list')
  const { app_id, app_key, name } = record
  const times = { expires_at: 1_900_000_000_000, updated_at: trial.clock.now() }
  t.assert.deepEqual(body.data, [{ provider: 2, environment: 1, name, app_id, app_key, ...times, receipt_url: null }])
})

test('secrets are sealed to their own row, and every read is in the audit log without them', async (t) => {
  const { db, asAdmin, asAnn } = await office(t)
  await asAdmin('PUT', '/push/certificate', { provider: 2, ...record })
  await asAdmin('PUT', '/push/certificate', { provider: 3, ...record, app_secret: 'other' })
  await asAdmin('GET', '/push/certificate?provider=2')
  await asAnn('GET', '/push/certificate?provider=2')
  await asAdmin('GET', '/push/certificate/list')
  const audit = db
    .prepare("SELECT actor, action, detail FROM audit_log WHERE action LIKE 'certificate.%' ORDER BY id")
    .all()
  t.assert.deepEqual(
    audit.map(({ action }) => action),
    ['certificate.put', 'certificate.put', 'certificate.read', 'certificate.read', 'certificate.list'],
  )
  t.assert.match(String(audit[2]!.actor), /^admin token/)
  t.assert.equal(audit[3]!.actor, 'user 1')
  const sealed = db.prepare("SELECT secrets FROM certificates WHERE vendor = 'huawei'").get()!['secrets'] as Uint8Array
  t.assert.doesNotMatch(Buffer.from(sealed).toString('latin1') + JSON.stringify(audit), /very-secret|PEM/)
  const others = "(SELECT secrets FROM certificates WHERE vendor = 'xiaomi')"
  db.exec(`UPDATE certificates SET secrets = ${others} WHERE vendor = 'huawei'`)
  t.assert.equal((await asAdmin('GET', '/push/certificate?provider=2')).body.code, 50000)
})
