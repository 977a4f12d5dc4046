import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'

test('no token, password, secret or push token appears in the log, not even at debug level', async (t) => {
  const carillon = await startCarillon(t, { CARILLON_LOG_LEVEL: 'debug' })
  const admin = carillon.admin
  const password = 'correct horse battery'
  const secrets = new Map([['the admin token', admin], ['the password', password]])
  const keep = (what: string, secret: string): string => {
    secrets.set(what, secret)
    return secret
  }

  // Logins: right, wrong, malformed, with a secret in a place where none belongs.
  await carillon.ok('/user/register/v2', { body: { username: 'ann', password } })
  const login = await carillon.ok('/token/user', { body: { name: 'ann', password, device_guid: 'phone' } })
  for (const field of ['token', 'push_token', 'store_token', 'access_key_secret']) keep(`its ${field}`, login[field])
  const wrong = [
    { name: 'ann', password: keep('a wrong password', 'wrong horse battery') },
    `{"name":"ann","password":"${keep('a password in bad JSON', 'unfinished horse')}`,
    { name: 'ann', password: { nested: keep('a password of a wrong type', 'nested horse') } },
  ]
  for (const body of wrong) t.assert.notEqual((await carillon.call('/token/user', { body })).code, 200)
  const change = { old_password: password, password: keep('the new password', 'another horse battery') }
  await carillon.ok('/user/change_password', { token: login.token, body: change })
  await carillon.call('/push/task/list', { token: keep('a token nobody has', `ca_${'x'.repeat(43)}`) })
  await carillon.call(`/no/such/path?access-token=${admin}`, { token: admin })

  // Certificates and vendor tokens.
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signingKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  keep('the private key', signingKey.split('\n')[1]!)
  const ids = { app_id: 'com.example.app', app_key: 'ABCDE12345', app_secret: 'TEAM123456' }
  const apns = { provider: 1, name: 'ios', ...ids, certificate: signingKey }
  await carillon.ok('/push/certificate', { method: 'PUT', token: admin, body: apns })
  const app_secret = keep('an app secret', 'c2VjcmV0IG9mIHhpYW9taQ==')
  const xiaomi = { provider: 3, name: 'com.example.app', app_id: '1', app_key: '2', app_secret }
  await carillon.ok('/push/certificate', { method: 'PUT', token: admin, body: xiaomi })
  await carillon.ok('/push/certificate?provider=3', { token: admin })
  const device_token = keep('a vendor token', 'vendor token of a phone')
  await carillon.ok('/user/token/bind', { token: login.token, body: { provider: 3, device_token } })

  // Devices: one that is let in, one that is not, one that misbehaves.
  const device = await connectDevice(t, carillon, login)
  const message = { title: keep('a title', 'a private title') }
  const task = await carillon.notify({ audience: { push_token: [login.push_token] }, message })
  await device.has(1)
  await carillon.ok(`/push/task/${task}/trace?push_token=${login.push_token}`, { token: admin })
  const stranger = { push_token: login.push_token, token: keep('a wrong device password', 'cu_wrong') }
  await t.assert.rejects(connectDevice(t, carillon, stranger))
  device.client.publish('elsewhere', keep('what a device published', 'a private payload'))
  await carillon.until(async () => device.client.connected, (connected) => !connected)
  await carillon.ok('/token/logout', { method: 'POST', token: login.token })
  keep('the key', (await readFile(join(carillon.data, 'key'), 'utf8')).trim())
  await carillon.stop()

  t.assert.match(carillon.log, /"level":"info"/, 'something was logged')
  for (const [what, secret] of secrets) t.assert.equal(carillon.log.includes(secret), false, `${what} is in the log`)
})
