import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { createApp, getApp, listApps } from '../apps.ts'
import { markDeliveries } from '../marks.ts'
import * as operations from '../operations.ts'
import { StoreUnavailable } from '../store.ts'
import { FolderLocked, lockFolder } from './lock.ts'
import { databaseFile, openSqlite } from './sqlite.ts'

const newFolder = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-store-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const app = (appId: string) => ({ appId, name: appId, actor: 'test', now: 1 })

test('a write that was answered is there when the store is opened again', async (t: TestContext) => {
  const folder = await newFolder(t)
  const store = await openSqlite(folder)
  await store.write(createApp, app('one'))
  await store.close()
  const again = await openSqlite(folder)
  t.after(() => again.close())
  t.assert.equal((await again.read(getApp, { appId: 'one' }))!.name, 'one')
})

test('a write that fails takes back its own statements and none of its neighbours in the group', async (t: TestContext) => {
  const store = await openSqlite(await newFolder(t))
  t.after(() => store.close())
  const results = await Promise.allSettled([
    store.write(createApp, app('before')),
    store.write(createApp, { ...app('broken'), actor: null as never }), // the app row goes in, its audit row cannot
    store.write(createApp, app('after')),
  ])
  t.assert.deepEqual(results.map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled'])
  t.assert.deepEqual((await store.read(listApps, {})).map(({ app_id }) => app_id), ['before', 'after'])
})

test('a lone write that fails changes nothing, and the next one is stored', async (t: TestContext) => {
  const store = await openSqlite(await newFolder(t))
  t.after(() => store.close())
  await t.assert.rejects(store.write(createApp, { ...app('broken'), actor: null as never }), /NOT NULL/)
  await store.write(createApp, app('after'))
  t.assert.deepEqual((await store.read(listApps, {})).map(({ app_id }) => app_id), ['after'])
})

test('when the group cannot be stored, all of it is refused as unavailable, and the store recovers by itself', async (t: TestContext) => {
  const folder = await newFolder(t)
  const store = await openSqlite(folder)
  t.after(() => store.close())
  const other = new DatabaseSync(databaseFile(folder))
  other.exec('BEGIN EXCLUSIVE') // longer than the store waits for its turn
  await t.assert.rejects(store.write(createApp, app('one')), StoreUnavailable)
  other.exec('ROLLBACK')
  other.close()
  t.assert.deepEqual(await store.read(listApps, {}), [])
  await store.write(createApp, app('two'))
  t.assert.deepEqual((await store.read(listApps, {})).map(({ app_id }) => app_id), ['two'])
})

test('a write of another process is noticed', async (t: TestContext) => {
  const folder = await newFolder(t)
  const server = await openSqlite(folder)
  const beside = await openSqlite(folder)
  t.after(() => Promise.all([server.close(), beside.close()]))
  const noticed = new Promise<void>((resolve) => server.onForeignWrite(resolve))
  await beside.write(createApp, app('new'))
  await noticed
  t.assert.equal((await server.read(listApps, {})).length, 1)
})

test('two stores that open an empty folder at once make one schema', async (t: TestContext) => {
  const folder = await newFolder(t)
  const stores = await Promise.all([openSqlite(folder), openSqlite(folder), openSqlite(folder)])
  for (const [i, store] of stores.entries()) await store.write(createApp, app(`app ${i}`))
  t.assert.equal((await stores[0].read(listApps, {})).length, 3)
  await Promise.all(stores.map((store) => store.close()))
})

test('a folder made by a newer version is refused in words', async (t: TestContext) => {
  const folder = await newFolder(t)
  await (await openSqlite(folder)).close()
  const db = new DatabaseSync(databaseFile(folder))
  db.exec('PRAGMA user_version = 999')
  db.close()
  await t.assert.rejects(openSqlite(folder), /newer Carillon/)
})

test('one server a folder: the second is refused, and the place is free once the first lets go', async (t: TestContext) => {
  const folder = await newFolder(t)
  const unlock = lockFolder(folder)
  t.assert.throws(() => lockFolder(folder), FolderLocked)
  unlock()
  lockFolder(folder)()
})

test('closing waits for the writes under way', async (t: TestContext) => {
  const folder = await newFolder(t)
  const store = await openSqlite(folder)
  const writes = Array.from({ length: 500 }, (_, i) => store.write(createApp, app(`app ${i}`)))
  await store.close()
  await Promise.all(writes)
  const again = await openSqlite(folder)
  t.after(() => again.close())
  t.assert.equal((await again.read(listApps, {})).length, 500)
})

test('marks of a batch that is not there change nothing', async (t: TestContext) => {
  const store = await openSqlite(await newFolder(t))
  t.after(() => store.close())
  await store.write(markDeliveries, { batches: [{ batchId: 7, taskId: 7, places: Uint32Array.of(0), marks: Uint8Array.of(0x22), told: [] }], now: 1 })
})

test('every operation is found by its name', (t: TestContext) => {
  for (const [name, operation] of Object.entries(operations)) {
    if (typeof operation === 'function') t.assert.equal(operation.name, name)
  }
})

test('two processes that write all the time both get their turn', async (t: TestContext) => {
  const folder = await newFolder(t)
  const [one, other] = [await openSqlite(folder), await openSqlite(folder)]
  t.after(() => Promise.all([one.close(), other.close()]))
  let done = false
  let written = 0
  const crowd = (async () => {
    // Two at a time, so that the next transaction of this one always waits at the door already.
    const write = async () => {
      while (!done) await one.write(createApp, app(`one ${written++}`))
    }
    await Promise.all([write(), write()])
  })()
  for (let i = 0; i < 20; i++) await other.write(createApp, app(`other ${i}`))
  done = true
  await crowd
  t.assert.equal((await one.read(listApps, {})).length, written + 20)
})

test('somebody who reads for long holds up neither writes nor the end of them', async (t: TestContext) => {
  const folder = await newFolder(t)
  const store = await openSqlite(folder, { checkpoints: true })
  t.after(() => store.close())
  const reader = new DatabaseSync(databaseFile(folder), { readOnly: true })
  t.after(() => reader.close())
  reader.exec('BEGIN')
  reader.prepare('SELECT COUNT(*) FROM apps').get()
  for (let i = 0; i < 50; i++) await store.write(createApp, app(`app ${i}`))
  t.assert.deepEqual({ ...reader.prepare('SELECT COUNT(*) AS count FROM apps').get() }, { count: 0 }, 'it still sees its own moment')
  t.assert.equal((await store.read(listApps, {})).length, 50)
})
