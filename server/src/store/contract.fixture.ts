import test, { type TestContext } from 'node:test'
import { createApp, getApp, listApps } from './apps.ts'
import { auditRows, writeAudit } from './audit.ts'
import { claimKeyCheck, readKeyCheck } from './keycheck.ts'
import { addressesOf } from './addresses.ts'
import type { NewBatch } from './batches.ts'
import { listDevices } from './devices.ts'
import { type NewDevice, importDevices, importUsers, knownNames } from './imports.ts'
import { odd, oddInOrder } from './odd-text.fixture.ts'
import { addDevice, addUser, newBatch, newTask } from './people.fixture.ts'
import type { Store } from './store.ts'
import { addTags, readTags, removeTags } from './tags.ts'
import { listTasks } from './task-list.ts'
import { type NewTask, insertTask, readTask } from './tasks.ts'
import { findToken } from './tokens.ts'
import { type UserCursor, findUsers } from './user-search.ts'
import { deleteUser, listUsers } from './users.ts'

const app = (appId: string) => ({ appId, name: appId, actor: 'test', now: 1 })
const limit = { timeout: 60_000 }

/** What every store keeps, whichever engine is behind it. */
export const keepsTheContract = (open: (t: TestContext) => Promise<Store>): void => {
  test('text comes back as it went in, and in the order of its bytes', limit, async (t: TestContext) => {
    const store = await open(t)
    const device = await addDevice(store, 1, await addUser(store, 1, 'somebody'), 'guid')
    t.assert.deepEqual(await store.write(addTags, { device, tags: odd, max: 1_000, now: 1 }), { ok: true, tags: oddInOrder })
    for (const tag of odd) {
      const rest = oddInOrder.filter((other) => other !== tag)
      t.assert.deepEqual(await store.write(removeTags, { device, tags: [tag], now: 1 }), { ok: true, tags: rest }, JSON.stringify(tag))
      await store.write(addTags, { device, tags: [tag], max: 1_000, now: 1 })
    }
    t.assert.deepEqual(await store.write(removeTags, { device, tags: odd, now: 1 }), { ok: true, tags: [] })
    t.assert.deepEqual(await store.read(readTags, { device }), { ok: true, tags: [] })
  })

  test('a list of texts finds exactly those', limit, async (t: TestContext) => {
    const store = await open(t)
    const users = odd.map((name) => ({ name, mobile: null, email: null, emailKey: null, passwordHash: null }))
    t.assert.deepEqual(await store.write(importUsers, { app: 1, users, now: 1 }), odd.map(() => 'added'))
    for (const name of odd) t.assert.deepEqual(await store.read(knownNames, { app: 1, names: [name, 'nobody'] }), [name])
    t.assert.deepEqual(new Set(await store.read(knownNames, { app: 1, names: odd })), new Set(odd))
    t.assert.deepEqual(await store.read(knownNames, { app: 1, names: [] }), [])
  })

  test('many rows written at once come back as they went in', limit, async (t: TestContext) => {
    const store = await open(t)
    const userId = await addUser(store, 1, 'somebody')
    const devices = odd.map((text, i): NewDevice => ({
      userId, userName: null, guid: text, platform: 'web', alias: i % 3 === 0 ? null : text, tags: [text],
      tokens: [{ vendor: 'fcm', environment: 1, token: text }],
    }))
    const bytes = (length: number) => Uint8Array.from({ length: length * odd.length }, (_, i) => i * 7 + Math.floor(i / length))
    const [pushTokenHashes, pushTokens] = [bytes(32), bytes(5)]
    t.assert.deepEqual(await store.write(importDevices, { app: 1, devices, pushTokenHashes, pushTokens, now: Number.MAX_SAFE_INTEGER }), odd.map(() => 'added'))
    const listed = await store.read(listDevices, { app: 1, userId, limit: 1_000 })
    t.assert.equal(listed.length, odd.length)
    for (const { id, guid, alias, tags, push_token, push_token_hash, created_at } of listed) {
      const i = odd.indexOf(guid)
      t.assert.deepEqual([alias, tags, created_at], [devices[i]!.alias, [guid], Number.MAX_SAFE_INTEGER], JSON.stringify(guid))
      t.assert.deepEqual([...push_token_hash, ...push_token], [...pushTokenHashes.subarray(i * 32, i * 32 + 32), ...pushTokens.subarray(i * 5, i * 5 + 5)])
      t.assert.deepEqual((await store.read(addressesOf, { ids: [id], vendor: 'fcm', environment: 1 })).map(({ token }) => token), [guid])
    }
  })

  test('an empty list matches nothing', limit, async (t: TestContext) => {
    const store = await open(t)
    t.assert.deepEqual(await store.read(addressesOf, { ids: [], vendor: 'apns', environment: 1 }), [])
  })

  test('whole numbers are exact up to 2^53 - 1, and numbers', limit, async (t: TestContext) => {
    const store = await open(t)
    const largest = Number.MAX_SAFE_INTEGER
    await store.write(writeAudit, { app: largest, at: largest - 1, actor: '', action: '', detail: {} })
    const [row] = await store.read(auditRows, { app: largest, before: largest, limit: 9 })
    t.assert.deepEqual({ ...row }, { id: 1, app: largest, at: largest - 1, actor: '', action: '', detail: {} })
  })

  test('bytes come back as they went in, in memory of their own', limit, async (t: TestContext) => {
    const store = await open(t)
    t.assert.equal(await store.read(readKeyCheck, {}), undefined)
    const window = Uint8Array.from({ length: 300 }, (_, i) => i).subarray(3, 259)
    const given = await store.write(claimKeyCheck, { sealed: window })
    const read = (await store.read(readKeyCheck, {}))!
    for (const bytes of [given, read]) {
      t.assert.deepEqual([...bytes], [...window])
      t.assert.equal(Object.getPrototypeOf(bytes), Uint8Array.prototype)
      t.assert.equal(bytes.byteOffset, 0)
    }
  })

  test('no bytes at all are something else than nothing', limit, async (t: TestContext) => {
    const store = await open(t)
    t.assert.equal((await store.write(claimKeyCheck, { sealed: new Uint8Array() })).length, 0)
    t.assert.equal((await store.read(readKeyCheck, {}))?.length, 0)
    t.assert.equal(await store.read(findToken, { hash: new Uint8Array() }), undefined)
  })

  test('JSON is kept to the letter', limit, async (t: TestContext) => {
    const store = await open(t)
    const message = '{ "b":1,"a": 123456789012345678901234567890, "é":"\\u0000\\ud83d\\ude00", "x": 1.0e2 }'
    const { id } = await store.write(insertTask, { task: newTask({ message }), batches: null })
    t.assert.equal((await store.read(readTask, { id }))!.message, message)
  })

  test('what is null in a question can be left out of it', limit, async (t: TestContext) => {
    const store = await open(t)
    await addUser(store, 1, 'somebody')
    const named = (after: UserCursor | null) => store.read(findUsers, { app: 1, search: { text: 'some', userId: null, emailKey: 'some' }, after, limit: 10 })
    t.assert.equal((await named(null)).users.length, 1)
    t.assert.equal((await named({ name: 'somebody' })).users.length, 0)
  })

  test('an id is not used twice', limit, async (t: TestContext) => {
    const store = await open(t)
    const first = await addUser(store, 1, 'first')
    await store.write(deleteUser, { app: 1, id: first, actor: '', now: 1 })
    t.assert.equal(await addUser(store, 1, 'second') > first, true)
    t.assert.equal((await store.read(listUsers, { app: 1, offset: 0, limit: 9 })).total, 1)
  })

  test('a write that fails takes back its own statements and none of its neighbours', limit, async (t: TestContext) => {
    const store = await open(t)
    const calls = Array.from({ length: 60 }, (_, i) => ({ ...app(`app ${i}`), ...(i % 20 === 7 ? { actor: null as never } : {}) }))
    const results = await Promise.allSettled(calls.map((call) => store.write(createApp, call)))
    const failed = results.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))
    t.assert.deepEqual(failed, [7, 27, 47])
    t.assert.equal((await store.read(listApps, {})).length, 57)
    t.assert.equal(await store.read(getApp, { appId: 'app 7' }), undefined)
  })

  test('an expected conflict is an answer', limit, async (t: TestContext) => {
    const store = await open(t)
    const results = await Promise.all(Array.from({ length: 40 }, () => store.write(createApp, app('same'))))
    t.assert.equal(results.filter(({ ok }) => ok).length, 1)
    t.assert.equal((await store.read(listApps, {})).length, 1)
  })

  test('a write sees the one that was answered before it', limit, async (t: TestContext) => {
    const store = await open(t)
    for (let i = 0; i < 20; i += 1) {
      await store.write(createApp, app(`app ${i}`))
      t.assert.equal((await store.read(getApp, { appId: `app ${i}` }))!.name, `app ${i}`)
      t.assert.deepEqual(await store.write(createApp, app(`app ${i}`)), { ok: false, taken: 'app_id' })
    }
  })

  test('what is being sent is listed newest first, however much there is of it and of other things', limit, async (t: TestContext) => {
    const store = await open(t)
    const add = async (more: Partial<NewTask>, batches: NewBatch[] | null) => (await store.write(insertTask, { task: newTask(more), batches })).id
    const tags = [await add({ audienceKind: 'tag' }, [newBatch([1])]), await add({ audienceKind: 'tag' }, [newBatch([1]), newBatch([2], { channel: 'apns' })])]
    const others = await Promise.all(Array.from({ length: 600 }, (_, i) => add({}, i % 2 === 0 ? [newBatch([1])] : [newBatch([1]), newBatch([2])])))
    await add({ app: 2 }, [newBatch([1])])
    await add({}, null)
    await add({}, [newBatch([1], { dueAt: null, state: 'waiting' })])
    const asked = { app: 1, before: Number.MAX_SAFE_INTEGER, limit: 250, state: 'sending', audienceKind: null, from: null, to: null, requestId: null } as const
    const listed: number[] = []
    for (let before: number | undefined = asked.before; before !== undefined; before = listed.length % asked.limit === 0 ? listed.at(-1) : undefined)
      listed.push(...(await store.read(listTasks, { ...asked, before })).map(({ id }) => id))
    t.assert.deepEqual(listed, [...tags, ...others.sort((a, b) => a - b)].reverse())
    t.assert.deepEqual((await store.read(listTasks, { ...asked, audienceKind: 'tag' })).map(({ id }) => id), [...tags].reverse())
  })
}
