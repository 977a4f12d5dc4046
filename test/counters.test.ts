import { after, suite, test } from 'node:test'
import { channels } from '@carillon/protocol/names.ts'
import { startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { connectMute } from './harness/raw-socket.ts'

const carillon = await startCarillon({ after })

const newDevice = async (name: string) => {
  const userId = await carillon.addUser(name)
  const login = await carillon.tokenFor(userId, `phone of ${name}`)
  const send = (message: Record<string, unknown>): Promise<number> =>
    carillon.notify({ audience: { user_id: [userId] }, message })
  return { userId, login, send }
}

const own = (row: Record<string, number>) => [row.nativepush_target, row.nativepush_sent, row.nativepush_received]

suite('statistics', { concurrency: 8 }, () => {
  test('records come in the order asked, an id asked twice comes once, an unknown one not at all', async (t) => {
    const { send } = await newDevice('counted')
    const [first, second, third] = [await send({ title: '1' }), await send({ title: '2' }), await send({ title: '3' })]
    const list = [third, 999_999_999, first, third, '9223372036854775807', second, first]
    const body = `{"list":[${list.join(',')}]}`
    const rows = await carillon.ok<Record<string, number>[]>('/push/task/detail', { token: carillon.admin, body })
    t.assert.deepEqual(rows.map(({ task_id }) => task_id), [third, first, second])
    const names = channels.flatMap((channel) => ['received', 'sent', 'target'].map((count) => `${channel}_${count}`))
    for (const row of rows) t.assert.deepEqual(Object.keys(row).sort(), [...names, 'task_id'].sort())
    for (const name of names) t.assert.equal(rows[0]![name], name === 'nativepush_target' ? 1 : 0)
  })

  test('a user sees their own tasks alone, another app none of ours', async (t) => {
    const { userId, login, send } = await newDevice('curious')
    const byAdmin = await send({ title: 'x' })
    const note = { audience: 'all', message: { title: 'note to self' } }
    const byUser = await carillon.notify(note, { token: login.token })
    const asked = { list: [byAdmin, byUser] }
    const seen = async (options: object): Promise<number[]> => {
      const rows = await carillon.ok<{ task_id: number }[]>('/push/task/detail', { body: asked, ...options })
      return rows.map(({ task_id }) => task_id)
    }
    t.assert.deepEqual(await seen({ token: login.token }), [byUser])
    t.assert.deepEqual(await seen({ token: carillon.admin, user: userId }), [byUser])
    t.assert.deepEqual(await seen({ token: carillon.admin }), [byAdmin, byUser])
    const token = await carillon.addApp('elsewhere')
    t.assert.deepEqual(await seen({ app: 'elsewhere', token }), [])
    t.assert.equal((await carillon.counters(byUser)).nativepush_target, 1) // "all" of a user's scope is that user
  })

  test('a list of 1 to 500 ids is asked', async (t) => {
    const ask = (list: unknown) => carillon.call('/push/task/detail', { token: carillon.admin, body: { list } })
    t.assert.equal((await ask([])).code, 10002)
    t.assert.equal((await ask(Array.from({ length: 501 }, (_, i) => i + 1))).code, 12005)
    t.assert.equal((await ask(Array.from({ length: 500 }, (_, i) => i + 1_000_000))).code, 200)
  })
})

suite('receipts', { concurrency: 8 }, () => {
  const report = (token: string, list: unknown[]) =>
    carillon.ok<{ accepted: number }>('/push/receipt', { token, body: { list } })

  test('received, shown and clicked are taken over HTTP, and repeating them changes nothing', async (t) => {
    const { login, send } = await newDevice('reporting')
    const mute = await connectMute(t, carillon, login)
    const task = await send({ title: 'seen' })
    await mute.has(1)
    await carillon.until(() => carillon.counters(task), (row) => row.nativepush_sent === 1)
    t.assert.deepEqual(own(await carillon.counters(task)), [1, 1, 0])

    const events = ['received', 'shown', 'clicked', 'received', 'shown', 'clicked']
    const list = events.map((event) => ({ task_id: task, event, channel: 'nativepush', at: Date.now() }))
    t.assert.equal((await report(login.token, list)).accepted, 6)
    await carillon.until(() => carillon.trace(task, login.push_token), (words) => /has clicked it/.test(words))
    await report(login.token, list)
    await report(login.token, [{ task_id: task, event: 'shown' }])
    // Receipts are stored in the order they came: when this one is, so are the repeated ones.
    const last = await send({ title: 'last' })
    await mute.has(2)
    await report(login.token, [{ task_id: last, event: 'shown' }])
    await carillon.until(() => carillon.trace(last, login.push_token), (words) => /has shown it/.test(words))
    const shown = await carillon.until(() => carillon.task(task), ({ state }) => state === 'done')
    t.assert.deepEqual(own(shown.counters), [1, 1, 1])
    t.assert.match(await carillon.trace(task, login.push_token), /has clicked it/)
  })

  for (const protocolVersion of [4, 5] as const) {
    test(`a device publishes receipts over MQTT ${protocolVersion === 5 ? '5' : '3.1.1'} too`, async (t) => {
      const { login, send } = await newDevice(`publishing ${protocolVersion}`)
      const device = await connectDevice(t, carillon, login, { protocolVersion, subscribe: 0 })
      const task = await send({ title: 'seen' })
      await device.has(1)
      await carillon.until(() => carillon.counters(task), (row) => row.nativepush_sent === 1)
      t.assert.deepEqual(own(await carillon.counters(task)), [1, 1, 0])
      for (const event of ['received', 'shown', 'shown']) {
        await device.client.publishAsync('receipt', JSON.stringify({ task_id: task, event }), { qos: 1 })
      }
      await carillon.until(() => carillon.trace(task, login.push_token), (words) => /has shown it/.test(words))
      t.assert.deepEqual(own(await carillon.counters(task)), [1, 1, 1])
      await device.client.publishAsync('receipt', JSON.stringify({ task_id: task, event: 'clicked' }), { qos: 0 })
      await carillon.until(() => carillon.trace(task, login.push_token), (words) => /has clicked it/.test(words))
      t.assert.deepEqual(own(await carillon.counters(task)), [1, 1, 1])
    })
  }

  test('a malformed receipt is refused, and the connection stays', async (t) => {
    const { login, send } = await newDevice('babbling')
    const device = await connectDevice(t, carillon, login, { protocolVersion: 5 })
    for (const payload of ['', 'not json', '[]', '{"task_id":"1","event":"shown"}', '{"task_id":1,"event":"eaten"}']) {
      await t.assert.rejects(device.client.publishAsync('receipt', payload, { qos: 1 }))
    }
    const task = await send({ title: 'still there' })
    await device.has(1)
    t.assert.deepEqual(device.tasks, [task])
  })

  test("receipts of a device that did not get it, for anybody's task, change nothing", async (t) => {
    const older = await newDevice('meddling')
    const { login, send } = await newDevice('rightful')
    const stranger = await newDevice('meddling too')
    const task = await send({ title: 'not yours' })
    const list = ['received', 'clicked'].map((event) => ({ task_id: task, event }))
    for (const { token } of [older.login, stranger.login]) t.assert.equal((await report(token, list)).accepted, 0)
    const naming = { list, push_token: login.push_token }
    t.assert.equal((await carillon.call('/push/receipt', { token: stranger.login.token, body: naming })).code, 12011)
    const meddler = await connectDevice(t, carillon, stranger.login)
    await meddler.client.publishAsync('receipt', JSON.stringify(list[1]), { qos: 1 })
    const neverUsed = { task_id: task, event: 'clicked', channel: 'apns' }
    t.assert.equal((await report(login.token, [neverUsed])).accepted, 0)

    const device = await connectDevice(t, carillon, login)
    await device.has(1)
    await carillon.until(() => carillon.counters(task), (row) => row.nativepush_received === 1)
    t.assert.deepEqual(own(await carillon.counters(task)), [1, 1, 1])
    t.assert.doesNotMatch(await carillon.trace(task, login.push_token), /clicked/)
  })
})

suite('the badge', { concurrency: 8 }, () => {
  test('each notification raises it by one or as it says; a pass-through message leaves it alone', async (t) => {
    const { login, send } = await newDevice('badged')
    await send({ title: 'first, while away' })
    const device = await connectDevice(t, carillon, login)
    await send({ title: 'second' })
    await send({ title: 'absolute', badge: '7' })
    await send({ title: 'more', badge: '+3' })
    await send({ type: 'cmd', ext: { quietly: true } })
    await send({ type: 'image', title: 'a picture', attachment_url: 'https://example.com/a.png' })
    await send({ title: 'none', badge: '0' })
    await send({ title: 'next' })
    await device.has(8)
    t.assert.deepEqual(device.received.map(({ badge }) => badge), [1, 2, 7, 10, undefined, 11, 0, 1])
  })

  test('the device tells the true number, and counting goes on from there', async (t) => {
    const { login, send } = await newDevice('reading')
    const device = await connectDevice(t, carillon, login)
    await send({ title: 'one' })
    await send({ title: 'two' })
    await carillon.ok('/user/push/badge', { token: login.token, body: { badge: 0 } })
    await send({ title: 'one again' })
    await carillon.ok('/user/push/badge', { token: login.token, body: { badge: 40, push_token: login.push_token } })
    await send({ title: 'forty-one' })
    await device.has(4)
    t.assert.deepEqual(device.received.map(({ badge }) => badge), [1, 2, 1, 41])
  })

  test('every device of a user has its own', async (t) => {
    const { userId, login, send } = await newDevice('two devices')
    const tablet = await carillon.tokenFor(userId, 'tablet')
    const [one, two] = await Promise.all([connectDevice(t, carillon, login), connectDevice(t, carillon, tablet)])
    await send({ title: 'both' })
    await carillon.ok('/user/push/badge', { token: tablet.token, body: { badge: 0 } })
    await send({ title: 'both' })
    await Promise.all([one.has(2), two.has(2)])
    t.assert.deepEqual([one, two].map((device) => device.received.map(({ badge }) => badge)), [[1, 2], [1, 1]])
  })

  test('twenty notifications at once give twenty different numbers', async (t) => {
    const { login, send } = await newDevice('flooded')
    const device = await connectDevice(t, carillon, login)
    await Promise.all(Array.from({ length: 20 }, (_, i) => send({ title: `at once ${i}` })))
    await device.has(20)
    const numbers = device.received.map(({ badge }) => badge as number).sort((a, b) => a - b)
    t.assert.deepEqual(numbers, Array.from({ length: 20 }, (_, i) => i + 1))
  })
})
