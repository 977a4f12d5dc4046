import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { pino } from 'pino'
import { Member } from './membership.ts'
import { SILENT_MS, joinNode, leaveNode, livingNodes, reapNode } from './store/heart-beats.ts'
import { NOW } from './store/people.fixture.ts'
import { openSqlite } from './store/sqlite/sqlite.ts'
import { type Store, StoreUnavailable } from './store/store.ts'

const SECOND = 1_000

/** Members of one store, whose time is moved, second by second. */
const openScene = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-membership-'))
  const store = await openSqlite(folder)
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  let now = NOW
  let isAway = false
  let answering: Promise<void> | undefined
  let held: { op: unknown; began(): void; goesOn: Promise<void> } | undefined
  const clock = { now: () => now }
  /** The store as a node sees that cannot reach it at times. */
  const reached: Pick<Store, 'read' | 'write'> = {
    read: (op, args) => (isAway ? Promise.reject(new StoreUnavailable('away')) : store.read(op, args)),
    write: async (op, args) => {
      await answering
      if (op === held?.op) {
        held.began()
        await held.goesOn
      }
      if (isAway) throw new StoreUnavailable('away')
      return store.write(op, args)
    },
  }
  const enter = async (): Promise<Member> => {
    const joining = { parts: ['worker'], address: '' }
    const parts = { store: reached as Store, clock, log: pino({ level: 'silent' }), ...joining }
    return new Member(parts, await store.write(joinNode, { ...joining, now }))
  }
  const pass = async (seconds: number, ...members: Member[]): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      now += SECOND
      for (const member of members) await member.turn()
    }
  }
  /** Whoever asks for this is kept waiting, until it goes on. */
  const hold = (op: unknown) => {
    const [began, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    held = { op, began: began.resolve, goesOn: goesOn.promise }
    return { began: began.promise, goOn: goesOn.resolve }
  }
  /** So many seconds in which the store answers nobody who asks for something, and then does it. */
  const hang = async (seconds: number, ...members: Member[]): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    answering = promise
    const turns = members.map((member) => member.turn())
    now += seconds * SECOND
    resolve()
    await Promise.all(turns)
  }
  const living = async (): Promise<number[]> => (await store.read(livingNodes, { now })).map(({ id }) => id)
  return { store, enter, pass, hang, hold, living, away: (is: boolean) => (isAway = is), now: () => now }
}

test('nodes know one another, and one that falls silent is taken for dead', async (t: TestContext) => {
  const { enter, pass, living } = await openScene(t)
  const [one, other] = [await enter(), await enter()]
  await pass(1, one, other)
  t.assert.deepEqual([one.alive, other.alive], [[one.node, other.node], [one.node, other.node]])
  await pass(SILENT_MS / SECOND, one)
  t.assert.deepEqual(one.alive, [one.node])
  t.assert.deepEqual(await living(), [one.node])
})

test('a node that was taken for dead goes on as a new one, and says so', async (t: TestContext) => {
  const { enter, pass, living } = await openScene(t)
  const [one, other] = [await enter(), await enter()]
  const before = other.node
  let renewed = 0
  other.onRenewed(() => (renewed += 1))
  await pass(SILENT_MS / SECOND + 3, one) // steady long enough to judge
  await pass(1, one, other)
  t.assert.notEqual(other.node, before)
  t.assert.equal(renewed, 1)
  t.assert.deepEqual(await living(), [one.node, other.node])
})

test('after a time without the store nobody judges the others before they had a chance to come back', async (t: TestContext) => {
  const { enter, pass, away } = await openScene(t)
  const [one, other] = [await enter(), await enter()]
  const numbers = [one.node, other.node]
  await pass(10, one, other)
  away(true)
  await pass(20, one, other)
  away(false)
  await pass(3, one) // the other one comes back a little later
  await pass(10, one, other)
  t.assert.deepEqual([one.node, other.node], numbers)
  t.assert.deepEqual(one.alive, numbers)
})

test('nobody is taken for dead because the store answered late, or because all of them were asleep', async (t: TestContext) => {
  const { enter, pass, hang } = await openScene(t)
  const [one, other] = [await enter(), await enter()]
  const numbers = [one.node, other.node]
  await pass(10, one, other)
  await hang(8, one, other)
  await pass(10, one, other)
  t.assert.deepEqual([one.node, other.node], numbers)
  await pass(60)
  await pass(3, one) // the other one wakes up a little later
  await pass(10, one, other)
  t.assert.deepEqual([one.node, other.node], numbers)
})

test('a node that frees what a dead one held goes on beating, however long that takes', async (t: TestContext) => {
  const { enter, pass, living, hold } = await openScene(t)
  const [one] = [await enter(), await enter()]
  await pass(SILENT_MS / SECOND + 1, one)
  const reaping = hold(reapNode)
  await pass(1)
  await one.start()
  await reaping.began
  await pass(SILENT_MS / SECOND)
  while (!(await living()).includes(one.node)) await new Promise(setImmediate)
  reaping.goOn()
  await one.leave()
})

test('a node that leaves is known to be gone at once', async (t: TestContext) => {
  const { store, enter, pass, now } = await openScene(t)
  const [one, other] = [await enter(), await enter()]
  await pass(1, one, other)
  t.assert.equal(await store.write(leaveNode, { node: other.node, now: now() }), 'done')
  await pass(1, one)
  t.assert.deepEqual(one.alive, [one.node])
})

test('a node that cannot reach the store leaves all the same', async (t: TestContext) => {
  const { enter, pass, away } = await openScene(t)
  const [one, other] = [await enter(), await enter()]
  await pass(10, one, other)
  away(true)
  await other.leave()
  away(false)
  await pass(SILENT_MS / SECOND, one)
  t.assert.deepEqual(one.alive, [one.node])
})
