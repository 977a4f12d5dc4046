import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext, after } from 'node:test'
import pg from 'pg'
import { startPostgres } from '../../../../scripts/throwaway-postgres.ts'
import { auditRows, writeAudit } from '../audit.ts'
import { laneOf } from '../batches.ts'
import { claimFromLane, claimOwn } from '../claims.ts'
import { importUsers, knownNames } from '../imports.ts'
import { claimKeyCheck } from '../keycheck.ts'
import { startNode } from '../nodes.ts'
import { odd } from '../odd-text.fixture.ts'
import { NOW, addUser, newBatch, newTask } from '../people.fixture.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { types } from '../postgres/values.ts'
import { accessScene } from '../scenes/access.fixture.ts'
import { Book } from '../scenes/book.fixture.ts'
import { devicesScene } from '../scenes/devices.fixture.ts'
import { nodesScene } from '../scenes/nodes.fixture.ts'
import { pathScene } from '../scenes/path.fixture.ts'
import { databaseFile, openSqlite } from '../sqlite/sqlite.ts'
import type { Store } from '../store.ts'
import { claimTask, insertTask, readTask } from '../tasks.ts'
import { deleteUser } from '../users.ts'
import type { Compared } from './compare.ts'
import { type Watcher, move } from './move.ts'
import { MoveRefused, Source } from './source.ts'
import { tablesOf } from './tables.ts'
import { Target } from './target.ts'

const server = await startPostgres()
after(() => server.stop())
const limit = { timeout: 60_000 }

const nobody: Watcher = { copied() {}, indexing() {}, checked() {} }

/** A folder with a store that was filled and closed. */
const filled = async (t: TestContext, fill: (store: Store) => Promise<unknown>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-move-'))
  t.after(() => rm(folder, { recursive: true }))
  const store = await openSqlite(folder)
  try {
    await fill(store)
  } finally {
    await store.close()
  }
  return folder
}

/** One call of the command: as far as it comes. */
const moveOnce = async (folder: string, url: string, { name = 'move', source = new Source(folder), watcher = nobody } = {}): Promise<Compared[]> => {
  try {
    const target = await Target.connect(url)
    try {
      await target.claim(name, source.tables)
      const compared = await move(source, target, watcher)
      if (compared.every(({ same }) => same)) await target.finish(NOW + 5_000)
      return compared
    } finally {
      await target.close()
    }
  } finally {
    source.close()
  }
}

const ask = async <R extends pg.QueryResultRow>(url: string, sql: string): Promise<R[]> => {
  const client = new pg.Client({ connectionString: url, types })
  await client.connect()
  try {
    return (await client.query<R>(sql)).rows
  } finally {
    await client.end()
  }
}

const differing = (compared: Compared[]): string[] => compared.filter(({ same }) => !same).map(({ table }) => table)

const manyUsers = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `user ${i}`, mobile: null, email: 'x'.repeat(bytes), emailKey: null, passwordHash: null }))

test('every table of the schema is moved', limit, async (t: TestContext) => {
  const folder = await filled(t, async () => {})
  const url = await server.database()
  await (await openPostgres(url)).close()
  const there = await ask<{ name: string }>(url, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version'`)
  const source = new Source(folder)
  t.after(() => source.close())
  t.assert.deepEqual(new Set(source.tables.map(({ name }) => name)), new Set(there.map(({ name }) => name)))
})

test('a table without a key is refused, not left out', (t: TestContext) => {
  const db = new DatabaseSync(':memory:')
  t.after(() => db.close())
  db.exec('CREATE TABLE a (b INTEGER)')
  t.assert.throws(() => tablesOf(db), /the table a has no primary key/)
})

for (const [name, scene] of Object.entries({ access: accessScene, devices: devicesScene, nodes: nodesScene, path: pathScene })) {
  test(`${name}: each row is the same on the other side, value by value`, limit, async (t: TestContext) => {
    const folder = await filled(t, (store) => scene(new Book(store)))
    const [db, url] = [new DatabaseSync(databaseFile(folder)), await server.database()]
    t.after(() => db.close())
    const tables = tablesOf(db)
    const rowsHere = tables.map((table) => db.prepare(`SELECT * FROM ${table.name} ORDER BY ${table.key.map((column) => column.name).join()}`).all())
    // Looked at after the comparison and before what the old node held is freed.
    const source = new Source(folder)
    const target = await Target.connect(url)
    t.after(() => target.close())
    await target.claim('move', tables)
    t.assert.deepEqual(differing(await move(source, target, nobody)), [])
    source.close()
    for (const [i, { name: table, key }] of tables.entries()) {
      const found = await ask(url, `SELECT * FROM ${table} ORDER BY ${key.map((column) => column.name).join()}`)
      t.assert.deepEqual(found, rowsHere[i]!.map((row) => ({ ...row })), table)
    }
  })
}

test('odd texts and the largest numbers arrive as they are', limit, async (t: TestContext) => {
  const texts = [...odd, '\u{10ffff}', '\\N', '\\.', '\b\f\v', '\\x00', '{"a":"\\u0000\\n"}', 'tab\tand\r\nline']
  const largest = Number.MAX_SAFE_INTEGER
  const folder = await filled(t, async (store) => {
    await store.write(importUsers, { app: 1, users: texts.map((text) => ({ name: text, mobile: null, email: text, emailKey: null, passwordHash: text })), now: largest })
    await store.write(writeAudit, { app: largest, at: -largest, actor: '', action: '', detail: {} })
    await store.write(claimKeyCheck, { sealed: Uint8Array.from({ length: 256 }, (_, i) => i) })
  })
  const url = await server.database()
  t.assert.deepEqual(differing(await moveOnce(folder, url)), [])
  const store = await openPostgres(url)
  t.after(() => store.close())
  for (const text of texts) t.assert.deepEqual(await store.read(knownNames, { app: 1, names: [text] }), [text])
  const found = await ask<{ name: string; password_hash: string; created_at: number }>(url, 'SELECT name, password_hash, created_at FROM users ORDER BY id')
  t.assert.deepEqual(found, texts.map((text) => ({ name: text, password_hash: text, created_at: largest })))
  t.assert.equal((await store.read(auditRows, { app: largest, before: largest, limit: 9 }))[0]!.at, -largest)
})

test('a text that PostgreSQL cannot hold is told, not mended', limit, async (t: TestContext) => {
  const folder = await filled(t, (store) => store.write(importUsers, { app: 1, users: manyUsers(2, 9), now: NOW }))
  const db = new DatabaseSync(databaseFile(folder))
  for (const bytes of ['ff', '610062', 'eda080']) {
    db.exec(`UPDATE users SET email = CAST(x'${bytes}' AS TEXT) WHERE id = 2`)
    await t.assert.rejects(moveOnce(folder, await server.database()), /a row of users cannot be moved: .*0x.* \(COPY users, line 2/, bytes)
  }
  db.close()
})

test('new ids are higher than any that was ever given', limit, async (t: TestContext) => {
  const last: number[] = []
  const folder = await filled(t, async (store) => {
    for (const name of ['a', 'b', 'c']) last[0] = await addUser(store, 1, name)
    await store.write(deleteUser, { app: 1, id: last[0]!, actor: '', now: NOW })
    last[1] = (await store.write(insertTask, { task: newTask(), batches: null })).id
  })
  const url = await server.database()
  await moveOnce(folder, url)
  const store = await openPostgres(url)
  t.after(() => store.close())
  t.assert.equal(await addUser(store, 1, 'd'), last[0]! + 1)
  t.assert.equal((await store.write(insertTask, { task: newTask(), batches: null })).id, last[1]! + 1)
})

test('what the old node had under way goes on, as after a start', limit, async (t: TestContext) => {
  const ids: number[] = []
  const folder = await filled(t, async (store) => {
    const node = await store.write(startNode, { now: NOW })
    const { id } = await store.write(insertTask, { task: newTask(), batches: [newBatch([1], { node }), newBatch([2], { channel: 'apns' })] })
    ids.push(id, (await store.write(insertTask, { task: newTask(), batches: null })).id)
    await store.write(claimOwn, { node, limit: 9, ackAt: NOW + 99_999, now: NOW })
    await store.write(claimFromLane, { channel: 'apns', lane: laneOf(1, 1), node, now: NOW })
    await store.write(claimTask, { node, now: NOW })
  })
  const url = await server.database()
  await moveOnce(folder, url)
  const store = await openPostgres(url)
  t.after(() => store.close())
  const now = NOW + 5_000
  t.assert.deepEqual((await store.write(claimOwn, { node: 99, limit: 9, ackAt: now + 9, now })).map((batch) => batch.task_id), [ids[0]])
  t.assert.equal((await store.write(claimFromLane, { channel: 'apns', lane: laneOf(1, 1), node: 99, now }))!.task_id, ids[0])
  t.assert.equal((await store.write(claimTask, { node: 99, now }))!.id, ids[1])
  t.assert.equal((await store.read(readTask, { id: ids[0]! }))!.state, 'sending')
  t.assert.deepEqual(await ask(url, 'SELECT id FROM nodes'), [])
})

/** A source that ends in the middle, like a process that was killed. */
class Broken extends Source {
  left = 0

  override *lines(...args: Parameters<Source['lines']>): Iterable<Uint8Array> {
    for (const line of super.lines(...args)) {
      if (--this.left < 0) throw new Error('killed')
      yield line
    }
  }
}

test('a move that was interrupted goes on where it stopped, and until it has ended no node starts there', limit, async (t: TestContext) => {
  const folder = await filled(t, async (store) => {
    await store.write(importUsers, { app: 1, users: manyUsers(500, 50_000), now: NOW }) // more than is committed at once
    for (const name of odd) await store.write(importUsers, { app: 2, users: [{ name, mobile: null, email: null, emailKey: null, passwordHash: null }], now: NOW })
  })
  const url = await server.database()
  const counts: number[] = []
  for (const left of [10, 450]) {
    const source = new Broken(folder)
    source.left = left
    await t.assert.rejects(moveOnce(folder, url, { source }), /killed/)
    await t.assert.rejects(openPostgres(url), /still being moved into this database/)
    counts.push((await ask<{ count: number }>(url, 'SELECT count(*) AS count FROM users'))[0]!.count)
  }
  t.assert.equal(counts[0], 0)
  t.assert.ok(counts[1]! > 0 && counts[1]! < 450, String(counts[1]))
  const copied: number[] = []
  t.assert.deepEqual(differing(await moveOnce(folder, url, { watcher: { ...nobody, copied: (rows) => copied.push(rows) } })), [])
  t.assert.ok(copied[0]! > counts[1]!, 'what was there is not brought again')
  const indexes = async (of: string) => ask(of, `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`)
  const fresh = await server.database()
  await (await openPostgres(fresh)).close()
  t.assert.deepEqual(await indexes(url), await indexes(fresh))
})

test('a row that somebody changed on the other side is found', limit, async (t: TestContext) => {
  const folder = await filled(t, (store) => store.write(importUsers, { app: 1, users: manyUsers(3, 9), now: NOW }))
  const url = await server.database()
  const source = new Broken(folder)
  source.left = 3
  await t.assert.rejects(moveOnce(folder, url, { source }), /killed/)
  const [first] = await ask<{ table: string }>(url, `SELECT CASE WHEN EXISTS (SELECT FROM users) THEN 'users' ELSE 'sizes' END AS "table"`)
  const change = { users: `UPDATE users SET email = 'y' WHERE id = 2`, sizes: 'UPDATE sizes SET users = 99' }[first!.table as 'users' | 'sizes']
  await ask(url, change)
  t.assert.deepEqual(differing(await moveOnce(folder, url)), [first!.table])
  await t.assert.rejects(openPostgres(url), /still being moved/)
})

test('a database that others keep something in is refused, and left as it was', limit, async (t: TestContext) => {
  const folder = await filled(t, (store) => addUser(store, 1, 'a'))
  const refused = (url: string, why: RegExp, name = 'move') =>
    t.assert.rejects(moveOnce(folder, url, { name }), (error) => error instanceof MoveRefused && why.test(error.message))

  const carillon = await server.database()
  const store = await openPostgres(carillon)
  await addUser(store, 1, 'somebody')
  await store.close()
  await refused(carillon, /holds the data of another installation \(rows in .*users/)
  t.assert.equal((await ask(carillon, 'SELECT FROM users')).length, 1)

  const others = await server.database()
  await ask(others, 'CREATE TABLE users (name TEXT)')
  await refused(others, /has a table users that is not Carillon's/)
  t.assert.equal((await ask(others, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).length, 1)

  const half = await server.database()
  const source = new Broken(folder)
  await t.assert.rejects(moveOnce(folder, half, { source }), /killed/)
  await refused(half, /a part of another move/, 'another')
  await ask(half, 'UPDATE schema_version SET version = version - 1')
  await refused(half, /begun by another version/)

  const done = await server.database()
  await moveOnce(folder, done)
  await refused(done, /another installation/)
  await refused('postgres://127.0.0.1:1/nothing', /no connection to PostgreSQL/)
})

test('a store of another version is refused in words', limit, async (t: TestContext) => {
  const folder = await filled(t, async () => {})
  const db = new DatabaseSync(databaseFile(folder))
  t.after(() => db.close())
  for (const [version, why] of [[999, /newer Carillon/], [1, /older Carillon .* start the server once/]] as const) {
    db.exec(`PRAGMA user_version = ${version}`)
    t.assert.throws(() => new Source(folder), why)
  }
  await t.assert.rejects(async () => new Source(join(folder, 'nowhere')), /there is no store/)
})

test('while it is moved nobody writes to the old store', limit, async (t: TestContext) => {
  const folder = await filled(t, (store) => addUser(store, 1, 'a'))
  const source = new Source(folder)
  t.after(() => source.close())
  const other = new DatabaseSync(databaseFile(folder), { timeout: 0 })
  t.after(() => other.close())
  t.assert.throws(() => other.exec('DELETE FROM users'), /locked/)
})
