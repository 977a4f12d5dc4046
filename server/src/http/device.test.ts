import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { TAGS_MAX } from '@carillon/protocol/bodies.ts'
import { issueToken } from '../access/login.ts'
import { openTrial } from '../access/trial.ts'
import { addressesOf } from '../store/addresses.ts'
import { raiseBadges } from '../store/badges.ts'
import { putCertificate } from '../store/certificates.ts'
import { databaseFile } from '../store/sqlite/sqlite.ts'
import { insertUsers } from '../store/users.ts'
import { appRoutes } from './app.ts'
import { deviceRoutes } from './device.ts'
import { openDoor } from './open-door.ts'
import { vendorTokenRoutes } from './vendor-token.ts'

const ALIVE = 5

/** Ann with a phone and a tablet, Bob with a phone; each device calls with the token it logged in with. */
const household = async (t: TestContext) => {
  const trial = await openTrial(t)
  const { store, app, access, admin } = trial
  const newcomer = (name: string) => ({ name, mobile: null, email: null, emailKey: null, passwordHash: null })
  await store.write(insertUsers, { app: app.id, users: [newcomer('ann'), newcomer('bob')], now: 1 })
  const { call } = await openDoor(
    t,
    [
      ...deviceRoutes({ ...trial, isAlive: (node) => node === ALIVE }),
      ...vendorTokenRoutes(trial),
      ...appRoutes(trial),
    ],
    { access },
  )
  const scope = await access.scope({ appId: app.app_id, accessToken: admin })
  const ask = async (method: string, path: string, body: unknown, headers: Record<string, string>) =>
    (await call(method, path, body, { app_id: app.app_id, ...headers })).body
  const device = async (userId: number, guid?: string) => {
    const { token, push_token: pushToken } = await issueToken(trial, scope, userId, guid)
    return {
      pushToken: pushToken ?? '',
      ask: (method: string, path: string, body?: unknown) => ask(method, path, body, { 'access-token': token }),
    }
  }
  const db = new DatabaseSync(databaseFile(trial.folder))
  t.after(() => db.close())
  return {
    trial,
    db,
    phone: await device(1, 'phone'),
    tablet: await device(1, 'tablet'),
    bobs: await device(2, 'bobs'),
    annElsewhere: await device(1),
    asAdmin: (method: string, path: string, body?: unknown, headers = {}) =>
      ask(method, path, body, { 'access-token': admin, ...headers }),
    addresses: (vendor: string) => store.read(addressesOf, { ids: [1, 2, 3], vendor, environment: 1 }),
  }
}

const deviceOf = (guid: string, listed: Record<string, unknown>[]): Record<string, unknown> =>
  listed.find((device) => device['device_guid'] === guid)!

test('this device is the one the token was issued for, or one of the own that is named', async (t) => {
  const { phone, tablet, bobs, annElsewhere, asAdmin } = await household(t)
  t.assert.equal((await phone.ask('POST', '/user/push/tag', { tags: ['a'] })).code, 200)
  t.assert.deepEqual((await phone.ask('GET', '/user/push/tag')).data, { tags: ['a'] })
  t.assert.deepEqual((await tablet.ask('GET', '/user/push/tag')).data, { tags: [] })
  const tagsOfPhone = `/user/push/tag?push_token=${phone.pushToken}`
  t.assert.deepEqual((await tablet.ask('GET', tagsOfPhone)).data, { tags: ['a'] })
  t.assert.deepEqual((await annElsewhere.ask('GET', tagsOfPhone)).data, { tags: ['a'] })
  t.assert.equal((await bobs.ask('GET', tagsOfPhone)).code, 12011)
  t.assert.equal((await bobs.ask('POST', '/user/push/alias', { alias: 'x', push_token: 'cp_none' })).code, 12011)
  for (const answer of [
    await annElsewhere.ask('GET', '/user/push/tag'),
    await asAdmin('GET', '/user/push/tag', undefined, { user_id: '1' }),
  ]) {
    t.assert.equal(answer.code, 10002)
    t.assert.match(answer.message!, /^push_token /)
  }
  const both = `/user/push/tag/all?push_token=${tablet.pushToken}`
  const twice = await phone.ask('DELETE', both, { push_token: phone.pushToken })
  t.assert.equal(twice.code, 10002)
  const named = { push_token: phone.pushToken, tags: ['b'] }
  t.assert.deepEqual((await asAdmin('POST', '/user/push/tag', named, { user_id: '1' })).data, { tags: ['a', 'b'] })
  t.assert.equal((await asAdmin('POST', '/user/push/tag', named, { user_id: '2' })).code, 12011)
})

test('a vendor token belongs to one device: binding takes it away elsewhere and ends its quarantine', async (t) => {
  const { phone, bobs, addresses, db } = await household(t)
  const bind = { device_token: 'v1', provider: 2, platform: 'android' }
  t.assert.equal((await phone.ask('POST', '/user/token/bind', bind)).code, 200)
  t.assert.deepEqual((await addresses('huawei')).map((row) => ({ ...row })), [{ device_id: 1, token: 'v1' }])
  t.assert.equal((await bobs.ask('PUT', '/user/token/bind', bind)).code, 200)
  t.assert.deepEqual((await addresses('huawei')).map((row) => ({ ...row })), [{ device_id: 3, token: 'v1' }])
  db.exec('UPDATE vendor_tokens SET quarantined_at = 1')
  t.assert.deepEqual(await addresses('huawei'), [])
  await bobs.ask('POST', '/user/token/bind', bind)
  t.assert.equal((await addresses('huawei')).length, 1)
  await bobs.ask('POST', '/user/token/bind', { ...bind, device_token: 'v2' })
  t.assert.deepEqual((await addresses('huawei')).map(({ token }) => token), ['v2'])
})

test('a device may hold tokens of several vendors and forgets one or all', async (t) => {
  const { phone, addresses } = await household(t)
  for (const provider of [2, 3, 7]) await phone.ask('POST', '/user/token/bind', { device_token: 'v', provider })
  const count = async () => (await Promise.all(['huawei', 'xiaomi', 'fcm'].map(addresses))).flat().length
  t.assert.equal(await count(), 3)
  t.assert.equal((await phone.ask('DELETE', '/user/token/unbind?provider=3')).code, 200)
  t.assert.equal(await count(), 2)
  t.assert.equal((await phone.ask('POST', '/user/token/unbind', { provider: 2 })).code, 200)
  t.assert.deepEqual((await addresses('fcm')).length, 1)
  t.assert.equal((await phone.ask('DELETE', '/user/token/unbind')).code, 200)
  t.assert.equal(await count(), 0)
})

test('a vendor token is bound by provider or by the name of a certificate', async (t) => {
  const { trial, phone, addresses } = await household(t)
  const put = (vendor: 'apns' | 'fcm', environment: number, name: string) =>
    trial.store.write(putCertificate, {
      place: { app: trial.app.id, vendor, environment },
      fields: { name, app_id: '', app_key: '', secrets: new Uint8Array(1), expires_at: null },
      actor: 'test',
      now: 1,
    })
  await put('apns', 0, 'bells-ios')
  await put('apns', 1, 'both')
  await put('fcm', 1, 'both')
  const bind = (fields: object) => phone.ask('POST', '/user/token/bind', { device_token: 'v', ...fields })
  t.assert.match((await bind({})).message!, /^provider /)
  t.assert.equal((await bind({ notifier_name: 'nobody' })).code, 12010)
  t.assert.equal((await bind({ notifier_name: 'both', provider: 2 })).code, 12010)
  t.assert.match((await bind({ notifier_name: 'both' })).message!, /^notifier_name /)
  t.assert.equal((await bind({ notifier_name: 'both', provider: 7 })).code, 200)
  t.assert.equal((await addresses('fcm')).length, 1)
  t.assert.equal((await bind({ notifier_name: 'bells-ios' })).code, 200)
  const listed = deviceOf('phone', (await phone.ask('GET', '/user/device/list')).data)
  t.assert.equal(listed.platform, 'ios')
  t.assert.deepEqual(listed.providers, [{ provider: 1, environment: 0 }, { provider: 7, environment: 1 }])
})

test('a device has at most 100 tags, and is refused more by name', async (t) => {
  const { phone } = await household(t)
  const tags = Array.from({ length: TAGS_MAX }, (_, i) => `tag ${i}`)
  t.assert.equal((await phone.ask('POST', '/user/push/tag', { tags })).data.tags.length, TAGS_MAX)
  t.assert.equal((await phone.ask('POST', '/user/push/tag', { tags: ['tag 1', 'tag 2'] })).code, 200)
  const full = await phone.ask('POST', '/user/push/tag', { tags: ['tag 1', 'one more'] })
  t.assert.equal(full.code, 10002)
  t.assert.match(full.message!, /^tags /)
  const left = await phone.ask('DELETE', '/user/push/tag', { tags: [...tags.slice(2), 'never had'] })
  t.assert.deepEqual(left.data, { tags: ['tag 0', 'tag 1'] })
  t.assert.deepEqual((await phone.ask('DELETE', '/user/push/tag/all')).data, { tags: [] })
})

test('an alias is given by users, or by admins alone where the app says so', async (t) => {
  const { phone, asAdmin } = await household(t)
  const alias = async () => deviceOf('phone', (await phone.ask('GET', '/user/device/list')).data).alias
  t.assert.equal((await phone.ask('POST', '/user/push/alias', { alias: 'kitchen' })).code, 200)
  await phone.ask('DELETE', '/user/push/alias', { alias: 'other' })
  t.assert.equal(await alias(), 'kitchen')
  await phone.ask('DELETE', '/user/push/alias', { alias: 'kitchen' })
  t.assert.equal(await alias(), null)
  t.assert.equal((await asAdmin('PUT', '/app/setting', { alias_by: 'admin' })).data.alias_by, 'admin')
  t.assert.equal((await phone.ask('POST', '/user/push/alias', { alias: 'hall' })).code, 10010)
  const named = { alias: 'hall', push_token: phone.pushToken }
  t.assert.equal((await asAdmin('POST', '/user/push/alias', named, { user_id: '1' })).code, 200)
  t.assert.equal(await alias(), 'hall')
})

test('settings are changed by admins, checked, and noted in the audit log', async (t) => {
  const { phone, asAdmin } = await household(t)
  t.assert.equal((await phone.ask('GET', '/app/setting')).code, 10010)
  const wrong = await asAdmin('PUT', '/app/setting', { token_days: 0 })
  t.assert.match(wrong.message!, /^token_days /)
  await asAdmin('PUT', '/app/setting', { push_enabled: false, newer_than_us: 1 })
  const { data } = await asAdmin('GET', '/app/setting')
  t.assert.deepEqual([data.push_enabled, data.token_days], [false, 30])
  const [newest, older] = (await asAdmin('GET', '/app/audit?limit=2')).data
  t.assert.equal(newest.action, 'app.setting')
  t.assert.match(newest.actor, /^admin token \d+ \(ci\)$/)
  t.assert.deepEqual((await asAdmin('GET', `/app/audit?limit=1&before=${newest.id}`)).data, [older])
})

test('push on or off and quiet hours are stored together', async (t) => {
  const { phone, db } = await household(t)
  const columns = 'push_enabled, quiet_start, quiet_end, time_zone'
  const stored = () => ({ ...db.prepare(`SELECT ${columns} FROM users WHERE id = 1`).get() })
  const told = async (body: object) => (await phone.ask('POST', '/user/push', body)).message!
  t.assert.match(await told({}), /^enabled /)
  t.assert.match(await told({ enabled: true, no_push_start_hour: 22 }), /^no_push_end_hour /)
  t.assert.match(await told({ enabled: true, no_push_end_hour: 7 }), /^no_push_start_hour /)
  const hours = { enabled: true, no_push_start_hour: 22, no_push_end_hour: 0 }
  t.assert.match(await told({ ...hours, time_zone: 'Mars/North' }), /^time_zone /)
  t.assert.equal((await phone.ask('POST', '/user/push', hours)).code, 200)
  t.assert.deepEqual(stored(), { push_enabled: 1, quiet_start: 22, quiet_end: 0, time_zone: 'UTC' })
  await phone.ask('POST', '/user/push', { enabled: false })
  t.assert.deepEqual(stored(), { push_enabled: 0, quiet_start: null, quiet_end: null, time_zone: null })
})

test('the list shows what a device is, and online only while the node that holds it lives', async (t) => {
  const { trial, phone, tablet, bobs, db } = await household(t)
  await phone.ask('POST', '/user/push/badge', { badge: 7 })
  await trial.store.write(raiseBadges, { ids: [1, 2], by: { add: 2 } })
  db.exec(`UPDATE devices SET presence_node = ${ALIVE} WHERE id = 1; UPDATE devices SET presence_node = 4 WHERE id = 2`)
  const listed = (await phone.ask('GET', '/user/device/list')).data
  t.assert.equal(listed.length, 2)
  const { created_at, seen_at, ...rest } = deviceOf('phone', listed)
  t.assert.deepEqual([created_at, seen_at], [trial.clock.now(), trial.clock.now()])
  t.assert.deepEqual(rest, {
    push_token: phone.pushToken,
    device_guid: 'phone',
    platform: 'other',
    online: true,
    providers: [],
    tags: [],
    alias: null,
    badge: 9,
  })
  const second = deviceOf('tablet', listed)
  t.assert.deepEqual([second.push_token, second.online, second.badge], [tablet.pushToken, false, 2])
  t.assert.equal((await bobs.ask('GET', '/user/device/list')).data.length, 1)
})

test('a removed device is gone with its token; a stranger cannot remove it', async (t) => {
  const { phone, tablet, bobs } = await household(t)
  t.assert.equal((await bobs.ask('POST', '/user/device/remove', { push_token: phone.pushToken })).code, 12011)
  t.assert.equal((await tablet.ask('POST', '/user/device/remove', { push_token: phone.pushToken })).code, 200)
  t.assert.equal((await tablet.ask('POST', '/user/device/remove', { push_token: phone.pushToken })).code, 12011)
  t.assert.equal((await phone.ask('GET', '/user/device/list')).code, 10008)
  t.assert.equal((await tablet.ask('GET', '/user/device/list')).data.length, 1)
})
