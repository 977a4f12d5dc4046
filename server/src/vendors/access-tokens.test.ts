import test, { type TestContext } from 'node:test'
import { type ToldSender, calm, openAccount, plainAccess, plainVendor, reply, startDesk } from './desk.fixture.ts'
import type { Verdict } from './vendor.ts'

const timeout = 10_000
const HOUR = 3_600_000
const vendor = plainVendor({ access: plainAccess })

/** Numbers its tokens, each good for two hours and renewed after one. */
const numbered = (sender: ToldSender): void => {
  let last = 0
  sender.answer = () => reply({ value: `token ${(last += 1)}`, renewMs: HOUR, endsMs: 2 * HOUR })
}

test('an access token is asked for once, however many wait for it, and kept until it is to be renewed', { timeout }, async (t: TestContext) => {
  const { desk: { tokens }, sender, account, clock } = startDesk(t, vendor)
  numbered(sender)
  t.assert.deepEqual(await Promise.all(Array.from({ length: 100 }, () => tokens.get(vendor, account, ''))), Array(100).fill('token 1'))
  await clock.pass(HOUR - 1)
  t.assert.equal(await tokens.get(vendor, account, ''), 'token 1')
  t.assert.equal(sender.asked.length, 1)
})

test('a token is renewed beside the work before it ends; after its end the work waits for the new one', { timeout }, async (t: TestContext) => {
  const { desk: { tokens }, sender, account, clock } = startDesk(t, vendor)
  numbered(sender)
  await tokens.get(vendor, account, '')
  await clock.pass(HOUR)
  t.assert.equal(await tokens.get(vendor, account, ''), 'token 1', 'nobody waits')
  await calm()
  t.assert.equal(await tokens.get(vendor, account, ''), 'token 2')
  await clock.pass(2 * HOUR)
  t.assert.equal(await tokens.get(vendor, account, ''), 'token 3')
  t.assert.equal(sender.asked.length, 3)
})

test('while the old token still works, a vendor that gives no new one is asked now and then, not for every push', { timeout }, async (t: TestContext) => {
  const { desk: { tokens }, sender, account, clock } = startDesk(t, vendor)
  numbered(sender)
  await tokens.get(vendor, account, '')
  await clock.pass(HOUR)
  sender.answer = () => ({ kind: 'lost', why: 'no answer' })
  for (let push = 0; push < 100; push += 1) {
    t.assert.equal(await tokens.get(vendor, account, ''), 'token 1')
    await calm()
  }
  t.assert.equal(sender.asked.length, 2)
  await clock.pass(10_000)
  await tokens.get(vendor, account, '')
  t.assert.equal(sender.asked.length, 3)
})

test('a token the vendor refuses is dropped, but not the one that has taken its place', { timeout }, async (t: TestContext) => {
  const { desk: { tokens }, sender, account } = startDesk(t, vendor)
  numbered(sender)
  await tokens.get(vendor, account, '')
  tokens.drop(account, '', 'token 1')
  t.assert.equal(await tokens.get(vendor, account, ''), 'token 2')
  tokens.drop(account, '', 'token 1')
  t.assert.equal(await tokens.get(vendor, account, ''), 'token 2')
  t.assert.equal(sender.asked.length, 2)
})

test('accounts and regions never share a token, and what one drops or forgets the others keep', { timeout }, async (t: TestContext) => {
  const { desk: { tokens }, sender, account } = startDesk(t, vendor)
  numbered(sender)
  const other = openAccount({ key: 'xiaomi 1 12', app_secret: 'another' })
  const all = async () => [
    await tokens.get(vendor, account, ''), await tokens.get(vendor, account, 'eu'), await tokens.get(vendor, other, ''), await tokens.get(vendor, other, 'eu'),
  ]
  t.assert.deepEqual(await all(), ['token 1', 'token 2', 'token 3', 'token 4'])
  t.assert.deepEqual(sender.asked.map(({ body }) => body), ['secret ', 'secret eu', 'another ', 'another eu'])
  t.assert.deepEqual(sender.asked.map(({ key }) => key), ['xiaomi 1 1 ', 'xiaomi 1 1 eu', 'xiaomi 1 12 ', 'xiaomi 1 12 eu'])
  tokens.drop(account, 'eu', 'token 2')
  t.assert.deepEqual(await all(), ['token 1', 'token 5', 'token 3', 'token 4'])
  tokens.forget(account)
  t.assert.deepEqual(await all(), ['token 6', 'token 7', 'token 3', 'token 4'])
})

test('what stands in the way of a token is told to all who want one, and nobody asks again before its time', { timeout }, async (t: TestContext) => {
  const { desk: { tokens }, sender, account, clock } = startDesk(t, vendor)
  const denied: Verdict = { kind: 'denied', why: 'the secret is wrong' }
  const get = () => tokens.get(vendor, account, '')
  sender.answer = () => reply(denied)
  t.assert.deepEqual(await Promise.all([get(), get()]), [denied, denied])
  await clock.pass(59_999)
  t.assert.deepEqual(await get(), denied)
  t.assert.equal(sender.asked.length, 1)
  await clock.pass(1)
  sender.answer = () => reply({ kind: 'limited', why: 'too often', waitMs: 1_000 }, { retryAfterMs: 30_000 })
  t.assert.deepEqual(await get(), { kind: 'limited', why: 'too often', waitMs: 30_000, alone: false })
  await clock.pass(29_000)
  t.assert.deepEqual(await get(), { kind: 'limited', why: 'too often', waitMs: 1_000, alone: false }, 'what is left of it')
  t.assert.equal(sender.asked.length, 2)
  await clock.pass(1_000)
  sender.answer = () => ({ kind: 'lost', why: 'no answer' })
  t.assert.deepEqual(await get(), { kind: 'down', why: 'no access token: no answer', reason: 'no_access_token' })
  await clock.pass(1_000)
  sender.answer = () => reply({ kind: 'down', why: 'closed for repairs' }, { retryAfterMs: 90_000 })
  t.assert.deepEqual(await get(), { kind: 'down', why: 'closed for repairs', retryAfterMs: 90_000 })
  numbered(sender)
  await clock.pass(89_999)
  t.assert.deepEqual(await get(), { kind: 'down', why: 'closed for repairs', retryAfterMs: 1 })
  await clock.pass(1)
  t.assert.equal(await get(), 'token 1')
})

test('whatever stands in the way of a token, nobody asks again before a Retry-After, and one of nothing changes nothing', { timeout }, async (t: TestContext) => {
  const { desk: { tokens }, sender, account, clock } = startDesk(t, vendor)
  const get = () => tokens.get(vendor, account, '')
  sender.answer = () => reply({ kind: 'down', why: 'oh' }, { retryAfterMs: 0 })
  t.assert.deepEqual(await get(), { kind: 'down', why: 'oh' })
  await clock.pass(1_000)
  sender.answer = () => reply({ kind: 'denied', why: 'the secret is wrong' }, { retryAfterMs: 600_000 })
  await get()
  await clock.pass(599_999)
  await get()
  t.assert.equal(sender.asked.length, 2)
  await clock.pass(1)
  await get()
  t.assert.equal(sender.asked.length, 3)
})

test('credentials are tried anew although they were denied a moment ago', { timeout }, async (t: TestContext) => {
  const { desk: { tokens }, sender, account } = startDesk(t, vendor)
  sender.answer = () => reply({ kind: 'denied', why: 'the secret is wrong' })
  await tokens.get(vendor, account, '')
  numbered(sender)
  t.assert.equal(await tokens.getNew(vendor, account, ''), 'token 1')
  t.assert.equal(await tokens.get(vendor, account, ''), 'token 1')
})

test('a token that is made here is not made anew for the sake of trying', { timeout }, async (t: TestContext) => {
  let made = 0
  const making = plainVendor({ access: { make: (_, now) => ({ value: `made ${(made += 1)}`, renewAt: now + HOUR, endsAt: now + 2 * HOUR }) } })
  const { desk: { tokens }, account } = startDesk(t, making)
  t.assert.equal(await tokens.get(making, account, ''), 'made 1')
  t.assert.equal(await tokens.getNew(making, account, ''), 'made 1')
})

test('a credential that no token can be made of is denied, in words, and throws nothing', { timeout }, async (t: TestContext) => {
  const making = plainVendor({ access: { make: () => { throw new Error('the key is not a key') } } })
  const { desk: { tokens }, account } = startDesk(t, making)
  t.assert.deepEqual(await tokens.get(making, account, ''), {
    kind: 'denied', why: 'no access token can be made: the key is not a key', reason: 'no_access_token',
  })
})

test('a vendor without access tokens is asked for none', { timeout }, async (t: TestContext) => {
  const { desk: { tokens }, sender, account } = startDesk(t, plainVendor())
  t.assert.equal(await tokens.get(plainVendor(), account, ''), '')
  t.assert.equal(sender.asked.length, 0)
})
