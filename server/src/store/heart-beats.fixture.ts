import test, { type TestContext } from 'node:test'
import { laneOf } from './batches.ts'
import { claimFromLane, claimOwn } from './claims.ts'
import { SILENT_MS, beat, joinNode, leaveNode, livingNodes, reapNode, silentNodes } from './heart-beats.ts'
import { NOW, newBatch, newTask } from './people.fixture.ts'
import type { Store } from './store.ts'
import { claimTask, insertTask } from './tasks.ts'
import { traceDelivery } from './trace.ts'

const limit = { timeout: 60_000 }
const LATER = NOW + SILENT_MS

const join = (store: Store, now = NOW) => store.write(joinNode, { parts: ['http', 'gateway'], address: 'http://10.0.0.1:7700', now })
const own = (node: number, now: number, atMost = 10) => ({ node, limit: atMost, ackAt: now + 11_000, now })
const lane = (node: number, now: number) => ({ channel: 'apns', lane: laneOf(1, 1), node, now }) as const
const idsOf = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id)

/** What many nodes on one store rely on, whichever engine is behind it. */
export const keepsHeartBeats = (open: (t: TestContext) => Promise<Store>): void => {
  test('nodes join beside one another, and live while they beat', limit, async (t: TestContext) => {
    const store = await open(t)
    const [first, second] = [await join(store), await join(store)]
    t.assert.equal(second > first, true)
    const node = { parts: ['http', 'gateway'], address: 'http://10.0.0.1:7700', startedAt: NOW, beatAt: NOW }
    t.assert.deepEqual(await store.read(livingNodes, { now: LATER - 1 }), [{ id: first, ...node }, { id: second, ...node }])
    t.assert.equal(await store.write(beat, { node: second, now: LATER - 1 }), true)
    t.assert.deepEqual(await store.read(livingNodes, { now: LATER }), [{ id: second, ...node, beatAt: LATER - 1 }])
    t.assert.deepEqual(await store.read(silentNodes, { now: LATER }), [first])
  })

  test('a joining node frees nothing of the others', limit, async (t: TestContext) => {
    const store = await open(t)
    const first = await join(store)
    await store.write(insertTask, { task: newTask(), batches: [newBatch([1], { node: first }), newBatch([2], { channel: 'apns' })] })
    await store.write(insertTask, { task: newTask(), batches: null })
    t.assert.equal((await store.write(claimOwn, own(first, NOW))).length, 1)
    t.assert.notEqual(await store.write(claimFromLane, lane(first, NOW)), undefined)
    t.assert.notEqual(await store.write(claimTask, { node: first, now: NOW }), undefined)
    const second = await join(store)
    t.assert.deepEqual(await store.write(claimOwn, own(second, NOW)), [])
    t.assert.equal(await store.write(claimFromLane, lane(second, NOW)), undefined)
    t.assert.equal(await store.write(claimTask, { node: second, now: NOW }), undefined)
  })

  test('a node that beats is not reaped, and keeps what it holds', limit, async (t: TestContext) => {
    const store = await open(t)
    const [first, second] = [await join(store), await join(store)]
    await store.write(insertTask, { task: newTask(), batches: [newBatch([1], { node: first })] })
    t.assert.equal(await store.write(reapNode, { node: first, now: LATER - 1 }), 'living')
    await store.write(beat, { node: first, now: LATER })
    t.assert.equal(await store.write(reapNode, { node: first, now: LATER }), 'living')
    t.assert.deepEqual(await store.write(claimOwn, own(second, LATER)), [])
  })

  test('what a silent node held is free at once: pushes, tasks, and what its devices were to get', limit, async (t: TestContext) => {
    const store = await open(t)
    const [dead, living] = [await join(store), await join(store)]
    const waiting = newBatch([1], { node: dead, dueAt: NOW + 60_000 }) // handed over, waits for the device
    const mine = newBatch([3], { node: living, dueAt: NOW + 60_000 })
    const { batches } = await store.write(insertTask, { task: newTask(), batches: [waiting, newBatch([2], { node: dead }), mine] })
    const [first, second] = idsOf(batches!)
    const vendor = await store.write(insertTask, { task: newTask(), batches: [newBatch([4], { channel: 'apns' })] })
    const planned = await store.write(insertTask, { task: newTask(), batches: null })
    t.assert.deepEqual(idsOf(await store.write(claimOwn, own(dead, NOW))), [second])
    t.assert.equal((await store.write(claimFromLane, lane(dead, NOW)))!.attempt, 1)
    t.assert.equal((await store.write(claimTask, { node: dead, now: NOW }))!.id, planned.id)

    await store.write(beat, { node: living, now: LATER })
    t.assert.deepEqual(await store.read(silentNodes, { now: LATER }), [dead])
    t.assert.equal(await store.write(reapNode, { node: dead, now: LATER }), 'done')
    t.assert.deepEqual(idsOf(await store.write(claimOwn, own(living, LATER))).sort((a, b) => a - b), [first, second])
    t.assert.equal((await store.write(claimFromLane, lane(living, LATER)))!.attempt, 2)
    t.assert.equal((await store.write(claimTask, { node: living, now: LATER }))!.id, planned.id)
    const [told] = await store.read(traceDelivery, { taskId: vendor.id, deviceId: 4 })
    t.assert.deepEqual(told!.log.map(({ what, why }) => [what, why]), [['lost', 'the node ended while it was handing over']])
    t.assert.equal(await store.write(beat, { node: dead, now: LATER }), false)
    t.assert.deepEqual(await store.read(silentNodes, { now: LATER }), [])
  })

  test('a vendor that asked for a pause keeps it when the node dies', limit, async (t: TestContext) => {
    const store = await open(t)
    const [dead, living] = [await join(store), await join(store)]
    await store.write(insertTask, { task: newTask(), batches: [newBatch([1], { channel: 'apns', dueAt: LATER + 1_000 })] })
    t.assert.equal(await store.write(reapNode, { node: dead, now: LATER }), 'done')
    t.assert.equal(await store.write(claimFromLane, lane(living, LATER)), undefined)
    t.assert.notEqual(await store.write(claimFromLane, lane(living, LATER + 1_000)), undefined)
  })

  test('pushes written for a node at the moment it was reaped are found', limit, async (t: TestContext) => {
    const store = await open(t)
    const [dead, living] = [await join(store), await join(store, LATER)]
    t.assert.equal(await store.write(reapNode, { node: dead, now: LATER }), 'done')
    await store.write(insertTask, { task: newTask(), batches: [newBatch([1], { node: dead }), newBatch([2], { node: dead, dueAt: LATER + 60_000 })] })
    t.assert.deepEqual(await store.write(claimOwn, own(living, LATER)), [])
    t.assert.deepEqual(await store.read(silentNodes, { now: LATER }), [dead])
    t.assert.equal(await store.write(reapNode, { node: dead, now: LATER }), 'done')
    t.assert.equal((await store.write(claimOwn, own(living, LATER))).length, 2)
    t.assert.deepEqual(await store.read(silentNodes, { now: LATER }), [])
  })

  test('a clean stop needs no silence, and a node that left is not living', limit, async (t: TestContext) => {
    const store = await open(t)
    const [leaving, living] = [await join(store), await join(store)]
    await store.write(insertTask, { task: newTask(), batches: [newBatch([1], { node: leaving, dueAt: NOW + 60_000 })] })
    t.assert.equal(await store.write(leaveNode, { node: leaving, now: NOW }), 'done')
    t.assert.deepEqual(idsOf(await store.read(livingNodes, { now: NOW })), [living])
    t.assert.equal((await store.write(claimOwn, own(living, NOW))).length, 1)
    t.assert.equal(await store.write(beat, { node: leaving, now: NOW }), false)
    t.assert.equal(await store.write(leaveNode, { node: leaving, now: NOW }), 'done')
  })

  test('many pushes are freed in several steps, by any number of nodes at once, each push once', limit, async (t: TestContext) => {
    const store = await open(t)
    const [dead, ...others] = [await join(store), await join(store, LATER), await join(store, LATER), await join(store, LATER)]
    const batches = Array.from({ length: 1_200 }, (_, i) => newBatch([i + 1], { node: dead!, dueAt: LATER + 60_000 }))
    await store.write(insertTask, { task: newTask(), batches })
    t.assert.equal(await store.write(reapNode, { node: dead!, now: LATER }), 'more')
    t.assert.equal(await store.write(beat, { node: dead!, now: LATER }), false)
    await Promise.all(others.map(async () => {
      while ((await store.write(reapNode, { node: dead!, now: LATER })) === 'more');
    }))
    const claimed = (await Promise.all(others.map((node) => store.write(claimOwn, own(node, LATER, 1_200))))).flat()
    t.assert.deepEqual([claimed.length, new Set(idsOf(claimed)).size], [1_200, 1_200])
  })
}
