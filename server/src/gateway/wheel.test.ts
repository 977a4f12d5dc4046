import test from 'node:test'
import { Wheel, type Watched } from './wheel.ts'

const watched = (wheel: Wheel) => {
  const seen: number[] = []
  const item: Watched = { dueAt: 0, look: () => seen.push(wheel.second) }
  return { item, seen }
}

const turn = (wheel: Wheel, times: number): void => {
  for (let i = 0; i < times; i += 1) wheel.turn()
}

test('what is watched is looked at once, when its time has come', (t) => {
  const wheel = new Wheel()
  const { item, seen } = watched(wheel)
  wheel.watch(item, 5)
  turn(wheel, 4)
  t.assert.deepEqual(seen, [])
  turn(wheel, 100)
  t.assert.deepEqual(seen, [6])
})

test('an earlier date stands, a later one does not move it', (t) => {
  const wheel = new Wheel()
  const { item, seen } = watched(wheel)
  wheel.watch(item, 20)
  wheel.watch(item, 3)
  wheel.watch(item, 30)
  turn(wheel, 100)
  t.assert.deepEqual(seen, [4])
})

test('dates beyond one turn are looked at early rather than never', (t) => {
  const wheel = new Wheel()
  const { item, seen } = watched(wheel)
  wheel.watch(item, 100_000)
  turn(wheel, 64)
  t.assert.equal(seen.length, 1)
})

test('what is forgotten is left alone, also by one looked at in the same second', (t) => {
  const wheel = new Wheel()
  const { item, seen } = watched(wheel)
  wheel.watch({ dueAt: 0, look: () => wheel.forget(item) }, 2)
  wheel.watch(item, 2)
  turn(wheel, 70)
  t.assert.deepEqual(seen, [])
})
