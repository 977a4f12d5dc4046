import test, { type TestContext } from 'node:test'
import type { LaneState } from '../store/lane-states.ts'
import { SharedGuard } from './shared-guard.ts'

const NOW = Date.UTC(2026, 10, 15, 6)
const heard = (answers: number, dead: number, doubtedAt: number | null = null): LaneState => ({
  account: 'a', vendor: 'fcm', environment: 1, pausedUntil: 0, why: '', failures: 0, isTold: false, doubtedAt, minute: { answers, dead }, underWay: 0, noBodies: null,
})

test('a node counts its own answers on top of what it heard of all, and does not wait to doubt them', (t: TestContext) => {
  const guard = new SharedGuard()
  guard.learn(heard(49, 10))
  t.assert.equal(guard.count(NOW, 1, 0), 'believed')
  t.assert.equal(guard.count(NOW, 1, 1), 'tripped')
  t.assert.equal(guard.count(NOW, 1, 1), 'doubted', 'once')
  t.assert.equal(guard.since, NOW)
})

test('what all nodes together found out has the last word', (t: TestContext) => {
  const guard = new SharedGuard()
  guard.count(NOW, 50, 50)
  guard.learn(heard(1_000, 50))
  t.assert.equal(guard.since, undefined)
  guard.learn(heard(1_000, 300, NOW - 5))
  t.assert.equal(guard.since, NOW - 5)
  t.assert.equal(guard.count(NOW, 1, 1), 'doubted')
})

test('every answer is told once, and again when it could not be', (t: TestContext) => {
  const guard = new SharedGuard()
  guard.count(NOW, 3, 1)
  guard.count(NOW, 4, 0)
  const told = guard.tell()
  t.assert.deepEqual(told, { answers: 7, dead: 1 })
  t.assert.deepEqual(guard.tell(), { answers: 0, dead: 0 })
  guard.count(NOW, 1, 0)
  guard.takeBack(told)
  t.assert.deepEqual(guard.tell(), { answers: 8, dead: 1 })
})
