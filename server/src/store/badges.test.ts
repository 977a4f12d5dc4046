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

const page = (from: number, step = 1): number[] => Array.from({ length: 100 }, (_, i) => from + i * step)

test('what a page and what single pushes have counted is one number', async (t) => {
  const store = await openStore(t)
  const raise = async (ids: number[], by: { add: number } | { set: number }) => [...(await store.write(raiseBadges, { ids, by }))]
  const around = (at: number, many: number, one: number) => Array.from({ length: 100 }, (_, i) => (i === at ? one : many))
  t.assert.deepEqual(await raise([210], { add: 5 }), [5])
  for (const ids of [page(200), page(200, 10)]) { // close together, and far apart
    t.assert.deepEqual(await raise(ids, { set: 1 }), around(0, 1, 1))
    t.assert.deepEqual(await raise([ids[4]!], { add: 3 }), [4])
    t.assert.deepEqual(await raise(ids, { add: 1 }), around(4, 2, 5))
    t.assert.deepEqual(await raise([ids[4]!, ids[5]!], { add: 1 }), [6, 3])
    t.assert.deepEqual(await raise([ids[4]!], { set: 0 }), [0])
    t.assert.deepEqual((await raise(ids, { add: 2 })).slice(3, 7), [4, 2, 5, 4])
    t.assert.deepEqual([...(await store.read(readBadges, { ids: [ids[5]!, ids[4]!] }))], [5, 2])
  }
})

test('a page that counts beyond what fits goes on counting', async (t) => {
  const store = await openStore(t)
  const raise = async (ids: number[], by: { add: number } | { set: number }) => (await store.write(raiseBadges, { ids, by }))[0]
  for (let i = 0; i < 4; i += 1) await raise(page(1), { add: 999_999_999 })
  t.assert.equal(await raise(page(1), { add: 1 }), 2_147_483_647)
  t.assert.equal(await raise([1], { set: 7 }), 7)
  t.assert.equal(await raise(page(1), { add: 1 }), 8)
  t.assert.equal(await raise(page(1), { set: 2_000_000_000 }), 2_000_000_000)
  t.assert.equal(await raise(page(1), { add: 1 }), 2_000_000_001)
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
