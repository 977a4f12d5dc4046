import test from 'node:test'
import { Heard } from './heard.ts'

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

test('each change is news once, in whatever order they appear', (t) => {
  const heard = new Heard(10, range(1, 10), 0)
  t.assert.deepEqual(heard.wanted(0), { after: 10, missing: [] })
  t.assert.deepEqual([11, 14, 11, 14].map((id) => heard.hear(id, 0)), [true, true, false, false])
  t.assert.deepEqual(heard.wanted(0), { after: 14, missing: [12, 13] })
  t.assert.deepEqual([13, 15, 13].map((id) => heard.hear(id, 0)), [true, true, false])
  t.assert.deepEqual(heard.wanted(0), { after: 15, missing: [12] })
})

test('what was about to be committed when a node started is news to it', (t) => {
  const heard = new Heard(5, [1, 2, 5], 0)
  t.assert.deepEqual(heard.wanted(0), { after: 5, missing: [3, 4] })
  t.assert.deepEqual([4, 2].map((id) => heard.hear(id, 0)), [true, false])
})

test('a missing id is given up when nobody can be about to commit it any more', (t) => {
  const heard = new Heard(0, [], 0)
  heard.hear(2, 1_000)
  heard.hear(4, 500_000)
  t.assert.deepEqual(heard.wanted(600_999).missing, [1, 3])
  t.assert.deepEqual(heard.wanted(601_000).missing, [3])
})

test('a jump of the counter is not a crowd of missing ones', (t) => {
  const heard = new Heard(5, range(1, 5), 0)
  heard.hear(1_000_000, 0)
  t.assert.equal(heard.wanted(0).missing.length, 1_000)
  t.assert.equal(new Heard(1_000_000, [], 0).wanted(0).missing.length, 1_000)
})
