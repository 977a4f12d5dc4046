import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { eraseDevice, pushesToMany, pushesToOne, readDevice } from './device-detail.ts'
import { type DeviceQuestion, findDevices } from './device-search.ts'
import { readOverview } from './overview.ts'
import { NOW, addDevice, addUser, newBatch, newTask, sha } from './people.fixture.ts'
import { Connection } from './sqlite/connection.ts'
import { databaseFile, openSqlite } from './sqlite/sqlite.ts'
import type { Op } from './store.ts'
import { addTags } from './tags.ts'
import { type TaskQuestion, listTasks } from './task-list.ts'
import { lookAtBatches, readLogs, sumPart, sumTasks } from './task-look.ts'
import { insertTask } from './tasks.ts'
import { findUsers, readUser } from './user-search.ts'

/** A connection that writes down how each statement finds its rows. */
const open = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-plans-'))
  const store = await openSqlite(folder)
  const user = await addUser(store, 1, 'ann')
  const device = await addDevice(store, 1, user, 'phone')
  await store.write(addTags, { device, tags: ['beta'], max: 9, now: NOW })
  const { id } = await store.write(
    insertTask, { task: newTask({ requestId: 'r' }), batches: [newBatch([device.deviceId])] },
  )
  await store.close()
  const connection = new Connection(databaseFile(folder))
  t.after(async () => {
    connection.close()
    await rm(folder, { recursive: true })
  })
  const steps: string[] = []
  const prepare = connection.db.prepare.bind(connection.db)
  connection.db.prepare = (sql: string) => {
    const places = new Set(sql.match(/\?\d*/g)).size
    const plan = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(
      ...Array<SQLInputValue>(places).fill(null),
    ) as { detail: string }[]
    steps.push(...plan.map(({ detail }) => `${detail} in ${sql}`))
    return prepare(sql)
  }
  const play = <A, R>(op: Op<A, R>, args: A): Promise<R> => op(connection, args)
  return { steps, play, user, deviceId: device.deviceId, taskId: id }
}

// Of what stands in the statement itself: the lists it was given, and what it has already found.
const walkedThrough = /^SCAN (?!json_each|value\b|q\b|w\b|CONSTANT)/

test('what people who look at an app ask for is found by an index, never by a walk', async (t: TestContext) => {
  const { steps, play, user, deviceId, taskId } = await open(t)
  const devices: DeviceQuestion = {
    app: 1, search: null, by: null, online: null, vendor: null, after: 1_000, limit: 9, nodes: [1, 2],
  }
  const found = new Set<string | null>()
  for (const more of [
    {}, { online: true }, { online: false }, { vendor: 'vivo' }, { vendor: 'vivo', online: true },
  ] as const) await play(findDevices, { ...devices, ...more })
  for (const text of ['push phone', 'phone', 'ann', 'beta', 'nobody']) {
    const search = { text, hash: sha(text), userId: 7, emailKey: text }
    found.add((await play(findDevices, { ...devices, search })).matched)
    await play(findDevices, { ...devices, search, online: true, vendor: 'vivo' })
  }
  t.assert.deepEqual([...found], ['push_token', 'device_guid', 'user', 'tag', null])
  const device = { app: 1, pushTokenHash: sha('push phone') }
  await play(readDevice, { device })
  await play(pushesToOne, { deviceId, userId: user, before: 1_000, blocks: 2, limit: 9 })
  t.assert.equal((await play(pushesToMany, { app: 1, deviceId, before: 1_000, some: 9 })).pushes.length, 1)
  for (const search of [null, { text: 'an', userId: null, emailKey: 'an' }]) await play(
    findUsers, { app: 1, search, after: null, limit: 9 },
  )
  await play(
    findUsers, { app: 1, search: { text: 'an', userId: null, emailKey: 'an' }, after: { name: 'an' }, limit: 9 },
  )
  await play(readUser, { app: 1, id: user })
  const tasks: TaskQuestion = {
    app: 1, before: 1_000, limit: 9, state: null, audienceKind: null, from: null, to: null, requestId: null,
  }
  for (const more of [
    {}, { state: 'sending' }, { state: 'done' }, { audienceKind: 'all' }, { audienceKind: 'all', state: 'expired' },
    { from: NOW }, { to: NOW + 1 },
    { from: NOW, to: NOW + 1, state: 'sending', audienceKind: 'all' }, { requestId: 'r' },
    { requestId: 'r', state: 'sending' },
  ] as const) await play(listTasks, { ...tasks, ...more })
  await play(sumTasks, { ids: [taskId] })
  for (const op of [
    sumPart, lookAtBatches, readLogs,
  ]) await play<{ taskId: number; after: number; some: number }, unknown>(op, { taskId, after: -1, some: 9 })
  await play(readOverview, { app: 1, nodes: [1, 2], since: 0, endingBefore: NOW, pushOff: true, now: NOW })
  await play(eraseDevice, { device, actor: 'x', now: NOW })
  t.assert.deepEqual(steps.filter((step) => walkedThrough.test(step)), [])
  t.assert.notEqual(steps.length, 0)
})

const indexesOf = (steps: string[]): string[] => steps.splice(0).flatMap((step) => /USING (?:COVERING )?INDEX (\w+ \(.*?\))/.exec(step)?.[1] ?? [])

test('tasks of one kind that are not done are looked for among those that are not, or among open batches, which are few', async (t: TestContext) => {
  const { steps, play } = await open(t)
  const asked = { app: 1, before: 1_000, limit: 9, audienceKind: 'all', from: null, to: null, requestId: null } as const
  const walks = async (question: TaskQuestion): Promise<string[]> => {
    await play(listTasks, question)
    return indexesOf(steps)
  }
  t.assert.deepEqual(await walks({ ...asked, state: 'expired' }), ['tasks_state (app=? AND state=? AND id<?)'])
  t.assert.deepEqual(await walks({ ...asked, state: 'sending' }), ['batches_open (app=? AND task_id<?)', 'tasks_app (app=? AND id=? AND rowid<?)'])
  t.assert.deepEqual(await walks({ ...asked, state: 'done' }), ['tasks_audience (app=? AND audience_kind=? AND id<?)'])
})

test('what one device or its user was sent is looked for among their own entries of each block', async (t: TestContext) => {
  const { steps, play, user, deviceId } = await open(t)
  await play(pushesToOne, { deviceId, userId: user, before: 1_000, blocks: 2, limit: 9 })
  t.assert.deepEqual(indexesOf(steps).slice(0, 2), ['tasks_device (<expr>=? AND sole_device=? AND rowid<?)', 'tasks_user (<expr>=? AND sole_user=? AND rowid<?)'])
})
