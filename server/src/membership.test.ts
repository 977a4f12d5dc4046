import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { pino } from 'pino'
import { Member } from './membership.ts'
import { SILENT_MS, joinNode, leaveNode, livingNodes } from './store/heart-beats.ts'
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
  const clock = { now: () => now }
  /** The store as a node sees that cannot reach it at times. */
  const reached: Pick<Store, 'read' | 'write'> = {
    read: (op, args) => (isAway ? Promise.reject(new StoreUnavailable('away')) : store.read(op, args)),
    write: (op, args) => (isAway ? Promise.reject(new StoreUnavailable('away')) : store.write(op, args)),
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
  const living = async (): Promise<number[]> => (await store.read(livingNodes, { now })).map(({ id }) => id)
  return { store, enter, pass, living, away: (is: boolean) => (isAway = is), now: () => now }
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

test('a node that leaves is known to be gone at once', async (t: TestContext) => {
  const { store, enter, pass, now } = await openScene(t)
  const [one, other] = [await enter(), await enter()]
  await pass(1, one, other)
  t.assert.equal(await store.write(leaveNode, { node: other.node, now: now() }), 'done')
  await pass(1, one)
  t.assert.deepEqual(one.alive, [one.node])
})
