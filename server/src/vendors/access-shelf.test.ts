import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { Seal } from '../access/seal.ts'
import { type SqliteStore, openSqlite } from '../store/sqlite/sqlite.ts'
import { claimAccess, readAccess } from '../store/vendor-access.ts'
import { AccessShelf } from './access-shelf.ts'
import { AccessTokens } from './access-tokens.ts'
import { NOW, openAccount, plainAccess, plainVendor, reply } from './desk.fixture.ts'

const timeout = 10_000
const HOUR = 3_600_000
const vendor = plainVendor({ access: plainAccess })
const account = openAccount()
const seat = { account: account.key, region: '' }

/** The only node of a store, started as often as wanted. */
const startNode = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-access-'))
  const clock = { at: NOW, now: () => clock.at }
  let asked = 0
  let store: SqliteStore | undefined
  const start = async (key = 7) => {
    await store?.close()
    const opened = (store = await openSqlite(folder))
    const shelf = new AccessShelf({ store: opened, seal: new Seal(Buffer.alloc(32, key)), clock, alone: true })
    const tokens = new AccessTokens(clock, async () => reply({ value: `token ${(asked += 1)}`, renewMs: HOUR, endsMs: 2 * HOUR }), shelf)
    return { store: opened, get: () => tokens.get(vendor, account, '') }
  }
  t.after(async () => {
    await store?.close()
    await rm(folder, { recursive: true })
  })
  return { clock, start }
}

test('an access token is still there after a restart, and when it has ended another one is asked for', { timeout }, async (t: TestContext) => {
  const { clock, start } = await startNode(t)
  const before = await start()
  t.assert.equal(await before.get(), 'token 1')
  const later = await start()
  t.assert.equal(await later.get(), 'token 1')
  clock.at += 2 * HOUR
  t.assert.equal(await later.get(), 'token 2')
})

test('a node that ended while it was asking does not keep its successor waiting', { timeout }, async (t: TestContext) => {
  const { start } = await startNode(t)
  const { store } = await start()
  await store.write(claimAccess, { ...seat, after: 0, dropped: 0, anew: false, alone: true, now: NOW, until: NOW + 30_000 })
  t.assert.equal((await store.read(readAccess, seat))!.askedUntil, NOW + 30_000)
  const { get } = await start()
  t.assert.equal(await get(), 'token 1')
})

test('a token that does not open is none: another one is asked for and takes its place', { timeout }, async (t: TestContext) => {
  const { start } = await startNode(t)
  await (await start()).get()
  t.assert.equal(await (await start(8)).get(), 'token 2')
  t.assert.equal(await (await start(8)).get(), 'token 2')
})
