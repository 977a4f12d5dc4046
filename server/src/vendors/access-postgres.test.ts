import test, { type TestContext, after } from 'node:test'
import { startPostgres } from '../../../scripts/throwaway-postgres.ts'
import { plainAccess, plainVendor, reply, sentTo } from './desk.fixture.ts'
import { startDesks } from './desks.fixture.ts'
import type { Exchanged } from './exchange.ts'
import type { Vendor } from './vendor.ts'

const server = await startPostgres()
after(() => server.stop())
const timeout = 60_000
const HOUR = 3_600_000
const vendor = plainVendor({ access: plainAccess })

/** Nodes whose vendor numbers its tokens, and takes the newest alone. */
const startNodes = async (t: TestContext, of: Vendor = vendor, count = 2) => {
  const world = await startDesks(t, await server.database(), of, count)
  const vendorSide = { given: 0, answer: undefined as Exchanged | undefined, tries: 0 }
  for (const { sender } of world.nodes) {
    sender.answer = async (errand) => {
      if (errand.path !== '/token') {
        const { to, access } = sentTo(errand)
        return reply(to.map(() => (access === `token ${vendorSide.given}` ? { kind: 'sent' } : { kind: 'renew', why: 'it is over' })))
      }
      vendorSide.tries += 1
      await new Promise((resolve) => setTimeout(resolve, 50)) // a vendor takes a while
      return vendorSide.answer ?? reply({ value: `token ${(vendorSide.given += 1)}`, renewMs: HOUR, endsMs: 2 * HOUR })
    }
  }
  const get = (node: number) => world.nodes[node]!.desk.tokens.get(of, world.account, '')
  /** Resolves with what was asked for, while time passes. */
  const during = async <R>(asked: Promise<R>, ms = 1_000): Promise<R> => {
    await world.pass(ms, 50)
    return asked
  }
  return { ...world, vendorSide, get, during }
}

test('an access token that every node needs at once is asked for by one of them', { timeout }, async (t: TestContext) => {
  const { vendorSide, get, during } = await startNodes(t, vendor, 3)
  const got = await during(Promise.all([get(0), get(1), get(2), get(0), get(1)]))
  t.assert.deepEqual(got, Array(5).fill('token 1'))
  t.assert.equal(vendorSide.tries, 1)
})

test('a token that is made here is the same on every node', { timeout }, async (t: TestContext) => {
  let made = 0
  const making = plainVendor({ access: { make: (_, now) => ({ value: `made ${(made += 1)}`, renewAt: now + HOUR, endsAt: now + 2 * HOUR }) } })
  const { get, during } = await startNodes(t, making)
  t.assert.deepEqual(await during(Promise.all([get(0), get(1)])), ['made 1', 'made 1'])
  t.assert.equal(made, 1)
})

test('a node that starts uses what is there, also when it is to be renewed soon, and the store holds it sealed', { timeout }, async (t: TestContext) => {
  const { nodes, vendorSide, get, during, pass, start, account } = await startNodes(t)
  await during(get(0))
  await pass(HOUR)
  const late = start(nodes[1]!.store)
  late.sender.answer = nodes[0]!.sender.answer
  t.assert.equal(await late.desk.tokens.get(vendor, account, ''), 'token 1')
  t.assert.equal(vendorSide.tries, 1)
  const rows = await nodes[0]!.store.read(async (tx) => tx.all<{ token: Uint8Array }>('SELECT token FROM vendor_access'), {})
  t.assert.equal(rows.length, 1)
  t.assert.equal(Buffer.from(rows[0]!.token).includes('token 1'), false)
  await late.desk.close()
})

test('a token is renewed by one node beside the work of all, and all go on with the new one', { timeout }, async (t: TestContext) => {
  const { vendorSide, get, during, pass } = await startNodes(t)
  await during(Promise.all([get(0), get(1)]))
  await pass(HOUR)
  t.assert.deepEqual(await Promise.all([get(0), get(1)]), ['token 1', 'token 1'], 'nobody waits')
  await pass(1_000, 50)
  t.assert.deepEqual(await Promise.all([get(0), get(1)]), ['token 2', 'token 2'])
  t.assert.equal(vendorSide.tries, 2)
})

test('a token that the vendor ends is renewed once, however many nodes find out', { timeout }, async (t: TestContext) => {
  const { nodes, vendorSide, during } = await startNodes(t, vendor, 3)
  await during(Promise.all(nodes.map(({ send }) => send(['a']))))
  vendorSide.given += 1 // the one they know is worth nothing any more
  const outcomes = await during(Promise.all(nodes.flatMap(({ send }) => [send(['a', 'b']), send(['c'])])))
  t.assert.deepEqual(outcomes.flat().map(({ kind }) => kind), Array(9).fill('sent'))
  t.assert.equal(vendorSide.tries, 2)
})

test('what a vendor says instead of giving a token is heard by all nodes and asked again by none before its time', { timeout }, async (t: TestContext) => {
  const { vendorSide, get, during, pass } = await startNodes(t)
  vendorSide.answer = reply({ kind: 'denied', why: 'the secret is wrong' })
  const denied = { kind: 'denied', why: 'the secret is wrong' }
  t.assert.deepEqual(await during(Promise.all([get(0), get(1)])), [denied, denied])
  t.assert.deepEqual(await during(Promise.all([get(0), get(1)])), [denied, denied])
  t.assert.equal(vendorSide.tries, 1)
  await pass(60_000)
  vendorSide.answer = reply({ kind: 'limited', why: 'too often' }, { retryAfterMs: 20_000 })
  await during(Promise.all([get(0), get(1)]))
  t.assert.equal(vendorSide.tries, 2)
  await pass(10_000)
  t.assert.equal(((await get(1)) as { kind: string }).kind, 'limited')
  t.assert.equal(vendorSide.tries, 2)
})

test('credentials are tried anew on one node, and what came of it is good for all', { timeout }, async (t: TestContext) => {
  const { nodes, vendorSide, get, during, account } = await startNodes(t)
  vendorSide.answer = reply({ kind: 'denied', why: 'the secret is wrong' })
  await during(get(0))
  vendorSide.answer = undefined
  t.assert.equal(await during(nodes[1]!.desk.tokens.getNew(vendor, account, '')), 'token 1')
  t.assert.equal(await during(get(0)), 'token 1')
  t.assert.equal(await during(nodes[0]!.desk.tokens.getNew(vendor, account, '')), 'token 2')
  t.assert.equal(vendorSide.tries, 3)
})

test('when the node that asks is gone, another one asks in its place', { timeout }, async (t: TestContext) => {
  const { nodes, vendorSide, get, during, pass } = await startNodes(t)
  nodes[0]!.sender.answer = () => new Promise(() => {})
  void get(0)
  await pass(100, 50)
  const waiting = get(1)
  await pass(29_000, 500)
  t.assert.equal(vendorSide.tries, 0)
  t.assert.equal(await during(waiting, 3_000), 'token 1')
})

test('while the store is away no vendor is asked for a token, and afterwards it is', { timeout }, async (t: TestContext) => {
  const { nodes, vendorSide, get, during } = await startNodes(t)
  nodes[0]!.store.isAway = true
  t.assert.equal(((await get(0)) as { kind: string }).kind, 'down')
  t.assert.equal(vendorSide.tries, 0)
  nodes[0]!.store.isAway = false
  t.assert.equal(await during(get(0)), 'token 1')
})
