import test, { type TestContext, after } from 'node:test'
import { startPostgres } from '../../../../scripts/throwaway-postgres.ts'
import { raiseBadges, readBadges } from '../badges.ts'
import { certificateKey } from '../certificate-key.ts'
import { putCertificate } from '../certificates.ts'
import { laneOf } from '../batches.ts'
import { claimFromLane, claimOwn } from '../claims.ts'
import { markDeliveries } from '../marks.ts'
import { settleBatch } from '../settlement.ts'
import { bindVendorToken, listDevices } from '../devices.ts'
import { RECEIVED, markOf } from '../ledger.ts'
import { logIn } from '../login.ts'
import { NOW, addDevice, addUser, login, newBatch, newTask, sha } from '../people.fixture.ts'
import { addressesOf } from '../addresses.ts'
import { listTasks } from '../task-list.ts'
import { claimTask, insertTask, readTallies, readTask } from '../tasks.ts'
import type { Tx } from '../store.ts'
import { findToken } from '../tokens.ts'
import { setDisabled } from '../users.ts'
import { type PostgresOptions, type PostgresStore, openPostgres } from './postgres.ts'

const server = await startPostgres()
after(() => server.stop())
const limit = { timeout: 60_000 }

/** Nodes on one database. */
const openNodes = async (t: TestContext, count: number, options: PostgresOptions): Promise<PostgresStore[]> => {
  const url = await server.database()
  const stores = await times(count, () => openPostgres(url, options))
  t.after(() => Promise.all(stores.map((store) => store.close())))
  return stores
}

const openTwo = async (t: TestContext) => (await openNodes(t, 2, {})) as [PostgresStore, PostgresStore]

/** So many that each call has a transaction of its own. */
const openEight = (t: TestContext): Promise<PostgresStore[]> => openNodes(t, 8, { writers: 1, readers: 1 })

const times = <R>(count: number, make: (i: number) => Promise<R>): Promise<R[]> => Promise.all(Array.from({ length: count }, (_, i) => make(i)))
const viewer = { app: 1, scopeKind: 'app', scopeId: 0 } as const
const received = (batchId: number, taskId: number, places: number[]) =>
  ({ batchId, taskId, places: Uint32Array.from(places), marks: new Uint8Array(places.length).fill(markOf(RECEIVED, true)), told: [] })

test('64 notifications with one request_id are one task', limit, async (t: TestContext) => {
  const nodes = await openTwo(t)
  const answers = await times(64, (i) => nodes[i % 2]!.write(insertTask, { task: newTask({ requestId: 'once' }), batches: [newBatch([1, 2])] }))
  t.assert.equal(new Set(answers.map(({ id }) => id)).size, 1)
  t.assert.equal(answers.filter(({ first }) => first).length, 1)
  const all = { before: 1_000, limit: 100, state: null, audienceKind: null, from: null, to: null, requestId: null }
  t.assert.equal((await nodes[0].read(listTasks, { app: viewer.app, ...all })).length, 1)
})

test('no batch and no task is claimed twice, and none is left', limit, async (t: TestContext) => {
  const nodes = await openTwo(t)
  const lanes = await times(60, (i) => nodes[0].write(insertTask, { task: newTask(), batches: [newBatch([i + 1], { channel: 'apns' }), newBatch([i + 1])] }))
  await times(20, () => nodes[0].write(insertTask, { task: newTask(), batches: null }))
  const vendor: number[] = []
  const own: number[] = []
  const tasks: number[] = []
  const empty = async (node: number): Promise<void> => {
    for (let found; (found = await nodes[node]!.write(claimFromLane, { channel: 'apns', lane: laneOf(1, 1), node, now: NOW })); ) vendor.push(found.id)
    for (let found; (found = await nodes[node]!.write(claimOwn, { node, limit: 3, ackAt: NOW + 11_000, now: NOW })).length > 0; ) own.push(...found.map(({ id }) => id))
    for (let found; (found = await nodes[node]!.write(claimTask, { node, now: NOW })); ) tasks.push(found.id)
  }
  await times(16, (i) => empty(i % 2))
  await empty(0) // what a node skips because another one is looking at it, is found by whoever looks next
  const written = lanes.flatMap(({ batches }) => batches!)
  const idsOn = (channel: string) => new Set(written.filter((batch) => batch.channel === channel).map(({ id }) => id))
  t.assert.deepEqual([vendor.length, own.length, tasks.length], [60, 60, 20])
  t.assert.deepEqual(new Set(vendor), idsOn('apns'))
  t.assert.deepEqual(new Set(own), idsOn('nativepush'))
  t.assert.equal(new Set(tasks).size, 20)
})

test('marks of one batch that two nodes write at once all count, and the task ends once', limit, async (t: TestContext) => {
  const nodes = await openTwo(t)
  const devices = Array.from({ length: 1_000 }, (_, i) => i + 1)
  const { id, batches } = await nodes[0].write(insertTask, { task: newTask(), batches: [newBatch(devices)] })
  const answers = await times(100, (i) =>
    nodes[i % 2]!.write(markDeliveries, { batches: [received(batches![0]!.id, id, devices.slice(i * 10, i * 10 + 10).map((device) => device - 1))], now: NOW }))
  const { tallies } = await nodes[1].read(readTallies, { viewer, ids: [id] })
  t.assert.deepEqual({ ...tallies[0] }, { task_id: id, channel: 'nativepush', target: 1_000, sent: 1_000, received: 1_000 })
  t.assert.equal(answers.reduce((sum, { finished }) => sum + finished, 0), 1)
})

test('whoever closes the last batch of a task ends it, also when several close theirs at once', limit, async (t: TestContext) => {
  const nodes = await openTwo(t)
  const tasks = await times(40, () => nodes[0].write(insertTask, { task: newTask(), batches: [newBatch([1]), newBatch([2]), newBatch([3], { channel: 'apns' })] }))
  const endings = tasks.flatMap(({ id, batches }) => {
    const [one, other, vendor] = batches!
    const task = { id, app: 1, urgent: false, badge: null, inboxLimit: 9 }
    return [
      () => nodes[0].write(markDeliveries, { batches: [received(one!.id, id, [0])], now: NOW }),
      () => nodes[1].write(markDeliveries, { batches: [received(other!.id, id, [0])], now: NOW }),
      () => nodes[0].write(settleBatch, {
        batchId: vendor!.id, attempt: 0, task, changes: [{ index: 0, state: 'done', sent: true }], children: [], dueAt: null, certificate: null, log: [], now: NOW,
      }),
    ]
  })
  const answers = await Promise.all(endings.map((end) => end()))
  t.assert.equal(answers.reduce((sum, { finished }) => sum + finished, 0), 40)
  for (const { id } of tasks) t.assert.equal((await nodes[0].read(readTask, { id }))!.state, 'done')
})

test('a settlement and a mark of one batch at once both count', limit, async (t: TestContext) => {
  const nodes = await openTwo(t)
  const task = { id: 0, app: 1, urgent: false, badge: null, inboxLimit: 9 }
  const tasks = await times(40, () => nodes[0].write(insertTask, { task: newTask(), batches: [newBatch([1, 2])] }))
  await Promise.all(tasks.flatMap(({ id, batches }) => [
    nodes[0].write(settleBatch, {
      batchId: batches![0]!.id, attempt: 0, task: { ...task, id }, changes: [{ index: 0, state: 'done', sent: true }], children: [], dueAt: null, certificate: null, log: [], now: NOW,
    }).then(({ settled }) => t.assert.equal(settled, true)),
    nodes[1].write(markDeliveries, { batches: [received(batches![0]!.id, id, [1])], now: NOW }),
  ]))
  const { tallies } = await nodes[0].read(readTallies, { viewer, ids: tasks.map(({ id }) => id) })
  t.assert.deepEqual(tallies.map(({ sent, received: got }) => [sent, got]), tasks.map(() => [2, 1]))
})

test('a batch that somebody else looks at for a moment is settled after that', limit, async (t: TestContext) => {
  const [here, there] = await openTwo(t)
  const { id, batches } = await here.write(insertTask, { task: newTask(), batches: [newBatch([1])] })
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const looking = there.write(async (tx: Tx) => {
    await tx.run('UPDATE batches SET due_at = due_at WHERE id = ?', batches![0]!.id)
    held.resolve()
    await letGo.promise
  }, {})
  await held.promise
  const settling = here.write(settleBatch, {
    batchId: batches![0]!.id, attempt: 0, task: { id, app: 1, urgent: false, badge: null, inboxLimit: 9 },
    changes: [{ index: 0, state: 'done', sent: true }], children: [], dueAt: null, certificate: null, log: [], now: NOW,
  })
  await here.write(claimTask, { node: 1, now: 0 }) // by now the settlement is at the row, or has given up
  letGo.resolve()
  await looking
  t.assert.deepEqual(await settling, { settled: true, sent: 1, children: [], told: [], finished: 1 })
})

test('what a certificate was denied for does not hold up the one that replaced it, whichever of the two is written first', limit, async (t: TestContext) => {
  const nodes = await openTwo(t)
  const place = { app: 1, vendor: 'apns', environment: 1 } as const
  const setCertificate = (secret: number) =>
    nodes[1].write(putCertificate, {
      place, actor: '', now: NOW,
      fields: { name: 'a', app_id: '', app_key: '', secrets: Uint8Array.of(secret), expires_at: null },
    })
  for (let round = 0; round < 20; round++) {
    const id = await setCertificate(1)
    const certificate = certificateKey({ id, vendor: 'apns', secrets: Uint8Array.of(1) })
    const task = await nodes[0].write(insertTask, { task: newTask(), batches: [newBatch([1], { channel: 'apns' })] })
    const batch = (await nodes[0].write(claimFromLane, { channel: 'apns', lane: laneOf(1, 1), node: 1, now: NOW }))!
    const putOff = nodes[0].write(settleBatch, {
      batchId: batch.id, attempt: batch.attempt, task: { id: task.id, app: 1, urgent: false, badge: null, inboxLimit: 9 },
      changes: [], children: [], dueAt: NOW + 60_000, certificate, log: [], now: NOW,
    })
    await Promise.all([putOff, setCertificate(2)])
    const again = await nodes[0].write(claimFromLane, { channel: 'apns', lane: laneOf(1, 1), node: 1, now: NOW + 1_000 })
    t.assert.equal(again?.id, batch.id)
    await nodes[0].write(markDeliveries, { batches: [received(batch.id, task.id, [0])], now: NOW })
  }
})

test('badges raised at once, of a few and of a page, are all counted, and each of a kind has its own number', limit, async (t: TestContext) => {
  const nodes = await openTwo(t)
  const ids = [1, 300, 600, 900]
  const raised = await times(64, (i) => nodes[i % 2]!.write(raiseBadges, { ids: i % 4 < 2 ? ids : ids.slice(i % 4 - 1), by: { add: 1 } }))
  t.assert.deepEqual([...(await nodes[0].read(readBadges, { ids }))], [32, 48, 64, 64])
  t.assert.equal(new Set(raised.map((numbers) => numbers.at(-1))).size, 64)
  const page = Array.from({ length: 100 }, (_, i) => 850 + i)
  const pages = await times(16, (i) => nodes[i % 2]!.write(raiseBadges, { ids: page, by: { add: 1 } }))
  t.assert.equal(new Set(pages.map((numbers) => numbers[50])).size, 16)
  t.assert.deepEqual([...(await nodes[0].read(readBadges, { ids: [900, 901] }))], [80, 16])
})

test('first logins of one device at once make one device with one living token', limit, async (t: TestContext) => {
  const nodes = await openTwo(t)
  const userId = await addUser(nodes[0], 1, 'ann')
  const answers = await times(32, (i) => nodes[i % 2]!.write(logIn, login(1, userId, 'guid', `login ${i}`)))
  t.assert.equal(answers.every(({ ok }) => ok), true)
  const hashes = answers.map((answer) => (answer.ok ? Buffer.from(answer.device!.pushTokenHash).toString('hex') : ''))
  t.assert.equal(new Set(hashes).size, 1)
  t.assert.equal((await nodes[0].read(listDevices, { app: 1, userId, limit: 9 })).length, 1)
  const tokens = await times(32, (i) => nodes[0].read(findToken, { hash: sha(`token login ${i}`) }))
  t.assert.equal(tokens.filter(Boolean).length, 1)
})

test('a device several people log in on at once ends with one of them', limit, async (t: TestContext) => {
  const nodes = await openEight(t)
  const store = nodes[0]!
  const users = await times(8, (i) => addUser(store, 1, `user ${i}`))
  const of = (round: number, userId: number): string => `${userId} in round ${round}`
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(users.map((userId, i) => nodes[i]!.write(logIn, login(1, userId, 'guid', of(round, userId)))))
    const devices = await Promise.all(users.map((userId) => store.read(listDevices, { app: 1, userId, limit: 9 })))
    const owners = users.filter((_, i) => devices[i]!.length > 0)
    const tokens = await Promise.all(users.map((userId) => store.read(findToken, { hash: sha(`token ${of(round, userId)}`) })))
    t.assert.equal(owners.length, 1)
    t.assert.deepEqual(tokens.flatMap((token) => token?.user_id ?? []), owners)
  }
})

test('a vendor token bound by several devices at once belongs to one of them', limit, async (t: TestContext) => {
  const nodes = await openEight(t)
  const store = nodes[0]!
  const userId = await addUser(store, 1, 'ann')
  const devices = await times(8, (i) => addDevice(store, 1, userId, `guid ${i}`))
  await Promise.all(devices.map((device, i) =>
    nodes[i]!.write(bindVendorToken, { device, by: { vendor: 'fcm', environment: 1 }, token: 'same', platform: null, now: NOW })))
  const ids = devices.map(({ deviceId }) => deviceId)
  t.assert.equal((await store.read(addressesOf, { ids, vendor: 'fcm', environment: 1 })).length, 1)
})

test('nobody who logs in while being disabled keeps a token', limit, async (t: TestContext) => {
  const nodes = await openTwo(t)
  const users = await times(30, (i) => addUser(nodes[0], 1, `user ${i}`))
  await Promise.all(users.flatMap((id) => [
    nodes[0].write(logIn, login(1, id, `guid ${id}`)),
    nodes[1].write(setDisabled, { app: 1, id, disabled: true, actor: '', now: NOW }),
  ]))
  const tokens = await Promise.all(users.map((id) => nodes[0].read(findToken, { hash: sha(`token guid ${id}`) })))
  t.assert.deepEqual(tokens.filter(Boolean), [])
})
