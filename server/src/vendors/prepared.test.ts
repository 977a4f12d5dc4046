import test, { type TestContext } from 'node:test'
import { NOW } from './desk.fixture.ts'
import { Prepared } from './prepared.ts'
import type { Verdict } from './vendor.ts'

/** What is stored is numbered. */
const startPrepared = () => {
  const clock = { at: NOW, now: () => clock.at }
  let stored = 0
  const store = async (): Promise<string | Verdict> => `body ${(stored += 1)}`
  return { prepared: new Prepared(clock), clock, store, stored: () => stored }
}

test('all who ask for the same body at once wait for one storing of it', async (t: TestContext) => {
  const { prepared, store } = startPrepared()
  t.assert.deepEqual(await Promise.all([prepared.get('a', store), prepared.get('a', store), prepared.get('b', store)]), ['body 1', 'body 1', 'body 2'])
  t.assert.equal(await prepared.get('a', store), 'body 1')
})

test('a body keeps the time to live it was stored with, so it is stored anew after five minutes', async (t: TestContext) => {
  const { prepared, clock, store } = startPrepared()
  await prepared.get('a', store)
  clock.at += 299_999
  t.assert.equal(await prepared.get('a', store), 'body 1')
  clock.at += 1
  t.assert.equal(await prepared.get('a', store), 'body 2')
})

test('what could not be stored, or failed in a way nobody foresaw, is tried again by the next', async (t: TestContext) => {
  const { prepared, store } = startPrepared()
  const down: Verdict = { kind: 'down', why: 'busy' }
  t.assert.deepEqual(await prepared.get('a', async () => down), down)
  await t.assert.rejects(prepared.get('a', async () => { throw new Error('a surprise') }), /a surprise/)
  t.assert.equal(await prepared.get('a', store), 'body 1')
})

test('a failure that comes late does not take away what was stored meanwhile', async (t: TestContext) => {
  const { prepared, clock, store } = startPrepared()
  const slow = Promise.withResolvers<Verdict>()
  const first = prepared.get('a', () => slow.promise)
  clock.at += 300_000
  t.assert.equal(await prepared.get('a', store), 'body 1')
  slow.resolve({ kind: 'down', why: 'no answer' })
  await first
  t.assert.equal(await prepared.get('a', store), 'body 1')
})

test('only so many are kept', async (t: TestContext) => {
  const { prepared, store, stored } = startPrepared()
  for (let i = 0; i <= 1_000; i += 1) await prepared.get(`task ${i}`, store)
  await prepared.get('task 1000', store)
  t.assert.equal(stored(), 1_001)
  await prepared.get('task 0', store)
  t.assert.equal(stored(), 1_002)
})
