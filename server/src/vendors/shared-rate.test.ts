import test, { type TestContext } from 'node:test'
import { Guard } from '../store/guard.ts'
import { NOW, startClock } from './desk.fixture.ts'
import { Lane } from './lane.ts'
import { SharedRate, type TakeTime } from './shared-rate.ts'
import type { Limits } from './vendor.ts'

const timeout = 60_000
const STEP_MS = 5

interface Scene {
  perSecond: number
  nodes: number
  /** Of each request. */
  devices?: number
  /** How long the store takes, by turns. */
  latencies?: number[]
  /** The part of the rate that is used. */
  used?: number
}

/** Nodes on one store that gives out time; each node has requests without end, and what begins is noted. */
const startNodes = (t: TestContext, { perSecond, nodes, devices = 1, latencies = [0] }: Scene) => {
  const clock = startClock(t)
  const begun: { at: number; node: number }[] = []
  let freeUs = 0
  /** In milliseconds, one after the other. */
  const taken: number[] = []
  const takeTime: TakeTime = async (fromUs, lengthUs) => {
    taken.push(lengthUs / 1000)
    const latency = latencies[taken.length % latencies.length]!
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency / 2))
    const endUs = (freeUs = Math.max(freeUs, fromUs) + lengthUs)
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency / 2))
    return endUs
  }
  const limits: Limits = { batch: 1_000, concurrency: 50, perSecond, counts: 'devices', timeoutMs: 10_000 }
  const lanes = Array.from({ length: nodes }, () => new Lane(limits, clock, new SharedRate(perSecond, clock, takeTime), new Guard()))
  const resting = new Set<number>()
  const work = async (node: number): Promise<void> => {
    const lane = lanes[node]!
    while (!resting.has(node) && (lane.enterNow(devices, NOW + 60_000) || (await lane.enter(devices, NOW + 60_000)))) {
      begun.push({ at: clock.at, node })
      lane.leave()
    }
  }
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += STEP_MS) await clock.pass(STEP_MS)
  }
  /** The most devices of any second. */
  const most = (): number => {
    let [first, largest] = [0, 0]
    begun.forEach(({ at }, last) => {
      while (at - begun[first]!.at >= 1_000) first += 1
      largest = Math.max(largest, last - first + 1)
    })
    return largest * devices
  }
  return { begun, lanes, work, resting, pass, most, taken }
}

const scenes: [words: string, scene: Scene][] = [
  ['one node', { perSecond: 500, nodes: 1 }],
  ['two nodes', { perSecond: 500, nodes: 2 }],
  ['ten nodes', { perSecond: 500, nodes: 10 }],
  ['nodes that send lists', { perSecond: 6_000, nodes: 3, devices: 400 }],
  ['nodes whose lists take longer than what is taken at once', { perSecond: 100, nodes: 2, devices: 150 }],
  ['nodes whose store is slow', { perSecond: 500, nodes: 4, latencies: [40] }],
  ['one node that takes its time ahead, from a slow store', { perSecond: 500, nodes: 1, latencies: [60], used: 0.9 }],
  // What comes too late to be used is lost.
  ['nodes whose store is now fast, now slow', { perSecond: 200, nodes: 3, latencies: [2, 300, 40, 2, 120, 900], used: 0.15 }],
  ['nodes of a lane that allows a great many', { perSecond: 20_000, nodes: 2 }],
]

for (const [words, scene] of scenes) {
  test(`${words}: all together keep the rate in every second, and use most of it`, { timeout }, async (t: TestContext) => {
    const { work, pass, most, begun } = startNodes(t, scene)
    for (let node = 0; node < scene.nodes; node += 1) for (let worker = 0; worker < 4; worker += 1) void work(node)
    await pass(5_000)
    const { perSecond, devices = 1, used = 0.85 } = scene
    const allowed = perSecond * 1.1 + devices
    t.assert.ok(most() <= allowed, `${most()} in a second of ${perSecond}`)
    const mean = (begun.length * devices) / 5
    t.assert.ok(mean >= perSecond * used, `${mean} a second of ${perSecond}`)
  })
}

test('every node has its part of a lane that is in demand', { timeout }, async (t: TestContext) => {
  const { work, pass, begun } = startNodes(t, { perSecond: 500, nodes: 4 })
  for (let node = 0; node < 4; node += 1) void work(node)
  await pass(5_000)
  const parts = Array.from({ length: 4 }, (_, node) => begun.filter((one) => one.node === node).length)
  for (const part of parts) t.assert.ok(part > 250, `${parts}`)
})

test('a node that sends a lot asks a few times a second', { timeout }, async (t: TestContext) => {
  const { work, pass, taken } = startNodes(t, { perSecond: 1_000, nodes: 1 })
  void work(0)
  await pass(1_000)
  const before = taken.length
  await pass(5_000)
  t.assert.ok(taken.length - before <= 50, `asked ${taken.length - before} times`)
})

test('a node that sends now and then takes what it needs, also after it has sent a lot', { timeout }, async (t: TestContext) => {
  const { work, resting, lanes, pass, taken } = startNodes(t, { perSecond: 100, nodes: 1 })
  void work(0)
  await pass(2_000)
  resting.add(0)
  await pass(5_000)
  const before = taken.length
  for (let push = 0; push < 5; push += 1) {
    t.assert.equal(await lanes[0]!.enter(1, NOW + 60_000), true)
    await pass(1_500)
  }
  t.assert.deepEqual(taken.slice(before), [10, 10, 10, 10, 10])
})

test('a node that sends steadily but little takes no more than a few times what it uses', { timeout }, async (t: TestContext) => {
  const { lanes, pass, taken } = startNodes(t, { perSecond: 1_000, nodes: 1 })
  for (let push = 0; push < 100; push += 1) {
    t.assert.equal(await lanes[0]!.enter(1, NOW + 60_000), true)
    lanes[0]!.leave()
    await pass(100)
  }
  const sum = taken.reduce((all, ms) => all + ms, 0)
  t.assert.ok(sum <= 300, `${sum} ms for 100 requests of 1 ms`)
})

test('time that a node did not use is lost: it is not sent later, on top of what the others send', { timeout }, async (t: TestContext) => {
  const { work, resting, pass, most } = startNodes(t, { perSecond: 200, nodes: 5 })
  for (let node = 0; node < 5; node += 1) void work(node)
  await pass(2_000)
  for (let node = 0; node < 4; node += 1) resting.add(node) // each with time of its own at hand
  await pass(2_000)
  resting.clear()
  for (let node = 0; node < 4; node += 1) void work(node)
  await pass(1_000)
  t.assert.ok(most() <= 200 * 1.1 + 1, `${most()} in a second`)
})

test('while the store is away nothing is sent, those who wait are sent back in time, and afterwards it goes on', { timeout }, async (t: TestContext) => {
  const clock = startClock(t)
  let isAway = true
  const rate = new SharedRate(100, clock, async (fromUs, lengthUs) => {
    if (isAway) throw new Error('away')
    return fromUs + lengthUs
  })
  const limits: Limits = { batch: 1, concurrency: 50, perSecond: 100, counts: 'requests', timeoutMs: 10_000 }
  const lane = new Lane(limits, clock, rate, new Guard())
  t.assert.equal(lane.enterNow(1, NOW + 60_000), false)
  const [patient, hasty] = [lane.enter(1, NOW + 60_000), lane.enter(1, NOW + 2_000)]
  for (let passed = 0; passed < 3_000; passed += 50) await clock.pass(50)
  t.assert.equal(await hasty, false)
  t.assert.equal(lane.underWay, 0)
  isAway = false
  await clock.pass(250)
  t.assert.equal(await patient, true)
})
