import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { raiseBadges, readBadges } from './badges.ts'
import { openSqlite } from './sqlite/sqlite.ts'

const openStore = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-badges-'))
  const store = await openSqlite(folder)
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  return store
}

test('badges are raised and set per device, and nobody else is touched', async (t) => {
  const store = await openStore(t)
  const ids = [1, 255, 256, 511, 100_000]
  t.assert.deepEqual([...(await store.write(raiseBadges, { ids, by: { add: 2 } }))], [2, 2, 2, 2, 2])
  t.assert.deepEqual([...(await store.write(raiseBadges, { ids: [255, 256], by: { set: 40 } }))], [40, 40])
  t.assert.deepEqual([...(await store.write(raiseBadges, { ids: [1, 256, 900], by: { add: 1 } }))], [3, 41, 1])
  t.assert.deepEqual([...(await store.read(readBadges, { ids: [900, 2, 256, 1, 255, 7_000] }))], [1, 0, 41, 3, 40, 0])
})

test('a badge stays within what devices can show', async (t) => {
  const store = await openStore(t)
  const raise = async (by: { add: number } | { set: number }) => (await store.write(raiseBadges, { ids: [9], by }))[0]
  t.assert.equal(await raise({ set: 2_147_483_600 }), 2_147_483_600)
  t.assert.equal(await raise({ add: 999_999_999 }), 2_147_483_647)
  t.assert.equal(await raise({ set: 0 }), 0)
})

test('raises at the same time all count', async (t) => {
  const store = await openStore(t)
  await Promise.all(Array.from({ length: 50 }, () => store.write(raiseBadges, { ids: [3, 300], by: { add: 1 } })))
  t.assert.deepEqual([...(await store.read(readBadges, { ids: [3, 300] }))], [50, 50])
})
