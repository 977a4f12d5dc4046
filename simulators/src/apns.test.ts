import { connect as connectHttp2 } from 'node:http2'
import test, { type TestContext } from 'node:test'
import { makeEcKey, makeIdentity, makeJwt, openClient, replyTo, type Reply } from './client.fixture.ts'
import { startSimulators } from './simulators.ts'

const key = makeEcKey()
const otherKey = makeEcKey()
const teamId = 'TEAM123456'
const keyId = 'CARILLON01'
const topic = 'com.example.carillon'
const device = '00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0'
const alert = '{"aps":{"alert":"Hello"}}'
const start = Date.UTC(2026, 0, 1)

const accounts = {
  apns: [
    { teamId, keyId, key: key.privateKey, topics: [topic] },
    { teamId, keyId: 'CARILLON02', key: otherKey.publicKey, topics: [topic] },
    { teamId: 'OTHERTEAM1', keyId, key: otherKey.publicKey, topics: [topic] },
    { teamId, keyId: 'SANDBOX001', key: otherKey.publicKey, topics: [topic], environment: 'sandbox' as const },
  ],
}

const bearer = (claims = {}, header = {}, signer = key) => {
  const all = { iss: teamId, iat: start / 1000, ...claims }
  return `bearer ${makeJwt({ alg: 'ES256', kid: keyId, ...header }, all, signer.privateKey)}`
}
const authorization = bearer()

/** The simulators with a clock one moves, and a connection to APNs; `push` changes something of a push that is fine. */
const open = async (t: TestContext) => {
  const clock = { now: start }
  const simulators = await startSimulators({ accounts, now: () => clock.now })
  t.after(() => simulators.close())
  const connect = async () => {
    const client = await openClient(simulators.urls.apns)
    t.after(() => client.close())
    const push = (change: Record<string, string | undefined> = {}, body = alert, path = `/3/device/${device}`) => {
      const all = { authorization, 'apns-topic': topic, 'apns-push-type': 'alert', ...change }
      const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
      return client.post(path, Object.fromEntries(given), body)
    }
    return { client, push }
  }
  return { clock, simulators, connect, ...(await connect()) }
}

const reasonOf = ({ status, body }: Reply): string =>
  body === '' ? `${status}` : `${status} ${(JSON.parse(body) as { reason: string }).reason}`

test('a push that is right is answered 200, without a body, with its apns-id', async (t) => {
  const { push, simulators } = await open(t)
  const id = '3ad900b1-cf2f-8bcf-b2dc-8f4c8e8d4776'
  const more = { 'apns-priority': '10', 'apns-expiration': '1700003600', 'apns-collapse-id': 'c' }
  const reply = await push({ 'apns-id': id, ...more })
  t.assert.equal(reply.status, 200)
  t.assert.equal(reply.body, '')
  t.assert.equal(reply.headers['apns-id'], id)
  t.assert.equal(reply.headers['apns-unique-id'], undefined)
  t.assert.match((await push()).headers['apns-id']!, /^[0-9a-f-]{36}$/)
  const [received] = simulators.received('apns')
  t.assert.deepEqual(received!.tokens, [device])
  t.assert.deepEqual(received!.fields, {
    id, topic, push_type: 'alert', priority: '10', expiration: '1700003600', collapse_id: 'c',
    payload: { aps: { alert: 'Hello' } },
  })
  t.assert.equal(JSON.stringify(received).includes(authorization.slice(7)), false)
})

test('each header, path and payload that is wrong has its own reason', async (t) => {
  const { push } = await open(t)
  const voip = { 'apns-push-type': 'voip', 'apns-topic': `${topic}.voip` }
  const payload = (bytes: number) => JSON.stringify({ aps: {}, x: 'x'.repeat(bytes - '{"aps":{},"x":""}'.length) })
  const cases: [string, Parameters<typeof push>][] = [
    ['400 BadMessageId', [{ 'apns-id': '1' }]],
    ['400 MissingTopic', [{ 'apns-topic': undefined }]],
    ['400 BadTopic', [{ 'apns-topic': 'com example' }]],
    ['400 TopicDisallowed', [{ 'apns-topic': 'com.example.other' }]],
    ['400 BadTopic', [{ 'apns-push-type': 'voip' }]],
    ['200', [{ 'apns-collapse-id': 'c'.repeat(64) }]],
    ['400 BadCollapseId', [{ 'apns-collapse-id': 'c'.repeat(65) }]],
    ['400 BadPriority', [{ 'apns-priority': '7' }]],
    ['400 BadPriority', [{ 'apns-push-type': 'background', 'apns-priority': '10' }]],
    ['200', [{ 'apns-push-type': 'background', 'apns-priority': '5' }]],
    ['400 BadExpirationDate', [{ 'apns-expiration': 'tomorrow' }]],
    ['200', [{ 'apns-expiration': '0' }]],
    ['400 InvalidPushType', [{ 'apns-push-type': 'loud' }]],
    ['400 InvalidPushType', [{ 'apns-push-type': 'toString' }]],
    ['404 BadPath', [{}, alert, '/3/devices/1']],
    ['400 MissingDeviceToken', [{}, alert, '/3/device/']],
    ['400 BadDeviceToken', [{}, alert, '/3/device/xyz']],
    ['400 BadDeviceToken', [{}, alert, `/3/device/${device.slice(2)}`]],
    ['400 PayloadEmpty', [{}, '']],
    ['400 PayloadEmpty', [{}, '[]']],
    ['400 PayloadEmpty', [{}, '{"aps":']],
    ['200', [{}, payload(4096)]],
    ['413 PayloadTooLarge', [{}, payload(4097)]],
    ['200', [voip, payload(5120)]],
    ['413 PayloadTooLarge', [voip, payload(5121)]],
  ]
  for (const [expected, args] of cases) {
    t.assert.equal(reasonOf(await push(...args)), expected, JSON.stringify(args[0]))
  }
})

test('only POST, and each header once', async (t) => {
  const { client } = await open(t)
  const headers = { authorization, 'apns-topic': topic }
  const put = await client.post(`/3/device/${device}`, { ...headers, ':method': 'PUT' }, alert)
  t.assert.equal(reasonOf(put), '405 MethodNotAllowed')
  const twice = { ...headers, 'apns-priority': ['5', '10'] as unknown as string }
  t.assert.equal(reasonOf(await client.post(`/3/device/${device}`, twice, alert)), '400 DuplicateHeaders')
})

test('a provider token must be there, signed by the key it names, with ES256, and no older than an hour', async (t) => {
  const { push, clock, connect } = await open(t)
  const cases: [string, string | undefined][] = [
    ['403 MissingProviderToken', undefined],
    ['403 InvalidProviderToken', 'bearer x'],
    ['403 InvalidProviderToken', authorization.slice(7)],
    ['403 InvalidProviderToken', bearer({}, {}, otherKey)],
    ['403 InvalidProviderToken', bearer({}, { kid: 'UNKNOWN001' })],
    ['403 InvalidProviderToken', bearer({ iss: 'UNKNOWN001' })],
    ['403 InvalidProviderToken', bearer({ iat: undefined })],
    ['403 InvalidProviderToken', bearer({}, { alg: 'HS256' })],
    ['403 ExpiredProviderToken', bearer({ iat: start / 1000 - 3601 })],
    ['403 ExpiredProviderToken', bearer({ iat: start / 1000 + 3601 })],
    ['403 BadEnvironmentKeyIdInToken', bearer({}, { kid: 'SANDBOX001' }, otherKey)],
    ['200', bearer({ iat: `${start / 1000}` })],
  ]
  for (const [expected, value] of cases) {
    t.assert.equal(reasonOf(await push({ authorization: value })), expected, `${value}`)
  }
  clock.now += 3_600_000
  t.assert.equal(reasonOf(await push()), '200')
  clock.now += 1
  t.assert.equal(reasonOf(await push()), '403 ExpiredProviderToken')
  t.assert.equal(reasonOf(await (await connect()).push()), '403 ExpiredProviderToken')
})

test('the first token binds its connection to its team and key, and may change every twenty minutes', async (t) => {
  const { push, clock, connect } = await open(t)
  t.assert.equal(reasonOf(await push()), '200')
  const ofOtherTeam = bearer({ iss: 'OTHERTEAM1' }, {}, otherKey)
  const ofOtherKey = bearer({}, { kid: 'CARILLON02' }, otherKey)
  t.assert.equal(reasonOf(await push({ authorization: ofOtherTeam })), '403 InvalidProviderToken')
  t.assert.equal(reasonOf(await push({ authorization: ofOtherKey })), '403 UnrelatedKeyIdInToken')
  const soon = bearer({ iat: start / 1000 + 1199 })
  t.assert.equal(reasonOf(await push({ authorization: soon })), '429 TooManyProviderTokenUpdates')
  t.assert.equal(reasonOf(await (await connect()).push({ authorization: soon })), '200')
  clock.now += 1_200_000
  t.assert.equal(reasonOf(await push({ authorization: bearer({ iat: start / 1000 + 1200 }) })), '200')
  t.assert.equal(reasonOf(await (await connect()).push({ authorization: ofOtherTeam })), '200')
})

test('a connection has one stream until a push is taken on it, then a thousand', async (t) => {
  const { client, push } = await open(t)
  const streams = () => client.session.remoteSettings.maxConcurrentStreams
  t.assert.equal(streams(), 1)
  await push({ authorization: undefined })
  t.assert.equal(streams(), 1)
  const raised = new Promise((resolve) => client.session.once('remoteSettings', resolve))
  await push()
  await raised
  t.assert.equal(streams(), 1000)
})

test('streams opened before the limit is known are refused as not processed', async (t) => {
  const { simulators } = await open(t)
  const session = connectHttp2(simulators.urls.apns)
  t.after(() => session.destroy())
  const headers = { ':method': 'POST', ':path': `/3/device/${device}`, authorization, 'apns-topic': topic }
  const replies = await Promise.all(Array.from({ length: 10 }, () => replyTo(session.request(headers), alert)))
  t.assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  t.assert.equal(replies.filter(({ code }) => code === 7).length, 9)
  t.assert.equal(simulators.fates('apns').get(device)!.taken, 1)
})

test('when ordered, a rejection lowers the limit to one stream until a push is taken', async (t) => {
  const { simulators, client, push } = await open(t)
  const change = () =>
    new Promise<number | undefined>((resolve) => {
      client.session.once('remoteSettings', ({ maxConcurrentStreams }) => resolve(maxConcurrentStreams))
    })
  simulators.order({ vendor: 'apns', options: { lowerAfterRejection: true, streams: 500 } })
  for (const [body, limit] of [[alert, 500], ['', 1], [alert, 500]] as const) {
    const changed = change()
    await push({}, body)
    t.assert.equal(await changed, limit)
  }
})

test('every reason can be ordered for a device token, and some by its beginning', async (t) => {
  const { simulators, push, clock } = await open(t)
  const to = (token: string) => push({}, alert, `/3/device/${token}`)
  const beginningWith = (text: string) => text + device.slice(text.length)
  const cases = {
    deaddead: '410 Unregistered',
    deadda7e: '410 ExpiredToken',
    bad00bad: '400 BadDeviceToken',
    bad70b1c: '400 DeviceTokenNotForTopic',
    fa57fa57: '429 TooManyRequests',
    bad00500: '500 InternalServerError',
    bad00503: '503 ServiceUnavailable',
  }
  for (const [text, expected] of Object.entries(cases)) {
    t.assert.equal(reasonOf(await to(beginningWith(text))), expected)
  }
  simulators.order({ vendor: 'apns', token: device, outcome: 'Shutdown' })
  t.assert.equal(reasonOf(await to(device)), '503 Shutdown')
  simulators.order({ vendor: 'apns', token: device, outcome: 'Unregistered' })
  simulators.order({ vendor: 'apns', options: { deadForMs: 5000 } })
  const { body } = await to(device.toUpperCase())
  t.assert.deepEqual(JSON.parse(body), { reason: 'Unregistered', timestamp: clock.now - 5000 })
  simulators.order({ vendor: 'apns', token: device, outcome: null })
  t.assert.equal(reasonOf(await to(device)), '200')
  t.assert.equal(simulators.fates('apns').get(device)!.taken, 1)
})

test('the sandbox tells its own id of each push, and takes keys of its own', async (t) => {
  const { simulators, push } = await open(t)
  simulators.order({ vendor: 'apns', options: { sandbox: true } })
  const reply = await push({ authorization: bearer({}, { kid: 'SANDBOX001' }, otherKey) })
  t.assert.equal(reply.status, 200)
  t.assert.match(reply.headers['apns-unique-id']!, /^[0-9a-f-]{36}$/)
})

test('without accounts every well-formed token is taken, and no malformed one', async (t) => {
  const simulators = await startSimulators({ now: () => start })
  t.after(() => simulators.close())
  const client = await openClient(simulators.urls.apns)
  t.after(() => client.close())
  const push = (value: string) =>
    client.post(`/3/device/${device}`, { authorization: value, 'apns-topic': 'any.app' }, alert)
  t.assert.equal(reasonOf(await push(bearer({ iss: 'short' }))), '403 InvalidProviderToken')
  t.assert.equal(reasonOf(await push(bearer({ iat: 1 }))), '403 ExpiredProviderToken')
  t.assert.equal(reasonOf(await push(bearer({}, {}, makeEcKey()))), '200')
})

test('a certificate shown in the handshake stands for a token, its only topic for apns-topic', async (t) => {
  const tls = await makeIdentity('/CN=localhost')
  const own = await makeIdentity(`/CN=Apple Push Services: ${topic}/UID=${topic}`)
  const stranger = await makeIdentity(`/CN=Apple Push Services: ${topic}/UID=${topic}`)
  const several = await makeIdentity(`/CN=Several/UID=${topic}`)
  const apns = [
    { certificate: own.cert, topics: [topic] },
    { certificate: several.cert, topics: [topic, `${topic}.voip`] },
  ]
  const simulators = await startSimulators({ tls, accounts: { apns } })
  t.after(() => simulators.close())
  const pushAs = async (identity: object, headers: Record<string, string>) => {
    const client = await openClient(simulators.urls.apns, { ca: tls.cert, ...identity })
    t.after(() => client.close())
    return { reason: reasonOf(await client.post(`/3/device/${device}`, headers, alert)), client }
  }
  const { reason, client } = await pushAs(own, {})
  t.assert.equal(reason, '200')
  t.assert.equal(client.session.remoteSettings.maxConcurrentStreams, 1000)
  t.assert.equal((await pushAs(own, { 'apns-topic': 'com.example.other' })).reason, '400 TopicDisallowed')
  const location = { 'apns-push-type': 'location', 'apns-topic': `${topic}.location-query` }
  t.assert.equal((await pushAs(own, location)).reason, '400 InvalidPushType')
  t.assert.equal((await pushAs(several, {})).reason, '400 MissingTopic')
  t.assert.equal((await pushAs(stranger, { 'apns-topic': topic })).reason, '403 BadCertificate')
  t.assert.equal((await pushAs({}, { 'apns-topic': topic })).reason, '403 MissingProviderToken')
})
