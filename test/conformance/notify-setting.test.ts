import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startCarillon } from '../harness/carillon.ts'
import { connectDevice } from '../harness/device.ts'
import { conform, type Keeps } from './conform.ts'
import { connectPhone } from './phone.ts'
import { sequenceItems } from './rows.ts'

const carillon = await startCarillon({ after })
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

const keepsSequence = async (sequence: string[]): Promise<void> => {
  const task = await send({ ospush_sequence: sequence })
  assert.deepEqual((await phone.kept(task)).setting.ospush_sequence, sequence)
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
  'setting.distribution_strategy combined': goesOverOwnChannel('combined'),
  'setting.distribution_strategy nativepush_only': goesOverOwnChannel('nativepush_only'),
  'setting.distribution_strategy ospush_only': async () => {
    const vendorsOnly = await send({ distribution_strategy: 'ospush_only' })
    await phone.gets(await send({ distribution_strategy: 'nativepush_only' }))
    assert.ok(!phone.device.tasks.includes(vendorsOnly))
    const { nativepush_target, nativepush_sent } = await carillon.counters(vendorsOnly)
    assert.deepEqual([nativepush_target, nativepush_sent], [0, 0])
  },
  'setting.distribution_strategy, blank': goesOverOwnChannel(''),
  'setting.ospush_sequence': async () => {
    await keepsSequence(['vivo', 'fcm', 'ups', 'meizu'])
    await refuses('ospush_sequence', ['ups', 7, ['apns'], ['UPS'], [7], ['ups', '']])
  },
  ...Object.fromEntries(
    sequenceItems.map((item) => [`setting.ospush_sequence ${item}`, () => keepsSequence([item])]),
  ),
  'setting.ospush_sequence, blank': async () => {
    for (const blank of [[], null, undefined, '']) {
      const task = await send({ ospush_sequence: blank })
      assert.deepEqual((await phone.kept(task)).setting, {})
      await phone.gets(task)
    }
  },
})
