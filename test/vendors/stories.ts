import type { TestContext } from 'node:test'
import type { VendorName } from '@carillon/protocol/names.ts'
import type { Received } from '@carillon/simulators/inspection.ts'
import type { Order } from '@carillon/simulators/order.ts'
import type { Login } from '../harness/carillon.ts'
import { spokenName, vendorToken, type VendorWorld } from '../harness/vendor-world.ts'
import { bind, checkOf, counted, laneOf, metric, pushed, pushesDuring, toDevices } from './exercise.ts'

/** What must come true with every vendor, however it says it. */

const hello = { title: 'Hello', body: 'World' }
const MANY = 1_000_000

/** How often the vendor is asked for an access token while the work goes on; a wait of no length hits each of them. */
const askedForAccess = async ({ simulators }: VendorWorld, vendor: VendorName, work: () => Promise<unknown>): Promise<number> => {
  simulators.order({ fault: 'latency', vendor, on: 'access', ms: 0, times: MANY })
  await work()
  const [order] = simulators.orders().filter((one) => 'fault' in one && one.on === 'access')
  simulators.forgetOrders()
  return MANY - (order as { times: number }).times
}

/** Resolves when it is written down that the vendor did not accept the credentials. */
const denied = ({ carillon }: VendorWorld, task: number, { push_token }: Login): Promise<string> =>
  carillon.until(() => carillon.trace(task, push_token), (trace) => trace.includes('our credentials were not accepted'))

/** The counters without what is reported later. */
const handed = async (world: VendorWorld, task: number): Promise<Record<string, number>> =>
  Object.fromEntries(Object.entries(await counted(world, task)).filter(([name]) => !name.endsWith('_received')))

/** `fetches`: how many access tokens the vendor is asked for; none where they are made here. */
export const expiredAccessIsRenewedOnce = async (t: TestContext, world: VendorWorld, vendor: VendorName, fetches: 0 | 1): Promise<void> => {
  const device = await world.addDevice({ [vendor]: vendorToken(vendor) })
  const to = toDevices(device)
  await pushed(world, vendor, hello, { to })

  let sent: { task: number; pushes: Received[] } | undefined
  const asked = await askedForAccess(world, vendor, async () => {
    world.simulators.order({ fault: 'expired', vendor, times: 1 })
    sent = await pushed(world, vendor, hello, { to })
  })
  t.assert.deepStrictEqual(sent!.pushes.map(({ fate }) => fate), ['refused', 'answered'])
  t.assert.strictEqual(asked, fetches)
  t.assert.strictEqual((await counted(world, sent!.task))[`${vendor}_sent`], 1)

  const { pushes } = await pushed(world, vendor, hello, { to })
  t.assert.deepStrictEqual(pushes.map(({ fate }) => fate), ['answered'], 'the new one is used from then on')

  world.simulators.order({ fault: 'expired', vendor, times: 2 })
  const task = await world.carillon.notify({ audience: to, message: hello, setting: { distribution_strategy: 'ospush_only' } })
  await denied(world, task, device)
  t.assert.strictEqual((await laneOf(world, vendor))?.state, 'paused', 'a second time in a row it is not the age of the token')
  await world.setCertificate(vendor)
  await world.carillon.until(() => world.carillon.task(task), ({ state }) => state === 'done')
}

/** A certificate that the vendor does not accept. `words`: what the operator reads of it. */
export const wrongCredentialsWait = async (
  t: TestContext,
  world: VendorWorld,
  vendor: VendorName,
  { wrong, words }: { wrong: Record<string, unknown>; words: RegExp },
): Promise<void> => {
  const { carillon } = world
  const device = await world.addDevice({ [vendor]: vendorToken(vendor) })
  await world.setCertificate(vendor, wrong)
  // A vendor that limits how often it gives access says nothing of the credentials until its second is over.
  const judged = () => carillon.until(() => checkOf(world, vendor), ({ message }) => !message.includes('could not be asked'))
  let [first, second] = [0, 0]
  const notify = () => carillon.notify({ audience: toDevices(device), message: hello, setting: { distribution_strategy: 'ospush_only' } })
  const pushes = await pushesDuring(world, vendor, async () => {
    first = await notify()
    await denied(world, first, device)
    const lane = await laneOf(world, vendor)
    t.assert.strictEqual(lane?.state, 'paused')
    t.assert.match(lane!.why!, words)
    second = await notify()
    const check = await judged()
    t.assert.strictEqual(check.ok, false)
    t.assert.match(check.message, /does not accept these credentials: /)
    t.assert.match(check.message, words)
    t.assert.match(await carillon.trace(first, device.push_token), words)
    t.assert.deepStrictEqual(await counted(world, first), { [`${vendor}_target`]: 1 })

    await world.setCertificate(vendor)
    for (const task of [first, second]) await carillon.until(() => carillon.task(task), ({ state }) => state === 'done')
  })
  t.assert.strictEqual(pushes.filter(({ taken }) => taken.length > 0).length, 2, 'what waited is delivered, each once')
  for (const task of [first, second]) t.assert.strictEqual((await counted(world, task))[`${vendor}_sent`], 1)
  t.assert.strictEqual((await laneOf(world, vendor))!.state, 'open')
  t.assert.strictEqual((await judged()).ok, true)
}

/** `next`: the vendor that is tried after it; undefined where a device has no other. `words`: why it is called dead. */
export const deadTokenIsNotUsedAgain = async (
  t: TestContext,
  world: VendorWorld,
  vendor: VendorName,
  { next, words, dead }: { next: VendorName | undefined; words: RegExp; dead: string },
): Promise<void> => {
  const { carillon, simulators } = world
  const token = vendorToken(vendor)
  const device = await world.addDevice({ [vendor]: token, ...(next && { [next]: vendorToken(next) }) })
  const setting = vendor === 'apns' ? {} : { ospush_sequence: [vendor, ...(next ? [next] : [])].map(spokenName) }
  const send = () => pushed(world, vendor, hello, { to: toDevices(device), setting })
  const byNext = next ? { [`${next}_target`]: 1, [`${next}_sent`]: 1 } : {}

  simulators.order({ vendor, token, outcome: dead })
  const first = await send()
  t.assert.deepStrictEqual(first.pushes.map(({ taken }) => taken), [[]], 'asked once')
  t.assert.deepStrictEqual(await handed(world, first.task), { [`${vendor}_target`]: 1, ...byNext })
  t.assert.match(await carillon.trace(first.task, device.push_token), words)

  const second = await send()
  t.assert.deepStrictEqual(second.pushes, [], 'a dead token is never used again')
  t.assert.deepStrictEqual(await handed(world, second.task), byNext)

  simulators.order({ vendor, token, outcome: null })
  await bind(world, device, vendor, token)
  const third = await send()
  t.assert.deepStrictEqual(third.pushes.map(({ taken }) => taken), [[token]], 'bound anew it is a good one')
  t.assert.deepStrictEqual(await handed(world, third.task), { [`${vendor}_target`]: 1, [`${vendor}_sent`]: 1 })
}

/** `orders`: make the vendor answer what is in no table. `words`: what is told of it. */
export const unknownAnswerIsRefusedInTheEnd = async (
  t: TestContext,
  world: VendorWorld,
  vendor: VendorName,
  { orders, words }: { orders(token: string): Order[]; words: RegExp },
): Promise<void> => {
  const { carillon, simulators } = world
  const token = vendorToken(vendor)
  const device = await world.addDevice({ [vendor]: token })
  const name = `carillon_vendor_unknown_codes_total{channel="${vendor}"}`
  const before = await metric(world, name)
  for (const order of orders(token)) simulators.order(order)
  const { task, pushes } = await pushed(world, vendor, hello, { to: toDevices(device) })
  simulators.forgetOrders()
  t.assert.strictEqual(pushes.length, 4, 'once, and three times more')
  t.assert.deepStrictEqual(await counted(world, task), { [`${vendor}_target`]: 1 })
  t.assert.strictEqual(await metric(world, name), before + 1)
  t.assert.match(await carillon.trace(task, device.push_token), words)
  t.assert.deepStrictEqual((await carillon.task(task)).reasons, { [`${vendor}: refused`]: 1 })
  const after = await pushed(world, vendor, hello, { to: toDevices(device) })
  t.assert.deepStrictEqual(after.pushes.map(({ taken }) => taken), [[token]], 'the token did nothing wrong')
}

/** Where a vendor reports nothing, the app does, once it is running. */
export const deviceReportsReceipt = async (t: TestContext, world: VendorWorld, vendor: VendorName): Promise<void> => {
  const { carillon } = world
  const device = await world.addDevice({ [vendor]: vendorToken(vendor) })
  const { task } = await pushed(world, vendor, hello, { to: toDevices(device) })
  t.assert.deepStrictEqual(await counted(world, task), { [`${vendor}_target`]: 1, [`${vendor}_sent`]: 1 })
  t.assert.match(await carillon.trace(task, device.push_token), new RegExp(`${vendor}: handed over`))
  const report = { task_id: task, event: 'received', channel: vendor }
  for (const list of [[report], [report, { ...report, event: 'clicked' }]]) await carillon.ok('/push/receipt', { token: device.token, body: { list } })
  t.assert.deepStrictEqual(await counted(world, task), { [`${vendor}_target`]: 1, [`${vendor}_sent`]: 1, [`${vendor}_received`]: 1 })
}

/** A vendor that cannot wait is handed it when it may be shown. */
export const heldUntilItMayBeShown = async (t: TestContext, world: VendorWorld, vendor: VendorName): Promise<{ push: Received; begin: number; end: number }> => {
  const device = await world.addDevice({ [vendor]: vendorToken(vendor) })
  const begin = Math.ceil(Date.now() / 1000) + 1
  const end = begin + 600
  const { task, pushes } = await pushed(world, vendor, { ...hello, show_begin_time: begin, show_end_time: end }, { to: toDevices(device) })
  t.assert.strictEqual(pushes.length, 1)
  t.assert.ok(pushes[0]!.at >= begin * 1000, 'not a moment before')
  t.assert.strictEqual((await counted(world, task))[`${vendor}_sent`], 1)
  return { push: pushes[0]!, begin, end }
}

const kinds = [hello, { ...hello, type: 'image', attachment_url: 'https://example.com/a.jpg' }, { type: 'cmd', ext: { a: 1 } }]

/** Sends one of each kind to so many devices. `reports`: the vendor tells what was received. */
export const reachesACrowd = async (
  t: TestContext,
  world: VendorWorld,
  vendor: VendorName,
  count: number,
  { reports = false } = {},
): Promise<{ pushes: Received[] }[]> => {
  const tokens = Array.from({ length: count }, () => vendorToken(vendor))
  await world.importDevices(vendor, tokens, `crowd of ${vendor}`)
  const wanted = { [`${vendor}_target`]: count, [`${vendor}_sent`]: count, ...(reports && { [`${vendor}_received`]: count }) }
  const sent = []
  for (const message of kinds) {
    const { task, pushes } = await pushed(world, vendor, message, { to: { tag: [`crowd of ${vendor}`] } })
    t.assert.deepStrictEqual(pushes.flatMap(({ taken }) => taken).sort(), tokens.toSorted(), 'everybody once')
    const told = () => counted(world, task)
    t.assert.deepStrictEqual(await (reports ? world.carillon.until(told, (now) => now[`${vendor}_received`] === count) : told()), wanted)
    sent.push({ pushes })
  }
  return sent
}
