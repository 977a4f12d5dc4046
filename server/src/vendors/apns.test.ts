import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { createSecureContext } from 'node:tls'
import { promisify } from 'node:util'
import apns, { signedToken } from './apns.ts'
import type { Account, Address, VendorPush, Verdict } from './vendor.ts'

const NOW = 1_700_000_000_000
const HOUR_MS = 3_600_000
const TOKEN = '00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const account: Account = {
  app_id: 'com.example.carillon',
  app_key: 'CARILLON01',
  app_secret: 'TEAM123456',
  certificate: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  name: '',
  options: {},
  environment: 1,
}

const push = (message: VendorPush['message'], setting: VendorPush['setting'] = {}): VendorPush => ({
  taskId: 41,
  message,
  setting,
  appName: 'Carillon',
  now: NOW,
  expiresAt: NOW + HOUR_MS,
  receiptUrl: undefined,
})
const device: Address = { token: TOKEN, deviceId: 1, badge: null }

interface Extra {
  account?: Partial<Account>
  address?: Partial<Address>
  push?: Partial<VendorPush>
  access?: string
}
const addressed = (sent: VendorPush, extra: Extra = {}) => ({
  push: { ...sent, ...extra.push },
  account: { ...account, ...extra.account },
  addresses: [{ ...device, ...extra.address }],
  region: '',
  access: extra.access ?? 'jwt',
  variant: '',
  prepared: '',
})
const request = (sent: VendorPush, extra?: Extra) => apns.request(addressed(sent, extra))
const payload = (sent: VendorPush, extra?: Extra) => JSON.parse(request(sent, extra).body)
const headers = (sent: VendorPush, extra?: Extra) => request(sent, extra).headers
const read = (status: number, body: unknown): Verdict => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const verdicts = apns.read({ status, headers: {}, body: text }, addressed(push({ title: 'T' })))
  return verdicts[0]!
}

const hello = push({ title: 'T', body: 'B' })

test('a push is one POST to the device at Apple, in the environment of the certificate', (t: TestContext) => {
  const { origin, method, path, headers: sent } = request(hello)
  t.assert.deepEqual([origin, method, path], ['https://api.push.apple.com', 'POST', `/3/device/${TOKEN}`])
  t.assert.equal(request(hello, { account: { environment: 0 } }).origin, 'https://api.sandbox.push.apple.com')
  t.assert.equal(apns.limits.batch, 1)
  t.assert.deepEqual(sent, {
    authorization: 'bearer jwt',
    'apns-topic': 'com.example.carillon',
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': '1700003600',
    'apns-id': sent['apns-id'],
    'apns-collapse-id': '41',
    'content-type': 'application/json',
  })
})

test('a token is written as Apple writes it, and can never lead to another path', (t: TestContext) => {
  const written = `<${TOKEN.toUpperCase().replace(/(.{8})/g, '$1 ').trim()}>`
  t.assert.equal(request(hello, { address: { token: written } }).path, `/3/device/${TOKEN}`)
  t.assert.equal(request(hello, { address: { token: '../x?y#z' } }).path, '/3/device/..%2Fx%3Fy%23z')
})

test('the id of a push comes from its task and token alone, so a repetition has the same one', (t: TestContext) => {
  const task = { taskId: '5f0c1d2e-0000-4000-8000-00000000abcd' as unknown as number }
  t.assert.equal(headers(hello, { push: task })['apns-id'], '3ad900b1-cf2f-8bcf-b2dc-8f4c8e8d4776')
  const later = { push: { now: NOW + 60_000 }, address: { token: TOKEN.toUpperCase(), badge: 3 } }
  t.assert.equal(headers(hello, later)['apns-id'], headers(hello)['apns-id'])
  t.assert.notEqual(headers(hello, { push: { taskId: 42 } })['apns-id'], headers(hello)['apns-id'])
})

test('the signed token holds exactly what Apple asks for, with a raw signature of 64 bytes', (t: TestContext) => {
  const [header, claims, signature] = signedToken(account, 1_700_000_000).split('.') as [string, string, string]
  const input = `${header}.${claims}`
  t.assert.equal(
    input,
    'eyJhbGciOiJFUzI1NiIsImtpZCI6IkNBUklMTE9OMDEifQ.eyJpc3MiOiJURUFNMTIzNDU2IiwiaWF0IjoxNzAwMDAwMDAwfQ',
  )
  t.assert.equal(
    createHash('sha256').update(input).digest('hex'),
    'be69f0472985481cce5da2d00bdb7bf82404d8efaa915e807e7bc7e1b4926ca8',
  )
  const raw = Buffer.from(signature, 'base64url')
  t.assert.equal(raw.length, 64)
  t.assert.equal(signature.length, 86)
  t.assert.ok(verify('sha256', Buffer.from(input), { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw))
})

const make = (now: number, changes: Partial<Account> = {}) => {
  if (!apns.access || !('make' in apns.access)) throw new Error('apns makes its access tokens')
  return apns.access.make({ ...account, ...changes }, now)
}
const issued = (token: string): number => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).iat

test('nodes that start at different times sign the same time; no token changes within 20 minutes', (t: TestContext) => {
  const grid = NOW - (NOW % 1_800_000)
  for (const now of [grid, grid + 1, grid + 1_799_999]) t.assert.equal(issued(make(now).value) * 1000, grid)
  let token = make(grid + 1_799_999)
  t.assert.ok(token.renewAt - (grid + 1_799_999) >= 20 * 60_000)
  for (let round = 0; round < 5; round += 1) {
    const age = token.renewAt - issued(token.value) * 1000
    t.assert.ok(age >= 50 * 60_000 && age <= 55 * 60_000, String(age))
    t.assert.ok(token.endsAt > token.renewAt && token.endsAt - issued(token.value) * 1000 < HOUR_MS)
    const next = make(token.renewAt)
    t.assert.ok(issued(next.value) > issued(token.value))
    t.assert.ok(next.renewAt - token.renewAt >= 20 * 60_000)
    token = next
  }
})

test('a text shows its title, body, subtitle, badge and sound, and carries what the app needs', (t: TestContext) => {
  const wakes = { content_available: true, mutable_content: true }
  const ios = { sound: 'bell.caf', category: 'CHAT', thread_id: 'room-7', subtitle: 'S', ...wakes }
  const whole = push({ title: 'T', body: 'B', ios, ext: { k: 1, aps: 'x' }, show_begin_time: 5, show_end_time: 9 })
  t.assert.deepEqual(payload(whole, { address: { badge: 5 } }), {
    aps: {
      alert: { title: 'T', subtitle: 'S', body: 'B' },
      badge: 5,
      sound: 'bell.caf',
      'content-available': 1,
      'mutable-content': 1,
      category: 'CHAT',
      'thread-id': 'room-7',
    },
    task_id: 41,
    channel: 'apns',
    type: 'text',
    ext: { k: 1, aps: 'x' },
    show_begin_time: 5,
    show_end_time: 9,
  })
  t.assert.equal(headers(whole)['apns-push-type'], 'alert')
  const plain = push({ title: 'T', ios: { content_available: false, mutable_content: false } })
  t.assert.deepEqual(payload(plain).aps, { alert: { title: 'T' } })
})

test('a badge of zero clears it and a badge of null leaves it alone', (t: TestContext) => {
  t.assert.equal(payload(hello, { address: { badge: 0 } }).aps.badge, 0)
  t.assert.ok(!('badge' in payload(hello).aps))
  const badgeAlone = push({ badge: '5' })
  t.assert.deepEqual(payload(badgeAlone, { address: { badge: 5 } }).aps, { badge: 5 })
  t.assert.equal(headers(badgeAlone, { address: { badge: 5 } })['apns-push-type'], 'alert')
})

test('an attachment comes as data with the leave to fetch it', (t: TestContext) => {
  const url = 'https://example.com/a.png'
  for (const type of ['image', 'text'] as const) {
    const sent = payload(push({ type, title: 'T', attachment_url: url }))
    t.assert.equal(sent.attachment_url, url)
    t.assert.equal(sent.aps['mutable-content'], 1)
    t.assert.equal(sent.type, type)
  }
})

test('a pass-through message has nothing in aps but content-available, and priority 5', (t: TestContext) => {
  const ios = { sound: 'x', category: 'c', mutable_content: true }
  const texts = { title: 'T', body: 'B', big_text: 'L' }
  const cmd = push({ type: 'cmd', ...texts, badge: '3', ios, ext: { do: 'sync' } }, { priority: 'high' })
  t.assert.deepEqual(payload(cmd, { address: { badge: 3 } }), {
    aps: { 'content-available': 1 },
    task_id: 41,
    channel: 'apns',
    type: 'cmd',
    title: 'T',
    body: 'B',
    big_text: 'L',
    badge: 3,
    ext: { do: 'sync' },
  })
  const { 'apns-push-type': type, 'apns-priority': priority, ...others } = headers(cmd)
  t.assert.deepEqual([type, priority], ['background', '5'])
  t.assert.ok(!('apns-collapse-id' in others))
  t.assert.ok(apns.carries(cmd.message, account))
})

test('a text with nothing to show wakes the app in the background', (t: TestContext) => {
  const silent = push({ ios: { content_available: true }, ext: { k: 1 } })
  t.assert.deepEqual(payload(silent).aps, { 'content-available': 1 })
  t.assert.equal(headers(silent)['apns-push-type'], 'background')
  t.assert.equal(headers(silent)['apns-priority'], '5')
})

test('big_text takes the place of body, unless the payload would pass 4096 bytes', (t: TestContext) => {
  const sized = (length: number) => push({ body: 'B', big_text: 'é'.repeat(10) + 'x'.repeat(length) })
  const room = 4096 - Buffer.byteLength(request(sized(0)).body)
  const fits = request(sized(room)).body
  t.assert.equal(Buffer.byteLength(fits), 4096)
  t.assert.equal(JSON.parse(fits).aps.alert.body.length, room + 10)
  t.assert.equal(payload(sized(room + 1)).aps.alert.body, 'B')
  const alone = push({ title: 'T', big_text: 'x'.repeat(5000) })
  t.assert.equal(payload(alone).aps.alert.body.length, 5000)
})

test('numbers too long for JavaScript reach the device as the caller wrote them', (t: TestContext) => {
  const ext = JSON.parse('{"n":1}')
  ext.n = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('12345678901234567890')
  t.assert.match(request(push({ ext })).body, /"ext":\{"n":12345678901234567890\}/)
})

test('the expiry is a moment: 0 for now or never, at most 30 days ahead', (t: TestContext) => {
  const expiry = (extra: Partial<VendorPush>, ttl?: number) =>
    headers(push({ title: 'T' }, ttl === undefined ? {} : { time_to_live: ttl }), { push: extra })['apns-expiration']
  t.assert.equal(expiry({ expiresAt: NOW + 15_000 }, 0), '0')
  t.assert.equal(expiry({ expiresAt: NOW + 300_000 }, 300), '1700000300')
  t.assert.equal(expiry({ expiresAt: NOW + 1 }), '1700000001')
  t.assert.equal(expiry({ expiresAt: NOW + 60 * 86_400_000 }), String(1_700_000_000 + 30 * 86_400))
})

test('priority normal saves power, high and none go at once', (t: TestContext) => {
  const priorities = [{}, { priority: 'high' }, { priority: 'normal' }] as const
  const sent = priorities.map((setting) => headers(push({ title: 'T' }, setting))['apns-priority'])
  t.assert.deepEqual(sent, ['10', '10', '5'])
})

test("the collapse id is iOS's own, then the setting's, then the task's, and fits a header", (t: TestContext) => {
  const collapse = (own: string | undefined, general: string | undefined) =>
    headers(push({ title: 'T', ios: { apns_collapse_id: own } }, { collapse_id: general }))['apns-collapse-id']!
  t.assert.equal(collapse('own', 'general'), 'own')
  t.assert.equal(collapse(undefined, 'two words'), 'two words')
  t.assert.equal(collapse(undefined, undefined), '41')
  t.assert.equal(headers(push({ type: 'cmd' }, { collapse_id: 'c' }))['apns-collapse-id'], 'c')
  for (const odd of ['ключ', 'a\r\nb', ' a', 'a ']) {
    t.assert.match(collapse(odd, undefined), /^[0-9a-f]{64}$/)
    t.assert.equal(collapse(odd, undefined), collapse(undefined, odd))
  }
  t.assert.notEqual(collapse('ключ', undefined), collapse('ключи', undefined))
})

test('a record with a TLS certificate shows it, leaf first, and sends no token', async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-apns-'))
  t.after(() => rm(folder, { recursive: true }))
  const openssl = (...words: string[]) => promisify(execFile)('openssl', words, { cwd: folder })
  const pemOf = async (name: string) => {
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    await openssl('req', '-x509', ...ec, '-subj', `/UID=${name}`, '-keyout', `${name}.key`, '-out', `${name}.pem`)
    return readFile(join(folder, `${name}.pem`), 'utf8')
  }
  const [leaf, other] = [await pemOf('leaf'), await pemOf('other')]
  const key = await readFile(join(folder, 'leaf.key'), 'utf8')
  const shown = apns.identity!({ ...account, app_key: '', app_secret: '', certificate: other + key + leaf })!
  t.assert.equal(shown.cert, `${leaf.trim()}\n${other.trim()}`)
  t.assert.ok(createSecureContext(shown))

  const both = ['-in', 'leaf.pem', '-inkey', 'leaf.key']
  await openssl('pkcs12', '-export', ...both, '-passout', 'pass:open', '-out', 'leaf.p12')
  const certificate = (await readFile(join(folder, 'leaf.p12'))).toString('base64').replace(/(.{64})/g, '$1\n')
  const packed = apns.identity!({ ...account, app_secret: 'open', certificate })!
  t.assert.equal(packed.passphrase, 'open')
  t.assert.ok(createSecureContext(packed))

  const none = make(NOW, { certificate })
  t.assert.equal(none.value, '')
  t.assert.ok(none.renewAt > NOW)
  t.assert.ok(!('authorization' in headers(hello, { account: { certificate }, access: none.value })))
  t.assert.equal(apns.identity!(account), undefined)
})

test('200 is sent, whatever stands in the body', (t: TestContext) => {
  t.assert.deepEqual(read(200, ''), { kind: 'sent' })
  t.assert.deepEqual(read(200, '<html>'), { kind: 'sent' })
})

const table: [status: number, reason: string, kind: Verdict['kind'], more?: Partial<Verdict> & object][] = [
  [400, 'BadDeviceToken', 'dead'],
  [400, 'DeviceTokenNotForTopic', 'dead'],
  [400, 'BadTopic', 'denied'],
  [400, 'MissingTopic', 'denied'],
  [400, 'TopicDisallowed', 'denied'],
  [400, 'BadCollapseId', 'refused'],
  [400, 'BadExpirationDate', 'refused'],
  [400, 'BadMessageId', 'refused'],
  [400, 'BadPriority', 'refused'],
  [400, 'InvalidPushType', 'refused'],
  [400, 'DuplicateHeaders', 'refused'],
  [400, 'MissingDeviceToken', 'refused'],
  [400, 'PayloadEmpty', 'refused'],
  [400, 'IdleTimeout', 'down', { reconnect: true }],
  [403, 'ExpiredProviderToken', 'renew', { reconnect: true }],
  [403, 'InvalidProviderToken', 'denied', { reconnect: true }],
  [403, 'MissingProviderToken', 'denied', { reconnect: true }],
  [403, 'Forbidden', 'denied', { reconnect: true }],
  [403, 'BadCertificate', 'denied', { reconnect: true }],
  [403, 'BadCertificateEnvironment', 'denied', { reconnect: true }],
  [403, 'UnrelatedKeyIdInToken', 'renew', { reconnect: true }],
  [403, 'BadEnvironmentKeyIdInToken', 'denied', { reconnect: true }],
  [403, 'BadEnvironmentKeyInToken', 'denied', { reconnect: true }],
  [404, 'BadPath', 'refused'],
  [405, 'MethodNotAllowed', 'refused'],
  [410, 'Unregistered', 'dead'],
  [410, 'ExpiredToken', 'dead'],
  [413, 'PayloadTooLarge', 'refused'],
  [429, 'TooManyProviderTokenUpdates', 'limited', { reconnect: true }],
  [429, 'TooManyRequests', 'limited', { alone: true } as object],
  [500, 'InternalServerError', 'down', { reconnect: true }],
  [503, 'ServiceUnavailable', 'down'],
  [503, 'Shutdown', 'down', { reconnect: true }],
  // In no table: what the status says, else tried again.
  [400, 'MissingPushType', 'unknown'],
  [403, 'constructor', 'unknown'],
  [421, 'Misdirected', 'down', { reconnect: true }],
  [429, 'TooFast', 'limited'],
  [502, 'BadGateway', 'down'],
]

for (const [status, reason, kind, more = {}] of table) {
  test(`${status} ${reason} is ${kind}${Object.keys(more).map((key) => `, ${key}`).join('')}`, (t: TestContext) => {
    const verdict = read(status, { reason })
    t.assert.ok('why' in verdict)
    t.assert.ok(verdict.why.endsWith(` (${reason})`), verdict.why)
    t.assert.deepEqual(verdict, { kind, why: verdict.why, said: reason, ...more })
  })
}

test('a token that is gone is gone since the moment Apple names', (t: TestContext) => {
  const verdict = read(410, { reason: 'Unregistered', timestamp: 1_699_999_999_123 })
  t.assert.ok(verdict.kind === 'dead')
  t.assert.equal(verdict.since, 1_699_999_999_123)
  for (const timestamp of ['1699999999123', null, {}, 1.5]) {
    t.assert.ok(!('since' in read(410, { reason: 'ExpiredToken', timestamp })), JSON.stringify(timestamp))
  }
})

test('an answer that is not understood is judged by its status and never makes a token dead', (t: TestContext) => {
  const kinds: [number, Verdict['kind']][] = [
    [302, 'unknown'],
    [400, 'unknown'],
    [403, 'unknown'],
    [410, 'unknown'],
    [421, 'down'],
    [429, 'limited'],
    [500, 'down'],
    [503, 'down'],
  ]
  const odd = ['{"reason":', '{"reason":7}', '{"reason":{}}', '{"reason":""}']
  const bodies = ['', '<html>', '[]', 'null', '7', '['.repeat(60_000), ...odd]
  for (const [status, kind] of kinds) {
    for (const body of bodies) {
      const verdict = read(status, body)
      t.assert.equal(verdict.kind, kind, `${status} ${body.slice(0, 20)}`)
      t.assert.ok('why' in verdict && verdict.why.endsWith(`(HTTP ${status})`))
    }
  }
  const long = read(400, { reason: '😀'.repeat(10_000) })
  t.assert.ok('why' in long && long.why.length < 300 && long.why.isWellFormed())
})

test('credentials are tried with a token that no device has', (t: TestContext) => {
  const { path } = request(hello, { address: { token: apns.probe!.token } })
  t.assert.match(path, /^\/3\/device\/[0-9a-f]{64}$/)
  t.assert.notEqual(path, `/3/device/${TOKEN}`)
})
