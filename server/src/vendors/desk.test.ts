import test, { type TestContext } from 'node:test'
import { pino } from 'pino'
import { laneAlarms, lanesIn } from '../metrics.ts'
import { startTrial } from '../push/path.fixture.ts'
import { setWebhook } from '../store/events.ts'
import type { Tx } from '../store/store.ts'
import type { Accounts } from './accounts.ts'
import { ToldSender, openAccount, plainVendor } from './desk.fixture.ts'
import { Desk } from './desk.ts'

const timeout = 60_000
const MINUTE = 60_000
const vendor = plainVendor()

const quarantined = async (tx: Tx): Promise<number[]> =>
  (await tx.all<{ device_id: number }>('SELECT device_id FROM vendor_tokens WHERE quarantined_at IS NOT NULL ORDER BY device_id')).map(({ device_id }) => device_id)

const eventsOf = async (tx: Tx, { kind }: { kind: string }): Promise<Record<string, unknown>[]> =>
  (await tx.all<{ data: string }>('SELECT data FROM events WHERE kind = ? ORDER BY id', kind)).map(({ data }) => JSON.parse(data))

/** A desk on a real store, with devices that have a token each. */
const startDesk = async (t: TestContext, devices: number) => {
  const trial = await startTrial(t)
  const { store, clock, app } = trial
  await store.write(setWebhook, { app, url: 'https://hook.example', secret: new Uint8Array(1), actor: 'test', now: clock.now() })
  const ids = await Promise.all(Array.from({ length: devices }, () => trial.addDevice({ tokens: ['xiaomi'] })))
  ids.sort((a, b) => a - b)
  const accounts = { onReplaced: () => {} } as unknown as Accounts
  const desk = new Desk({ store, clock, log: pino({ level: 'silent' }), sender: new ToldSender(), accounts, origins: {}, rates: {}, receiptUrl: () => undefined })
  const account = openAccount({ app })
  const lane = desk.lane(vendor, account)
  /** One answer about one device. */
  const answer = (id: number, { isDead, before = clock.now() }: { isDead: boolean; before?: number }) =>
    desk.bury(lane, account, 1, isDead ? [{ deviceId: id, token: `xiaomi ${id}`, before }] : [])
  return { trial, store, clock, desk, lane, account, ids, answer }
}

test('ten dead tokens of a thousand are quarantined, exactly those, and each is told', { timeout }, async (t: TestContext) => {
  const { store, ids, answer, lane } = await startDesk(t, 1_000)
  const dead = ids.filter((_, i) => i % 100 === 99)
  for (const id of ids) await answer(id, { isDead: dead.includes(id) })
  t.assert.deepEqual(await store.read(quarantined, {}), dead)
  t.assert.deepEqual((await store.read(eventsOf, { kind: 'device.token_dead' })).map(({ device_id }) => device_id), dead)
  t.assert.equal(lane.guard.since, undefined)
})

test('a thousand dead tokens of a thousand are none: all are given back, the alarm stands, and it is told once', { timeout }, async (t: TestContext) => {
  const { store, clock, ids, answer, desk, trial } = await startDesk(t, 1_000)
  for (const id of ids) await answer(id, { isDead: true })
  t.assert.deepEqual(await store.read(quarantined, {}), [])
  t.assert.equal((await desk.reports(trial.app))[0]?.doubtedSince, clock.now())
  t.assert.equal(laneAlarms.read(), 1)
  const told = await store.read(eventsOf, { kind: 'lane.tokens_dying' })
  t.assert.deepEqual(told.map(({ vendor: name, environment, released }) => [name, environment, released]), [['xiaomi', 1, 49]])
})

test('what was quarantined before the bad minute stays so, and once the lane has recovered dead tokens are believed again', { timeout }, async (t: TestContext) => {
  const { store, clock, ids, answer, lane } = await startDesk(t, 120)
  const [first, last] = [ids[0]!, ids.at(-1)!]
  await answer(first, { isDead: true })
  clock.at += 2 * MINUTE
  for (const id of ids.slice(1, 60)) await answer(id, { isDead: true })
  t.assert.deepEqual(await store.read(quarantined, {}), [first])
  clock.at += 2 * MINUTE
  for (const id of ids.slice(60, 110)) await answer(id, { isDead: false })
  t.assert.equal(lane.guard.since, undefined)
  await answer(last, { isDead: true })
  t.assert.deepEqual(await store.read(quarantined, {}), [first, last])
})

test('a token that was bound after the moment the vendor speaks of is not the one it means', { timeout }, async (t: TestContext) => {
  const { store, clock, ids: [old, renewed], answer } = await startDesk(t, 2)
  const boundAt = clock.now()
  clock.at += MINUTE
  await answer(old!, { isDead: true, before: boundAt })
  await answer(renewed!, { isDead: true, before: boundAt - 1 })
  t.assert.deepEqual(await store.read(quarantined, {}), [old])
})

test('a pause the operator can end is told once, one that ends by itself is not', { timeout }, async (t: TestContext) => {
  const { store, clock, desk, lane, account, trial } = await startDesk(t, 0)
  await desk.pause(lane, account, clock.now() + 1_000, { why: 'slower, please' }, false)
  clock.at += 1_000
  const until = clock.now() + MINUTE
  await Promise.all(Array.from({ length: 50 }, () => desk.pause(lane, account, until, { why: 'the secret is wrong' }, true)))
  t.assert.deepEqual(await store.read(eventsOf, { kind: 'lane.paused' }), [{ vendor: 'xiaomi', environment: 1, why: 'the secret is wrong', until }])
  t.assert.equal(desk.isOpen('xiaomi', trial.app, 1), false)
  t.assert.equal(desk.isOpen('xiaomi', trial.app, 0), true, 'the other environment is another lane')
  t.assert.deepEqual(lanesIn.read(), { open: 0, paused: 1, trying: 0 })
  t.assert.deepEqual((await desk.reports(trial.app)).map(({ state, trouble }) => [state, trouble]), [['paused', { until, why: 'the secret is wrong' }]])
  t.assert.deepEqual(await desk.reports(trial.app + 1), [])
})
