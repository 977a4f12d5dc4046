import test, { type TestContext } from 'node:test'
import { Guard } from './guard.ts'
import { nextDay } from './next-day.ts'

const NOW = Date.UTC(2026, 10, 15, 6)
const MINUTE = 60_000

test('a fifth of the answers of a minute may call their token dead, one more may not', (t: TestContext) => {
  const guard = new Guard()
  t.assert.equal(guard.count(NOW, 80, 0), 'believed')
  t.assert.equal(guard.count(NOW + 1_000, 20, 20), 'believed')
  t.assert.equal(guard.count(NOW + 2_000, 1, 1), 'tripped')
  t.assert.equal(guard.since, NOW + 2_000)
  t.assert.equal(guard.count(NOW + 3_000, 1, 1), 'doubted')
  t.assert.equal(guard.since, NOW + 2_000)
})

test('fewer than fifty answers in a minute prove nothing', (t: TestContext) => {
  const guard = new Guard()
  t.assert.equal(guard.count(NOW, 49, 49), 'believed')
  t.assert.equal(guard.count(NOW + MINUTE, 49, 49), 'believed')
  t.assert.equal(guard.count(NOW + MINUTE, 1, 0), 'tripped')
})

test('what is older than a minute does not count, and a clock that goes back breaks nothing', (t: TestContext) => {
  const guard = new Guard()
  t.assert.equal(guard.count(NOW, 1_000, 200), 'believed')
  t.assert.equal(guard.count(NOW + 59_000, 0, 0), 'believed')
  t.assert.equal(guard.count(NOW + MINUTE, 50, 11), 'tripped')
  const other = new Guard()
  t.assert.equal(other.count(NOW, 60, 0), 'believed')
  t.assert.equal(other.count(NOW - 5_000, 10, 10), 'believed')
})

test('tokens are believed dead again after fifty good answers, once the bad minute is over', (t: TestContext) => {
  const guard = new Guard()
  t.assert.equal(guard.count(NOW, 1_000, 1_000), 'tripped')
  t.assert.equal(guard.count(NOW + 30_000, 500, 0), 'doubted', 'the minute is still a bad one')
  t.assert.equal(guard.count(NOW + 61_000, 49, 1), 'believed')
  t.assert.equal(guard.since, undefined)
})

test('a lane with few answers a minute recovers too, however long its fifty take', (t: TestContext) => {
  const guard = new Guard()
  guard.count(NOW, 1_000, 1_000)
  for (let minute = 2; minute < 51; minute += 1) t.assert.equal(guard.count(NOW + minute * MINUTE, 1, 0), 'doubted')
  t.assert.equal(guard.count(NOW + 51 * MINUTE, 1, 0), 'believed')
})

test('a lane whose few answers stay bad is never believed', (t: TestContext) => {
  const guard = new Guard()
  guard.count(NOW, 1_000, 1_000)
  for (let minute = 2; minute < 500; minute += 1) t.assert.equal(guard.count(NOW + minute * MINUTE, 10, 5), 'doubted')
  t.assert.equal(guard.since, NOW)
})

test("an allowance of the day comes back a minute after midnight in China", (t: TestContext) => {
  const at = (text: string): number => Date.parse(`${text}+08:00`)
  t.assert.equal(nextDay(at('2026-11-15T00:00:00')), at('2026-11-16T00:01:00'))
  t.assert.equal(nextDay(at('2026-11-15T23:59:59.999')), at('2026-11-16T00:01:00'))
  t.assert.equal(nextDay(at('2026-12-31T12:00:00')), at('2027-01-01T00:01:00'))
  t.assert.equal(nextDay(at('2026-11-16T00:00:30')), at('2026-11-17T00:01:00'))
})
