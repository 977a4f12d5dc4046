import test from 'node:test'
import { Refused } from '@carillon/protocol/errors.ts'
import { checkPassword, type Derive, deriveArgon2, Passwords } from './password.ts'
import { readPhc } from './phc.ts'

test('a password is hashed with argon2id, 19 MiB, two passes, and only it opens the hash', async (t) => {
  const passwords = new Passwords()
  const phc = await passwords.hash('pässword 🔔')
  t.assert.match(phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  t.assert.equal(await passwords.verify('pässword 🔔', phc), true)
  t.assert.equal(await passwords.verify('pässword 🔔 ', phc), false)
  t.assert.equal(await passwords.verify('pa\u0308ssword 🔔', phc), false)
})

test('hashes that others made with other parameters are verified', async (t) => {
  const passwords = new Passwords()
  // From the test vectors of the reference implementation: password "password", salt "somesalt".
  const vectors = [
    '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
    '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8',
  ]
  for (const vector of vectors) {
    t.assert.equal(await passwords.verify('password', vector), true, vector)
    t.assert.equal(await passwords.verify('Password', vector), false, vector)
  }
})

test('a hash that would take the machine, or is none, opens for nobody', async (t) => {
  const salted = 'c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
  t.assert.notEqual(readPhc(`$argon2id$v=19$m=256,t=2,p=1$${salted}`), undefined)
  for (const cost of ['m=4194304,t=2,p=1', 'm=256,t=1000,p=1', 'm=4096,t=2,p=99', 'm=8,t=2,p=4']) {
    t.assert.equal(readPhc(`$argon2id$v=19$${cost}$${salted}`), undefined, cost)
  }
  t.assert.equal(readPhc('$2b$12$abcdefghijklmnopqrstuv'), undefined)
  t.assert.equal(await new Passwords().verify('', 'plain'), false)
})

test('where there is no hash, one is computed all the same', async (t) => {
  const seen: string[] = []
  const derive: Derive = (password, phc, length) => {
    seen.push(`${phc.algorithm} ${phc.memory} ${phc.passes} ${phc.parallelism}`)
    return deriveArgon2(password, phc, length)
  }
  const passwords = new Passwords({ derive })
  t.assert.equal(await passwords.verify('whatever it is', null), false)
  t.assert.deepEqual(seen, ['argon2id 19456 2 1'])
})

test('only so many hashes are computed at once, only so many wait, and the rest are asked to come again', async (t) => {
  let running = 0
  let most = 0
  const free: (() => void)[] = []
  const derive: Derive = async (_password, _phc, length) => {
    most = Math.max(most, (running += 1))
    await new Promise<void>((resolve) => free.push(resolve))
    running -= 1
    return Buffer.alloc(length)
  }
  const passwords = new Passwords({ concurrency: 2, waiting: 3, derive })
  const accepted = Array.from({ length: 5 }, () => passwords.verify('x', null))
  await t.assert.rejects(
    passwords.verify('x', null),
    (error) => error instanceof Refused && error.code === 42900 && error.retryAfter! >= 1,
  )
  accepted.push(passwords.hash('x', { patient: true }).then(() => true))
  let finished = false
  void Promise.all(accepted).then(() => (finished = true))
  while (!finished) {
    free.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.assert.equal(most, 2)
})

test('length is counted in characters, not in code units', (t) => {
  checkPassword('🔔🔔🔔🔔🔔🔔🔔🔔', 8)
  checkPassword('🔔'.repeat(256), 8)
  t.assert.throws(() => checkPassword('🔔🔔🔔🔔', 8), /^Error: password must have 8 to 256 characters/)
  t.assert.throws(() => checkPassword('x'.repeat(257), 8), Refused)
})
