import test, { type TestContext } from 'node:test'
import { survivesChaos } from './harness/chaos.ts'
import { startVendorWorld, vendorNames, vendorToken } from './harness/vendor-world.ts'

test('through a storm on all vendors every push ends, none comes too early and none twice without a reason', { timeout: 110_000 }, (t: TestContext) =>
  survivesChaos(t, { devices: 400, lists: 10, stormMs: 10_000 }))

test('a device is not asked for again before the time its vendor named, whatever else is due', { timeout: 60_000 }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { env: { CARILLON_PUBLIC_URL: '' } })
  const { carillon, simulators } = world
  await Promise.all(vendorNames.map(async (vendor) => {
    const [limited, failing] = [vendorToken(vendor), vendorToken(vendor)]
    const first = await world.addDevice({ [vendor]: limited })
    const second = await world.addDevice({ [vendor]: failing })
    simulators.order({ vendor, fault: 'limited', token: limited, times: 1, retryAfterSeconds: 3 })
    simulators.order({ vendor, fault: 'status', status: 503, token: failing, times: 1 })
    const both = { push_token: [first.push_token, second.push_token] }
    // The other one of the same batch is due sooner, and so is the next task. Any node may send that one: they all know
    // when the one that was answered has written it down.
    const one = await world.notify({ title: 'One' }, both)
    await carillon.until(() => carillon.trace(one, first.push_token), (told) => told.includes('not taken yet'))
    const two = await world.notify({ title: 'Two' }, { push_token: [first.push_token] })
    for (const task of [one, two]) {
      await world.isOver(task)
      const counters = await carillon.counters(task)
      t.assert.equal(counters[`${vendor}_sent`], counters[`${vendor}_target`], vendor)
    }
    const { taken, early } = simulators.fates(vendor).get(limited)!
    t.assert.deepEqual({ vendor, taken, early }, { vendor, taken: 2, early: 0 })
    t.assert.equal(simulators.fates(vendor).get(failing)!.taken, 1, vendor)
  }))
})

test('single pushes do not wait for the answers to each other', { timeout: 30_000 }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { vendors: ['apns'], env: { CARILLON_PUBLIC_URL: '' } })
  const { carillon, simulators } = world
  const devices = await Promise.all(Array.from({ length: 12 }, () => world.addDevice({ apns: vendorToken('apns') })))
  await world.send({ title: 'Warm' })
  simulators.order({ vendor: 'apns', fault: 'silent' })
  const setting = { distribution_strategy: 'ospush_only' }
  for (const { push_token } of devices) await carillon.notify({ audience: { push_token: [push_token] }, message: { title: 'Single' }, setting })
  const lanes = () => carillon.ok<{ requests_under_way: number }[]>('/push/lane/list', { token: carillon.admin })
  await carillon.until(lanes, ([lane]) => lane!.requests_under_way === devices.length)
})
