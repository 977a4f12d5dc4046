import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext, after } from 'node:test'
import { startPostgres } from '../../../../scripts/throwaway-postgres.ts'
import * as operations from '../operations.ts'
import { accessScene } from '../scenes/access.fixture.ts'
import { Book } from '../scenes/book.fixture.ts'
import { consoleScene } from '../scenes/console.fixture.ts'
import { devicesScene } from '../scenes/devices.fixture.ts'
import { lanesScene } from '../scenes/lanes.fixture.ts'
import { nodesScene } from '../scenes/nodes.fixture.ts'
import { pathScene } from '../scenes/path.fixture.ts'
import { openSqlite } from '../sqlite/sqlite.ts'
import type { Store } from '../store.ts'
import { openPostgres } from './postgres.ts'

const server = await startPostgres()
after(() => server.stop())
const limit = { timeout: 60_000 }

const playOn = async (store: Store, scene: (book: Book) => Promise<void>): Promise<Book> => {
  const book = new Book(store)
  try {
    await scene(book)
  } finally {
    await store.close()
  }
  return book
}

const scenes = { access: accessScene, console: consoleScene, devices: devicesScene, lanes: lanesScene, nodes: nodesScene, path: pathScene }
const played = new Set<string>()

for (const [name, scene] of Object.entries(scenes)) {
  test(`${name}: every call has the same answer on SQLite and on PostgreSQL`, limit, async (t: TestContext) => {
    const folder = await mkdtemp(join(tmpdir(), 'carillon-scene-'))
    t.after(() => rm(folder, { recursive: true }))
    const sqlite = await playOn(await openSqlite(folder), scene)
    const postgres = await playOn(await openPostgres(await server.database()), scene)
    for (const [i, entry] of sqlite.entries.entries()) t.assert.deepStrictEqual(postgres.entries[i], entry, `call ${i}: ${entry.call}`)
    t.assert.equal(postgres.entries.length, sqlite.entries.length)
    for (const operation of sqlite.operations) played.add(operation)
  })
}

// Parts of other operations' transactions, called by those; and functions that touch no store.
const PARTS = ['addSize', 'addSum', 'insertBatches', 'tellTaskEnded', 'touchDevice', 'laneOf', 'placeOfLane', 'certificateSeat', 'accessSeat', 'windowQuery', 'nextQuery', 'wakeDevices', 'tellMoved', 'addPlaces']

test('no operation of the store is left out', (t: TestContext) => {
  const all = Object.entries(operations).flatMap(([name, operation]) => (typeof operation === 'function' ? [name] : []))
  t.assert.deepEqual(all.filter((name) => !played.has(name) && !PARTS.includes(name)), [])
})
