import test from 'node:test'
import { Refused } from '@carillon/protocol/errors.ts'
import { auditRows } from '../store/audit.ts'
import { Connection } from '../store/sqlite/connection.ts'
import { databaseFile } from '../store/sqlite/sqlite.ts'
import type { Tx } from '../store/store.ts'
import { issueToken, loginById, loginByLoginName, loginByName } from './login.ts'
import { openTrial, type Trial } from './trial.ts'
import { disableUser, register, registerBatch, resetPassword } from './users.ts'

const here = '192.0.2.1'
const password = 'correct horse'

const join = (trial: Trial, username: string, more: { mobile?: string; email?: string } = {}) =>
  register(trial, trial.app, { username, password, ...more }, here)

const login = (trial: Trial, name: string, more: { device_guid?: string; password?: string } = {}) =>
  loginByName(trial, trial.app, { name, password, ...more }, here)

const asAdmin = (trial: Trial) => trial.access.scope({ appId: 'bells', accessToken: trial.admin })

const works = (trial: Trial, accessToken: string) =>
  trial.access.scope({ appId: 'bells', accessToken }).then(
    () => true,
    () => false,
  )

/** Something of every kind a device can have. */
const furnish = async ({ folder, app }: Trial, device: number) => {
  const db = new Connection(databaseFile(folder))
  await db.run(`INSERT INTO device_tags (app, tag, device_id) VALUES (?1, 'vip', ?2)`, app.id, device)
  await db.run(
    `INSERT INTO vendor_tokens (device_id, vendor, environment, app, token, bound_at)
     VALUES (?1, 'fcm', 1, ?2, 'abc', 0)`,
    device,
    app.id,
  )
  await db.run('INSERT INTO inbox (device_id, task_id, batch_id) VALUES (?1, 1, 1)', device)
  db.close()
}

const leftOf = async (tx: Tx, { deviceId }: { deviceId: number }): Promise<string[]> => {
  const left: string[] = []
  for (const table of ['device_tags', 'vendor_tokens', 'inbox', 'access_tokens']) {
    if (await tx.get(`SELECT 1 AS one FROM ${table} WHERE device_id = ?1`, deviceId)) left.push(table)
  }
  if (await tx.get('SELECT 1 AS one FROM devices WHERE id = ?1', deviceId)) left.push('devices')
  return left
}

/** All that is stored about who may call, bytes as text. */
const everything = async (tx: Tx): Promise<string> => {
  const tables = ['users', 'devices', 'access_tokens', 'attempts', 'audit_log', 'meta']
  const rows = await Promise.all(tables.map((table) => tx.all<Record<string, unknown>>(`SELECT * FROM ${table}`)))
  const texts = rows.flat().flatMap((row) => Object.values(row))
  return texts.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value))).join('\n')
}

test('a user logs in by id, by name, and by each login name, and gets a whole token record', async (t) => {
  const trial = await openTrial(t)
  const id = await join(trial, 'ann', { mobile: '+4912345678', email: 'Ann@Example.org' })
  const record = await loginById(trial, trial.app, { user_id: id, password }, here)
  t.assert.deepEqual(Object.keys(record).toSorted(), [
    'access_key_secret',
    'encrypt_type',
    'expire',
    'public_key',
    'store_token',
    'token',
    'user_id',
  ])
  t.assert.equal(record.user_id, id)
  t.assert.equal(record.expire, trial.clock.now() + 30 * 86_400_000)
  t.assert.match(record.token, /^cu_[\w-]{43}$/)
  for (const login_name of ['+4912345678', 'ann@example.ORG', 'Ann@Example.org', 'ann']) {
    t.assert.equal((await loginByLoginName(trial, trial.app, { login_name, password }, here)).user_id, id)
  }
  t.assert.equal((await login(trial, 'ann')).user_id, id)
  await t.assert.rejects(login(trial, '+4912345678'), { code: 10020 }, 'by username only')
})

test('a login name is a mobile number first, then an email, then a username', async (t) => {
  const trial = await openTrial(t)
  const byName = await join(trial, '12345')
  const byMobile = await join(trial, 'bob', { mobile: '12345' })
  t.assert.equal((await loginByLoginName(trial, trial.app, { login_name: '12345', password }, here)).user_id, byMobile)
  t.assert.equal((await login(trial, '12345')).user_id, byName)
})

test('unknown, wrong, disabled, without password and locked are one answer, after one hash each', async (t) => {
  const trial = await openTrial(t)
  const ann = await join(trial, 'ann')
  const off = await join(trial, 'off')
  await disableUser(trial, await asAdmin(trial), off)
  await registerBatch(trial, trial.app, [{ username: 'bare' }])
  const answers = new Set<string>()
  const fails = async (call: Promise<unknown>, hashes: number) => {
    const before = trial.hashes()
    const error = await call.then(() => undefined).catch((e: unknown) => e)
    answers.add(error instanceof Refused ? `${error.code} ${error.message} ${error.retryAfter}` : 'no refusal')
    t.assert.equal(trial.hashes() - before, hashes)
  }
  await fails(login(trial, 'nobody'), 1)
  await fails(login(trial, 'ann', { password: 'wrong horse' }), 1)
  await fails(login(trial, 'off'), 1)
  await fails(login(trial, 'bare'), 1)
  await fails(loginById(trial, trial.app, { user_id: 9_999, password }, here), 1)
  await fails(loginById(trial, trial.app, { user_id: 2n ** 60n, password }, here), 1)
  for (let i = 0; i < 5; i += 1) await login(trial, 'ann', { password: 'wrong horse' }).catch(() => {})
  await fails(loginById(trial, trial.app, { user_id: ann, password }, here), 0)
  for (let i = 0; i < 5; i += 1) await login(trial, 'nobody').catch(() => {})
  await fails(login(trial, 'nobody'), 0)
  t.assert.deepEqual([...answers], ['10020 wrong user or password undefined'])
})

test('a device that is known to the user still gets in while others lock the account', async (t) => {
  const trial = await openTrial(t)
  await join(trial, 'ann')
  await login(trial, 'ann', { device_guid: 'phone' })
  for (let i = 0; i < 8; i += 1) {
    await login(trial, 'ann', { password: 'wrong horse', device_guid: 'theirs' }).catch(() => {})
  }
  await t.assert.rejects(login(trial, 'ann', { device_guid: 'theirs' }), { code: 10020 })
  await login(trial, 'ann', { device_guid: 'phone' })
})

test('the same device gets the same push token again, and its older token ends', async (t) => {
  const trial = await openTrial(t)
  await join(trial, 'ann')
  const first = await login(trial, 'ann', { device_guid: 'phone' })
  const elsewhere = await login(trial, 'ann', { device_guid: 'tablet' })
  t.assert.equal(await works(trial, first.token), true)
  const again = await login(trial, 'ann', { device_guid: 'phone' })
  t.assert.equal(again.push_token, first.push_token)
  t.assert.notEqual(elsewhere.push_token, first.push_token)
  t.assert.equal(await works(trial, first.token), false)
  t.assert.equal(await works(trial, again.token), true)
  t.assert.equal(await works(trial, elsewhere.token), true)
})

test('a device somebody else logs in on is a new device, and nothing of the old one is left', async (t) => {
  const trial = await openTrial(t)
  await join(trial, 'ann')
  const bob = await join(trial, 'bob')
  const before = await login(trial, 'ann', { device_guid: 'phone' })
  const old = (await trial.access.device(before.push_token!, before.token))!
  await furnish(trial, old.deviceId)
  t.assert.equal((await trial.store.read(leftOf, { deviceId: old.deviceId })).length, 5)
  const ended: number[] = []
  trial.changes.on('device', (id) => ended.push(id))

  const after = await login(trial, 'bob', { device_guid: 'phone' })
  const made = (await trial.access.device(after.push_token!, after.token))!
  t.assert.equal(made.userId, bob)
  t.assert.notEqual(made.deviceId, old.deviceId)
  t.assert.notEqual(after.push_token, before.push_token)
  t.assert.equal(await works(trial, before.token), false)
  t.assert.deepEqual(ended, [old.deviceId])
  t.assert.deepEqual(await trial.store.read(leftOf, { deviceId: old.deviceId }), [])
  t.assert.equal(await trial.access.device(before.push_token!, (await login(trial, 'ann')).token), undefined)
})

test('an admin gets a token for a user who has no password, and that is noted', async (t) => {
  const trial = await openTrial(t)
  const [bare] = await registerBatch(trial, trial.app, [{ username: 'bare' }])
  const admin = await asAdmin(trial)
  const record = await issueToken(trial, admin, bare!.user_id!, 'phone')
  t.assert.equal((await trial.access.device(record.push_token!, record.token))?.userId, bare!.user_id)
  await t.assert.rejects(issueToken(trial, admin, 999, undefined), { code: 10000 })
  await t.assert.rejects(issueToken(trial, admin, 2n ** 60n, undefined), { code: 10000 })
  await disableUser(trial, admin, bare!.user_id!)
  await t.assert.rejects(issueToken(trial, admin, bare!.user_id!, undefined), { code: 10010 })
  const log = await trial.store.read(auditRows, { app: trial.app.id, before: 1_000, limit: 2 })
  t.assert.deepEqual(
    log.map(({ actor, action }) => `${actor}: ${action}`),
    [`admin token ${admin.token.id} (ci): user.disable`, `admin token ${admin.token.id} (ci): token.issue`],
  )
})

test('a password that is changed while it is being checked opens nothing', async (t) => {
  let meanwhile: (() => Promise<void>) | undefined
  const trial = await openTrial(t, {
    passwords: {
      concurrency: 2,
      derive: async (text, _phc, length) => {
        const act = meanwhile
        meanwhile = undefined
        await act?.()
        return Buffer.alloc(length, text)
      },
    },
  })
  const ann = await join(trial, 'ann')
  const admin = await asAdmin(trial)
  meanwhile = () => resetPassword(trial, admin, ann, 'another horse')
  await t.assert.rejects(login(trial, 'ann'), { code: 10020 })
})

test('no secret stands in the store as it is', async (t) => {
  const trial = await openTrial(t)
  await join(trial, 'ann')
  const record = await login(trial, 'ann', { device_guid: 'phone' })
  const stored = await trial.store.read(everything, {})
  for (const secret of [record.token, record.push_token, record.store_token, record.access_key_secret, password]) {
    t.assert.equal(stored.includes(secret!), false)
  }
  t.assert.equal(stored.includes('phone'), true)
})
