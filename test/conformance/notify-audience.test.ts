import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Login } from '../harness/carillon.ts'
import { connectDevice, type Device } from '../harness/device.ts'
import { startVendorWorld, vendorToken } from '../harness/vendor-world.ts'
import { conform, type Keeps } from './conform.ts'
import { audienceLists } from './rows.ts'

const world = await startVendorWorld({ after }, { vendors: ['honor'] })
const { carillon } = world
const token = carillon.admin

interface Seat {
  login: Login
  device: Device
}

/** A device of a user, with its labels, online. */
const seat = async (user: number, guid: string, tags: string[], alias: string): Promise<Seat> => {
  const login = await carillon.tokenFor(user, guid)
  await carillon.ok('/user/push/tag', { token: login.token, body: { tags } })
  await carillon.ok('/user/push/alias', { token: login.token, body: { alias } })
  return { login, device: await connectDevice({ after }, carillon, login) }
}

const [annId, benId] = [await carillon.addUser('ann'), await carillon.addUser('ben')]
const phone = await seat(annId, 'phone', ['red'], 'first')
const tablet = await seat(annId, 'tablet', ['green'], 'second')
const watch = await seat(benId, 'watch', ['red', 'blue'], 'third')
const seats = [phone, tablet, watch]

// A device of another app, which nothing here may reach.
const elsewhere = { app: 'elsewhere', admin: await carillon.addApp('elsewhere') }
const stranger = await carillon.tokenFor(await carillon.addUser('stranger', elsewhere), 'phone', elsewhere)
await connectDevice({ after }, carillon, stranger)

const message = { body: 'hello' }

/** Sends to an audience; the devices it reached, once all it was meant for have acknowledged it. */
const reached = async (audience: unknown, count: number): Promise<Seat[]> => {
  const task = await carillon.notify({ audience, message })
  const counters = await carillon.until(() => carillon.counters(task), (row) => row.nativepush_received! >= count)
  assert.equal(counters.nativepush_target, count)
  assert.deepEqual(seats.flatMap(({ device }) => device.tasks.filter((id) => id === task)).length, count, 'each once')
  return seats.filter(({ device }) => device.tasks.includes(task))
}

const answerTo = async (audience: unknown): Promise<{ code: number; message: string | null }> => {
  const { code, message: text } = await carillon.call('/push/notify', { token, body: { audience, message } })
  return { code, message: text }
}

const refuses = async (audiences: unknown[], path: RegExp): Promise<void> => {
  for (const audience of audiences) {
    const { code, message: text } = await answerTo(audience)
    assert.equal(code, 10002, JSON.stringify(audience))
    assert.match(text!, path)
  }
}

/** Lists of so many items, none of which is known. */
const items: Record<(typeof audienceLists)[number], (i: number) => unknown> = {
  tag: (i) => `tag ${i}`,
  alias: (i) => `alias ${i}`,
  user_id: (i) => 1_000_000 + i,
  push_token: (i) => `token ${i}`,
}

const holdsLimit = (key: (typeof audienceLists)[number]): Keeps => async () => {
  const list = Array.from({ length: 501 }, (_, i) => items[key](i))
  assert.equal((await answerTo({ [key]: list.slice(1) })).code, 200)
  const { code, message: text } = await answerTo({ [key]: list })
  assert.equal(code, 12005)
  assert.match(text!, new RegExp(`^audience\\.${key} must hold at most 500`))
}

conform('notify-audience', {
  'the service, notifications': async () => {
    const vendorsToken = vendorToken('honor')
    const away = await world.addDevice({ honor: vendorsToken })
    const audience = { push_token: [phone.login.push_token, away.push_token] }
    const task = await carillon.notify({ audience, message: { title: 'Bells' } })
    await carillon.until(() => carillon.counters(task), (row) => row.nativepush_received === 1 && row.honor_sent === 1)
    const [taken] = world.simulators.received('honor')
    assert.deepEqual(taken?.taken, [vendorsToken])
    assert.match(JSON.stringify(taken?.fields), new RegExp(`task_id.{3}${task},`))
    await carillon.ok('/user/device/remove', { token: away.token, body: { push_token: away.push_token } })
    const push = phone.device.received.find(({ task_id }) => task_id === task)
    assert.deepEqual([push?.channel, push?.title], ['nativepush', 'Bells'])
  },
  'POST /push/notify': async () => {
    const answer = await carillon.call('/push/notify', { token, body: { audience: 'all', message } })
    assert.deepEqual([answer.status, answer.code, answer.message], [200, 200, null])
    assert.deepEqual(Object.keys(answer.data), ['task_id'])
    assert.ok(Number.isSafeInteger(answer.data.task_id))
  },
  'POST /push/notify audience': () =>
    refuses([undefined, null, '', ' ', {}, [], 7, true, 'everybody', [phone.login.push_token]], /^audience /),
  'audience all': async () => {
    assert.deepEqual(await reached('all', 3), seats)
  },
  'audience, one key': async () => {
    await refuses([{ tag: ['red'], alias: ['first'] }, { user_id: [annId], push_token: ['x'] }], /^audience must be/)
    await refuses([{ device: ['phone'] }, { tag: ['red'], device: ['phone'] }], /^audience\.device is not known/)
    await refuses([{ tag: [] }, { alias: null }, { user_id: '' }], /^audience /)
    // A blank key is none, so the other one stands alone.
    assert.deepEqual(await reached({ tag: ['green'], alias: [] }, 1), [tablet])
  },
  'audience.tag': async () => {
    assert.deepEqual(await reached({ tag: ['red', 'blue', 'unknown'] }, 2), [phone, watch])
    assert.deepEqual(await reached({ tag: ['green'] }, 1), [tablet])
    await refuses([{ tag: 'red' }, { tag: [7] }, { tag: [' '] }], /^audience\.tag/)
  },
  'audience.alias': async () => {
    assert.deepEqual(await reached({ alias: ['second', 'third', 'unknown'] }, 2), [tablet, watch])
    assert.deepEqual(await reached({ alias: ['third'] }, 1), [watch])
    await refuses([{ alias: 'second' }, { alias: [7] }, { alias: [null] }], /^audience\.alias/)
  },
  'audience.user_id': async () => {
    assert.deepEqual(await reached({ user_id: [annId, annId, 999_999] }, 2), [phone, tablet])
    assert.deepEqual(await reached({ user_id: [annId] }, 2), [phone, tablet])
    await refuses([{ user_id: annId }, { user_id: [String(annId)] }, { user_id: [1.5] }], /^audience\.user_id/)
  },
  'audience.push_token': async () => {
    const tokens = [phone, watch].map(({ login }) => login.push_token)
    assert.deepEqual(await reached({ push_token: [...tokens, 'unknown'] }, 2), [phone, watch])
    assert.deepEqual(await reached({ push_token: [tokens[1]] }, 1), [watch])
    await refuses([{ push_token: tokens[0] }, { push_token: [7] }], /^audience\.push_token/)
  },
  'limits, rates': async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => answerTo({ tag: ['nobody has it'] })))
    assert.deepEqual(answers.filter(({ code }) => code !== 200), [])
  },
  ...Object.fromEntries(audienceLists.map((key) => [`limits, audience.${key}`, holdsLimit(key)])),
})
