import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { NOW, addDevice, addUser, newBatch, newTask } from '../store/people.fixture.ts'
import { databaseFile, openSqlite } from '../store/sqlite/sqlite.ts'
import { insertTask, type NewTask } from '../store/tasks.ts'
import { lastPushes } from './device-look.ts'

/** A device with its user, and ways to push to it, to let the ids of tasks go on from a later one, and to add tasks of another device. */
const open = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-look-'))
  const store = await openSqlite(folder)
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  const userId = await addUser(store, 1, 'ann')
  const { deviceId } = await addDevice(store, 1, userId, 'phone')
  const push = async (to: Partial<NewTask>, device = deviceId) =>
    (await store.write(insertTask, { task: newTask(to), batches: [newBatch([device])] })).id
  const change = (sql: string): void => {
    const db = new DatabaseSync(databaseFile(folder), { timeout: 10_000 })
    db.exec(sql)
    db.close()
  }
  const goOnFrom = (id: number): void => change(`UPDATE sqlite_sequence SET seq = ${id} WHERE name = 'tasks'`)
  const addOneEach = (tasks: number, count: number): void =>
    change(
      `INSERT INTO tasks (id, app, scope_kind, scope_id, state, accepted_at, expires_at, sole_device)
       SELECT value * ${tasks}, 1, 'app', 0, 'done', 1, 2, 999 FROM (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${count}) SELECT value FROM n)`,
    )
  const look = async () => {
    const { pushes, complete } = await lastPushes(store, { app: 1, deviceId, userId })
    return { ids: pushes.map(({ task_id }) => task_id), complete }
  }
  return { push, goOnFrom, addOneEach, look, deviceId, userId }
}

test('the last pushes of a device are found however many of others came in between', async (t: TestContext) => {
  const { push, goOnFrom, look, deviceId, userId } = await open(t)
  const ids: number[] = []
  for (const from of [1, 4_094, 5_000, 100_000, 1_000_000, 8_000_000]) {
    goOnFrom(from)
    ids.unshift(await push({ soleDevice: deviceId, acceptedAt: NOW + from }))
    await push({ soleDevice: deviceId + 1 }, deviceId + 1)
    ids.unshift(await push({ soleUser: userId }))
    ids.unshift(await push({}))
  }
  t.assert.deepEqual(await look(), { ids, complete: true })
})

test('of many pushes to one device the newest are shown', async (t: TestContext) => {
  const { push, look, deviceId, userId } = await open(t)
  const ids: number[] = []
  for (let i = 0; i < 60; i++) ids.unshift(await push(i % 2 === 0 ? { soleDevice: deviceId } : { soleUser: userId }))
  t.assert.deepEqual(await look(), { ids: ids.slice(0, 20), complete: true })
})

test('pushes to a user before this device was theirs do not hide older ones that meant it', async (t: TestContext) => {
  const { push, look, deviceId, userId } = await open(t)
  const old = await push({ soleDevice: deviceId })
  for (let i = 0; i < 50; i++) await push({ soleUser: userId }, deviceId + 1)
  t.assert.deepEqual(await look(), { ids: [old], complete: true })
})

test('so far back that nobody has looked, the list says that it may not be complete', async (t: TestContext) => {
  const { push, addOneEach, look, deviceId } = await open(t)
  await push({ soleDevice: deviceId })
  addOneEach(4_096, 5_000)
  const last = await push({ soleDevice: deviceId })
  t.assert.deepEqual(await look(), { ids: [last], complete: false })
})
