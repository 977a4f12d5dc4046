import { setImmediate as turn } from 'node:timers/promises'
import test, { type TestContext } from 'node:test'
import { hashSync } from 'bcryptjs'
import { findCandidate } from '../store/login.ts'
import { importUsers } from '../store/imports.ts'
import { Bcrypt, isBcrypt } from './bcrypt.ts'
import { loginByName } from './login.ts'
import { Passwords, deriveArgon2, isVerifiable } from './password.ts'
import { type Trial, openTrial } from './trial.ts'

const COST = 4 // the cheapest: these tests are about what happens, not about how long it takes
const password = 'pässword 🔔'

// From the test vectors of Openwall's crypt_blowfish.
const vectors: [hash: string, password: string][] = [
  ['$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
  ['$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK', 'U*U*'],
  ['$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a', 'U*U*U'],
]

const addUser = (trial: Trial, name: string, passwordHash: string) =>
  trial.store.write(importUsers, { app: trial.app.id, users: [{ name, mobile: null, email: null, emailKey: null, passwordHash }], now: 1 })

const hashOf = async ({ store, app }: Trial, name: string): Promise<string | null> =>
  (await store.read(findCandidate, { app: app.id, by: { name }, guid: null }))!.password_hash

const login = (trial: Trial, name: string, tried: string) => loginByName(trial, trial.app, { name, password: tried }, '192.0.2.1')

test('bcrypt hashes that others made open for their password alone, in all their spellings', async (t: TestContext) => {
  const passwords = new Passwords()
  for (const [hash, right] of vectors) {
    for (const spelt of [hash, hash.replace('$2a', '$2b'), hash.replace('$2a', '$2y')]) {
      t.assert.equal(await passwords.verify(right, spelt), true, spelt)
      t.assert.equal(await passwords.verify(`${right} `, spelt), false, spelt)
    }
  }
})

test('a bcrypt hash that would take the machine, or is none, is not taken', (t: TestContext) => {
  const rest = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
  t.assert.ok(isBcrypt(`$2b$12$${rest}`))
  for (const hash of [`$2b$31$${rest}`, `$2b$16$${rest}`, `$2b$03$${rest}`, `$2x$10$${rest}`, `$2b$10$${rest}x`, '$2b$10$', '']) {
    t.assert.equal(isVerifiable(hash), false, hash)
  }
})

test('the event loop goes on while a bcrypt hash is computed', async (t: TestContext) => {
  let done = false
  const asked = new Bcrypt().matches({ password, hash: hashSync(password, 8) }).finally(() => (done = true))
  let turns = 0
  while (!done) {
    await turn()
    turns++
  }
  t.assert.equal(await asked, true)
  t.assert.ok(turns > 2, `${turns} turns`)
})

test('the first login replaces a bcrypt hash by argon2id, a wrong password does not', async (t: TestContext) => {
  const trial = await openTrial(t)
  const imported = hashSync(password, COST)
  await addUser(trial, 'ann', imported)
  await t.assert.rejects(login(trial, 'ann', 'wrong'), { code: 10020 })
  t.assert.equal(await hashOf(trial, 'ann'), imported)
  await login(trial, 'ann', password)
  const renewed = await hashOf(trial, 'ann')
  t.assert.match(renewed!, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  await login(trial, 'ann', password)
  t.assert.equal(await hashOf(trial, 'ann'), renewed, 'once is enough')
})

test('logins side by side of an imported user all succeed, although one of them replaces the hash', async (t: TestContext) => {
  const trial = await openTrial(t)
  await addUser(trial, 'bob', hashSync(password, COST))
  const records = await Promise.all(Array.from({ length: 4 }, () => login(trial, 'bob', password)))
  t.assert.equal(new Set(records.map(({ token }) => token)).size, 4)
})

test('weak argon2 is replaced too, strong argon2id is kept', async (t: TestContext) => {
  const trial = await openTrial(t, { passwords: { derive: deriveArgon2 } })
  const weak = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
  await addUser(trial, 'cid', weak)
  await login(trial, 'cid', 'password')
  t.assert.match((await hashOf(trial, 'cid'))!, /m=19456/)
  const passwords = new Passwords()
  t.assert.equal(await passwords.renewed('password', weak.replace('m=256', 'm=65536')), null)
})

test('a password longer than bcrypt reads does not become one of whatever follows', async (t: TestContext) => {
  const passwords = new Passwords()
  const long = 'x'.repeat(80)
  const hash = hashSync(long, COST)
  t.assert.equal(await passwords.verify(`${long}typo`, hash), true, 'bcrypt cannot tell')
  t.assert.equal(await passwords.renewed(`${long}typo`, hash), null)
})
