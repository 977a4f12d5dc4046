import { once } from 'node:events'
import test from 'node:test'
import { memoryBus } from '../bus/memory.ts'
import { addChange, purgeChanges, readChanges } from '../store/changes.ts'
import { openSqlite } from '../store/sqlite/sqlite.ts'
import { Changes } from './changes.ts'
import { openTrial } from './trial.ts'

test('one nudge brings every change since the last look to its listeners, once and in order', async (t) => {
  const { store } = await openTrial(t)
  const bus = memoryBus()
  await store.write(addChange, { kind: 'token', key: 1, now: 0 })
  const changes = new Changes(store, bus)
  const seen: string[] = []
  const events = new EventTarget()
  for (const kind of ['token', 'device', 'certificate'] as const) {
    changes.on(kind, (key) => {
      seen.push(`${kind} ${key}`)
      if (kind === 'certificate') events.dispatchEvent(new Event('last'))
    })
  }
  const last = once(events, 'last') // it also looks by itself
  await changes.start()
  t.after(() => changes.stop())
  for (let key = 2; key < 1_000; key += 1) void store.write(addChange, { kind: 'token', key, now: 0 })
  await store.write(addChange, { kind: 'device', key: 7, now: 0 })
  await store.write(addChange, { kind: 'certificate', key: 8, now: 0 })
  bus.nudge('changes')
  await last
  await changes.announce()
  const tokens = Array.from({ length: 998 }, (_, i) => `token ${i + 2}`)
  t.assert.deepEqual(seen, [...tokens, 'device 7', 'certificate 8'])
})

test('announcing resolves when this node has heard of it', async (t) => {
  const { store, changes } = await openTrial(t)
  const seen: number[] = []
  changes.on('user', (key) => seen.push(key))
  for (let key = 1; key <= 5; key += 1) {
    const early = changes.look()
    await store.write(addChange, { kind: 'user', key, now: 0 })
    await changes.announce()
    t.assert.equal(seen.at(-1), key)
    await early
  }
  t.assert.deepEqual(seen, [1, 2, 3, 4, 5])
})

test('what another process changes is heard without a nudge', async (t) => {
  const { folder, changes } = await openTrial(t)
  const { promise, resolve } = Promise.withResolvers<number>()
  changes.on('token', resolve)
  const beside = await openSqlite(folder)
  t.after(() => beside.close())
  await beside.write(addChange, { kind: 'token', key: 42, now: 0 })
  t.assert.equal(await promise, 42)
})

test('changes are kept for an hour', async (t) => {
  const { store } = await openTrial(t)
  await store.write(addChange, { kind: 'app', key: 1, now: 0 })
  await store.write(addChange, { kind: 'app', key: 2, now: 1 })
  t.assert.equal(await store.write(purgeChanges, { now: 3_600_001 }), 1)
  t.assert.deepEqual(
    (await store.read(readChanges, { after: 0, limit: 9 })).map((change) => change.key),
    [2],
  )
})
