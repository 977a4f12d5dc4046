import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import fcm from './fcm.ts'
import type { Account, Address, Reply, VendorPush, Verdict } from './vendor.ts'

const NOW = 1_700_000_000_000
const HOUR_MS = 3_600_000
const TOKEN = 'cXy-1_2:APA91bExample'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const file = {
  type: 'service_account',
  project_id: 'carillon-test',
  private_key_id: '0123456789abcdef0123456789abcdef01234567',
  private_key: pem,
  client_email: 'carillon-push@carillon-test.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
}
const accountWith = (changes: object = {}, options: Record<string, unknown> = {}): Account => ({
  app_id: '',
  app_key: '',
  app_secret: '',
  certificate: JSON.stringify({ ...file, ...changes }),
  name: '',
  options,
  environment: 1,
})
const account = accountWith()

const push = (message: VendorPush['message'], setting: VendorPush['setting'] = {}): VendorPush => ({
  taskId: 41,
  message,
  setting,
  appName: 'Carillon',
  now: NOW,
  expiresAt: NOW + HOUR_MS,
  receiptUrl: undefined,
})

interface Extra {
  account?: Account
  address?: Partial<Address>
  push?: Partial<VendorPush>
  variant?: string
}
const addressed = (sent: VendorPush, extra: Extra = {}) => ({
  push: { ...sent, ...extra.push },
  account: extra.account ?? account,
  addresses: [{ token: TOKEN, deviceId: 1, badge: null, ...extra.address }],
  region: '',
  access: 'ya29.access',
  variant: extra.variant ?? '',
  prepared: '',
})
const request = (sent: VendorPush, extra?: Extra) => fcm.request(addressed(sent, extra))
const message = (sent: VendorPush, extra?: Extra) => JSON.parse(request(sent, extra).body).message
const shown = (sent: VendorPush, extra?: Extra) => message(sent, extra).android.notification
const reply = (status: number, body: unknown): Reply => ({
  status,
  headers: {},
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const read = (status: number, body: unknown): Verdict =>
  fcm.read(reply(status, body), addressed(push({ title: 'T' })))[0]!

const access = () => {
  if (!fcm.access || !('request' in fcm.access)) throw new Error('fcm asks for its access tokens')
  return fcm.access
}
const assertionOf = (of: Account) => new URLSearchParams(access().request(of, '', NOW).body).get('assertion')!
const partOf = (jwt: string, part: 0 | 1) => Buffer.from(jwt.split('.')[part]!, 'base64url').toString()

test('the request for an access token is signed exactly as Google asks', (t: TestContext) => {
  const asked = access().request(account, '', NOW)
  t.assert.deepEqual([asked.origin, asked.method, asked.path], ['https://oauth2.googleapis.com', 'POST', '/token'])
  t.assert.deepEqual(asked.headers, { 'content-type': 'application/x-www-form-urlencoded' })
  const assertion = assertionOf(account)
  t.assert.equal(
    asked.body,
    `grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=${assertion}`,
  )
  t.assert.equal(partOf(assertion, 0), `{"alg":"RS256","typ":"JWT","kid":"${file.private_key_id}"}`)
  t.assert.equal(
    partOf(assertion, 1),
    '{"iss":"carillon-push@carillon-test.iam.gserviceaccount.com",' +
      '"scope":"https://www.googleapis.com/auth/firebase.messaging",' +
      '"aud":"https://oauth2.googleapis.com/token","iat":1700000000,"exp":1700003600}',
  )
  const [header, claims, signature] = assertion.split('.') as [string, string, string]
  const input = Buffer.from(`${header}.${claims}`)
  t.assert.equal(
    createHash('sha256').update(input).digest('hex'),
    '2cc896a85ab5c1301caff608131f0999ff721b7ab3543592e5d3edc619937ec9',
  )
  t.assert.ok(verify('sha256', input, publicKey, Buffer.from(signature, 'base64url')))
  t.assert.equal(assertionOf(account), assertion)
})

test('pieces in place of the key file, and a key with its line breaks written out, sign as well', (t: TestContext) => {
  const pieces = { ...account, certificate: '', app_id: 'carillon-test', app_key: 'me@example.com', app_secret: pem }
  t.assert.equal(partOf(assertionOf(pieces), 0), '{"alg":"RS256","typ":"JWT"}')
  t.assert.equal(JSON.parse(partOf(assertionOf(pieces), 1)).iss, 'me@example.com')
  t.assert.equal(request(push({ title: 'T' }), { account: pieces }).path, '/v1/projects/carillon-test/messages:send')
  t.assert.equal(assertionOf(accountWith({ private_key: pem.replaceAll('\n', '\\n') })), assertionOf(account))
})

test('a token_uri of its own is asked and named, but never without TLS', (t: TestContext) => {
  const asked = (token_uri: unknown) => {
    const own = accountWith({ token_uri })
    const { origin, path } = access().request(own, '', NOW)
    return [origin, path, JSON.parse(partOf(assertionOf(own), 1)).aud]
  }
  t.assert.deepEqual(asked('https://auth.example.com/t?x=1'), [
    'https://auth.example.com', '/t?x=1', 'https://auth.example.com/t?x=1',
  ])
  t.assert.deepEqual(asked('http://127.0.0.1:9/token'), [
    'https://oauth2.googleapis.com', '/token', 'http://127.0.0.1:9/token',
  ])
  const standard = ['https://oauth2.googleapis.com', '/token', 'https://oauth2.googleapis.com/token']
  for (const odd of [undefined, 7, 'token', 'ftp://example.com/', 'https://[']) t.assert.deepEqual(asked(odd), standard)
})

test('an access token is renewed five minutes before it ends', (t: TestContext) => {
  for (const expires_in of [3599, '3599']) {
    const token = access().read(reply(200, { access_token: 'ya29.x', expires_in, token_type: 'Bearer' }), NOW)
    t.assert.deepEqual(token, { value: 'ya29.x', renewAt: NOW + 3_299_000, endsAt: NOW + 3_599_000 })
  }
})

const clockText =
  'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. ' +
  'Check your iat and exp values in the JWT claim.'
const grant = { error: 'invalid_grant' }
const tokenTable: [status: number, body: unknown, kind: Verdict['kind'], why: RegExp][] = [
  [400, { ...grant, error_description: 'Invalid JWT Signature.' }, 'denied', /revoked.*\(invalid_grant\)$/],
  [400, { ...grant, error_description: clockText }, 'denied', /check the clock.*\(invalid_grant\)$/],
  [400, { ...grant, error_description: 'account not found' }, 'denied', /\(invalid_grant\)$/],
  [400, { error: 'invalid_scope' }, 'denied', /\(invalid_scope\)$/],
  [401, { error: 'unauthorized_client' }, 'denied', /\(unauthorized_client\)$/],
  [401, { error: 'invalid_client' }, 'denied', /\(invalid_client\)$/],
  [408, '', 'down', /\(HTTP 408\)$/],
  [429, '<html>', 'down', /\(HTTP 429\)$/],
  [500, '', 'down', /\(HTTP 500\)$/],
  [502, '<html>', 'down', /\(HTTP 502\)$/],
  [503, '', 'down', /\(HTTP 503\)$/],
  [504, '', 'down', /\(HTTP 504\)$/],
  [400, { error: 'internal_failure' }, 'down', /\(internal_failure\)$/],
  [400, { error: 'server_error' }, 'down', /\(server_error\)$/],
  [400, { error: 'temporarily_unavailable' }, 'down', /\(temporarily_unavailable\)$/],
  [400, { error: 'something_new' }, 'unknown', /\(something_new\)$/],
  [400, { error: 'constructor' }, 'unknown', /\(constructor\)$/],
  [404, '<html>', 'unknown', /\(HTTP 404\)$/],
  [500, { access_token: 'x', expires_in: 3599 }, 'down', /\(HTTP 500\)$/],
  [200, '{"access_token":', 'unknown', /\(HTTP 200\)$/],
  [200, { access_token: '', expires_in: 3599 }, 'unknown', /\(HTTP 200\)$/],
  [200, { access_token: 'a\r\nb', expires_in: 3599 }, 'unknown', /\(HTTP 200\)$/],
  [200, { access_token: 'x', expires_in: 'soon' }, 'unknown', /\(HTTP 200\)$/],
]

test('what stands in the way of an access token is told apart', (t: TestContext) => {
  for (const [status, body, kind, why] of tokenTable) {
    const verdict = access().read(reply(status, body), NOW)
    t.assert.ok('kind' in verdict && 'why' in verdict)
    t.assert.equal(verdict.kind, kind, `${status} ${JSON.stringify(body)}`)
    t.assert.match(verdict.why, why)
  }
})

test('a text is one POST to the project, with everything in its place', (t: TestContext) => {
  const android = { sound: 'default', channel_id: 'general' }
  const whole = push(
    { title: 'T', body: 'B', big_text: 'Long', badge: '5', ext: { k: [1, 'x'] }, android, fcm: { channel_id: 'chat' } },
    { collapse_id: 'c', priority: 'high' },
  )
  const { body, ...rest } = request(whole, { address: { badge: 5 } })
  t.assert.deepEqual(rest, {
    origin: 'https://fcm.googleapis.com',
    method: 'POST',
    path: '/v1/projects/carillon-test/messages:send',
    headers: { authorization: 'Bearer ya29.access', 'content-type': 'application/json' },
  })
  t.assert.deepEqual(JSON.parse(body), {
    message: {
      token: TOKEN,
      notification: { title: 'T', body: 'B' },
      data: { task_id: '41', channel: 'fcm', type: 'text', ext: '{"k":[1,"x"]}', badge: '5' },
      android: {
        priority: 'HIGH',
        ttl: '3600s',
        collapse_key: 'c',
        notification: { body: 'Long', channel_id: 'chat', sound: 'default', tag: 'c', notification_count: 5 },
      },
    },
  })
})

test('a pass-through message is data alone, all of it text, at normal priority', (t: TestContext) => {
  const cmd = push({
    type: 'cmd', title: 'T', body: 'B', big_text: 'L', attachment_url: 'https://example.com/a.png', badge: '7',
    ext: { n: 1 }, show_begin_time: 5, show_end_time: 9, android: { sound: 's', channel_id: 'c' },
  })
  t.assert.deepEqual(message(cmd, { address: { badge: 7 } }), {
    token: TOKEN,
    data: {
      task_id: '41', channel: 'fcm', type: 'cmd', ext: '{"n":1}', attachment_url: 'https://example.com/a.png',
      show_begin_time: '5', show_end_time: '9', title: 'T', body: 'B', big_text: 'L', badge: '7',
    },
    android: { priority: 'NORMAL', ttl: '3600s' },
  })
  t.assert.ok(fcm.carries(cmd.message, account))
  t.assert.equal(message(push({ type: 'cmd' }, { priority: 'high' })).android.priority, 'HIGH')
  const unseen = message(push({ ext: { k: 1 } }))
  t.assert.ok(!('notification' in unseen) && !('notification' in unseen.android))
  t.assert.equal(unseen.android.priority, 'NORMAL')
})

test('numbers too long for JavaScript reach the device as the caller wrote them', (t: TestContext) => {
  const n = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('12345678901234567890')
  t.assert.equal(message(push({ ext: { n } })).data.ext, '{"n":12345678901234567890}')
})

test('priority normal saves power, high and none go at once when there is something to see', (t: TestContext) => {
  const settings = [{}, { priority: 'high' }, { priority: 'normal' }] as const
  const sent = settings.map((setting) => message(push({ title: 'T' }, setting)).android.priority)
  t.assert.deepEqual(sent, ['HIGH', 'HIGH', 'NORMAL'])
})

test('a picture is shown where it is one, and every attachment reaches the app', (t: TestContext) => {
  const urls: [string, boolean][] = [
    ['https://example.com/a.png', true],
    ['https://example.com/a.JPEG?x=1', true],
    ['https://example.com/a.mp4', false],
    ['http://example.com/a.png', false],
  ]
  for (const [url, isPicture] of urls) {
    const sent = message(push({ title: 'T', attachment_url: url }))
    t.assert.equal(sent.notification.image, isPicture ? url : undefined)
    t.assert.equal(sent.data.attachment_url, url)
  }
  const image = message(push({ type: 'image', attachment_url: 'https://example.com/a.png' }))
  t.assert.deepEqual(image.notification, { image: 'https://example.com/a.png' })
  t.assert.equal(image.data.type, 'image')
})

test('launchers add one by themselves; every other number is told, and the app gets all of them', (t: TestContext) => {
  const count = (badge: string | undefined, now: number | null) =>
    message(push({ title: 'T', badge }), { address: { badge: now } })
  t.assert.equal(count('5', 5).android.notification.notification_count, 5)
  t.assert.equal(count('0', 0).android.notification.notification_count, 0)
  t.assert.equal(count('+3', 8).android.notification.notification_count, 8)
  for (const one of ['+1', undefined]) {
    t.assert.ok(!('notification_count' in count(one, 8).android.notification))
    t.assert.equal(count(one, 8).data.badge, '8')
  }
  t.assert.ok(!('badge' in count('5', null).data))
})

test("the bar channel is the message's, or the account's where it names none", (t: TestContext) => {
  const own = accountWith({}, { default_channel_id: 'standard' })
  t.assert.equal(shown(push({ title: 'T' }), { account: own }).channel_id, 'standard')
  t.assert.equal(shown(push({ title: 'T', android: { channel_id: 'a' } }), { account: own }).channel_id, 'a')
  t.assert.ok(!('channel_id' in shown(push({ title: 'T' }))))
})

test('a push and its repetition are one on the screen, and a collapse id merges in the queue too', (t: TestContext) => {
  t.assert.equal(shown(push({ title: 'T' })).tag, '41')
  t.assert.ok(!('collapse_key' in message(push({ title: 'T' })).android))
  t.assert.equal(message(push({ type: 'cmd' }, { collapse_id: 'c' })).android.collapse_key, 'c')
})

const intent = (parts: string) => `intent:#Intent;component=com.example/.Chat;${parts}end`

test('an intent with an action opens it, its extras come as data, reserved names do not', (t: TestContext) => {
  const reserved = 'S.from=x;S.message_type=x;S.google.x=1;S.gcm.x=1;S.task_id=9;'
  const uri = intent(`action=OPEN_CHAT;S.room=a%20b;${reserved}i.n=3;`)
  const sent = message(push({ title: 'T', android: { click_action: 'intent', intent: uri } }))
  t.assert.equal(sent.android.notification.click_action, 'OPEN_CHAT')
  t.assert.deepEqual(sent.data, { room: 'a b', n: '3', task_id: '41', channel: 'fcm', type: 'text', intent: uri })
})

test('an intent with a component alone opens the app, which finds the page in its data', (t: TestContext) => {
  const uri = intent('S.room=7;')
  const sent = message(push({ title: 'T', fcm: { click_action: 'intent', intent: uri } }))
  t.assert.ok(!('click_action' in sent.android.notification))
  t.assert.equal(sent.data.intent, uri)
  t.assert.equal(sent.data.room, '7')
})

test('open_app opens the app, also over an intent in android', (t: TestContext) => {
  const android = { click_action: 'intent', intent: intent('action=X;S.a=1;') } as const
  const sent = message(push({ title: 'T', android, fcm: { click_action: 'open_app' } }))
  t.assert.ok(!('click_action' in sent.android.notification))
  t.assert.ok(!('intent' in sent.data) && !('a' in sent.data))
})

test('big_text gives way to body where keys and values would pass 4096 bytes', (t: TestContext) => {
  const sized = (length: number) => push({ body: 'B', big_text: 'é'.repeat(10) + 'x'.repeat(length) })
  // data: task_id 41, channel fcm, type text; notification: body B; android: body, tag 41
  const fixed = 'task_id41channelfcmtypetextbodyBbodytag41'.length + 20
  t.assert.equal(shown(sized(4096 - fixed)).body.length, 4096 - fixed + 10)
  t.assert.ok(!('body' in shown(sized(4097 - fixed))))
  t.assert.equal(message(sized(4097 - fixed)).notification.body, 'B')
  t.assert.equal(shown(push({ big_text: 'x'.repeat(5000) })).body.length, 5000)
})

test('time to live is text in seconds: 0 for now or never, at most four weeks', (t: TestContext) => {
  const ttl = (leftMs: number, time_to_live?: number) =>
    message(push({ title: 'T' }, { time_to_live }), { push: { expiresAt: NOW + leftMs } }).android.ttl
  t.assert.equal(ttl(300_000), '300s')
  t.assert.equal(ttl(15_000, 0), '0s')
  t.assert.equal(ttl(30 * 86_400_000), '2419200s')
})

test('credentials are tried without sending anything', (t: TestContext) => {
  const { token, variant } = fcm.probe!
  const sent = JSON.parse(request(push({ title: 'T' }), { address: { token }, variant }).body)
  t.assert.equal(sent.validate_only, true)
  t.assert.equal(sent.message.token, token)
})

test('200 with the name of the message is sent, and without one is not taken for it', (t: TestContext) => {
  t.assert.deepEqual(read(200, { name: 'projects/carillon-test/messages/1717673451795380' }), { kind: 'sent' })
  t.assert.deepEqual(read(200, { name: '0:1500415314455276%31bd1c9631bd1c96' }), { kind: 'sent' })
  for (const body of ['', '<html>', '{"name":', '{"name":7}', '{}']) t.assert.equal(read(200, body).kind, 'unknown')
})

const typed = (type: string, fields: object) => ({ '@type': `type.googleapis.com/${type}`, ...fields })
const own = (errorCode: string) => typed('google.firebase.fcm.v1.FcmError', { errorCode })
const apple = (statusCode: number, reason: string) => typed('google.firebase.fcm.v1.ApnsError', { statusCode, reason })
const field = (name: string) => typed('google.rpc.BadRequest', { fieldViolations: [{ field: name, description: 'x' }] })
const info = (reason: string) => typed('google.rpc.ErrorInfo', { reason, domain: 'googleapis.com' })
const quota = (subject: string) => typed('google.rpc.QuotaFailure', { violations: [{ subject, description: 'rate' }] })
const badToken = 'The registration token is not a valid FCM registration token'
const noRecipient = 'Recipient of the message is not set.'
const bare = 'Request contains an invalid argument.'
const notFound = 'Requested entity was not found.'

const minute = { waitMs: 60_000 }
type Kind = Verdict['kind']
type Row = [http: number, status: string, details: object[], kind: Kind, end: string, text?: string, more?: object]
const table: Row[] = [
  [400, 'INVALID_ARGUMENT', [own('INVALID_ARGUMENT')], 'dead', 'INVALID_ARGUMENT', badToken],
  [400, 'INVALID_ARGUMENT', [field('message.token')], 'dead', 'INVALID_ARGUMENT'],
  [400, 'INVALID_ARGUMENT', [field('message.token'), own('INVALID_ARGUMENT')], 'dead', 'INVALID_ARGUMENT'],
  [
    400, 'INVALID_ARGUMENT', [own('INVALID_ARGUMENT'), apple(410, 'Unregistered')], 'dead',
    'INVALID_ARGUMENT: Unregistered', 'APNs device token is disabled.',
  ],
  [
    400, 'INVALID_ARGUMENT', [apple(400, 'BadDeviceToken'), own('INVALID_ARGUMENT')], 'dead',
    'INVALID_ARGUMENT: BadDeviceToken',
  ],
  [400, 'INVALID_ARGUMENT', [own('INVALID_ARGUMENT'), apple(400, 'BadTopic')], 'refused', 'INVALID_ARGUMENT: BadTopic'],
  [400, 'INVALID_ARGUMENT', [field('message.data[0].value')], 'refused', 'INVALID_ARGUMENT'],
  [400, 'INVALID_ARGUMENT', [], 'refused', 'INVALID_ARGUMENT', 'Invalid JSON payload received. Unknown name "x"'],
  [400, 'INVALID_ARGUMENT', [own('INVALID_ARGUMENT')], 'refused', 'INVALID_ARGUMENT', noRecipient],
  [400, 'INVALID_ARGUMENT', [own('INVALID_ARGUMENT')], 'refused', 'INVALID_ARGUMENT', bare],
  [401, 'UNAUTHENTICATED', [info('ACCESS_TOKEN_EXPIRED')], 'renew', 'UNAUTHENTICATED: ACCESS_TOKEN_EXPIRED'],
  [401, 'UNAUTHENTICATED', [info('CREDENTIALS_MISSING')], 'renew', 'UNAUTHENTICATED: CREDENTIALS_MISSING'],
  [401, 'UNAUTHENTICATED', [], 'renew', 'UNAUTHENTICATED'],
  [401, 'UNAUTHENTICATED', [own('THIRD_PARTY_AUTH_ERROR')], 'denied', 'THIRD_PARTY_AUTH_ERROR'],
  [
    401, 'UNAUTHENTICATED', [apple(403, 'InvalidProviderToken'), own('THIRD_PARTY_AUTH_ERROR')], 'denied',
    'THIRD_PARTY_AUTH_ERROR: InvalidProviderToken',
  ],
  [401, 'UNAUTHENTICATED', [own('APNS_AUTH_ERROR')], 'denied', 'APNS_AUTH_ERROR'],
  [
    401, 'UNAUTHENTICATED', [apple(403, 'BadEnvironmentKeyInToken')], 'denied',
    'UNAUTHENTICATED: BadEnvironmentKeyInToken',
  ],
  [403, 'PERMISSION_DENIED', [own('SENDER_ID_MISMATCH')], 'dead', 'SENDER_ID_MISMATCH', 'SenderId mismatch'],
  [403, 'PERMISSION_DENIED', [], 'denied', 'PERMISSION_DENIED', "Permission 'cloudmessaging.messages.create' denied"],
  [403, 'PERMISSION_DENIED', [info('SERVICE_DISABLED')], 'denied', 'PERMISSION_DENIED: SERVICE_DISABLED'],
  [404, 'NOT_FOUND', [own('UNREGISTERED')], 'dead', 'UNREGISTERED', notFound],
  [404, 'NOT_FOUND', [], 'denied', 'NOT_FOUND', notFound],
  [429, 'RESOURCE_EXHAUSTED', [own('QUOTA_EXCEEDED')], 'limited', 'QUOTA_EXCEEDED', '', minute],
  [429, 'RESOURCE_EXHAUSTED', [own('QUOTA_EXCEEDED'), quota('project:1')], 'limited', 'QUOTA_EXCEEDED', '', minute],
  [
    429, 'RESOURCE_EXHAUSTED', [quota('Device message rate'), own('QUOTA_EXCEEDED')], 'limited', 'QUOTA_EXCEEDED', '',
    { ...minute, alone: true },
  ],
  [429, 'RESOURCE_EXHAUSTED', [], 'limited', 'RESOURCE_EXHAUSTED', '', minute],
  [500, 'INTERNAL', [own('INTERNAL')], 'down', 'INTERNAL'],
  [500, 'INTERNAL', [], 'down', 'INTERNAL'],
  [503, 'UNAVAILABLE', [own('UNAVAILABLE')], 'down', 'UNAVAILABLE'],
  [503, 'UNAVAILABLE', [], 'down', 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED', [], 'down', 'DEADLINE_EXCEEDED'],
  [500, 'UNKNOWN', [own('UNSPECIFIED_ERROR')], 'unknown', 'UNSPECIFIED_ERROR'],
  // In no table: what the status says, else tried again. A new word of messaging is never read as that of a door.
  [404, 'NOT_FOUND', [own('SOMETHING_NEW')], 'unknown', 'SOMETHING_NEW'],
  [400, 'FAILED_PRECONDITION', [], 'unknown', 'FAILED_PRECONDITION'],
  [400, 'constructor', [], 'unknown', 'constructor'],
  [429, 'SOMETHING_NEW', [], 'limited', 'SOMETHING_NEW', '', minute],
  [502, 'SOMETHING_NEW', [], 'down', 'SOMETHING_NEW'],
]

for (const [code, status, details, kind, end, text = '', more = {}] of table) {
  const among = details.map((detail) => Object.values(detail).slice(1).map((value) => JSON.stringify(value)).join(' '))
  test(`${code} ${status} ${[...among, text].join(' ').trim()} is ${kind}`, (t: TestContext) => {
    const verdict = read(code, { error: { code, message: text, status, details } })
    t.assert.ok('why' in verdict)
    t.assert.ok(verdict.why.endsWith(` (${end})`), verdict.why)
    t.assert.ok(verdict.said?.startsWith(end), String(verdict.said))
    t.assert.deepEqual(verdict, { kind, why: verdict.why, said: verdict.said, ...more })
  })
}

test('a push that is refused for one of its fields says which', (t: TestContext) => {
  const verdict = read(400, { error: { status: 'INVALID_ARGUMENT', details: [field('message.data[0].value')] } })
  t.assert.ok('why' in verdict && verdict.why.includes('message.data[0].value'))
  t.assert.equal(verdict.said, 'INVALID_ARGUMENT: message.data[0].value')
})

test('an answer that is not understood is judged by its status and never makes a token dead', (t: TestContext) => {
  const kinds: [number, Verdict['kind']][] = [
    [302, 'unknown'],
    [400, 'refused'],
    [401, 'renew'],
    [403, 'denied'],
    [404, 'denied'],
    [409, 'unknown'],
    [429, 'limited'],
    [500, 'down'],
    [502, 'down'],
    [503, 'down'],
    [504, 'down'],
  ]
  const odd = [
    7,
    { status: 7, details: {} },
    { details: [null, 7, 'x', [], { '@type': 7 }] },
    { message: 7, details: [typed('google.firebase.fcm.v1.FcmError', { errorCode: {} })] },
    { details: [typed('google.rpc.BadRequest', { fieldViolations: [7] }), typed('google.rpc.QuotaFailure', {})] },
  ].map((error) => JSON.stringify({ error }))
  const page = '<html>try again in 30 seconds</html>'
  const bodies = ['', page, '{"error":', '[]', 'null', '['.repeat(60_000), ...odd]
  for (const [status, kind] of kinds) {
    for (const body of bodies) {
      const verdict = read(status, body)
      t.assert.equal(verdict.kind, kind, `${status} ${body.slice(0, 20)}`)
      t.assert.ok('why' in verdict && verdict.why.endsWith(`(HTTP ${status})`))
    }
  }
  const long = read(400, { error: { status: '😀'.repeat(9000), details: [field('f'.repeat(9000))] } })
  t.assert.ok('why' in long && long.why.length < 700 && long.why.isWellFormed())
})
