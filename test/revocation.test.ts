import { once } from 'node:events'
import test, { after } from 'node:test'
import type { Login } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { startWithStillClock } from './harness/still-clock.ts'

const { carillon, pass: passMonth } = await startWithStillClock({ after }, 31 * 86_400_000)
const admin = carillon.admin

/** Calls are refused within 1 s and connections closed within 5; this is long enough for the slowest machine. */
const limit = { timeout: 20_000 }

const codeOf = async ({ token }: Login): Promise<number> => (await carillon.call('/user/device/list', { token })).code
const refused = (login: Login, code: number) => carillon.until(() => codeOf(login), (answer) => answer === code)

/** Somebody with a connected phone and tablet. */
const person = async (t: test.TestContext, name: string) => {
  const user = await carillon.addUser(name)
  const phone = await carillon.tokenFor(user, `${name} phone`)
  const tablet = await carillon.tokenFor(user, `${name} tablet`)
  const [onPhone, onTablet] = [await connectDevice(t, carillon, phone), await connectDevice(t, carillon, tablet)]
  const closed = [once(onPhone.client as never, 'close'), once(onTablet.client as never, 'close')] as const
  return { user, phone, tablet, onPhone, onTablet, closed }
}

const asAdmin = (path: string, body: unknown, user?: number) => carillon.ok(path, { token: admin, user, body })

const endings: { how: string; of: 'phone' | 'user'; end(user: number, phone: Login): Promise<unknown> }[] = [
  { how: 'a logout', of: 'phone', end: (_, { token }) => carillon.ok('/token/logout', { method: 'POST', token }) },
  { how: 'a new login there', of: 'phone', end: (user) => carillon.tokenFor(user, 'a new login there phone') },
  {
    how: 'the removal of the device',
    of: 'phone',
    end: (user, { push_token }) => asAdmin('/user/device/remove', { push_token }, user),
  },
  {
    how: 'a kick from one device',
    of: 'phone',
    end: (user) => asAdmin('/user/kick', { device_guid: 'a kick from one device phone' }, user),
  },
  { how: 'a kick from everywhere', of: 'user', end: (user) => asAdmin('/user/kick', {}, user) },
  { how: 'disabling the user', of: 'user', end: (user_id) => asAdmin('/user/disable', { user_id }) },
  { how: 'deleting the user', of: 'user', end: (user_id) => asAdmin('/user/delete', { user_id }) },
  {
    how: 'a password set by an admin',
    of: 'user',
    end: (user_id) => asAdmin('/user/change_password_admin', { user_id, password: 'a new password' }),
  },
]

for (const { how, of, end } of endings) {
  const others = of === 'phone' ? 'leaves other devices alone' : 'spares no device'
  test(`${how} ends the token for calls, closes its connection and ${others}`, limit, async (t) => {
    const { user, phone, tablet, onTablet, closed } = await person(t, how)
    await end(user, phone)
    await refused(phone, 10008)
    await closed[0]
    await t.assert.rejects(connectDevice(t, carillon, phone))
    if (of === 'user') {
      await refused(tablet, 10008)
      await closed[1]
    } else {
      t.assert.equal(await codeOf(tablet), 200)
      t.assert.equal(onTablet.client.connected, true)
    }
  })
}

test('a connection being let in while its token ends does not stay', limit, async (t) => {
  const user = await carillon.addUser('racer')
  for (let i = 0; i < 20; i++) {
    const login = await carillon.tokenFor(user, 'racer phone')
    const coming = connectDevice(t, carillon, login, { subscribe: false }).catch(() => undefined)
    const [device] = await Promise.all([coming, carillon.ok('/token/logout', { method: 'POST', token: login.token })])
    if (device?.client.connected) await once(device.client as never, 'close')
  }
})

// The last one: for this server a month passes.
test('a token that expires is refused as expired, and its connection is closed', limit, async (t) => {
  const { phone, closed } = await person(t, 'late')
  t.assert.equal(await codeOf(phone), 200)
  await passMonth()
  await refused(phone, 402)
  await Promise.all(closed)
  await t.assert.rejects(connectDevice(t, carillon, phone))
  t.assert.equal((await carillon.call('/push/task/list', { token: admin })).code, 200)
})
