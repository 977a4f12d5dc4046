import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import { type DeliveryState, type Level, byteOf, fold, joinMarks, levelOf, markOf, packIds, placeOf, seenOf, stateOf, states, unpackIds, withMark, withState } from './ledger.ts'

const byte = fc.integer({ min: 0, max: states.length - 1 }).chain((state) =>
  fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 3 })).map(([level, seen]) => state | (level << 4) | (seen << 6)))
const mark = fc.tuple(fc.integer({ min: 0, max: 2 }), fc.boolean(), fc.integer({ min: 0, max: 3 }))
  .map(([level, final, seen]) => markOf(level as Level, final, seen))

test('a byte says its state, how far it got and what the person did', (t: TestContext) => {
  for (const state of states) {
    for (const level of [0, 1, 2] as const) {
      const made = withMark(byteOf(state as DeliveryState, level), markOf(0, false, 3))
      t.assert.deepEqual([stateOf(made), levelOf(made), seenOf(made)], [state, level, 3])
    }
  }
})

test('marks only move a byte forward, in any order and however often', () => {
  fc.assert(fc.property(byte, fc.array(mark, { maxLength: 6 }), (before, marks) => {
    const after = marks.reduce(withMark, before)
    const again = [...marks, ...marks].reverse().reduce(withMark, after)
    const joined = marks.length > 0 ? withMark(before, marks.reduce(joinMarks)) : before
    return again === after && joined === after && levelOf(after) >= levelOf(before) && seenOf(after) >= seenOf(before)
  }))
})

test('a final mark ends what is pending or waiting, and nothing that has ended otherwise', (t: TestContext) => {
  for (const state of states) {
    const after = stateOf(withMark(byteOf(state), markOf(2, true)))
    t.assert.equal(after, state === 'pending' || state === 'waiting' ? 'done' : state)
  }
})

test('the tally is what the bytes say: received implies sent, and a change of state takes nothing back', (t: TestContext) => {
  const bytes = Uint8Array.of(byteOf('pending'), byteOf('done', 1), byteOf('moved', 2), byteOf('waiting', 1), withState(byteOf('done', 2), 'expired'))
  t.assert.deepEqual(fold(bytes), { sent: 4, received: 2, waiting: 1, pending: 1 })
})

test('packed ids are found again, and others are not', () => {
  fc.assert(fc.property(fc.uniqueArray(fc.maxSafeNat(), { maxLength: 200 }), fc.maxSafeNat(), (ids, other) => {
    const ascending = ids.sort((a, b) => a - b)
    const packed = unpackIds(packIds(ascending))
    return ascending.every((id, i) => placeOf(packed, id) === i) && placeOf(packed, other) === ascending.indexOf(other)
  }))
})
