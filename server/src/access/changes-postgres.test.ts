import test, { type TestContext, after } from 'node:test'
import { startPostgres } from '../../../scripts/throwaway-postgres.ts'
import { memoryBus } from '../bus/memory.ts'
import { addChange, lastChange } from '../store/changes.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import type { Tx } from '../store/store.ts'
import { Changes } from './changes.ts'

const server = await startPostgres()
after(() => server.stop())
const limit = { timeout: 60_000 }

/** Two nodes on one database; what one of them hears. */
const openTwo = async (t: TestContext) => {
  const url = await server.database()
  const [here, there] = await Promise.all([openPostgres(url), openPostgres(url)])
  const changes = new Changes(here!, memoryBus())
  const heard: number[] = []
  changes.on('token', (key) => heard.push(key))
  t.after(async () => {
    await changes.stop()
    await Promise.all([here!.close(), there!.close()])
  })
  return { there: there!, changes, heard }
}

/** A change that has its id, and is not committed until it is let go. */
const heldBack = (key: number) => {
  const drawn = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const op = async (tx: Tx): Promise<void> => {
    await addChange(tx, { kind: 'token', key, now: 0 })
    drawn.resolve()
    await go.promise
  }
  return { op, drawn: drawn.promise, go: go.resolve }
}

test('a revocation that is committed after a later one is heard too', limit, async (t: TestContext) => {
  const { there, changes, heard } = await openTwo(t)
  await changes.start()
  const early = heldBack(1)
  const written = there.write(early.op, {})
  await early.drawn
  await there.write(addChange, { kind: 'token', key: 2, now: 0 })
  await changes.announce()
  t.assert.deepEqual(heard, [2])
  early.go()
  await written
  await changes.announce()
  t.assert.deepEqual(heard, [2, 1])
  await changes.announce()
  t.assert.deepEqual(heard, [2, 1], 'and once')
})

test('one that was under way when a node started is heard by it', limit, async (t: TestContext) => {
  const { there, changes, heard } = await openTwo(t)
  const early = heldBack(1)
  const written = there.write(early.op, {})
  await early.drawn
  await there.write(addChange, { kind: 'token', key: 2, now: 0 })
  await changes.start()
  early.go()
  await written
  await changes.announce()
  t.assert.deepEqual(heard, [1])
})

test('none of a thousand written at once is missed', limit, async (t: TestContext) => {
  const { there, changes, heard } = await openTwo(t)
  await changes.start()
  const writes = Array.from({ length: 1_000 }, (_, key) => there.write(addChange, { kind: 'token', key, now: 0 }))
  for (const write of writes) {
    await write
    if (heard.length < 900) await changes.look()
  }
  await changes.announce()
  t.assert.deepEqual(heard.toSorted((a, b) => a - b), Array.from({ length: 1_000 }, (_, key) => key))
  t.assert.equal(await there.read(lastChange, {}) >= 1_000, true)
})
