// Once: clients that others wrote talk to the simulators; no server takes part.
import dns from 'node:dns'
import test, { mock, type TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import apn from '@parse/node-apn'
import { ApnsClient, Notification } from 'apns2'
import { FCM, FcmOptions } from 'fcm-cloudflare-workers'
import { JWT } from 'google-auth-library'
import { makeEcKey, makeIdentity, makeRsaKey } from '@carillon/simulators/client.fixture.ts'
import { startSimulators, type SimulatorsOptions } from '@carillon/simulators/simulators.ts'

// Clients that others wrote, as they are published. Most have their vendor's hosts and port 443 built in: in this
// process those names lead to addresses of this machine, and the certificate shown there is trusted.
const hosts: Record<string, string> = {
  'api.push.apple.com': '127.0.7.43',
  'oauth2.googleapis.com': '127.0.7.44',
  'fcm.googleapis.com': '127.0.7.44',
}
const lookup = dns.lookup as (name: string, ...rest: unknown[]) => void
mock.method(dns, 'lookup', (name: string, ...rest: unknown[]) => lookup(hosts[name] ?? name, ...rest))
const tls = await makeIdentity('/CN=localhost', Object.keys(hosts))
setDefaultCACertificates([...getCACertificates('default'), tls.cert])

/** Vendors' ports follow that of the inspection in the order of their names: APNs, FCM … */
const apnsOn443 = { host: hosts['api.push.apple.com'], port: 442 }
const fcmOn443 = { host: hosts['fcm.googleapis.com'], port: 441 }

const topic = 'com.example.carillon'
const teamId = 'TEAM123456'
const keyId = 'CARILLON01'
const signingKey = makeEcKey()
const certificate = await makeIdentity(`/CN=Apple Push Services: ${topic}/UID=${topic}`)
const deviceOf = (number: number) => number.toString(16).padStart(64, '0')
const devices = (count: number) => Array.from({ length: count }, (_, number) => deviceOf(number))
const deadDevice = 'deaddead'.padEnd(64, '0')

const rsaKey = makeRsaKey()
const clientEmail = 'carillon-push@carillon-test.iam.gserviceaccount.com'
const privateKeyId = '0123456789abcdef0123456789abcdef01234567'
const projectId = 'carillon-test'

const accounts = {
  apns: [
    { teamId, keyId, key: signingKey.publicKey, topics: [topic] },
    { certificate: certificate.cert, topics: [topic] },
  ],
  fcm: [{ projectId, clientEmail, privateKeyId, key: rsaKey.publicKey }],
}

const open = async (t: TestContext, options: SimulatorsOptions) => {
  const simulators = await startSimulators({ tls, accounts, ...options }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error
    const remedy = 'run it as root, or set net.ipv4.ip_unprivileged_port_start to 441'
    throw new Error(`This test needs ports 441 to 451 of loopback: ${remedy}.`, { cause: error })
  })
  t.after(() => simulators.close())
  return simulators
}

const hello = () => new apn.Notification({ topic, pushType: 'alert', alert: 'Hello', badge: 3, payload: { ext: 1 } })

test('@parse/node-apn pushes with a signing key, and reads what is refused', async (t) => {
  const simulators = await open(t, apnsOn443)
  const provider = new apn.Provider({ token: { key: signingKey.privateKey, keyId, teamId }, production: true })
  t.after(() => provider.shutdown())
  const first = await provider.send(hello(), deviceOf(0))
  t.assert.deepEqual([first.sent.length, first.failed], [1, []])
  const many = await provider.send(hello(), [...devices(200), deadDevice])
  t.assert.equal(many.sent.length, 200)
  const refusals = many.failed.map(({ device, status, response }) => [device, status, response?.reason])
  t.assert.deepEqual(refusals, [[deadDevice, 410, 'Unregistered']])
  const [received] = simulators.received('apns')
  t.assert.deepEqual((received!.fields as any).payload, { aps: { alert: 'Hello', badge: 3 }, ext: 1 })
  const fate = { taken: 2, answered: 2, ambiguous: 0, refused: 0, early: 0 }
  t.assert.deepEqual(simulators.fates('apns').get(deviceOf(0)), fate)
})

test('@parse/node-apn pushes with a certificate', async (t) => {
  const simulators = await open(t, apnsOn443)
  const provider = new apn.Provider({ ...certificate, production: true })
  t.after(() => provider.shutdown())
  const { sent, failed } = await provider.send(hello(), devices(50))
  t.assert.deepEqual([sent.length, failed], [50, []])
  t.assert.equal(simulators.fates('apns').size, 50)
})

test('apns2 pushes, and reads what is refused', async (t) => {
  const simulators = await open(t, apnsOn443)
  const client = new ApnsClient({ team: teamId, keyId, signingKey: signingKey.privateKey, defaultTopic: topic })
  t.after(() => client.close())
  const helloTo = (device: string) => new Notification(device, { alert: 'Hello' })
  await client.send(helloTo(deviceOf(0)))
  const many = await client.sendMany(devices(20).map(helloTo))
  t.assert.deepEqual(many.filter((result) => 'error' in result), [])
  await t.assert.rejects(client.send(helloTo(deadDevice)), { reason: 'Unregistered' })
  t.assert.equal(simulators.fates('apns').get(deviceOf(0))!.taken, 2)
})

test('google-auth-library exchanges its statement for a token that pushes', async (t) => {
  const simulators = await open(t, fcmOn443)
  const scopes = ['https://www.googleapis.com/auth/firebase.messaging']
  const client = new JWT({ email: clientEmail, key: rsaKey.privateKey, keyId: privateKeyId, scopes })
  const url = `https://fcm.googleapis.com/v1/projects/${projectId}/messages:send`
  const { data } = await client.request<{ name: string }>({ url, method: 'POST', data: { message: { token: 'a' } } })
  t.assert.match(data.name, /^projects\/carillon-test\/messages\/0:/)
  t.assert.equal(simulators.fates('fcm').get('a')!.taken, 1)
  const stranger = new JWT({ email: clientEmail, key: makeRsaKey().privateKey, scopes })
  await t.assert.rejects(stranger.authorize(), /invalid_grant/)
})

test('fcm-cloudflare-workers pushes to several, and learns which is gone', async (t) => {
  const simulators = await open(t, fcmOn443)
  // It tells the console of every push that is refused.
  t.mock.method(console, 'error', () => {})
  const serviceAccount = { project_id: projectId, client_email: clientEmail, private_key: rsaKey.privateKey }
  const fcm = new FCM(new FcmOptions({ serviceAccount: serviceAccount as FcmOptions['serviceAccount'] }))
  const message = { notification: { title: 'Hello', body: 'You' }, data: { ext: '1' }, android: { ttl: '60s' } }
  t.assert.deepEqual(await fcm.sendToTokens(message, ['a', 'invalid1', 'b']), ['invalid1'])
  const taken = [...simulators.fates('fcm')].map(([token, fate]) => [token, fate.taken])
  t.assert.deepEqual(Object.fromEntries(taken), { a: 1, invalid1: 0, b: 1 })
})
