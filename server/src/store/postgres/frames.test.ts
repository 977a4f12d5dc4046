import test, { type TestContext, after } from 'node:test'
import { startPostgres } from '../../../../scripts/throwaway-postgres.ts'
import { settleBatch } from '../settlement.ts'
import { dropFrames, readFrames, tellReceived } from '../frames.ts'
import { joinNode, leaveNode, renewNode } from '../heart-beats.ts'
import { keepInInbox } from '../inbox.ts'
import { writePresence } from '../nodes.ts'
import { NOW, addDevice, addUser, newBatch, newTask } from '../people.fixture.ts'
import type { Store } from '../store.ts'
import { insertTask } from '../tasks.ts'
import { openPostgres } from './postgres.ts'

const server = await startPostgres()
after(() => server.stop())
const limit = { timeout: 60_000 }

/** A store with two nodes and a device that is at the first one, in session 7. */
const openScene = async (t: TestContext) => {
  const store: Store = await openPostgres(await server.database())
  t.after(() => store.close())
  const join = (): Promise<number> => store.write(joinNode, { parts: ['gateway'], address: '', now: NOW })
  const [here, there] = [await join(), await join()]
  const { deviceId } = await addDevice(store, 1, await addUser(store, 1, 'ann'), 'guid')
  const arrive = (node: number, session: number): Promise<number[]> =>
    store.write(writePresence, { node, arrived: [{ deviceId, session }], left: [], now: NOW })
  t.assert.deepEqual(await arrive(here, 7), [])
  /** What a node is told, once. */
  const frames = async (node: number) => {
    const told = await store.read(readFrames, { node, limit: 9 })
    t.assert.deepEqual(await store.read(readFrames, { node, limit: 9 }), told, 'it stays until it is dropped')
    await store.write(dropFrames, { ids: told.map(({ id }) => id) })
    return told.map(({ id: _, ...frame }) => frame)
  }
  return { store, here, there, deviceId, arrive, frames }
}

test('whatever is put into the inbox of a device wakes it where it is', limit, async (t: TestContext) => {
  const { store, here, there, deviceId, frames } = await openScene(t)
  const wake = { kind: 'wake', deviceId, number: 0 }
  const { id, batches } = await store.write(insertTask, { task: newTask(), batches: [newBatch([deviceId], { state: 'waiting', dueAt: null }), newBatch([deviceId])] })
  const [waiting, pending] = batches!
  t.assert.deepEqual([waiting!.told, pending!.told], [[here], []])
  t.assert.deepEqual(await frames(here), [wake])
  t.assert.deepEqual(await frames(here), [], 'each is told once')

  t.assert.deepEqual(await store.write(keepInInbox, { rows: [{ deviceId, taskId: id, batchId: pending!.id, index: 0 }] }), [here])
  const { told } = await store.write(settleBatch, {
    batchId: pending!.id, attempt: 0, task: { id, app: 1, urgent: false, badge: null, inboxLimit: 9 },
    changes: [{ index: 0, state: 'waiting', sent: false }], children: [], dueAt: null, certificate: null, log: [], now: NOW,
  })
  t.assert.deepEqual(told, [here])
  t.assert.deepEqual(await frames(here), [wake, wake])
  t.assert.deepEqual(await frames(there), [])
})

test('a device that connects elsewhere ends the session it had, and only that one', limit, async (t: TestContext) => {
  const { here, there, deviceId, arrive, frames } = await openScene(t)
  t.assert.deepEqual(await arrive(there, 1), [here])
  t.assert.deepEqual(await frames(here), [{ kind: 'moved', deviceId, number: 7 }])
  t.assert.deepEqual(await arrive(there, 2), [], 'a newer session of the same node is its own matter')
})

test('a device that arrives at two nodes at once is told to leave one of them', limit, async (t: TestContext) => {
  const { here, there, arrive, frames } = await openScene(t)
  await Promise.all([arrive(here, 8), arrive(there, 1)])
  const told = [...(await frames(here)), ...(await frames(there))]
  t.assert.equal(told.filter(({ number }) => number !== 7).length <= 1, true)
  t.assert.equal(told.length >= 1, true)
})

test('the node that holds the stream of a device hears what it acknowledged elsewhere', limit, async (t: TestContext) => {
  const { store, here, there, deviceId, frames } = await openScene(t)
  t.assert.deepEqual(await store.write(tellReceived, { node: there, deviceId, taskId: 5 }), [here])
  t.assert.deepEqual(await frames(here), [{ kind: 'received', deviceId, number: 5 }])
  t.assert.deepEqual(await store.write(tellReceived, { node: here, deviceId, taskId: 5 }), [], 'it knows by itself')
})

test('of a device that counts as away, every other gateway hears what it acknowledged', limit, async (t: TestContext) => {
  const { store, here, there, deviceId, frames } = await openScene(t)
  await store.write(writePresence, { node: here, arrived: [], left: [{ deviceId, session: 7 }], now: NOW }) // it let a push time out
  const worker = await store.write(joinNode, { parts: ['http', 'worker'], address: '', now: NOW })
  t.assert.deepEqual(await store.write(tellReceived, { node: worker, deviceId, taskId: 5 }), [here, there])
  t.assert.deepEqual(await frames(here), [{ kind: 'received', deviceId, number: 5 }])
})

test('nobody is told of devices whose node is gone', limit, async (t: TestContext) => {
  const { store, here, there, deviceId, arrive } = await openScene(t)
  await store.write(leaveNode, { node: here, now: NOW })
  const { batches } = await store.write(insertTask, { task: newTask(), batches: [newBatch([deviceId], { state: 'waiting', dueAt: null })] })
  t.assert.deepEqual(batches![0]!.told, [])
  t.assert.deepEqual(await arrive(there, 1), [])
})

test('a node that goes on under a new number keeps its sessions and what it was told', limit, async (t: TestContext) => {
  const { store, here, there, deviceId, arrive, frames } = await openScene(t)
  await store.write(tellReceived, { node: there, deviceId, taskId: 5 })
  await store.write(leaveNode, { node: here, now: NOW }) // the others took it for dead
  const renewed = await store.write(renewNode, { before: here, parts: ['gateway'], address: '', now: NOW })
  t.assert.deepEqual(await frames(renewed), [{ kind: 'received', deviceId, number: 5 }])
  t.assert.deepEqual(await arrive(there, 1), [renewed])
  t.assert.deepEqual(await frames(renewed), [{ kind: 'moved', deviceId, number: 7 }])
})
