import test, { type TestContext } from 'node:test'
import { pino } from 'pino'
import { Presence } from './presence.ts'
import { moveOver } from './store/heart-beats.ts'
import { writePresence } from './store/nodes.ts'
import type { Store } from './store/store.ts'

interface Written {
  op: unknown
  before?: number
  arrived: { deviceId: number; session: number }[]
  left: { deviceId: number; session: number }[]
}

/** Presence over a store that keeps what it is told and answers when it is let. */
const openScene = () => {
  const writes: (Written & PromiseWithResolvers<number[]>)[] = []
  const told: number[][] = []
  const write = (op: unknown, written: Omit<Written, 'op'>): Promise<number[]> => {
    const answer = Promise.withResolvers<number[]>()
    writes.push({ op, ...written, ...answer })
    return answer.promise
  }
  const presence = new Presence({
    store: { write } as unknown as Store, clock: { now: () => 0 }, log: pino({ level: 'silent' }), node: () => 1, told: (nodes) => told.push([...nodes]),
  })
  return { presence, writes, told, turn: () => new Promise(setImmediate) }
}

test('those who come while others are being written down are written down together, after them', async (t: TestContext) => {
  const { presence, writes, turn } = openScene()
  const first = presence.arrived(1, 10)
  await turn()
  const rest = [2, 3, 4].map((id) => presence.arrived(id, id * 10))
  await turn()
  t.assert.deepEqual(writes.map(({ arrived }) => arrived.map(({ deviceId }) => deviceId)), [[1]])
  writes[0]!.resolve([])
  await first
  await turn()
  t.assert.deepEqual(writes.map(({ arrived }) => arrived.map(({ deviceId }) => deviceId)), [[1], [2, 3, 4]])
  writes[1]!.resolve([])
  await Promise.all(rest)
})

test('a flood is written down a thousand devices at a time, in their order', async (t: TestContext) => {
  const { presence, writes, turn } = openScene()
  const all = Array.from({ length: 2_500 }, (_, i) => presence.arrived(i + 1, 1))
  presence.left(1, 1)
  for (let i = 0; i < 3; i += 1) {
    await turn()
    writes[i]!.resolve([])
    await turn()
  }
  await Promise.all(all)
  t.assert.deepEqual(writes.map(({ arrived, left }) => [arrived.length, left.length]), [[1_000, 0], [1_000, 0], [500, 1]])
})

test('who leaves before the arrival was written down never arrived; the newest session counts', async (t: TestContext) => {
  const { presence, writes, turn } = openScene()
  void presence.arrived(1, 10)
  presence.left(1, 10)
  void presence.arrived(2, 20)
  presence.left(2, 20)
  void presence.arrived(2, 21)
  await turn()
  t.assert.deepEqual(writes[0]!.arrived, [{ deviceId: 2, session: 21 }])
  t.assert.deepEqual(writes[0]!.left, [{ deviceId: 1, session: 10 }, { deviceId: 2, session: 20 }])
})

test('an arrival that could not be stored is told so, a departure is stored later', async (t: TestContext) => {
  const { presence, writes, turn } = openScene()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const arriving = presence.arrived(1, 10)
  presence.left(2, 20)
  await turn()
  writes[0]!.reject(new Error('away'))
  await t.assert.rejects(arriving, /away/)
  t.mock.timers.tick(1_000)
  await turn()
  t.assert.deepEqual(writes[1]!.arrived, [])
  t.assert.deepEqual(writes[1]!.left, [{ deviceId: 2, session: 20 }])
})

test('what was being written under an old number of the node is moved over to the new one afterwards', async (t: TestContext) => {
  const { presence, writes, turn } = openScene()
  const arriving = presence.arrived(1, 10)
  await turn()
  const renewed = presence.renewed(7)
  await turn()
  t.assert.deepEqual(writes.map(({ op }) => op), [writePresence])
  writes[0]!.resolve([])
  await arriving
  await turn()
  t.assert.deepEqual(writes.map(({ op, before }) => [op, before]), [[writePresence, undefined], [moveOver, 7]])
  writes[1]!.resolve([])
  await renewed
})

test('nodes that held older sessions are named', async (t: TestContext) => {
  const { presence, writes, told, turn } = openScene()
  const arriving = presence.arrived(1, 10)
  await turn()
  writes[0]!.resolve([7])
  await arriving
  t.assert.deepEqual(told, [[7]])
})
