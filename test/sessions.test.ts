import { after, suite, test } from 'node:test'
import { type Login, startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { connectMute } from './harness/raw-socket.ts'

const carillon = await startCarillon({ after }, { CARILLON_ACK_SECONDS: '1' })

const TAKEN_OVER = 0x8e

const toUser = (userId: number, title: string): Promise<number> =>
  carillon.notify({ audience: { user_id: [userId] }, message: { title } })

const newUser = async (name: string, guid = `phone of ${name}`): Promise<{ userId: number; login: Login }> => {
  const userId = await carillon.addUser(name)
  return { userId, login: await carillon.tokenFor(userId, guid) }
}

/** A push to the user has nobody to go to; where the device still exists, its trace says why. */
const reachesNobody = async (t: test.TestContext, userId: number, pushToken?: string): Promise<void> => {
  const task = await toUser(userId, 'to nobody')
  const { state, counters } = await carillon.until(() => carillon.task(task), (shown) => shown.state === 'done')
  t.assert.deepEqual([state, counters.nativepush_target, counters.nativepush_sent], ['done', 0, 0])
  if (pushToken === undefined) return
  t.assert.match(await carillon.trace(task, pushToken), /not sent: the device is logged out/)
}

const asAdmin = (path: string, body: unknown, user?: number) => carillon.ok(path, { token: carillon.admin, user, body })

suite('a connection ends with what opened it', { concurrency: 16 }, () => {
  test('logging out closes the connection, and nothing is sent to the device any more', async (t) => {
    const { userId, login } = await newUser('leaving')
    const device = await connectDevice(t, carillon, login)
    await carillon.ok('/token/logout', { token: login.token, body: {} })
    await device.closed
    await t.assert.rejects(connectDevice(t, carillon, login))
    await reachesNobody(t, userId, login.push_token)
    t.assert.deepEqual(device.received, [])
  })

  test('a user who is kicked loses every connection; with a device_guid only that one', async (t) => {
    const { userId, login } = await newUser('kicked', 'first')
    const other = await carillon.tokenFor(userId, 'second')
    const [device, second] = await Promise.all([connectDevice(t, carillon, login), connectDevice(t, carillon, other)])

    await asAdmin('/user/kick', { device_guid: 'first' }, userId)
    await device.closed
    const task = await toUser(userId, 'to the one that is left')
    await second.has(1)
    t.assert.deepEqual(second.tasks, [task])
    t.assert.deepEqual(device.received, [])
    t.assert.equal((await carillon.counters(task)).nativepush_target, 1)

    await asAdmin('/user/kick', {}, userId)
    await second.closed
    await reachesNobody(t, userId, other.push_token)
  })

  test('a user who is disabled loses the connection, and may come back only when enabled', async (t) => {
    const { userId, login } = await newUser('disabled')
    const device = await connectDevice(t, carillon, login)
    await asAdmin('/user/disable', { user_id: userId })
    await device.closed
    await t.assert.rejects(connectDevice(t, carillon, login))
    await reachesNobody(t, userId, login.push_token)

    await asAdmin('/user/enable', { user_id: userId })
    const back = await connectDevice(t, carillon, await carillon.tokenFor(userId, 'phone of disabled'))
    const task = await toUser(userId, 'welcome back')
    await back.has(1)
    t.assert.deepEqual(back.tasks, [task])
  })

  test('a user who is deleted loses the connection and the devices', async (t) => {
    const { userId, login } = await newUser('deleted')
    const device = await connectDevice(t, carillon, login)
    await asAdmin('/user/delete', { user_id: userId })
    await device.closed
    await t.assert.rejects(connectDevice(t, carillon, login))
    await reachesNobody(t, userId)
  })

  test('a device that is removed loses its connection', async (t) => {
    const { userId, login } = await newUser('removing')
    const device = await connectDevice(t, carillon, login)
    await carillon.ok('/user/device/remove', { token: login.token, body: { push_token: login.push_token } })
    await device.closed
    await t.assert.rejects(connectDevice(t, carillon, login))
    await reachesNobody(t, userId)
  })

  test('a new login on the same device ends the older token and its connection, and keeps what waits', async (t) => {
    const { userId, login } = await newUser('again')
    const device = await connectDevice(t, carillon, login)
    const renewed = await carillon.tokenFor(userId, 'phone of again')
    await device.closed
    t.assert.equal(renewed.push_token, login.push_token)
    await t.assert.rejects(connectDevice(t, carillon, login))
    const task = await toUser(userId, 'still mine')
    const back = await connectDevice(t, carillon, renewed)
    await back.has(1)
    t.assert.deepEqual(back.tasks, [task])
  })

  test('a device that changes hands is a new one: its former owner leaves nothing to the next', async (t) => {
    const { userId: annId, login: ann } = await newUser('ann', 'shared tablet')
    const before = await connectDevice(t, carillon, ann)
    await before.close()
    const secret = await toUser(annId, 'for ann alone')
    await carillon.until(() => carillon.task(secret), ({ waiting }) => waiting === 1)
    const live = await connectMute(t, carillon, ann) // when the owner changes, the secret is unacknowledged
    await live.has(1)

    const { userId: bobId, login: bob } = await newUser('bob', 'shared tablet')
    await live.closed()
    t.assert.notEqual(bob.push_token, ann.push_token)
    await t.assert.rejects(connectDevice(t, carillon, ann))
    await t.assert.rejects(connectDevice(t, carillon, { push_token: ann.push_token, token: bob.token }))
    const audience = { push_token: [ann.push_token] }
    const astray = await carillon.notify({ audience, message: { title: 'to a dead address' } })
    t.assert.equal((await carillon.counters(astray)).nativepush_target, 0)
    await reachesNobody(t, annId)

    const device = await connectDevice(t, carillon, bob)
    const task = await toUser(bobId, 'for bob')
    await device.has(1)
    t.assert.deepEqual(device.tasks, [task])
    // Nobody will ever acknowledge the former owner's push: it must not be left open.
    await carillon.until(() => carillon.task(secret), ({ state }) => state === 'done')
    t.assert.equal((await carillon.counters(secret)).nativepush_received, 0)
  })

  test("a token of somebody else opens nobody's device", async (t) => {
    const { login: carol } = await newUser('carol')
    const { login: dave } = await newUser('dave')
    await t.assert.rejects(connectDevice(t, carillon, { push_token: carol.push_token, token: dave.token }))
    await t.assert.rejects(connectDevice(t, carillon, { push_token: carol.push_token, token: carillon.admin }))
  })

  test('a newer connection of a device takes over: the older one is told and closed', async (t) => {
    const { userId, login } = await newUser('hopping')
    const older = await connectDevice(t, carillon, login, { protocolVersion: 5 })
    const newer = await connectDevice(t, carillon, login, { protocolVersion: 5 })
    t.assert.equal(await older.closed, TAKEN_OVER)
    const task = await toUser(userId, 'to the newer')
    await newer.has(1)
    t.assert.deepEqual(newer.tasks, [task])
    t.assert.deepEqual(older.received, [])
  })

  test('what the older connection did not acknowledge comes to the newer one, and is counted once', async (t) => {
    const { userId, login } = await newUser('hopping and mute')
    const older = await connectMute(t, carillon, login)
    const task = await toUser(userId, 'in the air')
    await older.has(1)
    const newer = await connectDevice(t, carillon, login)
    await older.closed()
    const [push] = await newer.has(1)
    t.assert.deepEqual([push!.task_id, push!.dup], [task, true])
    const row = await carillon.until(() => carillon.counters(task), (found) => found.nativepush_received === 1)
    t.assert.deepEqual([row.nativepush_target, row.nativepush_sent], [1, 1])
  })
})
