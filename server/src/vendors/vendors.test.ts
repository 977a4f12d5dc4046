import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { before, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { type VendorName, vendorNames } from '@carillon/protocol/names.ts'
import { inEnglish } from '@carillon/protocol/sentences/sentence.ts'
import { warningSentences } from '@carillon/protocol/sentences/warnings.ts'
import { clean, type Complete, keepsCertificateContract, wrongFields } from './certificate-contract.fixture.ts'
import type { GivenFields } from './fields.ts'
import type { Checked, Environment } from './vendor.ts'
import { checkCredentials } from './vendors.ts'

const NOW = Date.now() + 3_600_000 // later than the certificates made below, whatever their making takes
const DAY_MS = 86_400_000
const PASSPHRASE = 'only for this test'

const hex = (length: number) => '0123456789abcdef'.repeat(4).slice(0, length)
const pem = { type: 'pkcs8', format: 'pem' } as const
const ecKey = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey.export(pem) as string
const rsaKey = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey.export(pem) as string
const p8 = ecKey('P-256')
const rsa = rsaKey(2048)

const serviceAccount = {
  type: 'service_account',
  project_id: 'carillon-test',
  private_key_id: hex(40),
  private_key: rsa,
  client_email: 'push@carillon-test.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
}

const complete = {
  apns: {
    given: { app_id: 'com.example.app', app_key: 'ABC123DEFG', app_secret: 'TEAM123456', certificate: p8 },
    needed: ['app_id', 'app_key', 'app_secret', 'certificate'],
    options: {},
  },
  fcm: {
    given: { certificate: JSON.stringify(serviceAccount) },
    needed: ['certificate'],
    options: { default_channel_id: 'chat' },
  },
  flyme: {
    given: { app_id: '100999', app_secret: hex(32) },
    needed: ['app_id', 'app_secret'],
    options: { region: 'overseas', notice_msg_type: 1, receipt_access_token: 'seen', pass_through: true },
  },
  honor: {
    given: { app_id: '104436234', app_key: 'client-1', app_secret: 's3cr3t/with+odd=chars' },
    needed: ['app_id', 'app_key', 'app_secret'],
    options: { importance: 'NORMAL', target_user_type: 1 },
  },
  huawei: {
    given: { app_id: '104567891', app_secret: hex(64) },
    needed: ['app_id', 'app_secret'],
    options: {
      receipt_user: 'carillon',
      receipt_key: 'a-key',
      receipt_id: 'r1',
      default_category: 'IM',
      default_channel_id: 'chat',
      importance: 'LOW',
      target_user_type: 0,
    },
  },
  oppo: {
    given: { app_key: hex(32), app_secret: hex(40).slice(8) },
    needed: ['app_key', 'app_secret'],
    options: {
      default_channel_id: 'chat',
      default_category: 'ORDER',
      notify_level: 16,
      private_template_id: 't1',
      china_host: 'api-push-cn.heytapmobi.com',
    },
  },
  vivo: {
    given: { app_id: '100004', app_key: hex(32), app_secret: '01234567-89ab-4cde-8f01-23456789abcd' },
    needed: ['app_id', 'app_key', 'app_secret'],
    options: { receipt_id: '12', system_category: 'IM', operational_category: 'MARKETING' },
  },
  xiaomi: {
    given: { app_secret: 'c2VjcmV0LWZvci10ZXN0cw==', name: 'com.example.app' },
    needed: ['app_secret', 'name'],
    options: { default_channel_id: '110001', template_id: 'P1', pass_through: false },
  },
} satisfies Partial<Record<VendorName, Complete>>

const check = (vendor: keyof typeof complete, changes: GivenFields, environment: Environment = 1, now = NOW) =>
  inTexts(checkCredentials(vendor, environment, { ...complete[vendor].given, ...changes }, now))

const inTexts = ({ warnings, ...checked }: Checked) => ({
  ...checked, warnings: warnings.map((warning) => inEnglish(warningSentences, warning)),
})

const withAccount = (changes: Record<string, unknown>) => ({
  certificate: JSON.stringify({ ...serviceAccount, ...changes }),
})

for (const [name, record] of Object.entries(complete)) keepsCertificateContract(name as keyof typeof complete, record)

test('every vendor is held to what certificates promise, here or in a test of its own', async (t: TestContext) => {
  for (const name of vendorNames.filter((vendor) => !Object.hasOwn(complete, vendor))) {
    const own = await readFile(join(import.meta.dirname, `${name}.test.ts`), 'utf8')
    t.assert.match(own, new RegExp(`^keepsCertificateContract\\('${name}', `, 'm'))
  }
})

test('a field the vendor does not use is not needed and warns when given', (t: TestContext) => {
  t.assert.deepEqual(check('honor', { certificate: 'anything' }).warnings, ['certificate is not used for Honor Push'])
})

test('ids and secrets with white space or line breaks in them are problems', (t: TestContext) => {
  for (const odd of [' abc', 'abc\n', 'a b', 'a\u00a0b', 'ключ']) {
    t.assert.deepEqual(wrongFields(check('xiaomi', { app_secret: odd })), ['app_secret'])
  }
})

test('ids that must be numbers are refused when they are not, unusual shapes elsewhere only warn', (t: TestContext) => {
  t.assert.deepEqual(wrongFields(check('vivo', { app_id: '12a' })), ['app_id'])
  t.assert.deepEqual(wrongFields(check('huawei', { app_id: 'C104' })), ['app_id'])
  t.assert.deepEqual(wrongFields(check('huawei', { app_key: 'P104' })), ['app_key'])
  const unusual: [keyof typeof complete, GivenFields, RegExp][] = [
    ['apns', { app_key: 'abc' }, /^app_key .*"Key ID".*10 capital letters/],
    ['apns', { app_secret: 'TEAM1234567' }, /^app_secret .*"Team ID"/],
    ['apns', { app_id: 'app' }, /^app_id .*"Bundle ID"/],
    ['flyme', { app_secret: 'short' }, /^app_secret .*32 hexadecimal/],
    ['honor', { app_key: '104436234' }, /Client ID as a value of its own/],
    ['huawei', { app_secret: 'short' }, /^app_secret .*32 to 64/],
    ['huawei', { options: { receipt_user: 'u' } }, /only together/],
    ['huawei', { options: { default_category: 'NEWER' } }, /^options\.default_category .*MARKETING/],
    ['oppo', { app_secret: 'short' }, /^app_secret .*"MasterSecret"/],
    ['oppo', { app_secret: hex(32) }, /pasted twice/],
    ['oppo', { options: { notify_level: 2 } }, /default_category/],
    ['vivo', { app_id: '1' }, /^app_id .*6 to 9 digits/],
    ['xiaomi', { app_secret: '5371738000000000' }, /AppId or the AppKey/],
    ['xiaomi', { name: 'app' }, /^name .*package name/],
  ]
  for (const [vendor, changes, words] of unusual) {
    const { problems, warnings } = check(vendor, changes)
    t.assert.deepEqual(problems, [], vendor)
    t.assert.equal(warnings.length, 1, [vendor, ...warnings].join('; '))
    t.assert.match(warnings[0]!, words)
  }
})

test('fcm: a key file that is not one is a problem of certificate, whatever is wrong with it', (t: TestContext) => {
  const files = [
    '{"type":',
    '[]',
    '{"project_info":{}}',
    ...[
      { type: 'authorized_user' },
      { project_id: '' },
      { client_email: undefined },
      { private_key: 5 },
      { private_key: 'no key' },
      { private_key: p8 },
      { private_key: rsa.slice(0, -60) },
    ].map((changes) => withAccount(changes).certificate),
  ]
  for (const certificate of files) t.assert.deepEqual(wrongFields(check('fcm', { certificate })), ['certificate'])
  t.assert.match(check('fcm', { certificate: '{"project_info":{}}' }).problems[0]!.expected, /google-services\.json/)
  t.assert.match(check('fcm', withAccount({ project_id: '' })).problems[0]!.expected, /holds project_id$/)
})

test('fcm: a key whose line breaks became the characters \\n is still a key', (t: TestContext) => {
  t.assert.deepEqual(check('fcm', withAccount({ private_key: rsa.replaceAll('\n', '\\n') })), clean)
})

test('fcm: the three values pasted one by one do instead of the file', (t: TestContext) => {
  const pieces = {
    certificate: '',
    app_id: serviceAccount.project_id,
    app_key: serviceAccount.client_email,
    app_secret: rsa,
  }
  t.assert.deepEqual(check('fcm', pieces), clean)
  t.assert.deepEqual(wrongFields(check('fcm', { ...pieces, app_id: '', app_key: '' })), ['app_id', 'app_key'])
  t.assert.deepEqual(wrongFields(check('fcm', { ...pieces, app_secret: p8 })), ['app_secret'])
})

test('fcm: what differs from a usual key file only warns', (t: TestContext) => {
  const unusual: GivenFields[] = [
    { app_id: 'another-project' },
    { app_key: 'other@example.com' },
    { app_secret: 'unneeded' },
    withAccount({ private_key_id: undefined }),
    withAccount({ token_uri: 'https://example.com/token' }),
    withAccount({ private_key: rsaKey(1024) }),
    withAccount({ project_id: 'X' }),
    withAccount({ client_email: 'nobody' }),
  ]
  for (const changes of unusual) {
    const { problems, warnings } = check('fcm', changes)
    t.assert.deepEqual([problems.length, warnings.length], [0, 1], warnings.join('; '))
  }
})

test('apns: only an EC P-256 private key passes as a .p8 key', (t: TestContext) => {
  const encrypted = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    ...pem,
    cipher: 'aes-256-cbc',
    passphrase: PASSPHRASE,
  }) as string
  const publicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' })
  for (const certificate of [ecKey('P-384'), rsa, encrypted, publicKey, p8.slice(0, -60), p8.replaceAll('\n', '\\n')]) {
    t.assert.deepEqual(wrongFields(check('apns', { certificate })), ['certificate'])
  }
})

/** What openssl made: a push certificate for both environments, one for development alone, and their packings. */
const made = { pem: '', key: '', other: '', development: '', p12: '', p12Open: '', p12Old: '', p12NoKey: '', cer: '' }

before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-vendors-'))
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args, { cwd: folder })
  const read = (file: string, encoding: 'utf8' | 'base64') => readFile(join(folder, file), encoding)
  const selfSigned = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '365']
  const issue = (file: string, ...more: string[]) =>
    openssl('req', ...selfSigned, '-keyout', `${file}.key`, '-out', file, ...more)
  const pack = (file: string, passphrase: string, ...more: string[]) =>
    openssl('pkcs12', '-export', '-in', 'both.pem', '-out', file, '-passout', `pass:${passphrase}`, ...more)
  const subject = ['-subj', '/UID=com.example.app/CN=Apple Push Services: com.example.app']
  const allows = (last: number) => ['-addext', `1.2.840.113635.100.6.3.${last}=DER:0500`]
  try {
    await issue('both.pem', ...subject, ...allows(1), ...allows(2))
    await issue('development.pem', ...subject, ...allows(1))
    await issue('other.pem', '-subj', '/CN=somebody')
    await pack('sealed.p12', PASSPHRASE, '-inkey', 'both.pem.key')
    await pack('open.p12', '', '-inkey', 'both.pem.key')
    await pack('old.p12', PASSPHRASE, '-inkey', 'both.pem.key', '-legacy')
    await pack('nokey.p12', PASSPHRASE, '-nokeys')
    await openssl('x509', '-in', 'both.pem', '-outform', 'DER', '-out', 'both.cer')
    made.pem = await read('both.pem', 'utf8')
    made.key = await read('both.pem.key', 'utf8')
    made.other = (await read('other.pem', 'utf8')) + (await read('other.pem.key', 'utf8'))
    made.development = (await read('development.pem', 'utf8')) + (await read('development.pem.key', 'utf8'))
    made.p12 = await read('sealed.p12', 'base64')
    made.p12Open = await read('open.p12', 'base64')
    made.p12Old = await read('old.p12', 'base64')
    made.p12NoKey = await read('nokey.p12', 'base64')
    made.cer = await read('both.cer', 'base64')
  } finally {
    await rm(folder, { recursive: true })
  }
})

const checkTls = (changes: GivenFields, environment: Environment = 1, now = NOW) =>
  check('apns', { app_key: '', app_secret: '', ...changes }, environment, now)

test('apns: a push certificate passes as PEM in any order and as .p12, and its end is told', (t: TestContext) => {
  const otherCertificate = made.other.slice(0, made.other.indexOf('-----BEGIN PRIVATE'))
  const records: GivenFields[] = [
    { certificate: made.pem + made.key },
    { certificate: made.key + made.pem },
    { certificate: `Bag Attributes\n${otherCertificate}${made.pem}Key Attributes\n${made.key}` },
    { certificate: made.p12, app_secret: PASSPHRASE },
    { certificate: made.p12Open },
    { certificate: made.p12Open.replace(/.{64}/g, '$&\n') },
  ]
  for (const record of records) {
    for (const environment of [0, 1] as const) {
      const { problems, warnings, expiresAt } = checkTls(record, environment)
      t.assert.deepEqual([problems, warnings], [[], []])
      t.assert.ok(Math.abs(expiresAt! - NOW - 365 * DAY_MS) < DAY_MS, `${expiresAt}`)
    }
  }
})

test('apns: a passphrase that does not open the .p12 is a problem of app_secret', (t: TestContext) => {
  t.assert.deepEqual(wrongFields(checkTls({ certificate: made.p12, app_secret: 'guess' })), ['app_secret'])
  t.assert.deepEqual(wrongFields(checkTls({ certificate: made.p12 })), ['app_secret'])
})

test('apns: a certificate that cannot be used is a problem that says why', (t: TestContext) => {
  const otherKey = made.other.slice(made.other.indexOf('-----BEGIN PRIVATE'))
  const der = Buffer.from(made.cer, 'base64')
  const validity = der.indexOf('\x30\x1e\x17\x0d') // a sequence of two times, 13 characters each
  der.write('no date at all', validity + 2 + 15 + 2, 13, 'latin1')
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()
  const dateless = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
  const records: [GivenFields, RegExp][] = [
    [{ certificate: made.pem }, /private key beside/],
    [{ certificate: made.cer }, /private key beside/],
    [{ certificate: made.p12NoKey, app_secret: PASSPHRASE }, /private key beside/],
    [{ certificate: made.pem + otherKey }, /do not match/],
    [{ certificate: dateless + made.key }, /readable dates/],
    [{ certificate: made.pem + made.key.slice(0, -60) }, /BEGIN and END/],
    [{ certificate: `${made.pem}-----BEGIN ENCRYPTED ${'PRIVATE'} KEY-----` }, /unencrypted/],
    [{ certificate: made.p12Old, app_secret: PASSPHRASE }, /openssl pkcs12 -legacy/],
    [{ certificate: made.p12.slice(0, 400), app_secret: PASSPHRASE }, /a \.p12 file in base64/],
    [{ certificate: 'not base64!' }, /a \.p12 file in base64/],
  ]
  for (const [record, words] of records) {
    const { problems } = checkTls(record)
    t.assert.deepEqual(problems.map(({ field }) => field), ['certificate'])
    t.assert.match(problems[0]!.expected, words)
  }
})

test('apns: an expired certificate is a problem, one that soon will be or is not yet valid warns', (t: TestContext) => {
  const record = { certificate: made.p12Open }
  const expired = checkTls(record, 1, NOW + 366 * DAY_MS)
  t.assert.deepEqual(wrongFields(expired), ['certificate'])
  t.assert.match(expired.problems[0]!.expected, /^must not be expired: this one ended on \d{4}-\d\d-\d\d$/)
  t.assert.ok(expired.expiresAt! < NOW + 366 * DAY_MS)
  const soon = checkTls(record, 1, NOW + 340 * DAY_MS)
  t.assert.deepEqual([soon.problems.length, soon.warnings.length], [0, 1])
  t.assert.match(soon.warnings[0]!, /expires soon/)
  t.assert.match(checkTls(record, 1, NOW - DAY_MS).warnings.join(), /not valid before/)
})

test('apns: a certificate of another app, of nobody or for the other environment only warns', (t: TestContext) => {
  const unusual: [GivenFields, Environment, RegExp][] = [
    [{ certificate: made.p12Open, app_id: 'com.example.other' }, 1, /com\.example\.app, which is not app_id/],
    [{ certificate: made.other }, 1, /names no app/],
    [{ certificate: made.development }, 1, /made for development, this record is for production/],
    [{ certificate: made.p12Open, app_key: 'ABC123DEFG' }, 1, /^app_key is not used/],
    [{ certificate: made.pem + made.key, app_secret: PASSPHRASE }, 1, /^app_secret is not used/],
  ]
  for (const [record, environment, words] of unusual) {
    const { problems, warnings } = checkTls(record, environment)
    t.assert.deepEqual([problems.length, warnings.length], [0, 1], warnings.join('; '))
    t.assert.match(warnings[0]!, words)
  }
  t.assert.deepEqual(checkTls({ certificate: made.development }, 0).warnings, [])
})
