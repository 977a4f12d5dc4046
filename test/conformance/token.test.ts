import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type Login, startCarillon } from '../harness/carillon.ts'
import { connectDevice } from '../harness/device.ts'
import { conform, type Keeps } from './conform.ts'
import type { Fields } from './phone.ts'

const carillon = await startCarillon({ after })

const password = 'correct horse battery'
const mobile = '+491511234567'
const email = 'Ann@example.org'
const [{ user_id }] = await carillon.ok('/user/register/batch', {
  token: carillon.admin,
  body: { list: [{ username: 'ann', password, mobile, email }] },
})

/** Each login with the field that names the user. */
const logins = {
  'POST /token/id': { path: '/token/id', who: { user_id } },
  'POST /token/login': { path: '/token/login', who: { login_name: email } },
  'POST /token/user': { path: '/token/user', who: { name: 'ann' } },
}

const logIn = (path: string, body: Fields): Promise<Login> => carillon.ok(path, { body: { password, ...body } })
const refusal = async (path: string, body: Fields | string): Promise<{ code: number; message: string | null }> => {
  const { code, message } = await carillon.call(path, { body })
  return { code, message }
}

/** Refused for this field, by its name. */
const refusesField = async (path: string, field: string, values: unknown[]): Promise<void> => {
  for (const value of values) {
    const { code, message } = await refusal(path, { user_id, login_name: email, name: 'ann', password, [field]: value })
    assert.equal(code, 10002, JSON.stringify(value))
    assert.match(message!, new RegExp(`^${field} `))
  }
}

const fields = ['access_key_secret', 'encrypt_type', 'expire', 'public_key', 'store_token', 'token', 'user_id']
const DAY_MS = 86_400_000

const isSecret = (field: 'access_key_secret' | 'store_token' | 'token'): Keeps => async () => {
  const first = await logIn('/token/id', { user_id, device_guid: 'phone' })
  const second = await logIn('/token/id', { user_id, device_guid: 'phone' })
  assert.equal(typeof first[field], 'string')
  assert.ok(first[field].length >= 22, 'at least 128 bits')
  assert.notEqual(second[field], first[field])
  const others = ['access_key_secret', 'store_token', 'token', 'push_token'].filter((name) => name !== field)
  for (const other of others) assert.notEqual(first[other as 'token'], first[field])
}

const endpoint = (name: keyof typeof logins): Record<string, Keeps> => {
  const { path, who } = logins[name]
  return {
    [name]: async () => {
      const answer = await carillon.call(path, { body: { ...who, password } })
      assert.deepEqual([answer.status, answer.code, answer.message], [200, 200, null])
      assert.deepEqual(Object.keys(answer.data).sort(), fields)
      assert.equal(answer.data.user_id, user_id)
    },
    [`${name} password`]: async () => {
      assert.equal((await refusal(path, { ...who, password: `${password} ` })).code, 10020)
      assert.equal((await refusal(path, { ...who, password })).code, 200)
      await refusesField(path, 'password', [undefined, null, '', 12345678])
    },
    [`${name} device_guid`]: async () => {
      const [first, again, other, none] = [
        await logIn(path, { ...who, device_guid: 'phone' }),
        await logIn(path, { ...who, device_guid: 'phone' }),
        await logIn(path, { ...who, device_guid: 'tablet' }),
        await logIn(path, { ...who, device_guid: '' }),
      ]
      assert.match(first.push_token, /^\S+$/)
      assert.equal(again.push_token, first.push_token)
      assert.match(other.push_token, /^\S+$/)
      assert.notEqual(other.push_token, first.push_token)
      assert.ok(!('push_token' in none))
      await refusesField(path, 'device_guid', [7])
    },
  }
}

const logsInByLoginName = (loginName: string): Keeps => async () => {
  assert.equal((await logIn('/token/login', { login_name: loginName })).user_id, user_id)
}

/** A call that a user's token allows. */
const devicesOf = ({ token }: Login): Promise<{ push_token: string; device_guid: string }[]> =>
  carillon.ok('/user/device/list', { token })

conform('token', {
  'the service, tokens': async () => {
    for (const { path, who } of Object.values(logins)) {
      const login = await logIn(path, who)
      assert.equal(login.user_id, user_id)
      await devicesOf(login)
    }
  },
  'the service, push tokens': async (t) => {
    const login = await logIn('/token/user', { name: 'ann', device_guid: 'watch' })
    assert.equal((await devicesOf(login)).find((one) => one.push_token === login.push_token)?.device_guid, 'watch')
    const device = await connectDevice(t, carillon, login)
    const task = await carillon.notify({ audience: { push_token: [login.push_token] }, message: { body: 'tick' } })
    assert.equal((await device.has(1))[0]!.task_id, task)
  },
  'token record access_key_secret': isSecret('access_key_secret'),
  'token record store_token': isSecret('store_token'),
  'token record token': isSecret('token'),
  'token record encrypt_type': async () => {
    assert.equal(new URL(carillon.mqtt).protocol, 'mqtt:')
    assert.equal((await logIn('/token/id', { user_id })).encrypt_type, 0)
  },
  'token record expire': async () => {
    const before = Date.now()
    const { expire } = await logIn('/token/id', { user_id })
    assert.ok(Number.isSafeInteger(expire))
    assert.ok(expire > before && expire < before + 3651 * DAY_MS, 'neither seconds nor microseconds')
  },
  'token record public_key': async () => {
    assert.equal((await logIn('/token/id', { user_id })).public_key, '')
  },
  'token record push_token': async () => {
    assert.match((await logIn('/token/id', { user_id, device_guid: 'phone' })).push_token, /^\S{22,}$/)
    assert.ok(!('push_token' in (await logIn('/token/id', { user_id }))))
  },
  'token record user_id': async () => {
    assert.equal((await logIn('/token/login', { login_name: mobile })).user_id, user_id)
    assert.ok(Number.isSafeInteger(user_id))
  },
  ...endpoint('POST /token/id'),
  'POST /token/id user_id': async () => {
    await refusesField('/token/id', 'user_id', [undefined, null, String(user_id), 'ann', 1.5])
    // 2^53 + 1 would be rounded to an even neighbour by a parser of doubles; here it is an id that nobody has.
    const large = `{"user_id":9007199254740993,"password":"${password}"}`
    assert.equal((await refusal('/token/id', large)).code, 10020)
    assert.equal((await logIn('/token/id', { user_id })).user_id, user_id)
  },
  ...endpoint('POST /token/login'),
  'POST /token/login login_name': async () => {
    await refusesField('/token/login', 'login_name', [undefined, null, ' ', user_id])
    assert.equal((await refusal('/token/login', { login_name: 'nobody', password })).code, 10020)
  },
  'POST /token/login login_name, mobile number': logsInByLoginName(mobile),
  'POST /token/login login_name, email': logsInByLoginName(email),
  'POST /token/login login_name, username': logsInByLoginName('ann'),
  ...endpoint('POST /token/user'),
  'POST /token/user name': async () => {
    await refusesField('/token/user', 'name', [undefined, null, '', user_id])
    assert.equal((await logIn('/token/user', { name: 'ann' })).user_id, user_id)
    for (const name of [mobile, email]) assert.equal((await refusal('/token/user', { name, password })).code, 10020)
  },
  'authentication 2': async () => {
    for (const { path, who } of Object.values(logins)) {
      const { token } = await logIn(path, who)
      const answer = await carillon.call('/push/notify', { token, body: { audience: 'all', message: { body: 'me' } } })
      assert.equal(answer.code, 200)
    }
  },
  'authentication 6': async (t) => {
    const login = await logIn('/token/id', { user_id, device_guid: 'plain' })
    assert.deepEqual([login.encrypt_type, login.public_key], [0, ''])
    const device = await connectDevice(t, carillon, login)
    assert.ok(device.client.connected)
  },
  'limits, token lifetime': async () => {
    const before = Date.now()
    const { expire } = await logIn('/token/id', { user_id })
    assert.ok(expire >= before + 30 * DAY_MS && expire <= Date.now() + 30 * DAY_MS)
  },
})
