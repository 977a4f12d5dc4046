import test, { type TestContext } from 'node:test'
import { Guard } from '../store/guard.ts'
import { NOW, calm, startClock } from './desk.fixture.ts'
import { Lane } from './lane.ts'
import { OwnRate } from './rate.ts'
import type { Limits } from './vendor.ts'

const timeout = 10_000
const LATER = NOW + 86_400_000

/** A lane, and who is on it: each enters by its name and stays until it is told to leave. */
const startLane = (t: TestContext, more: Partial<Limits> = {}) => {
  const clock = startClock(t)
  const limits: Limits = { batch: 1, concurrency: 3, perSecond: 1_000_000, counts: 'requests', timeoutMs: 10_000, ...more }
  const lane = new Lane(limits, clock, new OwnRate(limits.perSecond), new Guard())
  const [entered, sentBack]: [string[], string[]] = [[], []]
  const enter = (name: string, { devices = 1, until = LATER } = {}): void => {
    void lane.enter(devices, until).then((isIn) => (isIn ? entered : sentBack).push(name))
  }
  const enterAll = async (names: string, more = {}): Promise<void> => {
    for (const name of names) enter(name, more)
    await calm()
  }
  const on = (): string => entered.join('')
  const back = (): string => sentBack.join('')
  return { lane, clock, enterAll, on, back }
}

test('no more requests are under way at once than the vendor allows, and each that ends lets the next one in', { timeout }, async (t: TestContext) => {
  const { lane, enterAll, on } = startLane(t)
  await enterAll('abcde')
  t.assert.equal(on(), 'abc')
  lane.leave()
  await calm()
  t.assert.equal(on(), 'abcd')
  lane.leave()
  await calm()
  t.assert.equal(on(), 'abcde')
  for (let left = 0; left < 3; left += 1) lane.leave()
  t.assert.equal(lane.underWay, 0)
})

test('requests begin no faster than the vendor allows a second, but for a burst of a tenth of it', { timeout }, async (t: TestContext) => {
  const { clock, enterAll, on } = startLane(t, { concurrency: 100, perSecond: 10 })
  await enterAll('abcdefghijklmnopqrst')
  t.assert.equal(on(), 'ab')
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    await clock.pass(100)
    t.assert.equal(on().length, Math.max(2, 1 + tenth))
  }
  await clock.pass(60_000)
  t.assert.equal(on(), 'abcdefghijklmnopqrst')
})

test('what is to wait for the rate comes back at a whole millisecond, when its time has come', { timeout }, async (t: TestContext) => {
  const { lane, enterAll, back } = startLane(t, { perSecond: 3 })
  await enterAll('ab', { until: NOW + 100 })
  t.assert.equal(back(), 'b')
  t.assert.equal(lane.resumesAt, NOW + 334)
})

test('where the vendor counts devices, a list takes the time of all its devices', { timeout }, async (t: TestContext) => {
  const { clock, enterAll, on } = startLane(t, { perSecond: 100, counts: 'devices' })
  await enterAll('a', { devices: 200 })
  await enterAll('b', { devices: 1 })
  await clock.pass(1_999)
  t.assert.equal(on(), 'a')
  await clock.pass(1)
  t.assert.equal(on(), 'ab')
})

test('a list larger than the rate allows in the time there is goes all the same, and those behind it are told when to come', { timeout }, async (t: TestContext) => {
  const { lane, enterAll, on, back } = startLane(t, { perSecond: 10, counts: 'devices' })
  await enterAll('a', { devices: 400, until: NOW + 15_000 })
  await enterAll('b', { devices: 400, until: NOW + 15_000 })
  t.assert.equal(on(), 'a')
  t.assert.equal(back(), 'b')
  t.assert.equal(lane.resumesAt, NOW + 40_000)
})

test('those sent back because the rate leaves them no time use up none of it', { timeout }, async (t: TestContext) => {
  const { lane, clock, enterAll, on, back } = startLane(t, { concurrency: 100, perSecond: 1 })
  await enterAll('abcdefghij', { until: NOW + 3_000 })
  t.assert.equal(back(), 'defghij')
  t.assert.equal(lane.resumesAt, NOW + 3_000)
  await clock.pass(1_000)
  await clock.pass(1_000)
  t.assert.equal(on(), 'abc')
  await clock.pass(1_000)
  await enterAll('k')
  t.assert.equal(on(), 'abck')
})

test('whoever waited until their time was over gives their turn to the next', { timeout }, async (t: TestContext) => {
  const { lane, clock, enterAll, on, back } = startLane(t, { concurrency: 1 })
  await enterAll('a')
  await enterAll('bc', { until: NOW + 1_000 })
  await enterAll('d')
  await clock.pass(1_000)
  lane.leave()
  await calm()
  t.assert.equal(back(), 'bc')
  t.assert.equal(on(), 'ad')
  t.assert.equal(lane.underWay, 1)
})

test('five failures in a row give the lane a break, a success between them does not', { timeout }, async (t: TestContext) => {
  const { lane, clock, enterAll, on, back } = startLane(t)
  const fail = (times: number): boolean[] => Array.from({ length: times }, () => lane.fails({ why: 'no answer' }, 0))
  t.assert.deepEqual(fail(4), [false, false, false, false])
  lane.works()
  t.assert.deepEqual(fail(4), [false, false, false, false])
  t.assert.equal(lane.state, 'open')
  t.assert.deepEqual(fail(1), [true])
  t.assert.equal(lane.state, 'paused')
  t.assert.deepEqual(lane.trouble, { until: NOW + 500, why: 'no answer' })
  await enterAll('a')
  t.assert.equal(back(), 'a')
  await clock.pass(500)
  await enterAll('b')
  t.assert.equal(on(), 'b')
})

test('after a break one request is tried at a time, each failure makes the next break longer, up to a minute', { timeout }, async (t: TestContext) => {
  const { lane, clock, enterAll, on } = startLane(t)
  for (let failure = 0; failure < 5; failure += 1) lane.fails({ why: 'no answer' }, 0)
  const breaks: number[] = []
  for (let tries = 1; tries <= 9; tries += 1) {
    const breakMs = lane.resumesAt - clock.now()
    breaks.push(breakMs)
    await clock.pass(breakMs)
    t.assert.equal(lane.state, 'trying')
    await enterAll('xyz')
    t.assert.equal(on().length, tries, 'one goes, two wait')
    lane.fails({ why: 'no answer' }, 0)
    lane.leave()
    await calm()
    t.assert.equal(on().length, tries, 'those who waited are sent back')
  }
  t.assert.deepEqual(breaks, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
})

test('the first success after a break lets in all who wait for it, not one by one', { timeout }, async (t: TestContext) => {
  const { lane, clock, enterAll, on } = startLane(t)
  for (let failure = 0; failure < 5; failure += 1) lane.fails({ why: 'no answer' }, 0)
  await clock.pass(500)
  await enterAll('abcdef')
  t.assert.equal(on(), 'a')
  lane.works()
  lane.leave()
  await calm()
  t.assert.equal(on(), 'abcd')
  t.assert.equal(lane.state, 'open')
  t.assert.equal(lane.underWay, 3)
})

test('requests that fail because they were begun before the break do not make it longer', { timeout }, async (t: TestContext) => {
  const { lane } = startLane(t)
  for (let failure = 0; failure < 500; failure += 1) lane.fails({ why: 'the connection broke' }, 0)
  t.assert.deepEqual(lane.trouble, { until: NOW + 500, why: 'the connection broke' })
})

test('a pause sends back all who wait, for room or for the rate, and what they had reserved is free again', { timeout }, async (t: TestContext) => {
  const { lane, clock, enterAll, on, back } = startLane(t, { perSecond: 1 })
  await enterAll('abcde')
  t.assert.equal(on(), 'a')
  lane.pause(NOW + 1_000, { why: 'slower, please' })
  await calm()
  t.assert.equal(back().length, 4)
  t.assert.equal(lane.underWay, 1)
  await clock.pass(1_000)
  await enterAll('f')
  t.assert.equal(on(), 'af')
})

test('a shorter pause does not cut a longer one, and one that is over already changes nothing', { timeout }, async (t: TestContext) => {
  const { lane, clock, enterAll, on } = startLane(t, { perSecond: 1 })
  t.assert.equal(lane.pause(NOW + 60_000, { why: 'denied' }), true)
  t.assert.equal(lane.pause(NOW + 1_000, { why: 'limited' }), false)
  t.assert.deepEqual(lane.trouble, { until: NOW + 60_000, why: 'denied' })
  await clock.pass(60_000)
  await enterAll('ab')
  lane.pause(clock.now(), { why: 'wait 0 s' })
  await calm()
  t.assert.equal(on(), 'a', 'the rate still holds')
})

test('whatever happens in whatever order, nobody waits for ever and the lane is empty in the end', { timeout }, async (t: TestContext) => {
  const { lane, clock, enterAll, on, back } = startLane(t, { perSecond: 20 })
  let seed = 20_261_115
  const draw = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
  let left = 0
  for (let step = 0; step < 2_000; step += 1) {
    const what = draw(10)
    if (what < 4) await enterAll('x', { until: clock.now() + draw(3_000) })
    else if (what < 7 && on().length > left) {
      if (draw(3) === 0) lane.fails({ why: 'no answer' }, 0)
      else lane.works()
      left += 1
      lane.leave()
      await calm()
    } else if (what === 7) lane.pause(clock.now() + draw(500), { why: 'limited' })
    else await clock.pass(draw(200))
    t.assert.ok(lane.underWay >= 0 && lane.underWay <= 3)
  }
  while (lane.underWay > 0) {
    while (on().length > left) {
      left += 1
      lane.leave()
    }
    await clock.pass(1_000)
  }
  t.assert.equal(lane.underWay, 0)
  const before = on().length + back().length
  await enterAll('y')
  t.assert.equal(on().length + back().length, before + 1)
})
