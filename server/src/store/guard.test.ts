import test, { type TestContext } from 'node:test'
import { Guard } from './guard.ts'

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

test('a guard that is stored and read again after every answer judges like one that never was', (t: TestContext) => {
  const kept = new Guard()
  let stored = new Guard()
  let seed = 20_261_115
  const draw = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
  const seen = new Set<string>()
  let now = NOW
  for (let answer = 0; answer < 3_000; answer += 1) {
    now += draw(100) === 0 ? 3 * MINUTE : draw(20_000)
    const dead = answer % 600 < 300 ? draw(4) : draw(2)
    const judged = kept.count(now, 5, dead)
    t.assert.equal(stored.count(now, 5, dead), judged)
    t.assert.deepEqual(stored.minute(now), kept.minute(now))
    stored = new Guard(JSON.parse(JSON.stringify(stored.state)), stored.since)
    seen.add(judged)
  }
  t.assert.deepEqual(seen, new Set(['believed', 'tripped', 'doubted']))
})
