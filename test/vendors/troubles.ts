import type { TestContext } from 'node:test'
import type { VendorName } from '@carillon/protocol/names.ts'
import { spokenName, vendorToken, type VendorWorld } from '../harness/vendor-world.ts'
import { bind, counted, countedOnce, laneOf, metric, pushed, toDevices } from './exercise.ts'
import { startTap, type Call, type Tap } from './tap.ts'

/** Troubles that all vendors have, each in its own words, and what must become of them. */

const hello = { title: '早上好', body: '今天有雨' }

export const tokenIsDead = async (
  t: TestContext,
  world: VendorWorld,
  vendor: VendorName,
  { outcome, next, words }: { outcome: string; next: VendorName; words: RegExp },
): Promise<void> => {
  const { simulators, carillon } = world
  const token = vendorToken(vendor)
  const phone = await world.addDevice({ [vendor]: token, [next]: vendorToken(next) })
  const to = toDevices(phone)
  const setting = { ospush_sequence: [spokenName(vendor), spokenName(next)] }
  simulators.order({ vendor, token, outcome })
  const onNext = { [`${next}_target`]: 1, [`${next}_sent`]: 1, [`${next}_received`]: 1 }
  const first = await pushed(world, vendor, hello, { to, setting })
  t.assert.deepEqual(first.pushes.map(({ tokens, taken }) => [tokens, taken]), [[[token], []]])
  t.assert.deepEqual(await countedOnce(world, first.task, onNext), { [`${vendor}_target`]: 1, ...onNext })
  t.assert.match(await carillon.trace(first.task, phone.push_token), words)

  // The vendor would take it again, but was not told of a new start of the app.
  simulators.order({ vendor, token, outcome: null })
  const second = await pushed(world, vendor, hello, { to, setting })
  t.assert.deepEqual(second.pushes, [])
  t.assert.deepEqual(await countedOnce(world, second.task, onNext), onNext)

  await bind(world, phone, vendor, token)
  const third = await pushed(world, vendor, hello, { to, setting })
  t.assert.deepEqual(third.pushes.map(({ taken }) => taken), [[token]])
}

export const codeIsUnknown = async (
  t: TestContext,
  world: VendorWorld,
  vendor: VendorName,
  { tap, isPush, answer, words }: { tap: Tap; isPush(call: Call): boolean; answer: string; words: RegExp },
): Promise<void> => {
  const { carillon } = world
  const name = `carillon_vendor_unknown_codes_total{channel="${vendor}"}`
  const before = await metric(world, name)
  const phone = await world.addDevice({ [vendor]: vendorToken(vendor) })
  let task = 0
  const send = async () => (task = await world.send(hello, toDevices(phone)))
  const calls = await tap.answering((call) => (isPush(call) ? answer : undefined), send)
  t.assert.equal(calls.filter(isPush).length, 4)
  t.assert.equal(await metric(world, name), before + 1)
  t.assert.match(await carillon.trace(task, phone.push_token), words)
  t.assert.deepEqual(await counted(world, task), { [`${vendor}_target`]: 1 })
  t.assert.equal((await laneOf(world, vendor))?.state, 'open')

  // The token did nothing wrong.
  const after = await pushed(world, vendor, hello, { to: toDevices(phone) })
  t.assert.deepEqual(after.pushes.map(({ taken }) => taken.length), [1])
}

const CHINA_MS = 8 * 3_600_000
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const midnightAfter = (at: number): number => (Math.floor((at + CHINA_MS) / DAY_MS) + 1) * DAY_MS - CHINA_MS

export const dayIsUsedUp = async (
  t: TestContext,
  world: VendorWorld,
  vendor: VendorName,
  { outcome, words }: { outcome: string; words: RegExp },
): Promise<void> => {
  const { simulators, carillon } = world
  const listener = await startTap(t)
  await carillon.ok('/app/webhook', { method: 'PUT', token: carillon.admin, body: { url: `${listener.url}/hook` } })
  const told = () => listener.calls.map(({ body }) => JSON.parse(body)).filter(({ event }) => event === 'lane.paused')
  const token = vendorToken(vendor)
  const phone = await world.addDevice({ [vendor]: token })
  simulators.order({ vendor, token, outcome })
  const midnights = [midnightAfter(Date.now())]
  const setting = { distribution_strategy: 'ospush_only' }
  const task = await carillon.notify({ audience: toDevices(phone), message: hello, setting })
  const trace = () => carillon.trace(task, phone.push_token)
  await carillon.until(trace, (steps) => steps.includes(`${vendor}: not taken yet`))
  midnights.push(midnightAfter(Date.now()))
  const lane = await laneOf(world, vendor)
  t.assert.equal(lane?.state, 'paused')
  t.assert.match(lane!.why!, words)
  t.assert.ok(midnights.some((midnight) => lane!.until! >= midnight && lane!.until! < midnight + 10 * MINUTE_MS))
  const [event] = await carillon.until(async () => told(), (events) => events.length > 0)
  t.assert.deepEqual(event.data, { vendor, environment: 1, why: lane!.why, until: lane!.until })
  t.assert.deepEqual(await counted(world, task), { [`${vendor}_target`]: 1 })

  // An account of its own has an allowance of its own.
  simulators.order({ vendor, token, outcome: null })
  await world.setCertificate(vendor)
  await carillon.until(() => carillon.task(task), ({ state }) => state === 'done')
  t.assert.equal((await counted(world, task))[`${vendor}_sent`], 1)
  t.assert.equal(told().length, 1)
  await carillon.ok('/app/webhook', { method: 'DELETE', token: carillon.admin })
}
