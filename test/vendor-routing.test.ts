import test, { type TestContext } from 'node:test'
import { channels, providerOfVendor, type VendorName } from '@carillon/protocol/names.ts'
import type { Login } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { connectMute } from './harness/raw-socket.ts'
import { spokenName, startVendorWorld, vendorToken, type VendorWorld } from './harness/vendor-world.ts'

const timeout = 60_000
const hello = { title: 'Hello', body: 'World' }
const upsOrder: VendorName[] = ['xiaomi', 'huawei', 'flyme', 'oppo', 'vivo', 'honor']

/** What counters say in short: `xiaomi 1/1/0` is one target, one sent and none received. Channels without a target are left out. */
const told = async ({ carillon }: VendorWorld, task: number): Promise<string[]> => {
  const counters = await carillon.counters(task)
  return channels
    .filter((name) => counters[`${name}_target`]! > 0)
    .map((name) => `${name} ${counters[`${name}_target`]}/${counters[`${name}_sent`]}/${counters[`${name}_received`]}`)
}

/** Who was really asked, and by which tokens. */
const asked = ({ simulators }: VendorWorld, vendor: VendorName): string[] => [...simulators.fates(vendor).keys()]

const tokensOf = (vendors: readonly VendorName[]): Partial<Record<VendorName, string>> =>
  Object.fromEntries(vendors.map((vendor) => [vendor, vendorToken(vendor)]))

/** Receipts would be one more thing to wait for; who reports what is told elsewhere. */
const env = { CARILLON_PUBLIC_URL: '' }

const bind = ({ carillon }: VendorWorld, { token }: Login, vendor: VendorName, body: Record<string, unknown>) =>
  carillon.ok('/user/token/bind', { token, body: { provider: providerOfVendor[vendor], environment: 1, platform: 'android', ...body } })

const unbind = ({ carillon }: VendorWorld, { token }: Login, vendor: VendorName) =>
  carillon.ok('/user/token/unbind', { token, body: { provider: providerOfVendor[vendor] } })

test('the caller orders the vendors, and ups stands for six of them in an order of its own', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { env })
  const device = await world.addDevice(tokensOf([...upsOrder, 'fcm']))
  const firstOf = async (sequence?: string[]): Promise<string[]> =>
    told(world, await world.send(hello, 'all', sequence && { ospush_sequence: sequence }))

  for (const vendor of [...upsOrder, 'fcm'] as const) {
    t.assert.deepEqual(await firstOf([spokenName(vendor), 'ups', 'fcm']), [`${vendor} 1/1/0`], `${vendor} is named first`)
  }
  t.assert.deepEqual(await firstOf(['flyme']), ['flyme 1/1/0'], 'Meizu by its other name')
  t.assert.deepEqual(await firstOf(['vivo', 'ups', 'vivo']), ['vivo 1/1/0'], 'a name that comes twice counts once')

  for (const vendor of upsOrder) {
    t.assert.deepEqual(await firstOf(['ups', 'fcm']), [`${vendor} 1/1/0`])
    t.assert.deepEqual(await firstOf(), [`${vendor} 1/1/0`], 'without a sequence it is ups, then FCM')
    await unbind(world, device, vendor)
  }
  t.assert.deepEqual(await firstOf(), ['fcm 1/1/0'])
  const nobody = await world.send(hello, 'all', { ospush_sequence: ['ups'] })
  t.assert.deepEqual(await told(world, nobody), [], 'a vendor the caller did not name is not used')
  t.assert.match(await world.carillon.trace(nobody, device.push_token), /not sent: no vendor can reach the device/)
})

test('an iPhone is reached through APNs whatever the sequence says', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { vendors: ['apns', 'fcm', 'xiaomi'], env })
  const phone = await world.addDevice({ fcm: vendorToken('fcm'), xiaomi: vendorToken('xiaomi'), apns: vendorToken('apns') })
  for (const ospush_sequence of [['xiaomi'], ['fcm', 'ups'], undefined]) {
    t.assert.deepEqual(await told(world, await world.send(hello, 'all', { ospush_sequence })), ['apns 1/1/0'])
  }
  await unbind(world, phone, 'apns')
  t.assert.deepEqual(await told(world, await world.send(hello, 'all', { ospush_sequence: ['xiaomi'] })), [])
})

test('a token of one environment needs the certificate of that environment', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { vendors: ['apns', 'huawei'], env })
  const login = await world.addDevice({})
  const [development, production] = [vendorToken('apns'), vendorToken('apns')]
  await bind(world, login, 'apns', { device_token: development, environment: 0, platform: 'ios' })
  const without = await world.send(hello)
  t.assert.deepEqual(await told(world, without), [])
  t.assert.match(await world.carillon.trace(without, login.push_token), /no vendor can reach the device/)

  await world.setCertificate('apns', { environment: 0 })
  t.assert.deepEqual(await told(world, await world.send(hello)), ['apns 1/1/0'])
  t.assert.deepEqual(asked(world, 'apns'), [development])

  // With both, the one that leads somewhere is used, and one environment's certificate does not carry the other's token.
  world.simulators.forgetReceived()
  await bind(world, login, 'apns', { device_token: production, environment: 1, platform: 'ios' })
  await world.carillon.ok('/push/certificate?provider=1&environment=0', { method: 'DELETE', token: world.carillon.admin })
  await world.carillon.heard()
  t.assert.deepEqual(await told(world, await world.send(hello)), ['apns 1/1/0'])
  t.assert.deepEqual(asked(world, 'apns'), [production])

  // The same holds where a vendor has one service for both.
  const android = await world.addDevice({})
  await bind(world, android, 'huawei', { device_token: vendorToken('huawei'), environment: 0 })
  t.assert.deepEqual(await told(world, await world.send(hello, { push_token: [android.push_token] })), [])
  await world.setCertificate('huawei', { environment: 0 })
  t.assert.deepEqual(await told(world, await world.send(hello, { push_token: [android.push_token] })), ['huawei 1/1/0'])
})

test('the next vendor is tried when one says the token is dead, refuses, or cannot carry the type', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { env })
  const failing = { xiaomi: vendorToken('xiaomi', 'dead'), huawei: vendorToken('huawei', 'E80100016-') }
  const dead = await world.addDevice({ ...failing, ...tokensOf(['vivo', 'honor']) })
  const task = await world.send(hello, { push_token: [dead.push_token] })
  t.assert.deepEqual(await told(world, task), ['huawei 1/0/0', 'vivo 1/1/0', 'xiaomi 1/0/0'])
  t.assert.deepEqual((await world.carillon.task(task)).reasons, { 'xiaomi: dead': 1, 'huawei: refused': 1, 'vivo: sent': 1 })
  t.assert.deepEqual(asked(world, 'honor'), [], 'whoever comes after the one that took it is not asked')

  // A vendor without a way for a message that shows nothing is left out from the start: it is no target.
  const silent = await world.addDevice(tokensOf(['xiaomi', 'flyme', 'oppo', 'vivo', 'honor']))
  const cmd = await world.send({ type: 'cmd', ext: { do: 'sync' } }, { push_token: [silent.push_token] })
  t.assert.deepEqual(await told(world, cmd), ['honor 1/1/0'])
})

test('when no vendor is left, combined keeps the push in the inbox and vendors alone let it end', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { env })
  const { carillon } = world
  const fates = { xiaomi: 'dead', huawei: 'E80100016-' } as const
  const doomed = () => world.addDevice({ xiaomi: vendorToken('xiaomi', fates.xiaomi), huawei: vendorToken('huawei', fates.huawei) })
  const alone = await world.send(hello, { push_token: [(await doomed()).push_token] })
  t.assert.deepEqual((await carillon.task(alone)).reasons, { 'xiaomi: dead': 1, 'huawei: refused': 1 })
  t.assert.equal((await carillon.task(alone)).waiting, 0)

  const login = await doomed()
  const kept = await world.send(hello, { push_token: [login.push_token] }, { distribution_strategy: 'combined' })
  t.assert.equal((await carillon.task(kept)).waiting, 1)
  t.assert.deepEqual(await told(world, kept), ['huawei 1/0/0', 'nativepush 1/0/0', 'xiaomi 1/0/0'])
  const device = await connectDevice(t, carillon, login)
  const [push] = await device.has(1)
  t.assert.equal(push!.task_id, kept)
  await carillon.until(() => told(world, kept), (counted) => counted.includes('nativepush 1/1/1'))
  t.assert.deepEqual(await told(world, kept), ['huawei 1/0/0', 'nativepush 1/1/1', 'xiaomi 1/0/0'])
})

test('combined asks no vendor while the device acknowledges, and asks at once when it is away', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { vendors: ['vivo'], env })
  const { carillon } = world
  const login = await world.addDevice(tokensOf(['vivo']))
  const device = await connectDevice(t, carillon, login)
  await carillon.online(login)
  const combined = { distribution_strategy: 'combined' }
  const here = await world.send(hello, 'all', combined)
  t.assert.deepEqual(await told(world, here), ['nativepush 1/1/1'])
  t.assert.deepEqual(asked(world, 'vivo'), [])

  await device.close()
  const list = () => carillon.ok<{ online: boolean }[]>('/user/device/list', { token: login.token })
  await carillon.until(list, ([listed]) => !listed!.online)
  t.assert.deepEqual(await told(world, await world.send(hello, 'all', combined)), ['vivo 1/1/0'])
})

test('a device that does not acknowledge gets it from a vendor, and its late acknowledgement still counts', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { vendors: ['xiaomi'], env: { ...env, CARILLON_ACK_SECONDS: '1' } })
  const { carillon } = world
  const login = await world.addDevice(tokensOf(['xiaomi']))
  const mute = await connectMute(t, carillon, login)
  await carillon.online(login)
  const task = await world.send(hello, 'all', { distribution_strategy: 'combined' })
  const [push] = await mute.has(1)
  t.assert.deepEqual(await told(world, task), ['nativepush 1/1/0', 'xiaomi 1/1/0'])
  const trace = await carillon.trace(task, login.push_token)
  t.assert.match(trace, /nativepush: the device was away, or did not acknowledge in time/)
  t.assert.match(trace, /nativepush: it went on to the next channel\nxiaomi was chosen/)

  mute.acknowledge(push!)
  await carillon.until(() => told(world, task), (counted) => counted.includes('nativepush 1/1/1'))
  mute.acknowledge(push!)

  // Once a vendor has it, the own channel does not repeat it: the next connection gets what is new alone.
  mute.socket.destroy()
  const device = await connectDevice(t, carillon, login)
  await carillon.online(login)
  const next = await world.send({ title: 'Next' }, 'all', { distribution_strategy: 'combined' })
  await device.has(1)
  t.assert.deepEqual(device.tasks, [next])
  t.assert.deepEqual(await told(world, task), ['nativepush 1/1/1', 'xiaomi 1/1/0'])
})
