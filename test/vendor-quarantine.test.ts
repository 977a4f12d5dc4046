import test, { type TestContext } from 'node:test'
import { providerOfVendor, type VendorName } from '@carillon/protocol/names.ts'
import { startVendorWorld, vendorNames, vendorToken, type VendorWorld } from './harness/vendor-world.ts'

const timeout = 90_000
const hello = { title: 'Hello', body: 'World' }
const DEVICES = 1_000
/** One device a request, over HTTP/2 and in lists: both ways of being told. */
const vendors = ['apns', 'huawei'] as const

/** Receipts would be a second voice about the same devices. */
const env = { CARILLON_PUBLIC_URL: '' }

const alarms = async ({ carillon }: VendorWorld) => (await carillon.metrics()).get('carillon_lane_alarms')

const lane = async ({ carillon }: VendorWorld, vendor: VendorName) => {
  const lanes = await carillon.ok<{ provider: number; state: string; tokens_dying_since: number | null }[]>('/push/lane/list', { token: carillon.admin })
  return lanes.find(({ provider }) => provider === providerOfVendor[vendor])!
}

interface Event {
  kind: string
  data: Record<string, unknown>
}

/** What the app's back end is told. Nobody listens at the address: events are kept either way. */
const events = async ({ carillon }: VendorWorld, kind: string): Promise<Event[]> =>
  (await carillon.ok<Event[]>('/app/webhook/events?limit=500', { token: carillon.admin })).filter((event) => event.kind === kind)

const listenNowhere = ({ carillon }: VendorWorld) =>
  carillon.ok('/app/webhook', { method: 'PUT', token: carillon.admin, body: { url: 'http://127.0.0.1:9/hook' } })

const counted = async ({ carillon }: VendorWorld, task: number, vendor: VendorName): Promise<[number, number]> => {
  const counters = await carillon.counters(task)
  return [counters[`${vendor}_target`]!, counters[`${vendor}_sent`]!]
}

for (const vendor of vendors) {
  test(`a thousand devices that ${vendor} calls dead at once keep their tokens, and the operator is told`, { timeout }, async (t: TestContext) => {
    const world = await startVendorWorld(t, { vendors: [vendor], env })
    const { carillon, simulators } = world
    await listenNowhere(world)
    const tokens = Array.from({ length: DEVICES }, () => vendorToken(vendor))
    await world.importDevices(vendor, tokens)
    t.assert.equal(await alarms(world), 0)

    simulators.order({ vendor, fault: 'dead' })
    const lost = await world.send(hello)
    t.assert.deepEqual((await carillon.task(lost)).reasons, { [`${vendor}: dead`]: DEVICES })
    t.assert.equal(await alarms(world), 1)
    t.assert.equal(typeof (await lane(world, vendor)).tokens_dying_since, 'number')
    t.assert.match(carillon.log, new RegExp(`"level":"?(error|50)"?.*"vendor":"${vendor}".*more than a fifth of the answers`))
    t.assert.equal(carillon.log.match(/more than a fifth of the answers/g)!.length, 1, 'told once, not with every answer')
    const told = await events(world, 'lane.tokens_dying')
    t.assert.deepEqual(told.map(({ data }) => [data.vendor, data.environment]), [[vendor, 1]])

    // While it lasts nobody is quarantined; when the vendor comes to its senses everybody is reached.
    t.assert.deepEqual(await counted(world, await world.send(hello), vendor), [DEVICES, 0])
    simulators.clear()
    t.assert.deepEqual(await counted(world, await world.send(hello), vendor), [DEVICES, DEVICES])
    t.assert.deepEqual([...simulators.fates(vendor).keys()].sort(), tokens.toSorted())
  })

  test(`of a thousand devices the one that ${vendor} calls dead is not used again until it is bound anew`, { timeout }, async (t: TestContext) => {
    const world = await startVendorWorld(t, { vendors: [vendor], env })
    const { carillon, simulators } = world
    await listenNowhere(world)
    await world.importDevices(vendor, Array.from({ length: DEVICES - 1 }, () => vendorToken(vendor)))
    const token = vendorToken(vendor)
    const device = await world.addDevice({ [vendor]: token })
    simulators.order({ vendor, token, outcome: vendor === 'apns' ? 'Unregistered' : 'illegal' })

    const first = await world.send(hello)
    t.assert.deepEqual((await carillon.task(first)).reasons, { [`${vendor}: dead`]: 1, [`${vendor}: sent`]: DEVICES - 1 })
    t.assert.match(await carillon.trace(first, device.push_token), new RegExp(`${vendor}: the vendor says this address is gone`))
    simulators.clear()
    const second = await world.send(hello)
    t.assert.deepEqual(await counted(world, second, vendor), [DEVICES - 1, DEVICES - 1])
    t.assert.equal(simulators.fates(vendor).has(token), false)
    t.assert.match(await carillon.trace(second, device.push_token), /not sent: no vendor can reach the device/)

    t.assert.equal(await alarms(world), 0)
    t.assert.equal((await lane(world, vendor)).tokens_dying_since, null)
    const told = await events(world, 'device.token_dead')
    t.assert.deepEqual(told.map(({ data }) => [data.vendor, data.environment]), [[vendor, 1]])

    await carillon.ok('/user/token/bind', { token: device.token, body: { device_token: token, provider: providerOfVendor[vendor], environment: 1 } })
    t.assert.deepEqual(await counted(world, await world.send(hello), vendor), [DEVICES, DEVICES])
    t.assert.equal(simulators.fates(vendor).get(token)!.taken, 1)
    t.assert.equal((await events(world, 'device.token_dead')).length, 1)
  })
}

test('every vendor has a way to say that a token is dead, and it is believed once', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { env })
  const { carillon, simulators } = world
  await listenNowhere(world)
  for (const vendor of vendorNames) {
    const token = vendorToken(vendor)
    const device = await world.addDevice({ [vendor]: token })
    simulators.order({ vendor, fault: 'dead', times: 1 })
    const meant = { push_token: [device.push_token] }
    const tasks = await Promise.all([world.send(hello, meant), world.send(hello, meant), world.send(hello, meant)])
    for (const task of tasks) t.assert.equal((await carillon.counters(task))[`${vendor}_sent`], 0, vendor)
    t.assert.deepEqual(await counted(world, await world.send(hello, meant), vendor), [0, 0], vendor)
  }
  const told = await events(world, 'device.token_dead')
  t.assert.deepEqual(told.map(({ data }) => String(data.vendor)).sort(), [...vendorNames].sort())
})
