import test, { type TestContext } from 'node:test'
import { makeJwt, makeRsaKey, openClient } from './client.fixture.ts'
import { startSimulators } from './simulators.ts'

const key = makeRsaKey()
const otherKey = makeRsaKey()
const start = Date.UTC(2026, 0, 1)
const clientEmail = 'carillon-push@carillon-test.iam.gserviceaccount.com'
const privateKeyId = '0123456789abcdef0123456789abcdef01234567'
const scope = 'https://www.googleapis.com/auth/firebase.messaging'
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const shortLived = 'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.'
const path = '/v1/projects/carillon-test/messages:send'

const accounts = {
  fcm: [{ projectId: 'carillon-test', projectNumber: '123456', clientEmail, privateKeyId, key: key.publicKey }],
}

const assertion = (claims = {}, header = {}, signer = key) => {
  const seconds = start / 1000
  const aud = 'https://oauth2.googleapis.com/token'
  const all = { iss: clientEmail, scope, aud, iat: seconds, exp: seconds + 3600, ...claims }
  return makeJwt({ alg: 'RS256', kid: privateKeyId, ...header }, all, signer.privateKey)
}

const open = async (t: TestContext) => {
  const clock = { now: start }
  const simulators = await startSimulators({ accounts, now: () => clock.now })
  t.after(() => simulators.close())
  const url = simulators.urls.fcm
  const askToken = async (given: string, grant_type = grantType) => {
    const body = new URLSearchParams({ grant_type, assertion: given })
    const reply = await fetch(`${url}/token`, { method: 'POST', body })
    return { status: reply.status, body: (await reply.json()) as any }
  }
  const { body: granted } = await askToken(assertion())
  const authorization = `Bearer ${granted.access_token}`
  const post = async (body: unknown, headers: Record<string, string> = { authorization }, to = path) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const all = { 'content-type': 'application/json', ...headers }
    const reply = await fetch(url + to, { method: 'POST', headers: all, body: text })
    const answer = await reply.text()
    const isJson = reply.headers.get('content-type')!.startsWith('application/json')
    return { status: reply.status, headers: reply.headers, body: isJson ? JSON.parse(answer) : answer }
  }
  const send = (message: unknown) => post({ message })
  return { clock, simulators, url, askToken, granted, authorization, post, send }
}

/** Status, what FCM itself calls it, and the words. */
const short = ({ status, body }: { status: number; body: any }): string => {
  const code = body.error?.details?.find((detail: any) => detail['@type'].endsWith('FcmError'))?.errorCode
  return [status, code ?? body.error?.status, body.error?.message].join(' | ')
}

test('a statement signed by the service account is exchanged for an access token', async (t) => {
  const { granted, askToken, url } = await open(t)
  t.assert.match(granted.access_token, /^ya29\.[\w-]{100,}$/)
  t.assert.deepEqual([granted.expires_in, granted.token_type], [3599, 'Bearer'])
  t.assert.equal((await askToken(assertion({ aud: `${url}/token` }))).status, 200)
  t.assert.equal((await askToken(assertion({}, { kid: undefined }))).status, 200)
})

test('the token endpoint says what is wrong with a statement', async (t) => {
  const { askToken } = await open(t)
  const seconds = start / 1000
  const cases: [string, string][] = [
    ['400 invalid_grant Invalid JWT Signature.', assertion({}, {}, otherKey)],
    ['400 invalid_grant Invalid JWT Signature.', assertion({}, { kid: 'f'.repeat(40) })],
    ['400 invalid_grant Invalid grant: account not found', assertion({ iss: 'nobody@example.com' })],
    ['400 invalid_grant Invalid JWT: Failed audience check.', assertion({ aud: 'https://example.com/token' })],
    [`400 invalid_grant ${shortLived}`, assertion({ exp: seconds + 3601 })],
    [`400 invalid_grant ${shortLived}`, assertion({ iat: seconds - 3600, exp: seconds })],
    [`400 invalid_grant ${shortLived}`, assertion({ iat: seconds + 301, exp: seconds + 3000 })],
    ['401 unauthorized_client', assertion({ sub: 'someone@example.com' })],
    ['400 invalid_scope', assertion({ scope: '' })],
    ['400 invalid_grant Invalid JWT', assertion({}, { alg: 'RS512' })],
    ['400 invalid_grant Invalid JWT', 'a.b'],
  ]
  for (const [expected, given] of cases) {
    const { status, body } = await askToken(given)
    const said = `${status} ${body.error} ${body.error_description}`
    t.assert.equal(said.slice(0, expected.length), expected)
  }
  t.assert.equal((await askToken(assertion(), 'password')).body.error, 'unsupported_grant_type')
})

test('a message that is right is taken and named, in either spelling of its fields', async (t) => {
  const { send, post, authorization, simulators } = await open(t)
  const message = {
    token: 'cXy:APA91b-1',
    notification: { title: 'T', body: 'B' },
    data: { carillon_task: 't1', ext: '{"k":1}' },
    android: { priority: 'high', ttl: '3600s', notification: { channel_id: 'chat', notification_count: 5 } },
  }
  const reply = await send(message)
  t.assert.equal(reply.status, 200)
  t.assert.match(reply.body.name, /^projects\/carillon-test\/messages\/0:\d+%[0-9a-f]{16}$/)
  const camel = { token: 'b', android: { collapseKey: 'k', notification: { channelId: 'c', color: '#aabbcc' } } }
  t.assert.equal((await send(camel)).status, 200)
  t.assert.equal((await post({ message }, { authorization }, '/v1/projects/123456/messages:send')).status, 200)
  const [received] = simulators.received('fcm')
  t.assert.deepEqual(received!.taken, [message.token])
  const read = { ...message, android: { ...message.android, priority: 'HIGH' } }
  t.assert.deepEqual(received!.fields, { message: read, validate_only: undefined })
  t.assert.equal(JSON.stringify(received).includes(authorization), false)
})

test('a dry run is answered as one and reaches no phone', async (t) => {
  const { post, simulators } = await open(t)
  const { body } = await post({ validate_only: true, message: { token: 'a' } })
  t.assert.equal(body.name, 'projects/carillon-test/messages/fake_message_id')
  t.assert.equal(simulators.fates('fcm').get('a')!.taken, 0)
  const wrong = await post({ validate_only: true, message: { token: 'not a token' } })
  t.assert.match(short(wrong), /^400 \| INVALID_ARGUMENT/)
})

test('each thing Google does not read or FCM does not take is told', async (t) => {
  const { send, post } = await open(t)
  const token = 'a'
  const durationType = 'type.googleapis.com/google.protobuf.Duration'
  const notification = (fields: object) => ({ token, android: { notification: fields } })
  const at = "Invalid value at 'message.android.notification"
  const cases: [string, unknown][] = [
    [`Invalid JSON payload received. Unknown name "foo" at 'message': Cannot find field.`, { token, foo: 1 }],
    [`Invalid JSON payload received. Unknown name "x" at 'message.android'`, { token, android: { x: 1 } }],
    [`Invalid value at 'message.data[1].value' (TYPE_STRING), 12`, { token, data: { a: '', b: 12 } }],
    [`Invalid value at 'message.data[0].value' (TYPE_STRING), null`, { token, data: { a: null } }],
    [`Invalid value at 'message.notification.title' (TYPE_STRING), 5`, { token, notification: { title: 5 } }],
    [`Invalid value at 'message.android.ttl' (${durationType}), 3600`, { token, android: { ttl: 3600 } }],
    [`Invalid value at 'message.android.ttl' (${durationType}), "3600"`, { token, android: { ttl: '3600' } }],
    ['Invalid TTL', { token, android: { ttl: '2419201s' } }],
    ['Invalid TTL', { token, android: { ttl: '-1s' } }],
    [`Invalid value at 'message.android.priority'`, { token, android: { priority: 'LOUD' } }],
    [`${at}.notification_count' (TYPE_INT32), 1.5`, notification({ notification_count: 1.5 })],
    [`${at}.event_time'`, notification({ event_time: 'now' })],
    [`${at}.visibility'`, notification({ visibility: 'public' })],
    [`${at}.title_loc_args[0]' (TYPE_STRING), 1`, notification({ title_loc_args: [1] })],
    ['Color must be', notification({ color: 'red' })],
    [`Invalid value at 'message' (oneof), oneof field 'target' is already set.`, { token, topic: 't' }],
    ['Recipient of the message is not set.', { data: {} }],
    ['Recipient of the message is not set.', { token: '' }],
    ['Invalid data payload key: google.x', { token, data: { 'google.x': '' } }],
    ['Invalid data payload key: gcm.x', { token, data: { 'gcm.x': '' } }],
    ['Invalid data payload key: from', { token, android: { data: { from: '' } } }],
    ['Invalid data payload key: message_type', { token, data: { message_type: '' } }],
    ['Invalid analytics label', { token, fcm_options: { analytics_label: 'a b' } }],
    ['Invalid topic name', { topic: '/topics/x' }],
    ['The registration token is not a valid FCM registration token', { token: 'not a token' }],
    ['Request contains an invalid argument.', { token, data: { k: 'x'.repeat(4096) } }],
    ['Request contains an invalid argument.', { topic: 't', data: { k: 'x'.repeat(2048) } }],
    [`Invalid value at 'message' (message), []`, []],
  ]
  for (const [words, message] of cases) {
    const reply = await send(message)
    t.assert.equal(`${reply.status} ${reply.body.error.status}`, '400 INVALID_ARGUMENT')
    t.assert.equal(reply.body.error.message.slice(0, words.length), words)
  }
  t.assert.equal((await send({ token, data: { k: 'x'.repeat(4095) } })).status, 200)
  t.assert.equal((await send({ topic: 't', data: { k: 'x'.repeat(2047) } })).status, 200)
  t.assert.match((await post('{"message":')).body.error.message, /^Invalid JSON payload received\./)
  t.assert.match((await post({ messages: {} })).body.error.message, /Unknown name "messages": Cannot find field/)
})

test('an access token must be one of ours, for this project, with the right scope, and still good', async (t) => {
  const { post, clock, simulators, authorization, askToken } = await open(t)
  const body = { message: { token: 'a' } }
  t.assert.match(short(await post(body, {})), /^401 \| UNAUTHENTICATED \| Request is missing/)
  const stranger = await post(body, { authorization: 'Bearer ya29.other' })
  t.assert.match(short(stranger), /^401 \| UNAUTHENTICATED \| Request had invalid/)
  const elsewhere = await post(body, { authorization }, '/v1/projects/another/messages:send')
  t.assert.match(short(elsewhere), /^403 \| PERMISSION_DENIED \| Permission 'cloudmessaging.messages.create' denied/)
  const narrow = await askToken(assertion({ scope: 'https://www.googleapis.com/auth/drive' }))
  const tooNarrow = await post(body, { authorization: `Bearer ${narrow.body.access_token}` })
  t.assert.match(short(tooNarrow), /^403 .* insufficient/)
  simulators.order({ vendor: 'fcm', options: { tokenSeconds: 10 } })
  const brief = { authorization: `Bearer ${(await askToken(assertion())).body.access_token}` }
  clock.now += 9_999
  t.assert.equal((await post(body, brief)).status, 200)
  clock.now += 1
  const expired = await post(body, brief)
  t.assert.equal(expired.status, 401)
  t.assert.equal(expired.body.error.details[0].reason, 'ACCESS_TOKEN_EXPIRED')
  t.assert.equal((await post(body)).status, 200)
})

test('every ending can be ordered for a token, and some by its beginning', async (t) => {
  const { send, simulators } = await open(t)
  const cases = {
    dead1: '404 | UNREGISTERED | Requested entity was not found.',
    invalid1: '400 | INVALID_ARGUMENT | The registration token is not a valid FCM registration token',
    mismatch1: '403 | SENDER_ID_MISMATCH | SenderId mismatch',
    'apns-dead1': '400 | INVALID_ARGUMENT | APNs device token is disabled.',
    'apns-auth1': '401 | THIRD_PARTY_AUTH_ERROR | Auth error from APNS or Web Push Service',
    toofast1: '429 | QUOTA_EXCEEDED | Message rate exceeded for this device.',
    internal1: '500 | INTERNAL | Internal error encountered.',
    unavailable1: '503 | UNAVAILABLE | The service is currently unavailable.',
  }
  for (const [token, expected] of Object.entries(cases)) t.assert.equal(short(await send({ token })), expected)
  simulators.order({ vendor: 'fcm', token: 'a', outcome: 'BAD_GATEWAY' })
  const page = await send({ token: 'a' })
  t.assert.equal(page.status, 502)
  t.assert.match(page.body, /^<!DOCTYPE html>[^]*try again in 30 seconds/)
})

test('a project has a number of messages a minute, refused ones included', async (t) => {
  const { send, simulators, clock } = await open(t)
  simulators.order({ vendor: 'fcm', options: { quotaPerMinute: 2, quotaRetryAfterSeconds: 30 } })
  t.assert.equal((await send({ token: 'dead1' })).status, 404)
  t.assert.equal((await send({ token: 'a' })).status, 200)
  const over = await send({ token: 'a' })
  t.assert.match(short(over), /^429 \| QUOTA_EXCEEDED/)
  t.assert.equal(over.headers.get('retry-after'), '30')
  clock.now += 60_000
  t.assert.equal((await send({ token: 'a' })).status, 200)
  t.assert.equal(simulators.fates('fcm').get('a')!.early, 0)
})

test('what is gone is answered with a page of HTML', async (t) => {
  const { post, url } = await open(t)
  const replies = [await post({}, {}, '/batch'), await post({}, {}, '/fcm/send'), await fetch(url + path)]
  for (const { status, headers } of replies) {
    t.assert.equal(status, 404)
    t.assert.match(headers.get('content-type')!, /^text\/html/)
  }
})

test('HTTP/2 has a hundred streams a connection, and the scheme may end in a colon', async (t) => {
  const { url, authorization } = await open(t)
  const client = await openClient(url)
  t.after(() => client.close())
  t.assert.equal(client.session.remoteSettings.maxConcurrentStreams, 100)
  const headers = { authorization, 'content-type': 'application/json', ':scheme': 'https:' }
  // The second request refers to the first one's header table.
  for (const token of ['a', 'b']) {
    t.assert.equal((await client.post(path, headers, JSON.stringify({ message: { token } }))).status, 200)
  }
})

test('without accounts every well-formed statement gets a token, for any project', async (t) => {
  const simulators = await startSimulators({ now: () => start })
  t.after(() => simulators.close())
  const url = simulators.urls.fcm
  const ask = async (given: string) => {
    const body = new URLSearchParams({ grant_type: grantType, assertion: given })
    return (await (await fetch(`${url}/token`, { method: 'POST', body })).json()) as any
  }
  t.assert.equal((await ask(assertion({ exp: start }))).error, 'invalid_grant')
  const { access_token } = await ask(assertion({ iss: 'anyone@example.com' }, {}, makeRsaKey()))
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ message: { token: 'a' } })
  t.assert.equal((await fetch(`${url}/v1/projects/mine/messages:send`, { method: 'POST', headers, body })).status, 200)
})
