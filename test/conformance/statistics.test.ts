import assert from 'node:assert/strict'
import { after } from 'node:test'
import { channels as known, vendorNames } from '@carillon/protocol/names.ts'
import { startVendorWorld, vendorToken, type VendorWorld } from '../harness/vendor-world.ts'
import { vendors as simulated } from '@carillon/simulators/vendors.ts'
import { startReceiptDoor } from '../vendors/exercise.ts'
import { conform, type Keeps } from './conform.ts'
import { connectPhone } from './phone.ts'
import { channels } from './rows.ts'

// Where Huawei's, Honor's and vivo's consoles are told to report; the others are told with every push.
const door = await startReceiptDoor({ after })
const consoles = ['huawei', 'honor', 'vivo'] as const
const receiptUrls = Object.fromEntries(consoles.map((vendor) => [vendor, door.urlFor(vendor)]))
const world: VendorWorld = await startVendorWorld({ after }, { simulators: { receiptUrls } })
const { carillon } = world
await world.setCertificate('vivo', { options: { receipt_id: '12' } })
for (const vendor of consoles) await door.lead(world, vendor)
const token = carillon.admin

// One device acknowledges, one only gets it written (QoS 0), one is away: so no two counters are the same.
const ann = await connectPhone({ after }, carillon, 'ann')
const ben = await connectPhone({ after }, carillon, 'ben', { subscribe: 0 })
const away = await carillon.tokenFor(await carillon.addUser('cem'), 'cem')
const audience = { user_id: [ann.login.user_id, ben.login.user_id, away.user_id] }
const expected = { target: 3, sent: 2, received: 1 }

const task = await carillon.notify({ audience, message: { body: 'to all three' } })
const other = await carillon.notify({ audience: ann.audience, message: { body: 'to one' } })

/** At each vendor: one device gets it and says so, or the vendor does; one is off; one has removed the app. */
const taskOf = new Map<string, number>()
for (const vendor of vendorNames) {
  const [here, off, gone] = [vendorToken(vendor), vendorToken(vendor), vendorToken(vendor)]
  const reports = 'offline' in simulated[vendor].outcomes // Apple and Google tell nobody what became of a push
  if (reports) world.simulators.order({ vendor, token: off, outcome: 'offline' })
  world.simulators.order({ vendor, token: gone, outcome: simulated[vendor].dead })
  const logins = [await world.addDevice({ [vendor]: here }), await world.addDevice({ [vendor]: off }), await world.addDevice({ [vendor]: gone })]
  const id = await world.send({ body: 'to all three' }, { push_token: logins.map(({ push_token }) => push_token) })
  taskOf.set(vendor, id)
  if (!reports) await carillon.ok('/push/receipt', { token: logins[0]!.token, body: { list: [{ task_id: id, event: 'received', channel: vendor }] } })
}

interface Stats extends Record<string, number> {
  task_id: number
}
const detail = (list: unknown) => carillon.call<Stats[]>('/push/task/detail', { token, body: { list } })
const names = channels.flatMap((channel) => ['sent', 'received', 'target'].map((count) => `${channel}_${count}`))

/** Resolves when a counter has reached what it should be; what it then says is for the test to see. */
const reaches = (id: number, name: string, count: number): Promise<Stats> =>
  carillon.until(async () => (await detail([id])).data[0]!, (row) => row[name]! >= count)

const counts = (name: string): Keeps => async () => {
  const [channel, counter] = name.split('_') as [string, keyof typeof expected]
  const id = taskOf.get(channel) ?? task
  assert.equal((await reaches(id, name, expected[counter]))[name], expected[counter])
  const once = channel === 'nativepush' ? 1 : 0
  assert.equal((await reaches(other, name, once))[name], once)
}

conform('statistics', {
  'the service, statistics': async () => {
    await reaches(task, 'nativepush_sent', 2)
    await reaches(task, 'nativepush_received', 1)
    await reaches(other, 'nativepush_received', 1)
    const { data } = await detail([task, other])
    const own = data.map((row) => [row.nativepush_target, row.nativepush_sent, row.nativepush_received])
    assert.deepEqual(own, [[3, 2, 1], [1, 1, 1]])
  },
  'push task task_id': async () => {
    const sent = await carillon.notify({ audience: ann.audience, message: { body: 'find me' } })
    assert.deepEqual((await detail([sent])).data.map(({ task_id }) => task_id), [sent])
    assert.equal((await carillon.ok(`/push/task/${sent}`, { token })).message.body, 'find me')
  },
  'push task state': async () => {
    const state = async (id: number): Promise<string> => (await carillon.ok(`/push/task/${id}`, { token })).state
    const later = { send_time: Math.floor(Date.now() / 1000) + 3600 }
    const waits = await carillon.notify({ audience: ann.audience, setting: later, message: { body: 'not yet' } })
    assert.equal(await state(waits), 'accepted')
    assert.equal(await carillon.until(() => state(other), (now) => now !== 'sending'), 'done')
  },
  'POST /push/task/detail': async () => {
    const answer = await detail([other, 999_999, task])
    assert.deepEqual([answer.status, answer.code, answer.message], [200, 200, null])
    assert.deepEqual(answer.data.map(({ task_id }) => task_id), [other, task])
  },
  'POST /push/task/detail list': async () => {
    for (const list of [undefined, null, [], task, String(task), [String(task)], [1.5], [null]]) {
      const { code, message } = await detail(list)
      assert.equal(code, 10002, JSON.stringify(list))
      assert.match(message!, /^list/)
    }
    // Exact: 2^53 + 1 is an id that nobody has.
    const large = await carillon.call('/push/task/detail', { token, body: '{"list":[9007199254740993]}' })
    assert.deepEqual([large.code, large.data], [200, []])
  },
  'limits, list of /push/task/detail': async () => {
    const list = Array.from({ length: 501 }, (_, i) => task + i)
    const most = await detail(list.slice(0, 500))
    assert.equal(most.code, 200)
    assert.equal(most.data[0]?.task_id, task)
    assert.equal((await detail(list)).code, 12005)
  },
  'statistics record': async () => {
    const [record] = (await detail([task])).data
    assert.equal(names.length, 27)
    for (const name of ['task_id', ...names]) assert.ok(Object.hasOwn(record!, name), name)
    assert.equal(Object.keys(record!).length, 1 + 3 * known.length)
    for (const [name, value] of Object.entries(record!)) assert.ok(Number.isSafeInteger(value), name)
  },
  'statistics record task_id': async () => {
    assert.equal((await detail([task])).data[0]?.task_id, task)
    assert.equal((await detail([other])).data[0]?.task_id, other)
  },
  ...Object.fromEntries(names.map((name) => [`statistics record ${name}`, counts(name)])),
})
