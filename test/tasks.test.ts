import { after, suite, test } from 'node:test'
import { startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { connectMute } from './harness/raw-socket.ts'

const carillon = await startCarillon({ after }, { CARILLON_ACK_SECONDS: '1' })

const newDevice = async (name: string) => {
  const userId = await carillon.addUser(name)
  const login = await carillon.tokenFor(userId, `phone of ${name}`)
  const send = (message: Record<string, unknown>, setting: Record<string, unknown> = {}): Promise<number> =>
    carillon.notify({ audience: { user_id: [userId] }, setting, message })
  return { userId, login, send }
}

const own = (row: Record<string, number>) => [row.nativepush_target, row.nativepush_sent, row.nativepush_received]
const last = ['done', 'cancelled', 'expired']
const ends = (task: number) => carillon.until(() => carillon.task(task), ({ state }) => last.includes(state))
const cancel = (task: number, token = carillon.admin) =>
  carillon.call('/push/task/cancel', { token, body: { task_id: task } })
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

suite('the life of a task', { concurrency: 16 }, () => {
  test('the same request_id again is the same task and pushes nothing', async (t) => {
    const { login, send } = await newDevice('asking twice')
    const device = await connectDevice(t, carillon, login)
    const first = await send({ title: 'once' }, { request_id: 'order 1' })
    const again = await send({ title: 'twice' }, { request_id: 'order 1' })
    const other = await send({ title: 'another' }, { request_id: 'order 2' })
    await device.has(2)
    t.assert.equal(again, first)
    t.assert.deepEqual(device.tasks, [first, other])
    t.assert.deepEqual(device.received.map(({ title }) => title), ['once', 'another'])
  })

  test('32 calls at once with one request_id are one task and one push', async (t) => {
    const { login, send } = await newDevice('asking at once')
    const device = await connectDevice(t, carillon, login)
    const calls = Array.from({ length: 32 }, (_, i) => send({ title: `call ${i}` }, { request_id: 'at once' }))
    const tasks = await Promise.all(calls)
    const next = await send({ title: 'next' })
    await device.has(2)
    t.assert.equal(new Set(tasks).size, 1)
    t.assert.deepEqual(device.tasks, [tasks[0], next])
    t.assert.equal(device.received[1]!.badge, 2) // the 31 others did not move the badge either
  })

  test('a request_id belongs to the scope that used it', async (t) => {
    const { userId, login } = await newDevice('scoped')
    const body = { audience: { user_id: [userId] }, setting: { request_id: 'scoped' }, message: { title: 'x' } }
    const asAdmin = await carillon.notify(body)
    const asUser = await carillon.notify(body, { token: login.token })
    t.assert.notEqual(asUser, asAdmin)
    t.assert.equal(await carillon.notify(body, { user: userId }), asUser)
  })

  test('a dry run counts targets and sends nothing, moves no badge and does not use up the request_id', async (t) => {
    const here = await newDevice('dry and here')
    const away = await newDevice('dry and away')
    const device = await connectDevice(t, carillon, here.login)
    const body = { audience: { user_id: [here.userId, away.userId] }, message: { title: 'rehearsal' } }
    const dry = await carillon.notify({ ...body, setting: { dry_run: true, request_id: 'premiere' } })
    const rehearsed = await ends(dry)
    t.assert.deepEqual([rehearsed.state, rehearsed.waiting], ['done', 0])
    t.assert.deepEqual(own(rehearsed.counters), [2, 0, 0])
    t.assert.match(await carillon.trace(dry, here.login.push_token), /a dry run: it would have been sent here/)

    const real = await carillon.notify({ ...body, setting: { request_id: 'premiere' } })
    t.assert.notEqual(real, dry)
    const late = await connectDevice(t, carillon, away.login)
    await Promise.all([device.has(1), late.has(1)])
    t.assert.deepEqual([device.tasks, late.tasks], [[real], [real]])
    t.assert.deepEqual([device.received[0]!.badge, late.received[0]!.badge], [1, 1])
    t.assert.deepEqual(own(await carillon.counters(dry)), [2, 0, 0])
  })

  test('a task with a send_time waits for it', async (t) => {
    const { login, send } = await newDevice('patient')
    const device = await connectDevice(t, carillon, login)
    const sendTime = inSeconds(2)
    const task = await send({ title: 'later' }, { send_time: sendTime })
    const [push] = await device.has(1)
    t.assert.equal(push!.task_id, task)
    t.assert.equal((push!.sent_at as number) >= sendTime * 1000, true)
    t.assert.deepEqual(own((await ends(task)).counters), [1, 1, 1])
  })

  test('what is cancelled before its send_time is never sent', async (t) => {
    const { login, send } = await newDevice('cancelled in time')
    const task = await send({ title: 'never' }, { send_time: inSeconds(3600) })
    t.assert.equal((await carillon.task(task)).state, 'accepted')
    t.assert.match(await carillon.trace(task, login.push_token), /will be planned then/)
    t.assert.equal((await cancel(task)).data.state, 'cancelled')
    t.assert.equal((await cancel(task)).code, 200) // again changes nothing
    t.assert.match(await carillon.trace(task, login.push_token), /the task was cancelled/)
    t.assert.deepEqual(own((await carillon.task(task)).counters), [0, 0, 0])
  })

  test('cancelling takes a push out of the inboxes where it waits', async (t) => {
    const { login, send } = await newDevice('cancelled while away')
    const kept = await send({ title: 'kept' })
    const cancelled = await send({ title: 'cancelled' })
    t.assert.equal((await ends(cancelled)).waiting, 1)
    await cancel(cancelled)
    const shown = await carillon.task(cancelled)
    t.assert.deepEqual([shown.state, shown.waiting, shown.reasons], ['cancelled', 0, { 'nativepush: cancelled': 1 }])
    const device = await connectDevice(t, carillon, login)
    const last = await send({ title: 'last' })
    await device.has(2)
    t.assert.deepEqual(device.tasks, [kept, last])
  })

  test('what was written and then cancelled does not come again; what was received stays received', async (t) => {
    const mute = await newDevice('cancelled in the air')
    const { login, userId } = await newDevice('had it before')
    const silent = await connectMute(t, carillon, mute.login)
    const device = await connectDevice(t, carillon, login)
    const task = await carillon.notify({ audience: { user_id: [userId, mute.userId] }, message: { title: 'too late' } })
    await Promise.all([silent.has(1), device.has(1)])
    await carillon.until(() => carillon.counters(task), (row) => `${own(row)}` === '2,2,1')
    await cancel(task)
    silent.socket.destroy()

    const again = await connectDevice(t, carillon, mute.login)
    const last = await mute.send({ title: 'last' })
    await again.has(1)
    t.assert.deepEqual(again.tasks, [last])
    const shown = await carillon.task(task)
    t.assert.equal(shown.state, 'cancelled')
    t.assert.deepEqual(own(shown.counters), [2, 2, 1])
  })

  test('a finished task stays done when it is cancelled, and only its own scope may cancel it', async (t) => {
    const { login, send } = await newDevice('finished')
    const stranger = await newDevice('stranger')
    const device = await connectDevice(t, carillon, login)
    const task = await send({ title: 'done' })
    await device.has(1)
    t.assert.equal((await ends(task)).state, 'done')
    t.assert.equal((await cancel(task)).data.state, 'done')
    t.assert.equal((await cancel(task, stranger.login.token)).code, 12011)
    t.assert.equal((await cancel(Number.MAX_SAFE_INTEGER)).code, 12011)
    t.assert.deepEqual(own(await carillon.counters(task)), [1, 1, 1])
  })

  test('every task ends: nobody matched, all away, all online, and one that outlives its time', async (t) => {
    const nobody = await carillon.notify({ audience: { tag: ['nobody has this'] }, message: { title: 'x' } })
    const { state, waiting, counters, reasons } = await ends(nobody)
    t.assert.deepEqual([state, waiting, own(counters), reasons], ['done', 0, [0, 0, 0], {}])

    const away = await newDevice('ends away')
    const kept = await ends(await away.send({ title: 'x' }))
    t.assert.deepEqual([kept.state, kept.waiting, own(kept.counters)], ['done', 1, [1, 0, 0]])

    const here = await newDevice('ends here')
    const device = await connectDevice(t, carillon, here.login)
    await carillon.online(here.login)
    const task = await here.send({ title: 'x' })
    await device.has(1)
    const had = await ends(task)
    t.assert.deepEqual([had.state, had.waiting, own(had.counters)], ['done', 0, [1, 1, 1]])

    // It may not be shown any more when its time to be sent comes.
    const late = await here.send({ title: 'x', show_end_time: inSeconds(1) }, { send_time: inSeconds(3600) })
    const expired = await ends(late)
    t.assert.deepEqual([expired.state, own(expired.counters)], ['expired', [0, 0, 0]])
  })

  test('in quiet hours of the user notifications wait; pass-through messages and high priority do not', async (t) => {
    const { login, userId, send } = await newDevice('asleep')
    const device = await connectDevice(t, carillon, login)
    const timeZone = 'Asia/Tokyo' // far from the server's zone, and without clock changes
    const hour = Number(new Intl.DateTimeFormat('en-GB', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format())
    const hours = { no_push_start_hour: (hour + 23) % 24, no_push_end_hour: (hour + 2) % 24, time_zone: timeZone }
    await carillon.ok('/user/push', { token: login.token, body: { enabled: true, ...hours } })

    const held = await send({ title: 'good morning' })
    const tooLate = await send({ title: 'quick' }, { time_to_live: 60 })
    const command = await send({ type: 'cmd', ext: { sync: true } })
    const alarm = await send({ title: 'fire' }, { priority: 'high' })
    await device.has(2)
    t.assert.deepEqual(new Set(device.tasks), new Set([command, alarm]))

    const waits = await carillon.task(held)
    t.assert.equal(waits.state, 'sending')
    t.assert.deepEqual([own(waits.counters), waits.reasons], [[0, 0, 0], { 'held: pending': 1 }])
    t.assert.match(await carillon.trace(held, login.push_token), /held back: quiet hours/)
    t.assert.equal((await ends(tooLate)).state, 'done')
    t.assert.match(await carillon.trace(tooLate, login.push_token), /not sent: it expires before the quiet hours/)

    await cancel(held)
    t.assert.equal((await carillon.task(held)).state, 'cancelled')
    await carillon.ok('/user/push', { user: userId, token: carillon.admin, body: { enabled: true } })
    const day = await send({ title: 'good day' })
    await device.has(3)
    t.assert.deepEqual(device.tasks.slice(2), [day])
  })

  test('a user who has switched push off is no target, and the reason is told', async (t) => {
    const { login, send } = await newDevice('undisturbed')
    const device = await connectDevice(t, carillon, login)
    await carillon.ok('/user/push', { token: login.token, body: { enabled: false } })
    for (const setting of [{}, { priority: 'high' }]) {
      const task = await send({ title: 'unwanted' }, setting)
      const { state, counters, reasons, fates } = await ends(task)
      t.assert.deepEqual([state, own(counters)], ['done', [0, 0, 0]])
      t.assert.deepEqual(reasons, { 'none: the user has switched push off': 1 })
      const reason = { name: 'push_off', values: {} }
      const why = 'the user has switched push off'
      t.assert.deepEqual(fates, [{ channel: null, state: 'untargeted', reason, why, deliveries: 1 }])
      t.assert.match(await carillon.trace(task, login.push_token), /not sent: the user has switched push off/)
    }
    await carillon.ok('/user/push', { token: login.token, body: { enabled: true } })
    const wanted = await send({ title: 'wanted' })
    await device.has(1)
    t.assert.deepEqual(device.tasks, [wanted])
  })

  test('the trace of a delivery tells its steps in words, to those who may see the task', async (t) => {
    const { login, send } = await newDevice('traced')
    const stranger = await newDevice('not meant')
    const device = await connectDevice(t, carillon, login)
    await carillon.online(login)
    const task = await send({ title: 'where is it' })
    await device.has(1)
    await ends(task)
    const words = await carillon.trace(task, login.push_token)
    t.assert.match(words, /accepted[^]*nativepush was chosen[^]*handed over[^]*acknowledged/)
    t.assert.match(await carillon.trace(task, stranger.login.push_token), /not in the audience/)

    const ask = async (pushToken: string, token: string): Promise<number> =>
      (await carillon.call(`/push/task/${task}/trace?push_token=${pushToken}`, { token })).code
    t.assert.equal(await ask(login.push_token, stranger.login.token), 12011)
    t.assert.equal(await ask('unknown', carillon.admin), 12011)
  })
})
