import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { LAST_PROVIDER } from '@carillon/protocol/names.ts'
import { startCarillon } from './harness/carillon.ts'
import { command } from './harness/command.ts'
import { connectDevice } from './harness/device.ts'

const carillon = await startCarillon({ after })
let files = 0

/** A file of lines; objects become JSON. */
const fileOf = async (lines: readonly (object | string | Buffer)[]): Promise<string> => {
  const file = join(carillon.data, `lines ${++files}.ndjson`)
  const bytes = lines.map((line) => (Buffer.isBuffer(line) ? line : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line))))
  await writeFile(file, Buffer.concat(bytes.flatMap((line) => [line, Buffer.from('\n')])))
  return file
}

interface Summary {
  lines: number
  added: number
  skipped: number
  refused: number
  problems: { line: number; reason: string }[]
}

const bring = async (what: 'user' | 'device', app: string, file: string): Promise<{ code: number; stderr: string; summary: Summary }> => {
  const { code, stdout, stderr } = await carillon.cli([what, 'import', '--app', app, file, '--json'], { fails: true })
  return { code, stderr, summary: JSON.parse(stdout) }
}

const tallyOf = ({ lines, added, skipped, refused }: Summary): number[] => [lines, added, skipped, refused]

const counted = async (app: string, admin: string): Promise<number> => (await carillon.ok('/user/list?page_size=1', { app, token: admin })).total

/** The running command, fed by hand. */
const startImport = async (app: string): Promise<ChildProcessWithoutNullStreams> => {
  const env = { ...process.env, ...(await carillon.settings()) }
  return spawn(process.execPath, [command, 'user', 'import', '--app', app, '-'], { env })
}

test('users come in with passwords and with the hashes of others, and log in', async (t: test.TestContext) => {
  const users = [
    { name: 'plain', password: 'correct horse', email: 'Plain@example.com', mobile: '+4915100001' },
    // From the public test vectors of crypt_blowfish and of argon2's reference implementation.
    { name: 'bcrypt', password_hash: '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a' },
    { name: 'argon2', password_hash: '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc' },
    { name: 'without' },
  ]
  const file = await fileOf(users)
  const { code, summary } = await bring('user', 'demo', file)
  t.assert.deepEqual([code, ...tallyOf(summary)], [0, 4, 4, 0, 0])
  const login = async (login_name: string, password: string) => (await carillon.call('/token/login', { body: { login_name, password } })).code
  t.assert.equal(await login('plain@EXAMPLE.com', 'correct horse'), 200)
  for (const round of ['with the hash that came', 'with the hash that took its place']) {
    t.assert.equal(await login('bcrypt', 'U*U*U'), 200, round)
    t.assert.equal(await login('argon2', 'password'), 200, round)
    t.assert.equal(await login('bcrypt', 'U*U*'), 10020, round)
  }
  t.assert.equal(await login('without', 'correct horse'), 10020)

  const again = await bring('user', 'demo', file)
  t.assert.deepEqual([again.code, ...tallyOf(again.summary)], [0, 4, 0, 4, 0])
  t.assert.equal(await login('plain', 'correct horse'), 200)
})

test('devices come in with their labels and are told their push token at the next login', async (t: test.TestContext) => {
  const user = await carillon.addUser('dora')
  const device = {
    user_id: user, device_guid: 'phone of dora', platform: 'android', alias: 'the one', tags: ['vip', 'blue'],
    tokens: [{ provider: 7, token: 'fcm of dora' }, { provider: 7, environment: 0, token: 'fcm of dora' }, { provider: 8, environment: 1, token: 'honor of dora' }],
  }
  const file = await fileOf([device, '', { name: 'dora', device_guid: 'page of dora', platform: 'web' }])
  const { code, summary } = await bring('device', 'demo', file)
  t.assert.deepEqual([code, ...tallyOf(summary)], [0, 3, 2, 0, 0])

  const login = await carillon.tokenFor(user, 'phone of dora')
  const shown = (await carillon.ok('/user/device/list', { token: login.token })).find((row: any) => row.device_guid === 'phone of dora')
  t.assert.deepEqual([shown.platform, shown.alias, shown.tags, shown.push_token], ['android', 'the one', ['blue', 'vip'], login.push_token])
  t.assert.deepEqual(shown.providers.map((row: any) => [row.provider, row.environment]).toSorted(), [[7, 0], [7, 1], [8, 1]])
  const phone = await connectDevice(t, carillon, login)
  await carillon.notify({ audience: { alias: ['the one'] }, message: { title: 'found by its alias' } })
  t.assert.equal((await phone.has(1))[0]!.title, 'found by its alias')
  t.assert.deepEqual(tallyOf((await bring('device', 'demo', file)).summary), [3, 0, 2, 0])
})

test('an import beside a server that is being notified keeps no call waiting and loses no line', async (t: test.TestContext) => {
  const admin = await carillon.addApp('crowd')
  const count = 6_000
  const names = Array.from({ length: count }, (_, i) => `user ${i}`)
  const users = await fileOf(names.map((name) => ({ name })))
  const devices = await fileOf(names.map((name, i) => (
    { name, device_guid: `guid ${i}`, platform: 'ios', tags: ['crowd'], tokens: [{ provider: 1, environment: 1, token: `apns ${i}` }] }
  )))
  let importing = true
  const codes: number[] = []
  const notify = async (): Promise<void> => {
    while (importing) codes.push((await carillon.call('/push/notify', { token: carillon.admin, body: { audience: { user_id: [1] }, message: { title: 'x' } } })).code)
  }
  const notifying = notify()
  const summaries = [(await bring('user', 'crowd', users)).summary, (await bring('device', 'crowd', devices)).summary]
  importing = false
  await notifying
  t.assert.deepEqual(summaries.map(tallyOf), [[count, count, 0, 0], [count, count, 0, 0]])
  t.assert.ok(codes.length > 10 && codes.every((code) => code === 200), `${codes.length} calls`)
  const id = await carillon.notify({ audience: { tag: ['crowd'] }, message: { title: 'y' }, setting: { dry_run: true } }, { app: 'crowd', token: admin })
  const done = await carillon.until(() => carillon.task(id, { app: 'crowd', token: admin }), (task) => task.state === 'done')
  t.assert.equal(Object.values(done.reasons).reduce((sum, n) => sum + n, 0), count, 'every device is meant once')
})

test('an import killed in the middle is started again and brings the rest', async (t: test.TestContext) => {
  const admin = await carillon.addApp('killed')
  const lines = Array.from({ length: 5_000 }, (_, i) => JSON.stringify({ name: `user ${i}` }))
  const child = await startImport('killed')
  child.stdin.on('error', () => {}) // it is killed while it reads
  child.stdin.write(`${lines.slice(0, 3_500).join('\n')}\n`)
  await carillon.until(() => counted('killed', admin), (total) => total > 0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const there = await counted('killed', admin)
  t.assert.ok(there > 0 && there < 5_000, String(there))
  const { code, summary } = await bring('user', 'killed', await fileOf(lines))
  t.assert.deepEqual([code, ...tallyOf(summary)], [0, 5_000, 5_000 - there, there, 0])
  t.assert.equal(await counted('killed', admin), 5_000)
})

test('a hostile line is told by number and reason and costs itself alone', async (t: test.TestContext) => {
  const hash = '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'
  const lines: [line: object | string | Buffer, reason: RegExp | undefined][] = [
    [{ name: 'good 1', email: 'good@example.com' }, undefined],
    [`{"name":"${'x'.repeat(1_500_000)}"}`, /longer than 1 MiB/],
    [Buffer.from('7b226e616d65223a22ff227d', 'hex'), /not UTF-8/],
    [{ name: 7 }, /name must be a string/],
    ['{"name":"a\\u0000b"}', /NUL/],
    ['{"name":"a\0b"}', /JSON/],
    ['{"name":"twice","name":"twice"}', /a key that its object already has/],
    ['{"name":"\\ud800"}', /surrogate/],
    ['[]', /must be an object|required/],
    ['{"name":', /JSON/],
    [{}, /name is required/],
    [{ name: 'x'.repeat(129) }, /name must be at most 128/],
    [{ name: 'both', password: 'correct horse', password_hash: hash }, /beside password_hash/],
    [{ name: 'short', password: 'short' }, /password must have 8/],
    [{ name: 'md5', password_hash: '5f4dcc3b5aa765d61d8327deb882cf99' }, /password_hash must be argon2/],
    [{ name: 'costly', password_hash: hash.replace('05', '31') }, /of a cost/],
    [{ name: 'mail', email: 'GOOD@example.com' }, /email is taken/],
    [{ name: 'good 1' }, undefined],
    ['\uFEFF{"name":"marked"}', /JSON/],
    [{ name: 'good 2' }, undefined],
  ]
  await carillon.addApp('hostile')
  const { code, stderr, summary } = await bring('user', 'hostile', await fileOf(lines.map(([line]) => line)))
  t.assert.equal(code, 1)
  const expected = lines.flatMap(([, reason], i) => (reason ? [{ line: i + 1, reason }] : []))
  t.assert.deepEqual(summary.problems.map(({ line }) => line).toSorted((a, b) => a - b), expected.map(({ line }) => line))
  for (const { line, reason } of expected) t.assert.match(summary.problems.find((problem) => problem.line === line)!.reason, reason)
  t.assert.deepEqual(tallyOf(summary), [20, 2, 1, 17])
  t.assert.match(stderr, /^line 4: name must be a string$/m)
  t.assert.match(stderr, /^carillon: 17 of 20 lines were not taken$/m)
})

test('nothing is taken from a device or a user by an import, and only the first twenty complaints are told', async (t: test.TestContext) => {
  const admin = await carillon.addApp('owners')
  const [ann, bob] = [await carillon.addUser('ann', { app: 'owners', admin }), await carillon.addUser('bob', { app: 'owners', admin })]
  await carillon.tokenFor(ann, 'phone of ann', { app: 'owners', admin })
  const device = (more: object) => ({ user_id: bob, device_guid: 'phone of bob', platform: 'ios', ...more })
  const token = { provider: 1, environment: 1, token: 'the same' }
  const { summary } = await bring('device', 'owners', await fileOf([
    { user_id: ann, device_guid: 'pad of ann', platform: 'ios', tokens: [token] },
    device({ device_guid: 'phone of ann' }),
    device({ tokens: [token] }),
    device({ tokens: [{ ...token, token: 'another' }, { ...token, token: 'a third' }] }),
    device({ user_id: 999_999 }),
    device({ user_id: undefined }),
    device({ name: 'bob' }),
    device({ platform: 'phone' }),
    device({ tokens: [{ provider: LAST_PROVIDER + 1, token: 'x' }] }),
    device({ user_id: 0.5 }),
  ]))
  t.assert.deepEqual(summary.problems.map(({ line, reason }) => `${line} ${reason}`).toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)), [
    `2 device_guid belongs to user ${ann}`,
    '3 tokens[0].token belongs to another device',
    '4 tokens[1] repeats a provider and environment: a device has one token for each',
    '5 user_id is no user of this app',
    '6 user_id or name is required',
    '7 user_id must not stand beside name',
    '8 platform must be ios, android, web or other',
    `9 tokens[0].provider must be an integer from 1 to ${LAST_PROVIDER}, written in digits alone`,
    '10 user_id must be a 64-bit integer, written in digits alone',
  ])
  t.assert.deepEqual(tallyOf(summary), [10, 1, 0, 9])
  const bobs = await carillon.tokenFor(bob, undefined, { app: 'owners', admin })
  t.assert.deepEqual(await carillon.ok('/user/device/list', { app: 'owners', token: bobs.token }), [], 'a refused line leaves nothing behind')

  const many = await bring('user', 'owners', await fileOf(Array.from({ length: 50 }, () => ({ name: 7 }))))
  t.assert.equal(many.stderr.match(/^line \d+: /gm)!.length, 20)
  t.assert.match(many.stderr, /^carillon: 50 of 50 lines were not taken; the first 20 are told above$/m)
})

test('an import that is called wrongly says so', async (t: test.TestContext) => {
  const failure = async (...args: string[]) => {
    const { code, stderr } = await carillon.cli(args, { fails: true })
    return [code, stderr]
  }
  t.assert.deepEqual(await failure('user', 'import', '--app', 'nowhere', '-'), [1, 'carillon: there is no app nowhere\n'])
  t.assert.equal((await failure('user', 'import', '--app', 'demo', join(carillon.data, 'nowhere')))[0], 1)
  t.assert.equal((await failure('user', 'import', '--app', 'demo'))[0], 2)
  t.assert.equal((await failure('device', 'import', '-'))[0], 2)
})
