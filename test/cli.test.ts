import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { startCarillon } from './harness/carillon.ts'
import { run } from './harness/command.ts'
import { connectDevice } from './harness/device.ts'
import { isOfThree } from './harness/installation.ts'

const carillon = await startCarillon({ after })

/** What a command that succeeds prints, without the last line's end. */
const cli = async (...args: string[]): Promise<string> => (await carillon.cli(args)).stdout.replace(/\n$/, '')
const asJson = async (...args: string[]): Promise<any> => JSON.parse(await cli(...args, '--json'))

/** Commands that must fail: each with its exit code and one line that says why. Side by side, for the time it takes. */
const fail = async (t: test.TestContext, expected: [args: string[], code: 1 | 2, says: RegExp][]): Promise<void> => {
  const ran = await Promise.all(expected.map(([args]) => carillon.cli(args, { fails: true })))
  ran.forEach(({ code, stdout, stderr }, i) => {
    const [args, expectedCode, says] = expected[i]!
    t.assert.deepEqual([code, stdout], [expectedCode, ''], args.join(' '))
    t.assert.match(stderr, /^carillon: [^\n]+\n$/, 'one line, no stack')
    t.assert.match(stderr, says)
  })
}

test('an app is created once, listed, renamed and set', async (t) => {
  t.assert.equal(await cli('app', 'create', 'shop', '--name', 'My Shop'), 'shop')
  t.assert.deepEqual(await asJson('app', 'create', 'plain'), { app_id: 'plain', name: 'plain' })

  t.assert.equal(await cli('app', 'set', 'shop', 'name', 'Our Shop'), 'name = Our Shop')
  await cli('app', 'set', 'shop', 'token_days', '7')
  const shop = (await asJson('app', 'list')).find((app: any) => app.app_id === 'shop')
  t.assert.deepEqual([shop.name, shop.token_days, shop.push_enabled], ['Our Shop', 7, true])
  t.assert.match(await cli('app', 'list'), /^shop\tOur Shop\tpush on$/m)

  await fail(t, [
    [['app', 'create', 'shop'], 1, /there is an app shop already/],
    [['app', 'create', 'x'.repeat(129)], 1, /APP_ID/],
    [['app', 'set', 'shop', 'token_days', '0'], 1, /token_days must be a whole number/],
    [['app', 'set', 'shop', 'colour', 'red'], 1, /is not a setting/],
    [['app', 'set', 'nowhere', 'name', 'x'], 1, /there is no app nowhere/],
  ])
})

test('push switched off for an app is refused by the running server, and works again once switched on', async (t) => {
  const admin = await carillon.addApp('quiet')
  const body = { audience: 'all', message: { title: 'x' } }
  const notify = async () => (await carillon.call('/push/notify', { app: 'quiet', token: admin, body })).code
  t.assert.equal(await notify(), 200)
  await cli('app', 'set', 'quiet', 'push_enabled', 'false')
  await carillon.until(notify, (code) => code === 12006)
  await cli('app', 'set', 'quiet', 'push_enabled', 'true')
  await carillon.until(notify, (code) => code === 200)
})

test('token create prints the token alone; it works at once and is listed without itself', async (t) => {
  await cli('app', 'create', 'tokens')
  const token = await cli('token', 'create', '--app', 'tokens', '--name', 'ci')
  t.assert.match(token, /^ca_[\w-]{20,}$/)
  const use = async (used: string) => (await carillon.call('/push/task/list', { app: 'tokens', token: used })).code
  t.assert.equal(await use(token), 200)
  t.assert.equal((await carillon.call('/push/task/list', { token })).code, 10008, 'not in another app')

  const before = Date.now()
  const made = await asJson('token', 'create', '--app', 'tokens', '--expires', '90d')
  t.assert.equal(await use(made.token), 200)
  t.assert.equal(Math.round((made.expires_at - before) / 86_400_000), 90)
  const listed = await asJson('token', 'list', '--app', 'tokens')
  t.assert.deepEqual(listed.map(({ id, name, expires_at }: any) => [id === made.id, name, expires_at]), [
    [false, 'ci', null],
    [true, null, made.expires_at],
  ])
  t.assert.doesNotMatch(await cli('token', 'list', '--app', 'tokens'), /ca_/)

  await fail(t, [
    [['token', 'create', '--app', 'tokens', '--expires', 'soon'], 2, /--expires/],
    [['token', 'create', '--app', 'nowhere'], 1, /there is no app nowhere/],
    [['token', 'list'], 2, /--app is required/],
    [['token', 'revoke', 'first', '--app', 'tokens'], 2, /NUMBER/],
    [['token', 'revoke', String(made.id), '--app', 'demo'], 1, /app demo has no token/],
  ])
})

test('a token revoked beside the running server is refused within a moment, and nothing else is closed', async (t) => {
  const admin = await carillon.addApp('revoked')
  const options = { app: 'revoked', admin }
  const login = await carillon.tokenFor(await carillon.addUser('ann', options), 'phone', options)
  const device = await connectDevice(t, carillon, login)
  const { id, token } = await asJson('token', 'create', '--app', 'revoked')
  const use = async (used: string) => (await carillon.call('/push/task/list', { app: 'revoked', token: used })).code
  t.assert.equal(await use(token), 200)

  t.assert.equal(await cli('token', 'revoke', String(id), '--app', 'revoked'), `token ${id} is revoked`)

  await carillon.until(() => use(token), (code) => code === 10008)
  t.assert.equal(await use(admin), 200)
  await carillon.notify({ audience: 'all', message: { title: 'still here' } }, { app: 'revoked', token: admin })
  t.assert.equal((await device.has(1))[0]!.title, 'still here')
})

test('a user is created with a password from stdin, which then logs in; the id is printed alone', async (t) => {
  const ann = ['--name', 'ann', '--mobile', '+4915100000', '--email', 'ann@example.com']
  const args = ['user', 'create', '--app', 'demo', ...ann]
  const { stdout } = await carillon.cli([...args, '--password-stdin'], { input: ' spaces count \n' })
  t.assert.match(stdout, /^\d+\n$/)
  const login = async (password: string) =>
    carillon.call('/token/login', { body: { login_name: 'ANN@example.com', password } })
  t.assert.equal((await login(' spaces count ')).data.user_id, Number(stdout))
  t.assert.equal((await login('spaces count')).code, 10020)

  const second = await asJson('user', 'create', '--app', 'demo', '--name', 'bob', '--password', 'bobs password')
  const bob = { user_id: second.user_id, password: 'bobs password' }
  t.assert.equal((await carillon.call('/token/id', { body: bob })).code, 200)
  const without = Number(await cli('user', 'create', '--app', 'demo', '--name', 'cid'))
  t.assert.equal((await carillon.tokenFor(without)).user_id, without)

  const dan = ['user', 'create', '--app', 'demo', '--name', 'dan']
  await fail(t, [
    [args, 1, /is taken/],
    [[...dan, '--password', 'short'], 1, /password/],
    [[...dan, '--password', 'long enough', '--password-stdin'], 2, /cannot both/],
    [dan.slice(0, 4), 2, /--name is required/],
  ])
})

test('a certificate set on the command line is read over HTTP', async (t) => {
  const admin = await carillon.addApp('certified')
  const read = () => carillon.call('/push/certificate?provider=3', { app: 'certified', token: admin })
  t.assert.equal((await read()).code, 12010)
  const secret = 'c2VjcmV0IG9mIHhpYW9taQ=='
  const fields = ['--name', 'com.example.app', '--app-id', '1', '--app-key', '2', '--app-secret', secret]
  const args = ['cert', 'set', '--app', 'certified', ...fields]
  t.assert.equal(await cli(...args, '--provider', 'xiaomi'), 'xiaomi is set for certified')
  const { data } = await carillon.until(read, ({ code }) => code === 200)
  t.assert.deepEqual([data.name, data.app_id, data.app_key, data.app_secret], ['com.example.app', '1', '2', secret])

  const development = await asJson(...args, '--provider', '3', '--environment', 'development')
  t.assert.deepEqual(development, { provider: 'xiaomi', environment: 0, warnings: [] })
  await carillon.ok('/push/certificate?provider=3&environment=0', { app: 'certified', token: admin })

  const broken = join(carillon.data, 'broken.json')
  await writeFile(broken, '{}')
  await fail(t, [
    [[...args, '--provider', 'ups'], 2, /--provider/],
    [[...args, '--provider', '3', '--environment', '2'], 2, /--environment/],
    [[...args, '--provider', 'fcm', '--certificate-file', join(carillon.data, 'nowhere')], 1, /--certificate-file/],
    [[...args, '--provider', 'fcm', '--certificate-file', broken], 1, /certificate/],
  ])
})

test('task and trace tell what became of a push', async (t) => {
  const login = await carillon.tokenFor(await carillon.addUser('eve'), 'phone of eve')
  const away = await carillon.tokenFor(await carillon.addUser('flo'), 'phone of flo')
  const device = await connectDevice(t, carillon, login)
  await carillon.online(login)
  const users = [login.user_id, away.user_id]
  const id = await carillon.notify({ audience: { user_id: users }, message: { title: 'Hello' } })
  await device.has(1)
  await carillon.until(() => carillon.counters(id), (row) => row.nativepush_received === 1)

  const lines = (await cli('task', 'demo', String(id))).split('\n')
  t.assert.match(lines[0]!, new RegExp(`^task ${id}: done, accepted `))
  t.assert.match(lines[1]!, /^channel +target +sent +received$/)
  t.assert.match(lines[2]!, /^nativepush +2 +1 +1$/)
  const told = await asJson('task', 'demo', String(id))
  t.assert.deepEqual([told.task_id, told.state, told.waiting, told.counters.nativepush_received], [id, 'done', 1, 1])
  t.assert.deepEqual(told.audience, { user_id: users })

  t.assert.match(await cli('trace', 'demo', String(id), login.push_token), /acknowledged/)
  const { steps } = await asJson('trace', 'demo', String(id), away.push_token)
  t.assert.match(steps.map(({ text }: { text: string }) => text).join('\n'), /waits in the inbox/)

  await fail(t, [
    [['task', 'demo', '999999'], 1, /app demo has no task 999999/],
    [['task', 'demo', 'last'], 2, /TASK_ID/],
    [['trace', 'demo', String(id), 'cp_nobody'], 1, /no device/],
    [['trace', 'demo', String(id)], 2, /usage: carillon trace/],
  ])
})

test('a command that is called wrongly says how it is called, with exit code 2', async (t) => {
  await fail(t, [
    [['dance'], 2, /no command dance/],
    [['app', 'dance'], 2, /no command app dance/],
    [['app', 'create'], 2, /usage: carillon app create/],
    [['app', 'list', 'all'], 2, /usage: carillon app list/],
    [['token', 'create', '--ap', 'demo'], 2, /--ap/],
  ])
})

// Without a store there is but one kind of installation.
if (!isOfThree) test('help names every command, and every command tells more of itself', async (t) => {
  const overview = await cli('help')
  t.assert.equal(await cli(), overview)
  const commands = [...overview.matchAll(/^ {2}carillon ((?:[a-z]+ )?[a-z]+)\b/gm)].map((match) => match[1]!)
  const apps = ['app create', 'app list', 'app set', 'token create', 'token list', 'token revoke']
  const every = ['serve', ...apps, 'user create', 'cert set', 'task', 'trace']
  t.assert.deepEqual(every.filter((name) => !commands.includes(name)), [])
  // Without a store to speak of: help must not make one.
  const data = join(carillon.data, 'nowhere')
  const env = { CARILLON_DATA: data }
  const told = await Promise.all(commands.map((name) => run([...name.split(' '), '--help'], { env })))
  commands.forEach((name, i) => t.assert.match(told[i]!.stdout, new RegExp(`^carillon ${name}[\\s\\S]{100}`)))
  await t.assert.rejects(stat(data), { code: 'ENOENT' })
})
