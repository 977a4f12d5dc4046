import test, { type TestContext } from 'node:test'
import { Guard } from '../store/guard.ts'
import { NOW, startClock } from './desk.fixture.ts'
import { Lane } from './lane.ts'
import { OwnRate } from './rate.ts'
import type { Limits } from './vendor.ts'

const timeout = 10_000
const LATER = NOW + 86_400_000

const startLane = (t: TestContext, more: Partial<Limits>) => {
  const limits: Limits = { batch: 1, concurrency: 100, perSecond: 1_000_000, counts: 'requests', timeoutMs: 10_000, ...more }
  const clock = startClock(t)
  return { clock, lane: new Lane(limits, clock, new OwnRate(limits.perSecond), new Guard()) }
}
const enteredAt = (lane: Lane, tries: number, until = LATER): number =>
  Array.from({ length: tries }, () => lane.enterNow(1, until)).filter(Boolean).length

test('whoever enters without waiting keeps the rate: a burst of a tenth of a second, then one as each is due', { timeout }, async (t: TestContext) => {
  const { lane, clock } = startLane(t, { perSecond: 10 })
  t.assert.equal(enteredAt(lane, 20), 2)
  await clock.pass(100)
  t.assert.equal(enteredAt(lane, 20), 1)
  await clock.pass(60_000)
  t.assert.equal(enteredAt(lane, 20), 2)
})

test('nobody enters without waiting where all room is taken, the lane is paused, the time is over or others wait', { timeout }, async (t: TestContext) => {
  const { lane, clock } = startLane(t, { concurrency: 2 })
  t.assert.equal(enteredAt(lane, 1, NOW), 0)
  t.assert.equal(enteredAt(lane, 5), 2)
  const waiting = lane.enter(1, LATER)
  lane.leave()
  t.assert.equal(await waiting, true)
  t.assert.equal(enteredAt(lane, 5), 0)
  lane.pause(NOW + 1_000, { why: 'asked to' })
  lane.leave()
  t.assert.equal(enteredAt(lane, 5), 0)
  await clock.pass(1_000)
  t.assert.equal(enteredAt(lane, 5), 1)
})
