import { after, suite, test } from 'node:test'
import { startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { connectMute } from './harness/raw-socket.ts'

const carillon = await startCarillon({ after }, { CARILLON_ACK_SECONDS: '3' })

/** A user with one device that is not connected yet; `send` reaches it alone. */
const newDevice = async (name: string, options: { app?: string; admin?: string } = {}) => {
  const userId = await carillon.addUser(name, options)
  const login = await carillon.tokenFor(userId, `phone of ${name}`, options)
  const as = { app: options.app, token: options.admin ?? carillon.admin }
  const send = (title: string, setting: Record<string, unknown> = {}): Promise<number> =>
    carillon.notify({ audience: { user_id: [userId] }, setting, message: { title } }, as)
  return { userId, login, send }
}

const own = (row: Record<string, number>) => ({
  target: row.nativepush_target, sent: row.nativepush_sent, received: row.nativepush_received,
})
const once = { target: 1, sent: 1, received: 1 }

/** The task is done and its counter has come so far. */
const isDone = (task: number, counter: string) =>
  carillon.until(() => carillon.task(task), ({ state, counters }) => state === 'done' && counters[counter] === 1)

const countedOnce = async (t: test.TestContext, tasks: number[]): Promise<void> => {
  for (const task of tasks) {
    const row = await carillon.until(() => carillon.counters(task), (found) => found.nativepush_received! > 0)
    t.assert.deepEqual(own(row), once)
  }
}

// Most of these wait for some seconds to pass: they wait together.
suite('the inbox', { concurrency: 16 }, () => {
  test('a device that was away gets what waits for it in order, oldest first, each counted once', async (t) => {
    const { login, send } = await newDevice('away')
    const tasks: number[] = []
    for (let i = 0; i < 50; i++) tasks.push(await send(`number ${i}`)) // more than a device may have unacknowledged

    const device = await connectDevice(t, carillon, login)
    const live = await send('after it came back')
    await device.has(51)

    t.assert.deepEqual(device.tasks, [...tasks, live])
    t.assert.deepEqual(device.received.map(({ dup }) => dup), new Array(51).fill(false))
    await countedOnce(t, [...tasks, live])
  })

  test('what is acknowledged does not come again', async (t) => {
    const { login, send } = await newDevice('acknowledging')
    const device = await connectDevice(t, carillon, login)
    const first = await send('first')
    await device.has(1)
    await device.close()

    const again = await connectDevice(t, carillon, login)
    const second = await send('second')
    await again.has(1)
    t.assert.deepEqual(again.tasks, [second])
    await countedOnce(t, [first, second])
  })

  test('a device that acknowledges nothing gets it all again on its next connection, marked as repeated', async (t) => {
    const { login, send } = await newDevice('mute')
    const mute = await connectMute(t, carillon, login)
    // Together: after some seconds without an acknowledgement it would count as away.
    const tasks = (await Promise.all(['one', 'two', 'three'].map((title) => send(title)))).toSorted((a, b) => a - b)
    t.assert.deepEqual((await mute.has(3)).map(({ dup }) => dup), [false, false, false])
    mute.socket.destroy()

    const again = await connectMute(t, carillon, login)
    const pushes = await again.has(3)
    t.assert.deepEqual(again.tasks, tasks)
    t.assert.deepEqual(pushes.map(({ dup }) => dup), [true, true, true])
    again.acknowledge(pushes[1]!)
    await countedOnce(t, [tasks[1]!])
    again.socket.destroy()

    const third = await connectDevice(t, carillon, login)
    await third.has(2)
    t.assert.deepEqual(third.tasks, [tasks[0], tasks[2]])
    await countedOnce(t, tasks)
    t.assert.deepEqual(own(await carillon.counters(tasks[1]!)), once)
  })

  test('a connected device that lets the time for its acknowledgement pass finds the push in its inbox', async (t) => {
    const { login, send } = await newDevice('late')
    const mute = await connectMute(t, carillon, login)
    const task = await send('unheard')
    await mute.has(1)
    const shown = await carillon.until(() => carillon.task(task), ({ state, waiting }) => state === 'done' && waiting === 1)
    t.assert.deepEqual(own(shown.counters), { target: 1, sent: 1, received: 0 })
    t.assert.match(await carillon.trace(task, login.push_token), /did not acknowledge in time[^]*waits in the inbox/)
    t.assert.equal(mute.isClosed, false)

    const device = await connectDevice(t, carillon, login)
    const [push] = await device.has(1)
    t.assert.deepEqual([push!.task_id, push!.dup], [task, true])
    await countedOnce(t, [task])
  })

  test('an acknowledgement that comes too late still counts, and the push does not come again', async (t) => {
    const { login, send } = await newDevice('slow')
    const mute = await connectMute(t, carillon, login)
    const task = await send('heard late')
    const [push] = await mute.has(1)
    await carillon.until(() => carillon.task(task), ({ waiting }) => waiting === 1)
    mute.acknowledge(push!)
    await countedOnce(t, [task])
    t.assert.equal((await carillon.task(task)).waiting, 0)

    const next = await send('next')
    await mute.has(2)
    t.assert.deepEqual(mute.tasks, [task, next])
  })

  test('at QoS 0 a push is sent once written, never comes again, and is received only by a receipt', async (t) => {
    const { login, send } = await newDevice('careless')
    const waiting = await send('while away')
    const device = await connectDevice(t, carillon, login, { subscribe: 0 })
    await device.has(1)
    const live = await send('while here')
    await device.has(2)
    t.assert.deepEqual(device.received.map(({ qos }) => qos), [0, 0])
    for (const task of [waiting, live]) {
      const shown = await isDone(task, 'nativepush_sent')
      t.assert.deepEqual(own(shown.counters), { target: 1, sent: 1, received: 0 })
    }
    await device.close()

    const again = await connectDevice(t, carillon, login)
    const last = await send('after')
    await again.has(1)
    t.assert.deepEqual(again.tasks, [last])

    const receipt = { list: [{ task_id: live, event: 'received' }] }
    await carillon.ok('/push/receipt', { token: login.token, body: receipt })
    await countedOnce(t, [live])
    t.assert.deepEqual(own(await carillon.counters(waiting)), { target: 1, sent: 1, received: 0 })
  })

  test('an inbox keeps the newest ones; older ones end as overflow', async (t) => {
    const admin = await carillon.addApp('small')
    const as = { app: 'small', token: admin }
    await carillon.setApp({ inbox_limit: 3 }, as)
    const { login, send } = await newDevice('ann', { app: 'small', admin })
    const tasks: number[] = []
    for (let i = 0; i < 5; i++) tasks.push(await send(`number ${i}`))

    const device = await connectDevice(t, carillon, login)
    tasks.push(await send('live'))
    await device.has(4)

    t.assert.deepEqual(device.tasks, tasks.slice(2))
    for (const task of tasks.slice(0, 2)) {
      const shown = await carillon.task(task, as)
      t.assert.deepEqual(shown.reasons, { 'nativepush: overflow': 1 })
      t.assert.deepEqual(own(shown.counters), { target: 1, sent: 0, received: 0 })
      t.assert.match(await carillon.trace(task, login.push_token, as), /dropped from the inbox/)
    }
  })

  test('with time_to_live 0 a device that is here gets it, and nothing is kept for one that is away', async (t) => {
    const { login, send } = await newDevice('now or never')
    const missed = await send('never', { time_to_live: 0 })
    const shown = await carillon.until(() => carillon.task(missed), ({ state }) => state === 'done')
    t.assert.deepEqual(own(shown.counters), { target: 0, sent: 0, received: 0 })
    t.assert.match(await carillon.trace(missed, login.push_token), /away.*now or never/)

    const device = await connectDevice(t, carillon, login)
    await carillon.online(login)
    const caught = await send('now', { time_to_live: 0 })
    await device.has(1)
    t.assert.deepEqual(device.tasks, [caught])
    await countedOnce(t, [caught])
  })

  test('what has expired never arrives', async (t) => {
    const { login, send } = await newDevice('too late')
    const expired = await send('short-lived', { time_to_live: 1 })
    await carillon.until(() => carillon.task(expired), ({ reasons }) => reasons['nativepush: expired'] === 1)

    const device = await connectDevice(t, carillon, login)
    const live = await send('live')
    await device.has(1)
    t.assert.deepEqual(device.tasks, [live])
    t.assert.deepEqual(own(await carillon.counters(expired)), { target: 1, sent: 0, received: 0 })
  })

  test('what was written and not acknowledged does not come again once it has expired', async (t) => {
    const { login, send } = await newDevice('mute and too late')
    const mute = await connectMute(t, carillon, login)
    const expired = await send('short-lived', { time_to_live: 2 })
    await mute.has(1)
    mute.socket.destroy()
    await carillon.until(() => carillon.task(expired), ({ reasons }) => reasons['nativepush: expired'] === 1)

    const device = await connectDevice(t, carillon, login)
    const live = await send('live')
    await device.has(1)
    t.assert.deepEqual(device.tasks, [live])
    t.assert.deepEqual(own(await carillon.counters(expired)), { target: 1, sent: 1, received: 0 })
  })

  test('of those with one collapse_id only the newest arrives; the older ones end as replaced', async (t) => {
    const { login, send } = await newDevice('collapsing')
    const older = [await send('score 1', { collapse_id: 'score' }), await send('score 2', { collapse_id: 'score' })]
    const other = await send('weather', { collapse_id: 'weather' })
    const newest = await send('score 3', { collapse_id: 'score' })

    const device = await connectDevice(t, carillon, login)
    const live = await send('live')
    await device.has(3)
    t.assert.deepEqual(device.tasks, [other, newest, live])
    for (const task of older) {
      const shown = await carillon.until(() => carillon.task(task), ({ waiting }) => waiting === 0)
      t.assert.deepEqual(shown.reasons, { 'nativepush: replaced': 1 })
      t.assert.match(await carillon.trace(task, login.push_token), /newer push with the same collapse_id/)
    }
  })

  test('devices of one task are apart: one has it while the other still waits for it', async (t) => {
    const here = await newDevice('here')
    const away = await newDevice('not here')
    const device = await connectDevice(t, carillon, here.login)
    const audience = { user_id: [here.userId, away.userId] }
    const task = await carillon.notify({ audience, message: { title: 'both' } })
    await device.has(1)
    const shown = await isDone(task, 'nativepush_received')
    t.assert.equal(shown.waiting, 1)
    t.assert.deepEqual(own(shown.counters), { target: 2, sent: 1, received: 1 })

    const late = await connectDevice(t, carillon, away.login)
    await late.has(1)
    const row = await carillon.until(() => carillon.counters(task), (found) => found.nativepush_received === 2)
    t.assert.deepEqual(own(row), { target: 2, sent: 2, received: 2 })
    t.assert.equal(device.received.length, 1)
  })
})
