import test, { type TestContext, after } from 'node:test'
import { startPostgres } from '../../../scripts/throwaway-postgres.ts'
import { addressesOf } from '../store/addresses.ts'
import { bindVendorToken } from '../store/devices.ts'
import { listEvents } from '../store/events.ts'
import { addDevice, addUser } from '../store/people.fixture.ts'
import type { Store } from '../store/store.ts'
import { NOW, openAccount, plainAccess, plainPreparation, plainVendor, reply, sentTo } from './desk.fixture.ts'
import { startDesks } from './desks.fixture.ts'
import type { Limits, Verdict } from './vendor.ts'

const server = await startPostgres()
after(() => server.stop())
const timeout = 60_000
const MINUTE = 60_000
const HOUR = 3_600_000

const limits = (more: Partial<Limits> = {}): Limits => ({ batch: 1, concurrency: 100, perSecond: 1_000_000, counts: 'requests', timeoutMs: 10_000, ...more })
const tokens = (count: number, from = 0): string[] => Array.from({ length: count }, (_, i) => `token ${from + i}`)
const eventsOf = async (store: Store, kind: string) => (await store.read(listEvents, { app: 1, before: 1_000_000, limit: 1_000 })).filter((event) => event.kind === kind)

test('two nodes with a broadcast each send no more in any second than the vendor allows, and nearly that', { timeout }, async (t: TestContext) => {
  const perSecond = 200
  const { nodes, clock, pass } = await startDesks(t, await server.database(), plainVendor({ limits: limits({ perSecond }) }))
  const arrivals: number[] = []
  for (const { sender, send } of nodes) {
    sender.answer = (errand) => {
      arrivals.push(clock.at)
      return reply(sentTo(errand).to.map(() => ({ kind: 'sent' })))
    }
    for (let batch = 0; batch < 4; batch += 1) void send(tokens(1_000))
  }
  await pass(4_000, 10)
  const most = Math.max(...arrivals.map((at, first) => arrivals.findLastIndex((other) => other < at + 1_000) - first + 1))
  t.assert.ok(most <= perSecond * 1.1 + 1, `${most} in a second`)
  t.assert.ok(arrivals.length >= 4 * perSecond * 0.85, `${arrivals.length} in four seconds`)
  for (const { sender } of nodes) t.assert.ok(sender.asked.length > perSecond, 'both take part')
  await nodes[0]!.desk.pause(nodes[0]!.lane(), openAccount(), clock.at + MINUTE, { why: 'enough' }, false)
  await pass(1_000, 100)
})

test('what one node is asked to wait for, the others wait for within a second, and after that they go on', { timeout }, async (t: TestContext) => {
  const { nodes: [here, there], pass, settle, clock } = await startDesks(t, await server.database(), plainVendor())
  await there!.send(['a'])
  here!.sender.answer = () => reply([{ kind: 'limited', why: 'slower, please' }], { retryAfterMs: 30_000 })
  await here!.send(['b'])
  await pass(1_000, 100)
  const [outcome] = await there!.send(['c'])
  t.assert.deepEqual(outcome, { kind: 'later', why: 'slower, please', reason: 'limited', at: NOW + 30_000 })
  t.assert.equal(there!.sender.asked.length, 1)
  t.assert.equal(there!.desk.isOpen('xiaomi', 1, 1), false)
  await pass(30_000, 1_000)
  const sending = there!.send(['c'])
  await settle()
  t.assert.deepEqual(await sending, [{ kind: 'sent' }])
  t.assert.ok(clock.at >= NOW + 30_000)
})

test('a node that could go on at once knows of a pause before its next batch', { timeout }, async (t: TestContext) => {
  const { nodes: [here, there] } = await startDesks(t, await server.database(), plainVendor())
  await there!.send(['a']) // the lane's time is taken for many
  here!.sender.answer = () => reply([{ kind: 'limited', why: 'slower, please' }], { retryAfterMs: 30_000 })
  await here!.send(['b'])
  t.assert.deepEqual(await there!.send(['c']), [{ kind: 'later', why: 'slower, please', reason: 'limited', at: NOW + 30_000 }])
  t.assert.equal(there!.sender.asked.length, 1)
})

test('a node that uses a lane for the first time knows of its pause before it sends anything', { timeout }, async (t: TestContext) => {
  const { nodes: [here, there], settle } = await startDesks(t, await server.database(), plainVendor())
  here!.sender.answer = () => reply([{ kind: 'exhausted', why: 'enough for today' }])
  await here!.send(['a'])
  await settle()
  const [outcome] = await there!.send(['b'])
  t.assert.equal(outcome!.kind, 'later')
  t.assert.equal(there!.sender.asked.length, 0)
  t.assert.equal((await eventsOf(there!.store, 'lane.paused')).length, 1)
})

test('a pause shows on every node, also on one that sends nothing, and is told once', { timeout }, async (t: TestContext) => {
  const { nodes, settle, pass } = await startDesks(t, await server.database(), plainVendor(), 3)
  const [here, there, idle] = nodes
  for (const node of [here, there]) {
    await node!.send(['a'])
    node!.sender.answer = () => reply([{ kind: 'denied', why: 'the secret is wrong' }])
  }
  await pass(500, 100)
  await Promise.all([here!.send(['a']), there!.send(['b'])])
  await settle()
  for (const { desk } of nodes) {
    const reports = await desk.reports(1)
    t.assert.deepEqual(reports.map(({ vendor, state, trouble }) => [vendor, state, trouble]), [['xiaomi', 'paused', { until: NOW + 500 + MINUTE, why: 'the secret is wrong', reason: 'denied' }]])
  }
  t.assert.equal((await eventsOf(idle!.store, 'lane.paused')).length, 1)
  t.assert.equal(nodes.flatMap(({ logged }) => logged).filter(({ msg }) => msg === 'a lane is paused').length, 1)
  t.assert.deepEqual(await idle!.desk.reports(2), [])
})

for (const others of [[], [5_000]]) {
  test(`a pause that could not be told at first is told before what it is about is let go${others.length > 0 ? ', also where a shorter one follows' : ''}`, { timeout }, async (t: TestContext) => {
    const { nodes: [here, there], settle, clock } = await startDesks(t, await server.database(), plainVendor())
    await here!.send(['a'])
    await settle()
    const pause = (ms: number) => here!.desk.pause(here!.lane(), openAccount(), clock.at + ms, { why: `${ms}` }, false)
    const write = here!.store.write
    const failing = Promise.withResolvers<never>()
    here!.store.write = (() => failing.promise) as typeof write
    const first = pause(60_000)
    await settle()
    const told = [first, ...others.map(pause)]
    here!.store.write = write
    failing.reject(new Error('a moment of trouble'))
    await Promise.all(told)
    t.assert.deepEqual(await there!.send(['b']), [{ kind: 'later', why: '60000', at: NOW + 60_000 }])
    t.assert.equal(here!.logged.length, 1)
  })
}

test('a pause that ends a moment after the one that is known is known to every node too', { timeout }, async (t: TestContext) => {
  const { nodes: [here, there], pass, clock } = await startDesks(t, await server.database(), plainVendor())
  const until = clock.at + MINUTE
  for (const later of [0, 100]) await here!.desk.pause(here!.lane(), openAccount(), until + later, { why: 'slower, please' }, false)
  there!.lane()
  await pass(1_000, 100)
  t.assert.equal(there!.lane().trouble?.until, until + 100)
})

test('the requests under way of all nodes are shown by each', { timeout }, async (t: TestContext) => {
  const { nodes, settle, pass } = await startDesks(t, await server.database(), plainVendor(), 3)
  const [here, there, idle] = nodes
  const answers: (() => void)[] = []
  for (const { sender } of nodes) {
    sender.answer = (errand) => new Promise((resolve) => answers.push(() => resolve(reply(sentTo(errand).to.map(() => ({ kind: 'sent' }))))))
  }
  const rounds = [here!.send(tokens(3)), there!.send(tokens(2))]
  await settle()
  await pass(4_000, 200)
  for (const { desk } of nodes) t.assert.deepEqual((await desk.reports(1)).map(({ requestsUnderWay }) => requestsUnderWay), [5])
  for (const answer of answers) answer()
  await Promise.all(rounds)
  await pass(1_000, 200)
  t.assert.deepEqual((await idle!.desk.reports(1)).map(({ requestsUnderWay }) => requestsUnderWay), [0])
})

test('a new certificate is a new lane on every node, and nothing is kept of the old one', { timeout }, async (t: TestContext) => {
  const { nodes: [here, there], pass, settle, account } = await startDesks(t, await server.database(), plainVendor({ access: plainAccess }))
  const grant = { value: 'token', renewMs: HOUR, endsMs: 2 * HOUR }
  here!.sender.answer = ({ path }) => reply(path === '/token' ? grant : [{ kind: 'denied', why: 'the secret is wrong' }])
  await here!.send(['a'])
  const renewed = openAccount({ key: 'xiaomi 1 2' })
  there!.sender.answer = ({ path }) => reply(path === '/token' ? grant : [{ kind: 'sent' }])
  t.assert.deepEqual(await there!.send(['a'], { to: renewed }), [{ kind: 'sent' }])
  for (const node of [here, there]) node!.replaced(account)
  await settle()
  const left = await here!.store.read(async (tx) => (await tx.all<{ account: string }>('SELECT account FROM vendor_access UNION SELECT account FROM lane_states')).map((row) => row.account), {})
  await pass(1_000, 100)
  t.assert.deepEqual(left, ['xiaomi 1 2'])
})

test('after a break by one node every node tries one request at a time, until something works anywhere', { timeout }, async (t: TestContext) => {
  const { nodes: [here, there], pass, settle } = await startDesks(t, await server.database(), plainVendor())
  for (const node of [here, there]) {
    await node!.send(['a'])
    node!.sender.answer = () => ({ kind: 'lost', why: 'no answer' })
  }
  await here!.send(tokens(5))
  await pass(400, 50)
  t.assert.deepEqual([here!.lane().state, there!.lane().state], ['paused', 'paused'])
  await pass(500, 100)
  t.assert.deepEqual([here!.lane().state, there!.lane().state], ['trying', 'trying'])
  here!.sender.answer = () => reply([{ kind: 'sent' }])
  const sending = here!.send(['b'])
  await settle()
  t.assert.deepEqual(await sending, [{ kind: 'sent' }])
  await pass(1_000, 100)
  t.assert.deepEqual([here!.lane().state, there!.lane().state], ['open', 'open'])
})

test('too many dead tokens are found by the sum of all nodes: given back once, told once, and doubted by all', { timeout }, async (t: TestContext) => {
  const { nodes, pass, settle, stores } = await startDesks(t, await server.database(), plainVendor())
  const [here, there] = nodes
  const userId = await addUser(stores[0]!, 1, 'ann')
  const devices = await Promise.all(Array.from({ length: 40 }, (_, i) => addDevice(stores[0]!, 1, userId, `guid ${i}`)))
  const ids = devices.map(({ deviceId }) => deviceId).sort((a, b) => a - b)
  for (const device of devices) {
    await stores[0]!.write(bindVendorToken, { device, by: { vendor: 'xiaomi', environment: 1 }, token: `dead ${device.deviceId}`, platform: null, now: 0 })
  }
  const inUse = async () => (await stores[0]!.read(addressesOf, { ids, vendor: 'xiaomi', environment: 1 })).length
  for (const { sender } of nodes) {
    sender.answer = (errand) => reply(sentTo(errand).to.map((token): Verdict => (token.startsWith('dead') ? { kind: 'dead', why: 'gone' } : { kind: 'sent' })))
  }
  // 30 answers here and 30 there, 8 dead each: neither node could tell alone.
  const rounds = [here!.send([...ids.slice(0, 8).map((id) => `dead ${id}`), ...tokens(22)]), there!.send([...ids.slice(0, 8).map((id) => `dead ${id}`), ...tokens(22)])]
  await settle()
  await Promise.all(rounds)
  t.assert.ok((await inUse()) < 40)
  await pass(1_000, 100)
  t.assert.equal(await inUse(), 40)
  t.assert.equal((await eventsOf(stores[0]!, 'lane.tokens_dying')).length, 1)
  t.assert.equal(nodes.flatMap(({ logged }) => logged).filter(({ msg }) => msg.startsWith('more than a fifth')).length, 1)
  for (const { lane } of nodes) t.assert.notEqual(lane().guard.since, undefined)
  await there!.send([`dead ${ids[0]}`])
  await settle()
  t.assert.equal(await inUse(), 40, 'none are added')
})

test('a device that its vendor asked to leave alone is left alone by every node', { timeout }, async (t: TestContext) => {
  const { nodes: [here, there], pass, settle } = await startDesks(t, await server.database(), plainVendor())
  here!.sender.answer = () => reply([{ kind: 'limited', why: 'this device had enough', alone: true }], { retryAfterMs: 30_000 })
  await here!.send(['a'])
  await pass(1_000, 100)
  const sending = there!.send(['a', 'b'])
  await settle()
  const [resting, other] = await sending
  t.assert.deepEqual([resting!.kind, other!.kind], ['later', 'sent'])
  t.assert.deepEqual(there!.sender.asked.map((errand) => sentTo(errand).to), [['b']])
  t.assert.deepEqual(resting, { kind: 'later', why: 'the vendor asked to leave this device alone for a while', reason: 'resting', at: NOW + 30_000 })
})

test('whoever has the next batch knows at once which of its devices are to be left alone', { timeout }, async (t: TestContext) => {
  const { nodes: [here, there], settle } = await startDesks(t, await server.database(), plainVendor())
  here!.sender.answer = () => reply([{ kind: 'limited', why: 'this device had enough', alone: true }], { retryAfterMs: 30_000 })
  await here!.send(['a'])
  const sending = there!.send(['a', 'b']) // in the same moment
  await settle()
  t.assert.deepEqual((await sending).map(({ kind }) => kind), ['later', 'sent'])
})

test('when no more bodies can be stored at a vendor, no node tries another one that day', { timeout }, async (t: TestContext) => {
  const { nodes: [here, there], settle } = await startDesks(t, await server.database(), plainVendor({ prepare: plainPreparation }))
  const full: Verdict = { kind: 'adapt', variant: 'one by one', batch: 1, why: 'no more today' }
  for (const { sender } of [here!, there!]) {
    sender.answer = (errand) => reply(errand.path === '/prepare' ? full : sentTo(errand).to.map(() => ({ kind: 'sent' })))
  }
  await here!.send(['a'])
  t.assert.deepEqual(here!.sender.paths, ['/prepare'])
  const sending = there!.send(['b'], { taskId: 8 })
  await settle()
  await sending
  t.assert.deepEqual(there!.sender.paths, [])
})

test('while the store is away a node sends nothing, and afterwards tells what it was asked to wait for meanwhile', { timeout }, async (t: TestContext) => {
  const { nodes: [here, there], pass, clock } = await startDesks(t, await server.database(), plainVendor({ limits: limits({ perSecond: 50 }) }))
  await here!.send(['a'])
  here!.store.isAway = true
  const sending = here!.send(['b'], { untilMs: 2_000 })
  await pass(3_000, 100)
  t.assert.equal((await sending)[0]!.kind, 'later')
  t.assert.equal(here!.sender.asked.length, 1)
  await here!.desk.pause(here!.lane(), openAccount(), clock.at + MINUTE, { why: 'slower, please' }, false)
  await pass(1_000, 100)
  here!.store.isAway = false
  await pass(500, 100)
  t.assert.deepEqual(await there!.send(['c']), [{ kind: 'later', why: 'slower, please', at: NOW + 3_000 + MINUTE }])
  t.assert.equal(there!.sender.asked.length, 0)
  t.assert.deepEqual(here!.logged, [])
})
