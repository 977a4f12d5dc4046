import test, { after } from 'node:test'
import type { Answer } from './harness/carillon.ts'
import { startWithStillClock } from './harness/still-clock.ts'

// One proxy is trusted, so that a test can come from an address of its own.
const { carillon, pass: passSeconds } = await startWithStillClock({ after }, 1_000, {
  CARILLON_TRUST_PROXY: '1',
  CARILLON_ADDRESS_FAILURES: '12',
})

const call = (address: string, path: string, body: object): Promise<Answer> =>
  carillon.call(path, { body, headers: { 'x-forwarded-for': address } })

const register = async (body: { username: string; password: string; [contact: string]: string }): Promise<number> =>
  (await carillon.ok('/user/register/v2', { body })).user_id

const RIGHT = 'correct horse'
const WRONG = 'battery staple'

test('five failures are free; after the sixth the right password is refused too until the wait is over', async (t) => {
  await register({ username: 'ann', password: RIGHT })
  let tries = 0 // each from another address: this is about the account
  const login = (password: string) => call(`198.51.100.${++tries}`, '/token/user', { name: 'ann', password })
  const codes = async (...passwords: string[]): Promise<number[]> => {
    const answered: number[] = []
    for (const password of passwords) answered.push((await login(password)).code)
    return answered
  }
  const five = Array<string>(5).fill(WRONG)
  t.assert.deepEqual(await codes(...five, RIGHT), [10020, 10020, 10020, 10020, 10020, 200], 'five cost nothing')
  t.assert.deepEqual(await codes(...five, RIGHT), [10020, 10020, 10020, 10020, 10020, 200], 'success begins anew')
  await codes(...five)
  const wrong = await login(WRONG)
  const { headers: _, ...locked } = await login(RIGHT)
  const asWrong = { status: 401, code: 10020, data: null, message: wrong.message }
  t.assert.deepEqual(locked, asWrong, 'nobody can tell it from a wrong password')
  await passSeconds()
  t.assert.deepEqual(await codes(WRONG, RIGHT), [10020, 10020], 'the seventh doubles the wait')
  await passSeconds()
  t.assert.deepEqual(await codes(RIGHT), [10020])
  await passSeconds()
  t.assert.deepEqual(await codes(RIGHT), [200])
})

test('attempts side by side do not slip through', async (t) => {
  await register({ username: 'sid', password: RIGHT })
  const login = (password: string) => call('192.0.2.2', '/token/user', { name: 'sid', password })
  await Promise.all(Array.from({ length: 10 }, () => login(WRONG)))
  t.assert.equal((await login(RIGHT)).code, 10020)
  await passSeconds()
  t.assert.equal((await login(RIGHT)).code, 200, 'of ten at once six were tried, and cost one second')
})

test('a device the user has used before is not locked out by what others do to the account', async (t) => {
  await register({ username: 'bob', password: RIGHT })
  const login = (password: string, device_guid?: string) =>
    call('192.0.2.3', '/token/user', { name: 'bob', password, device_guid })
  t.assert.equal((await login(RIGHT, 'phone of bob')).code, 200)
  for (let i = 0; i < 6; i++) await login(WRONG)
  t.assert.equal((await login(RIGHT)).code, 10020)
  t.assert.equal((await login(RIGHT, 'a phone bob never had')).code, 10020)
  t.assert.equal((await login(RIGHT, 'phone of bob')).code, 200)
  for (let i = 0; i < 6; i++) await login(WRONG, 'phone of bob')
  t.assert.equal((await login(RIGHT, 'phone of bob')).code, 10020, 'its own lane is paced as well')
})

test('an address that guesses at many accounts is told to slow down, and others are not', async (t) => {
  await register({ username: 'cid', password: RIGHT })
  const guess = (address: string, name: string) => call(address, '/token/user', { name, password: WRONG })
  for (let i = 0; i < 12; i++) t.assert.equal((await guess('192.0.2.4', `nobody ${i}`)).code, 10020)
  t.assert.equal((await guess('192.0.2.4', 'the one of these five seconds')).code, 10020)
  const refused = await guess('192.0.2.4', 'one more')
  t.assert.deepEqual([refused.code, refused.status, refused.headers.get('retry-after')], [42900, 429, '5'])
  const login = async (address: string) => (await call(address, '/token/user', { name: 'cid', password: RIGHT })).code
  t.assert.deepEqual([await login('192.0.2.4'), await login('192.0.2.5')], [42900, 200])
  const registered = await call('192.0.2.4', '/user/register/v2', { username: 'new', password: RIGHT })
  t.assert.equal(registered.code, 200, 'registration has a bucket of its own')
  await passSeconds(5)
  t.assert.equal(await login('192.0.2.4'), 200, 'and a right one gives it back')
  t.assert.equal((await guess('192.0.2.4', 'again')).code, 10020)
  t.assert.equal((await guess('192.0.2.4', 'again')).code, 42900)
})

test('an unknown user, a wrong password, a disabled user and a user without password answer alike', async (t) => {
  const gone = await register({ username: 'dan', password: RIGHT })
  await carillon.ok('/user/disable', { token: carillon.admin, body: { user_id: gone } })
  await carillon.addUser('without password')
  const answers = [
    await call('192.0.2.6', '/token/user', { name: 'nobody at all', password: RIGHT }),
    await call('192.0.2.6', '/token/user', { name: 'dan', password: RIGHT }),
    await call('192.0.2.6', '/token/user', { name: 'without password', password: RIGHT }),
    await call('192.0.2.6', '/token/id', { user_id: 987_654, password: RIGHT }),
    await call('192.0.2.6', '/token/login', { login_name: 'nobody@example.com', password: RIGHT }),
  ].map(({ headers: _, ...envelope }) => envelope)
  const { message } = answers[0]!
  for (const answer of answers) t.assert.deepEqual(answer, { status: 401, code: 10020, data: null, message })
})

test('a password is its exact bytes: spaces, case and composition count', async (t) => {
  const exact = ' Pässword \t'
  await register({ username: 'eve', password: exact })
  const others = [exact.trim(), exact.trimEnd(), exact.toLowerCase(), exact.normalize('NFD')]
  const codeOf = async (password: string) => (await call('192.0.2.7', '/token/user', { name: 'eve', password })).code
  for (const password of others) t.assert.equal(await codeOf(password), 10020)
  t.assert.equal(await codeOf(exact), 200)
})

test('a password has 8 to 256 characters', async (t) => {
  const codeOf = async (username: string, password: string) =>
    (await call('192.0.2.8', '/user/register/v2', { username, password })).code
  t.assert.equal(await codeOf('short', '1234567'), 10002)
  t.assert.equal(await codeOf('long', 'x'.repeat(257)), 10002)
  t.assert.equal(await codeOf('shortest', '🔔'.repeat(8)), 200)
  t.assert.equal(await codeOf('longest', '🔔'.repeat(256)), 200)
  t.assert.equal((await call('192.0.2.8', '/token/user', { name: 'longest', password: '🔔'.repeat(256) })).code, 200)
})

test('a login name is a mobile number, an email in any case, or a username, in this order', async (t) => {
  const flo = await register({ username: 'flo', password: RIGHT, mobile: '+491511234567', email: 'Flo@Example.com' })
  await register({ username: '+491511234567', password: 'another person' })
  const login = async (login_name: string, password = RIGHT) =>
    (await call('192.0.2.9', '/token/login', { login_name, password })).data?.user_id
  const names = ['+491511234567', 'Flo@Example.com', 'flo@EXAMPLE.COM', 'flo']
  for (const name of names) t.assert.equal(await login(name), flo)
  t.assert.equal(await login('+491511234567', 'another person'), undefined, 'the mobile number comes first')
  const other = { name: '+491511234567', password: 'another person' }
  t.assert.equal((await call('192.0.2.9', '/token/user', other)).code, 200)
  t.assert.equal((await call('192.0.2.9', '/token/id', { user_id: flo, password: RIGHT })).data.user_id, flo)
  t.assert.equal((await call('192.0.2.9', '/token/user', { name: 'flo@example.com', password: RIGHT })).code, 10020)
  const taken = { username: 'flo 2', password: RIGHT, email: 'FLO@example.com' }
  t.assert.equal((await call('192.0.2.9', '/user/register/v2', taken)).code, 10004)
})

test('a changed password ends the other tokens of the user, and the old password', async (t) => {
  const user = await register({ username: 'gil', password: RIGHT })
  const login = (password: string, device_guid?: string) =>
    call('192.0.2.10', '/token/user', { name: 'gil', password, device_guid })
  const [here, there] = [(await login(RIGHT, 'here')).data, (await login(RIGHT, 'there')).data]
  const change = (old_password: string, password: string) =>
    carillon.call('/user/change_password', { token: here.token, body: { old_password, password } })
  t.assert.equal((await change(WRONG, 'brand new one')).code, 10020)
  t.assert.equal((await change(RIGHT, 'short')).code, 10002)
  t.assert.equal((await change(RIGHT, 'brand new one')).code, 200)
  await carillon.heard()
  const codeOf = async (token: string) => (await carillon.call('/user/device/list', { token })).code
  t.assert.deepEqual([await codeOf(here.token), await codeOf(there.token)], [200, 10008])
  t.assert.deepEqual([(await login(RIGHT)).code, (await login('brand new one')).code], [10020, 200])

  const body = { user_id: user, password: 'set by an admin' }
  await carillon.ok('/user/change_password_admin', { token: carillon.admin, body })
  await carillon.heard()
  t.assert.equal(await codeOf(here.token), 10008)
  t.assert.deepEqual([(await login('brand new one')).code, (await login('set by an admin')).code], [10020, 200])
})

test('ten logins at once with the right password all succeed', async (t) => {
  await register({ username: 'hal', password: RIGHT })
  const login = () => call('192.0.2.11', '/token/user', { name: 'hal', password: RIGHT })
  const answers = await Promise.all(Array.from({ length: 10 }, login))
  t.assert.deepEqual(answers.map(({ code }) => code), Array(10).fill(200))
  t.assert.equal(new Set(answers.map(({ data }) => data.token)).size, 10)
})
