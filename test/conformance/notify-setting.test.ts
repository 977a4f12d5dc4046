import assert from 'node:assert/strict'
import { after } from 'node:test'
import { sequenceItems as known, type VendorName } from '@carillon/protocol/names.ts'
import { connectDevice } from '../harness/device.ts'
import { startVendorWorld, vendorToken } from '../harness/vendor-world.ts'
import { conform, type Keeps } from './conform.ts'
import { connectPhone } from './phone.ts'
import { sequenceItems } from './rows.ts'

const world = await startVendorWorld({ after })
const { carillon } = world
const phone = await connectPhone({ after }, carillon, 'ann')
const message = { body: 'hello' }

const send = (setting: unknown): Promise<number> => carillon.notify({ audience: phone.audience, setting, message })

const refuses = async (field: string, values: unknown[]): Promise<void> => {
  for (const value of values) {
    const { code, message: text } = await phone.refusal(message, { [field]: value })
    assert.equal(code, 10002, JSON.stringify(value))
    assert.match(text, new RegExp(`^setting\\.${field}`))
  }
}

/** Who is online has it at once, who is away finds it when it connects. */
const goesOverOwnChannel = (strategy: string): Keeps => async (t) => {
  const setting = { distribution_strategy: strategy }
  // Now or never: a device that is online needs no place in the inbox.
  assert.equal((await phone.push(message, { ...setting, time_to_live: 0 })).channel, 'nativepush')

  const away = await carillon.tokenFor(await carillon.addUser(`away with ${strategy}`), 'phone')
  const task = await carillon.notify({ audience: { user_id: [away.user_id] }, setting, message })
  const { nativepush_target, nativepush_sent } = await carillon.counters(task)
  assert.deepEqual([nativepush_target, nativepush_sent], [1, 0])
  const device = await connectDevice(t, carillon, away)
  assert.deepEqual((await device.has(1)).map(({ task_id }) => task_id), [task])
}

/** The same; and one that is away and has a vendor gets it through that. */
const goesOverBoth = (strategy: string): Keeps => async (t) => {
  await goesOverOwnChannel(strategy)(t)
  assert.deepEqual(await waysTo(['vivo'], { distribution_strategy: strategy }), ['vivo'])
}

/** Over which channels it went to a new device that is away and has these vendors' tokens. */
const waysTo = async (vendors: readonly VendorName[], setting: Record<string, unknown>): Promise<string[]> => {
  const tokens = Object.fromEntries(vendors.map((vendor) => [vendor, vendorToken(vendor)]))
  const { push_token } = await world.addDevice(tokens)
  const task = await carillon.notify({ audience: { push_token: [push_token] }, setting, message })
  await carillon.until(() => carillon.task(task), ({ state }) => state === 'done')
  const sent = Object.entries(await carillon.counters(task)).filter(([name, count]) => name.endsWith('_sent') && count > 0)
  return sent.map(([name]) => name.replace('_sent', ''))
}

const android: VendorName[] = ['xiaomi', 'huawei', 'flyme', 'oppo', 'vivo', 'honor', 'fcm']

/** A device that every vendor reaches is reached by the one that the item means. */
const leadsTo = (item: string): Keeps => async () => {
  const setting = { distribution_strategy: 'ospush_only', ospush_sequence: [item] }
  const meant = known[item]!
  assert.deepEqual(await waysTo(android, setting), [meant[0]])
  for (const vendor of meant.slice(0, item === 'ups' ? 5 : 1)) assert.deepEqual(await waysTo([vendor, 'fcm'], setting), [vendor])
}

conform('notify-setting', {
  'POST /push/notify setting': async () => {
    for (const setting of [undefined, null, {}, '']) assert.equal((await phone.gets(await send(setting))).body, 'hello')
    for (const setting of [7, 'fast', ['combined']]) {
      const { code, message: text } = await phone.refusal(message, setting)
      assert.equal(code, 10002)
      assert.match(text, /^setting must be an object/)
    }
  },
  'setting.request_id': async () => {
    const first = await send({ request_id: 'order 7' })
    assert.equal(await send({ request_id: 'order 7' }), first)
    const other = await send({ request_id: 'order 8' })
    assert.notEqual(other, first)
    await phone.gets(other)
    assert.equal(phone.device.tasks.filter((task) => task === first).length, 1)
    assert.equal((await carillon.counters(first)).nativepush_target, 1)
    await refuses('request_id', [7])
  },
  'setting.request_id, blank': async () => {
    for (const blank of ['', ' ', null, undefined]) {
      const [first, second] = [await send({ request_id: blank }), await send({ request_id: blank })]
      assert.notEqual(first, second)
      await phone.gets(first)
      await phone.gets(second)
    }
  },
  'setting.distribution_strategy': () => refuses('distribution_strategy', ['fastest', 'COMBINED', 7, ['combined']]),
  'setting.distribution_strategy combined': goesOverBoth('combined'),
  'setting.distribution_strategy nativepush_only': goesOverOwnChannel('nativepush_only'),
  'setting.distribution_strategy ospush_only': async () => {
    assert.deepEqual(await waysTo(['oppo'], { distribution_strategy: 'ospush_only' }), ['oppo'])
    const vendorsOnly = await send({ distribution_strategy: 'ospush_only' })
    await phone.gets(await send({ distribution_strategy: 'nativepush_only' }))
    assert.ok(!phone.device.tasks.includes(vendorsOnly))
    const { nativepush_target, nativepush_sent } = await carillon.counters(vendorsOnly)
    assert.deepEqual([nativepush_target, nativepush_sent], [0, 0])
  },
  'setting.distribution_strategy, blank': goesOverBoth(''),
  'setting.ospush_sequence': async () => {
    const ospush_sequence = ['vivo', 'fcm', 'ups', 'meizu']
    const task = await send({ ospush_sequence })
    assert.deepEqual((await phone.kept(task)).setting.ospush_sequence, ospush_sequence)
    assert.deepEqual(await waysTo(android, { ospush_sequence }), ['vivo'])
    assert.deepEqual(await waysTo(['xiaomi', 'flyme', 'fcm'], { ospush_sequence }), ['fcm'])
    assert.deepEqual(await waysTo(['flyme', 'honor'], { ospush_sequence: ['honor', 'meizu'] }), ['honor'])
    await refuses('ospush_sequence', ['ups', 7, ['apns'], ['UPS'], [7], ['ups', '']])
  },
  ...Object.fromEntries(
    sequenceItems.map((item) => [`setting.ospush_sequence ${item}`, leadsTo(item)]),
  ),
  'setting.ospush_sequence, blank': async () => {
    for (const blank of [[], null, undefined, '']) {
      const task = await send({ ospush_sequence: blank })
      assert.deepEqual((await phone.kept(task)).setting, {})
      await phone.gets(task)
      assert.deepEqual(await waysTo(['fcm', 'honor'], { ospush_sequence: blank }), ['honor'])
      assert.deepEqual(await waysTo(['fcm'], { ospush_sequence: blank }), ['fcm'])
    }
  },
})
