import test from 'node:test'
import { Refused } from '@carillon/protocol/errors.ts'
import { purgeAttempts } from '../store/attempts.ts'
import { openTrial, type Trial } from './trial.ts'

const wrong = async () => false
const right = async () => true
const here = '192.0.2.1'

const tries = async (trial: Trial, times: number, account: string, address = here) => {
  let checked = 0
  for (let i = 0; i < times; i += 1) {
    await trial.throttle.guess({ account, address }, async () => {
      checked += 1
      return false
    })
  }
  return checked
}

const isTooMany = (error: unknown) => error instanceof Refused && error.code === 42900 && error.retryAfter! > 0

test('five failures are free; the ones after them cost 1, 2, 4 seconds and so on up to 15 minutes', async (t) => {
  const trial = await openTrial(t, { throttle: { addressBurst: 1_000_000 } })
  t.assert.equal(await tries(trial, 5, 'user 1'), 5)
  for (let wait = 1_000; wait < 4_000_000; wait *= 2) {
    const told = Math.min(wait, 900_000)
    t.assert.equal(await tries(trial, 3, 'user 1'), 1, `one attempt, then ${told} ms of none`)
    trial.clock.move(told - 1)
    t.assert.equal(await tries(trial, 1, 'user 1'), 0)
    t.assert.equal(await trial.throttle.guess({ account: 'user 1', address: here }, right), false)
    trial.clock.move(1)
  }
  t.assert.equal(await tries(trial, 1, 'user 2'), 1, 'another account is not concerned')
})

test('success resets the account, and a day without failures too', async (t) => {
  const trial = await openTrial(t)
  const guess = { account: 'user 1', address: here }
  await tries(trial, 6, 'user 1')
  trial.clock.move(1_000)
  t.assert.equal(await trial.throttle.guess(guess, right), true)
  t.assert.equal(await tries(trial, 9, 'user 1'), 6)
  trial.clock.move(86_400_000 + 1_000)
  t.assert.equal(await tries(trial, 9, 'user 1'), 6)
})

test('of twenty wrong attempts at once no more are checked than one after the other', async (t) => {
  const trial = await openTrial(t)
  let checked = 0
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () =>
      trial.throttle.guess({ account: 'user 1', address: here }, async () => {
        checked += 1
        await new Promise((resolve) => setImmediate(resolve))
        return false
      }),
    ),
  )
  t.assert.equal(checked, 6)
  t.assert.deepEqual(outcomes, Array(20).fill(false))
})

test('twenty right attempts at once are all let in, even if the address may fail only three times', async (t) => {
  const trial = await openTrial(t, { throttle: { addressBurst: 3 } })
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => trial.throttle.guess({ account: 'user 1', address: here }, right)),
  )
  t.assert.deepEqual(outcomes, Array(20).fill(true))
})

test('a device the user has used before is not locked out with the account', async (t) => {
  const trial = await openTrial(t)
  await tries(trial, 10, 'user 1')
  const known = { account: 'user 1', knownDevice: '9', address: here }
  t.assert.equal(await trial.throttle.guess(known, right), true)
  for (let i = 0; i < 6; i += 1) await trial.throttle.guess(known, wrong)
  t.assert.equal(await trial.throttle.guess(known, right), false, 'its own lane is paced the same way')
})

test('an address may fail sixty times, then once in five seconds, and is told when', async (t) => {
  const trial = await openTrial(t)
  for (let i = 0; i < 61; i += 1) t.assert.equal(await tries(trial, 1, `name ${i}`), 1)
  await t.assert.rejects(tries(trial, 1, 'one more'), { code: 42900, retryAfter: 5 })
  t.assert.equal(await tries(trial, 1, 'one more', '192.0.2.2'), 1, 'another address is not concerned')
  trial.clock.move(5_000)
  t.assert.equal(await tries(trial, 1, 'one more'), 1)
  await t.assert.rejects(tries(trial, 1, 'one more'), isTooMany)
})

test('what goes well costs an address nothing', async (t) => {
  const trial = await openTrial(t, { throttle: { addressBurst: 2 } })
  for (let i = 0; i < 10; i += 1) {
    t.assert.equal(await trial.throttle.guess({ account: `user ${i}`, address: here }, right), true)
  }
})

test('an attempt that could not be checked is not a failure', async (t) => {
  const trial = await openTrial(t, { throttle: { addressBurst: 2 } })
  const guess = { account: 'user 1', address: here }
  const full = new Refused('tooMany')
  for (let i = 0; i < 10; i += 1) await t.assert.rejects(trial.throttle.guess(guess, () => Promise.reject(full)), full)
  t.assert.equal(await trial.throttle.guess(guess, right), true)
})

test('the neighbours in one /64 share their failures', async (t) => {
  const trial = await openTrial(t, { throttle: { addressBurst: 1 } })
  t.assert.equal(await tries(trial, 1, 'a', '2001:db8::1'), 1)
  t.assert.equal(await tries(trial, 1, 'b', '2001:db8::2'), 1)
  await t.assert.rejects(tries(trial, 1, 'c', '2001:db8::3'), isTooMany)
})

test('registrations have a bucket of their own, ten times wider', async (t) => {
  const trial = await openTrial(t, { throttle: { addressBurst: 2 } })
  for (let i = 0; i < 21; i += 1) await trial.throttle.registration(here)
  await t.assert.rejects(trial.throttle.registration(here), isTooMany)
  t.assert.equal(await tries(trial, 1, 'user 1'), 1)
  trial.clock.move(500)
  await trial.throttle.registration(here)
})

test('a blocked attempt writes nothing', async (t) => {
  const trial = await openTrial(t)
  await tries(trial, 6, 'user 1')
  const write = t.mock.method(trial.store, 'write')
  t.assert.equal(await tries(trial, 5, 'user 1'), 0)
  t.assert.equal(write.mock.callCount(), 0)
})

test('what is forgotten is purged, and nothing else', async (t) => {
  const trial = await openTrial(t)
  await tries(trial, 8, 'user 1')
  t.assert.equal(await trial.store.write(purgeAttempts, { now: trial.clock.now() }), 0)
  trial.clock.move(300_000 + 5_000)
  t.assert.equal(await trial.store.write(purgeAttempts, { now: trial.clock.now() }), 1)
  trial.clock.move(86_400_000)
  t.assert.equal(await trial.store.write(purgeAttempts, { now: trial.clock.now() }), 1)
})
