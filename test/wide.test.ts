import { after, test } from 'node:test'
import { type Login, startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { connectMute } from './harness/raw-socket.ts'

// An audience this large is kept as one row for all its devices; what waits for one of them is found there.
const DEVICES = 80

const carillon = await startCarillon({ after }, { CARILLON_ACK_SECONDS: '1' })

const own = (row: Record<string, number>) => [row.nativepush_target, row.nativepush_sent, row.nativepush_received]
const isCounted = (task: number, received: number) =>
  carillon.until(() => carillon.counters(task), (row) => row.nativepush_received === received)

/** A wide task is accepted first and planned a moment later; here it is sent when every device is away. */
const isKept = (task: number) => carillon.until(() => carillon.task(task), ({ state }) => state === 'done')

/** Many devices of a user of their own, so that tests do not meet. */
const crowd = async (name: string) => {
  const userId = await carillon.addUser(name)
  const logins = await Promise.all(Array.from({ length: DEVICES }, (_, i) => carillon.tokenFor(userId, `${name} ${i}`)))
  const send = (title: string, setting = {}): Promise<number> =>
    carillon.notify({ audience: { user_id: [userId] }, setting, message: { title } })
  return { logins, send }
}

test('a wide task reaches all who are here at once, each counted once', async (t) => {
  const { logins, send } = await crowd('here')
  const devices = await Promise.all(logins.map((login) => connectDevice(t, carillon, login)))
  const tasks = [await send('first'), await send('second')]
  await Promise.all(devices.map((device) => device.has(2)))
  for (const task of tasks) {
    t.assert.deepEqual(own(await isCounted(task, DEVICES)), [DEVICES, DEVICES, DEVICES])
    t.assert.equal((await carillon.until(() => carillon.task(task), ({ state }) => state === 'done')).waiting, 0)
  }
  for (const { received } of devices) {
    const badges = new Map(received.map(({ task_id, badge }) => [task_id, badge]))
    t.assert.deepEqual(badges, new Map(tasks.map((task, i) => [task, i + 1])))
  }
})

test('who was away gets it at connect, in order and once, also after the server was stopped or killed', async (t) => {
  const { logins, send } = await crowd('away')
  const [early, later, last] = logins as [Login, Login, Login]
  const alone = (login: Login, title: string): Promise<number> =>
    carillon.notify({ audience: { push_token: [login.push_token] }, message: { title } })

  const before = await alone(early, 'to one, before')
  const wide = await send('to all')
  const done = await isKept(wide)
  const between = await alone(early, 'to one, between')
  const second = await send('to all again')
  await isKept(second)
  t.assert.deepEqual([done.waiting, own(done.counters)], [DEVICES, [DEVICES, 0, 0]])

  const first = await connectDevice(t, carillon, early)
  await first.has(4)
  t.assert.deepEqual(first.tasks, [before, wide, between, second])
  t.assert.deepEqual(first.received.map(({ badge }) => badge), [1, 2, 3, 4])
  await isCounted(second, 1)

  t.assert.deepEqual(await carillon.stop(), { code: 0, signal: null })
  await carillon.start()
  const back = await connectDevice(t, carillon, early)
  const other = await connectDevice(t, carillon, later)
  const third = await send('after the stop')
  await Promise.all([back.has(1), other.has(3)])
  t.assert.deepEqual(back.tasks, [third])
  t.assert.deepEqual(other.tasks, [wide, second, third])
  await isCounted(third, 2)

  await carillon.stop('SIGKILL')
  await carillon.start()
  const [again, lastOne] = [await connectDevice(t, carillon, later), await connectDevice(t, carillon, last)]
  const fourth = await send('after the kill')
  await Promise.all([again.has(1), lastOne.has(4)])
  t.assert.deepEqual(again.tasks, [fourth])
  t.assert.deepEqual(lastOne.tasks, [wide, second, third, fourth])

  t.assert.deepEqual(own(await isCounted(wide, 3)), [DEVICES, 3, 3])
  t.assert.deepEqual(own(await isCounted(third, 3)), [DEVICES, 3, 3])
  t.assert.equal((await carillon.task(wide)).waiting, DEVICES - 3)
})

test('of a wide task, who did not acknowledge gets it again, and nobody else does', async (t) => {
  const { logins, send } = await crowd('mixed')
  const [silent, ...others] = logins as [Login, ...Login[]]
  const mute = await connectMute(t, carillon, silent)
  const here = await Promise.all(others.map((login) => connectDevice(t, carillon, login)))
  const task = await send('to all')
  await Promise.all([mute.has(1), ...here.map((device) => device.has(1))])
  await isCounted(task, DEVICES - 1)
  const shown = await carillon.until(() => carillon.task(task), ({ state }) => state === 'done')
  t.assert.deepEqual([shown.waiting, own(shown.counters)], [1, [DEVICES, DEVICES, DEVICES - 1]])

  const device = await connectDevice(t, carillon, silent)
  const [push] = await device.has(1)
  t.assert.deepEqual([push!.task_id, push!.dup], [task, true])
  t.assert.deepEqual(own(await isCounted(task, DEVICES)), [DEVICES, DEVICES, DEVICES])
  const next = await send('next')
  await Promise.all([device.has(2), ...here.map((other) => other.has(2))])
  for (const one of [device, ...here]) t.assert.deepEqual(one.tasks, [task, next])
})

test('collapse_id, the limit of an inbox and cancelling hold for wide tasks too', async (t) => {
  const { logins, send } = await crowd('limited')
  const setLimit = (limit: number) => carillon.setApp({ inbox_limit: limit })
  await setLimit(3)
  t.after(() => setLimit(1000))
  const overflowing = await send('too old')
  const replaced = await send('score 1', { collapse_id: 'score' })
  const kept = [await send('one'), await send('two'), await send('score 2', { collapse_id: 'score' })]
  const cancelled = await send('never mind')
  for (const task of [overflowing, replaced, ...kept, cancelled]) await isKept(task)
  await carillon.ok('/push/task/cancel', { token: carillon.admin, body: { task_id: cancelled } })

  const device = await connectDevice(t, carillon, logins[0]!)
  const live = await send('live')
  await device.has(4)
  t.assert.deepEqual(device.tasks, [...kept, live])
  for (const [task, end] of [[overflowing, 'overflow'], [replaced, 'replaced']] as const) {
    const { reasons } = await carillon.until(() => carillon.task(task), ({ waiting }) => waiting < DEVICES)
    t.assert.equal(reasons[`nativepush: ${end}`], 1)
  }
  t.assert.deepEqual((await carillon.task(cancelled)).reasons, { 'nativepush: cancelled': DEVICES })
})
