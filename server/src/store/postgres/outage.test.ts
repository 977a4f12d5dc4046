import { Writable } from 'node:stream'
import test, { type TestContext, after } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { startPostgres } from '../../../../scripts/throwaway-postgres.ts'
import { storeUnavailable } from '../../metrics.ts'
import { createApp, getApp, listApps, renameApp } from '../apps.ts'
import { StoreUnavailable, type Tx } from '../store.ts'
import { openPostgres } from './postgres.ts'

const server = await startPostgres()
after(() => server.stop())
const limit = { timeout: 60_000 }

const app = (appId: string) => ({ appId, name: appId, actor: 'test', now: 1 })

/** Somebody else on the same database. */
const stranger = async (t: TestContext, url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  return client
}

test('while the server is away every call is refused as unavailable, and it is served again once the server is back', limit, async (t: TestContext) => {
  const lines: { level: number; msg: string }[] = []
  const sink = new Writable({ write: (line, _, done) => (lines.push(JSON.parse(String(line)) as (typeof lines)[number]), done()) })
  const url = await server.database()
  const store = await openPostgres(url, { log: pino(sink) })
  t.after(() => store.close())
  await store.write(createApp, app('before'))

  const refusedBefore = storeUnavailable.value
  const underWay = Array.from({ length: 200 }, (_, i) => store.write(createApp, app(`app ${i}`)).then(() => `app ${i}`))
  const settled = Promise.allSettled(underWay)
  await underWay[0]
  await server.crash()
  const results = await settled
  for (const result of results) if (result.status === 'rejected') t.assert.equal(result.reason instanceof StoreUnavailable, true, String(result.reason))
  await t.assert.rejects(store.write(createApp, app('during')), StoreUnavailable)
  await t.assert.rejects(store.read(listApps, {}), StoreUnavailable)
  t.assert.equal(storeUnavailable.value - refusedBefore, results.filter(({ status }) => status === 'rejected').length + 1)

  await server.restart()
  await store.write(createApp, app('after'))
  t.assert.equal(await store.read(getApp, { appId: 'during' }), undefined)
  for (const result of results) if (result.status === 'fulfilled') t.assert.equal((await store.read(getApp, { appId: result.value }))?.name, result.value, 'answered, so stored')
  t.assert.deepEqual(lines.map(({ level }) => level), [50, 30], 'one line when it went, one when it came')
})

test('a connection that is ended under a write refuses that write only', limit, async (t: TestContext) => {
  const url = await server.database()
  const store = await openPostgres(url)
  t.after(() => store.close())
  const other = await stranger(t, url)
  const kicked = async (tx: Tx): Promise<void> => {
    const row = await tx.get<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await other.query('SELECT pg_terminate_backend($1, 10000)', [row!.pid])
    await tx.run('DELETE FROM apps')
  }
  await t.assert.rejects(store.write(kicked, {}), StoreUnavailable)
  await store.write(createApp, app('after'))
})

test('a write that waits too long for somebody else is refused, and changes nothing later', limit, async (t: TestContext) => {
  const url = await server.database()
  const store = await openPostgres(url, { limits: { statementMs: 200 } })
  t.after(() => store.close())
  await store.write(createApp, app('one'))
  const other = await stranger(t, url)
  await other.query(`BEGIN; SELECT 1 FROM apps WHERE app_id = 'one' FOR UPDATE`)
  await t.assert.rejects(store.write(renameApp, { app: 1, name: 'late', actor: '', now: 1 }), StoreUnavailable)
  await other.query('COMMIT')
  t.assert.equal((await store.read(getApp, { appId: 'one' }))!.name, 'one')
  await store.write(renameApp, { app: 1, name: 'new', actor: '', now: 1 })
})

test('a node that stops in the middle of a transaction keeps the others from its rows for a moment only', limit, async (t: TestContext) => {
  const url = await server.database()
  const [stopped, other] = [await openPostgres(url, { limits: { idleMs: 200 } }), await openPostgres(url)]
  for (const store of [stopped, other]) t.after(() => store.close())
  await other.write(createApp, app('one'))
  const [holds, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const stops = async (tx: Tx): Promise<void> => {
    await tx.run(`UPDATE apps SET name = 'of the one that stopped'`)
    holds.resolve()
    await goesOn.promise
    await tx.run(`UPDATE apps SET name = 'late'`)
  }
  const stopping = stopped.write(stops, {})
  await holds.promise
  await other.write(renameApp, { app: 1, name: 'of the other', actor: '', now: 1 })
  t.assert.equal((await other.read(getApp, { appId: 'one' }))!.name, 'of the other')
  goesOn.resolve()
  await stopping
  t.assert.equal((await other.read(getApp, { appId: 'one' }))!.name, 'late', 'once it goes on, it begins again')
})

test('a read that no connection is free for is refused, not kept waiting', limit, async (t: TestContext) => {
  const store = await openPostgres(await server.database(), { readers: 1, limits: { connectMs: 100 } })
  t.after(() => store.close())
  await store.read(listApps, {})
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = store.read(async () => promise, {})
  await t.assert.rejects(store.read(listApps, {}), StoreUnavailable)
  resolve()
  await slow
  await store.read(listApps, {})
})

test('two transactions that wait for one another are both done in the end', limit, async (t: TestContext) => {
  const store = await openPostgres(await server.database())
  t.after(() => store.close())
  for (const appId of ['one', 'two']) await store.write(createApp, app(appId))
  const barrier = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const cross = async (tx: Tx, own: number): Promise<void> => {
    await tx.run(`UPDATE apps SET name = name || 'x' WHERE id = ?`, 1 + own)
    barrier[own]!.resolve()
    await barrier[1 - own]!.promise
    await tx.run(`UPDATE apps SET name = name || 'x' WHERE id = ?`, 2 - own)
  }
  await Promise.all([store.write((tx: Tx, own: number) => cross(tx, own), 0), store.write((tx: Tx, own: number) => cross(tx, own), 1)])
  t.assert.deepEqual((await store.read(listApps, {})).map(({ name }) => name), ['onexx', 'twoxx'])
})

test('a failure that comes again and again is told as what it is', limit, async (t: TestContext) => {
  const store = await openPostgres(await server.database())
  t.after(() => store.close())
  await store.write(createApp, app('one'))
  const twice = (tx: Tx): Promise<number> => tx.run(`INSERT INTO apps (app_id, name, created_at) VALUES ('one', 'one', 1)`)
  await t.assert.rejects(store.write(twice, {}), /twice: duplicate key/)
})

test('a server that cannot be reached is said in words when the store is opened', limit, async (t: TestContext) => {
  await t.assert.rejects(openPostgres('postgres://postgres:secret@127.0.0.1:1/nothing'), (error: Error) => {
    t.assert.equal(error instanceof StoreUnavailable, true)
    t.assert.match(error.message, /no connection to PostgreSQL/)
    t.assert.doesNotMatch(error.message, /secret/)
    return true
  })
})
