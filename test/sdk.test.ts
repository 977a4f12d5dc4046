import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import type { Notify } from '@carillon/protocol/notify.ts'
import { CarillonError } from '@carillon/sdk/call.ts'
import { attach } from '@carillon/sdk/attach.ts'
import { Caller } from '@carillon/sdk/caller.ts'
import type { Clock } from '@carillon/sdk/clock.ts'
import { connectDevice, type Device, type DeviceOptions, type DeviceState } from '@carillon/sdk/device.ts'
import { DeviceCalls } from '@carillon/sdk/device-calls.ts'
import type { Push } from '@carillon/sdk/push.ts'
import { overTcp } from '@carillon/sdk/tcp.ts'
import { type Carillon, type Login, startCarillon } from './harness/carillon.ts'

type Misdeed = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>
type After = Pick<test.TestContext, 'after'>

const carillon = await startCarillon({ after })
const place = { url: carillon.http, appId: 'demo' }
const admin = new Caller({ ...place, accessToken: carillon.admin })

/** Pauses short enough for a test; chance stays chance. */
const pauses = { firstMs: 50, longestMs: 200, spreadMs: 200 }

const newUser = async (name: string, at: Carillon = carillon): Promise<{ userId: number; login: Login }> => {
  const userId = await at.addUser(name)
  return { userId, login: await at.tokenFor(userId, `device of ${name}`) }
}

/** Resolves when the device enters such a state, or is in it already. */
const enters = <K extends DeviceState['kind']>(device: Device, kind: K): Promise<Extract<DeviceState, { kind: K }>> => {
  const { promise, resolve } = Promise.withResolvers<Extract<DeviceState, { kind: K }>>()
  const look = (state: DeviceState): void => {
    if (state.kind === kind) resolve(state as Extract<DeviceState, { kind: K }>)
  }
  device.on('state', look)
  look(device.state)
  return promise
}

interface Phone {
  device: Device
  pushes: Push[]
  /** Resolves when that many pushes were handled. */
  has(count: number): Promise<Push[]>
}

const connect = (t: After, { push_token, token }: Login, options: Partial<DeviceOptions> = {}): Phone => {
  const pushes: Push[] = []
  let look = (): void => {}
  const device = connectDevice({
    url: carillon.http,
    pushToken: push_token,
    accessToken: token,
    pauses,
    onPush: (push) => {
      pushes.push(push)
      look()
    },
    ...options,
  })
  t.after(() => device.stop())
  const has = async (count: number): Promise<Push[]> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    look = () => pushes.length >= count && resolve()
    look()
    await promise
    return pushes
  }
  return { device, pushes, has }
}

const toUser = async (userId: number, title: string, at: Carillon = carillon): Promise<number> =>
  at.notify({ audience: { user_id: [userId] }, message: { title, ext: { order: 7 } } })

const isReceivedOnce = async (t: test.TestContext, task: number, at: Carillon = carillon): Promise<void> => {
  const row = await at.until(() => at.counters(task), (found) => found.nativepush_received! > 0)
  t.assert.deepEqual([row.nativepush_target, row.nativepush_sent, row.nativepush_received], [1, 1, 1])
}

/** A door with TLS and a certificate of its own in front of the server's MQTT port. */
const tlsFront = async (t: After): Promise<{ url: string; ca: Buffer }> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-sdk-'))
  t.after(() => rm(folder, { recursive: true }))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1']
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile]
  execFileSync('openssl', ['req', '-x509', ...newKey, '-out', certFile, ...subject], { stdio: 'ignore' })
  const [key, cert] = await Promise.all([readFile(keyFile), readFile(certFile)])
  const front = createTlsServer({ key, cert }, (socket) => {
    const server = connectTcp(carillon.mqttPort, '127.0.0.1')
    socket.pipe(server).pipe(socket)
    for (const end of [socket, server]) end.on('error', () => {}) // whoever hangs up first
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  t.after(() => front.close())
  return { url: `mqtts://127.0.0.1:${(front.address() as AddressInfo).port}`, ca: cert }
}

const ways: { over: string; options(): Partial<DeviceOptions> }[] = [
  { over: 'WebSocket', options: () => ({ url: carillon.webSocket }) },
  { over: 'TCP', options: () => ({ url: carillon.mqtt, dial: overTcp() }) },
]

suite('a device of the SDK', { concurrency: 8 }, () => {
  for (const { over, options } of ways) {
    test(`over ${over} it gets what waits and what is sent now, each counted once`, async (t) => {
      const { userId, login } = await newUser(`over ${over}`)
      const waiting = await toUser(userId, 'waiting')
      const phone = connect(t, login, options())
      await enters(phone.device, 'online')
      const live = await toUser(userId, 'live')
      const [first, second] = await phone.has(2)
      t.assert.partialDeepStrictEqual(first, { task_id: waiting, title: 'waiting', badge: 1, ext: { order: 7 } })
      t.assert.partialDeepStrictEqual(second, { task_id: live, title: 'live', badge: 2, ext: { order: 7 } })
      await isReceivedOnce(t, waiting)
      await isReceivedOnce(t, live)
    })
  }

  test('over TLS it trusts the authority it was given, and no other', async (t) => {
    const { userId, login } = await newUser('over TLS')
    const { url, ca } = await tlsFront(t)
    const wary = connect(t, login, { url, dial: overTcp() })
    t.assert.match((await enters(wary.device, 'waiting')).message, /self-signed/)
    wary.device.stop()
    const phone = connect(t, login, { url, dial: overTcp({ ca }) })
    const task = await toUser(userId, 'sealed')
    await phone.has(1)
    await isReceivedOnce(t, task)
  })

  test('a push whose handler fails is not counted as received; handled in the end, it is counted once', async (t) => {
    const { userId, login } = await newUser('failing')
    let fails = true
    const handled: number[] = []
    const phone = connect(t, login, {
      onPush: ({ task_id }) => {
        handled.push(task_id)
        if (fails) throw new Error('disk full')
      },
    })
    const failure = new Promise((resolve) => phone.device.on('failure', resolve))
    await enters(phone.device, 'online')
    const task = await toUser(userId, 'try this')
    await failure
    const row = await carillon.until(() => carillon.counters(task), (found) => found.nativepush_sent === 1)
    t.assert.equal(row.nativepush_received, 0)
    fails = false
    await isReceivedOnce(t, task)
    t.assert.deepEqual([...new Set(handled)], [task])
    t.assert.notEqual(handled.length, 1)
  })

  test('what a program left unacknowledged comes to the next one, and once handled never again', async (t) => {
    const { userId, login } = await newUser('ending')
    const before = connect(t, login, { onPush: () => Promise.reject(new Error('never')) })
    const failure = new Promise((resolve) => before.device.on('failure', resolve))
    await enters(before.device, 'online')
    const task = await toUser(userId, 'again')
    await failure
    before.device.stop()

    const next = connect(t, login)
    await next.has(1)
    await isReceivedOnce(t, task)
    next.device.stop()
    const last = connect(t, login)
    await enters(last.device, 'online')
    const other = await toUser(userId, 'another')
    await last.has(1)
    t.assert.deepEqual([...next.pushes, ...last.pushes].map(({ task_id }) => task_id), [task, other])
  })

  test('a newer connection takes over: the older one stops and does not fight', async (t) => {
    const { userId, login } = await newUser('hopping')
    const older = connect(t, login)
    await enters(older.device, 'online')
    const newer = connect(t, login, { url: carillon.mqtt, dial: overTcp() })
    t.assert.equal((await enters(older.device, 'stopped')).why, 'taken over')
    await carillon.online(login)
    const task = await toUser(userId, 'to the newer')
    await newer.has(1)
    await isReceivedOnce(t, task)
    t.assert.deepEqual([older.pushes, newer.device.state.kind], [[], 'online'])
  })

  for (const { over, options } of ways) {
    test(`credentials that are refused stop it, over ${over}`, async (t) => {
      const { login } = await newUser(`stranger over ${over}`)
      const { device } = connect(t, { ...login, token: `${login.token}x` }, options())
      t.assert.equal((await enters(device, 'stopped')).why, 'refused')
    })
  }

  test('logging out stops it as refused, and being kicked as signed out', async (t) => {
    const { userId, login } = await newUser('leaving')
    const { device } = connect(t, login)
    await enters(device, 'online')
    await new DeviceCalls({ ...place, accessToken: login.token }).logout()
    t.assert.equal((await enters(device, 'stopped')).why, 'refused')

    const again = connect(t, await carillon.tokenFor(userId, 'device of leaving'))
    await enters(again.device, 'online')
    await admin.kickUser(userId)
    t.assert.match((await enters(again.device, 'stopped')).why, /refused|signed out/)
  })

  test('receipts reach the delivery they are about', async (t) => {
    const { userId, login } = await newUser('reporting')
    const phone = connect(t, login)
    const task = await toUser(userId, 'click me')
    const [push] = await phone.has(1)
    t.assert.equal(await phone.device.report(push!, 'shown'), 'taken')
    t.assert.equal(await phone.device.report(push!, 'clicked'), 'taken')
    await carillon.until(() => carillon.trace(task, login.push_token), (steps) => steps.includes('has clicked it'))
    t.assert.equal(await phone.device.report({ task_id: 0.5 }, 'shown'), 'refused')
  })
})

test('a device survives a killed server: it comes back, gets what waits, and tells what it could not', async (t) => {
  const server = await startCarillon(t)
  const { userId, login } = await newUser('surviving', server)
  const phone = connect(t, login, { url: server.http })
  const tcp = connect(t, await server.tokenFor(userId, 'the second one'), { url: server.mqtt, dial: overTcp() })
  const both = [phone, tcp]
  await Promise.all(both.map(({ device }) => enters(device, 'online')))
  const first = await toUser(userId, 'before', server)
  await Promise.all(both.map(({ has }) => has(1)))
  await server.until(() => server.counters(first), (row) => row.nativepush_received === 2)

  await server.stop('SIGKILL')
  await Promise.all(both.map(({ device }) => enters(device, 'waiting')))
  const receipt = phone.device.report(phone.pushes[0]!, 'clicked')
  await server.start()
  const second = await toUser(userId, 'after', server)
  await Promise.all(both.map(({ has }) => has(2)))
  for (const { pushes } of both) t.assert.deepEqual(pushes.map(({ task_id }) => task_id), [first, second])
  t.assert.equal(await receipt, 'taken')
  await server.until(() => server.trace(first, login.push_token), (steps) => steps.includes('has clicked it'))

  const coming = both.map(({ device }) => enters(device, 'waiting'))
  await server.stop('SIGTERM')
  for (const { message } of await Promise.all(coming)) t.assert.equal(message, 'the server is shutting down')
  await server.start()
  await Promise.all(both.map(({ device }) => enters(device, 'online')))
})

suite('calls of a device', { concurrency: 4 }, () => {
  test('a person registers, logs in three ways, keeps the device in order and logs out', async (t) => {
    const calls = new DeviceCalls(place)
    const password = 'correct horse'
    const { user_id } = await calls.register({ username: 'ann', password, email: 'ann@example.com' })
    const records = [
      await calls.login({ login_name: 'ANN@example.com', password, device_guid: 'laptop' }),
      await calls.loginById({ user_id, password, device_guid: 'laptop' }),
      await calls.loginByName({ name: 'ann', password, device_guid: 'laptop' }),
    ]
    const found = records.map((record) => [record.user_id, record.push_token])
    t.assert.deepEqual(found, new Array(3).fill([user_id, records[0]!.push_token]))

    t.assert.deepEqual((await calls.addTags(['news', 'beta'])).toSorted(), ['beta', 'news'])
    t.assert.deepEqual(await calls.removeTags(['beta']), ['news'])
    await calls.setAlias('ann at home')
    await calls.setBadge(3)
    await calls.bindVendorToken({ device_token: 'vendor token', provider: 7, platform: 'android' })
    await calls.setPush({ enabled: true, no_push_start_hour: 22, no_push_end_hour: 7, time_zone: 'Europe/Berlin' })
    const [device] = await calls.devices()
    t.assert.partialDeepStrictEqual(device, {
      device_guid: 'laptop', platform: 'android', online: false, tags: ['news'], alias: 'ann at home', badge: 3,
      providers: [{ provider: 7, environment: 1 }],
    })
    await calls.removeAllTags()
    await calls.removeAlias()
    await calls.unbindVendorTokens()
    t.assert.deepEqual(await calls.tags(), [])
    t.assert.partialDeepStrictEqual((await calls.devices())[0], { alias: null, providers: [], tags: [] })

    const { token } = records.at(-1)!
    await calls.logout()
    t.assert.equal(calls.accessToken, undefined)
    await t.assert.rejects(new DeviceCalls({ ...place, accessToken: token }).devices(), { code: 10008, status: 401 })
    const wrong = calls.loginByName({ name: 'ann', password: 'wrong horse' })
    await t.assert.rejects(wrong, { name: 'CarillonError', code: 10020, status: 401 })
  })

  test('an app whose id is not Latin is called', async (t) => {
    const token = await carillon.addApp('приложение')
    const caller = new Caller({ url: carillon.http, appId: 'приложение', accessToken: token })
    t.assert.deepEqual(await caller.users(), { total: 0, list: [] })
  })
})

suite('the caller', { concurrency: 4 }, () => {
  test('puts a file where a push can show it, and is told when it is none', async (t) => {
    const login = await carillon.tokenFor(await carillon.addUser('with a picture'), 'camera')
    const png = Uint8Array.from(Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'))
    const url = await attach(place, login, 'bell tower.png', png)
    const response = await fetch(url)
    t.assert.deepEqual([response.headers.get('content-type'), new Uint8Array(await response.arrayBuffer())], ['image/png', png])
    await t.assert.rejects(attach(place, login, 'no-picture.png', Uint8Array.of(1, 2, 3)), { code: 10002 })
    await t.assert.rejects(attach(place, { ...login, access_key_secret: 'another' }, 'bell.png', png), { name: 'CarillonError' })
  })

  test('changes a password with the old one', async (t) => {
    const calls = new DeviceCalls(place)
    await calls.register({ username: 'forgetful', password: 'the first one' })
    await calls.loginByName({ name: 'forgetful', password: 'the first one' })
    await calls.changePassword('the first one', 'the second one')
    await t.assert.rejects(calls.loginByName({ name: 'forgetful', password: 'the first one' }), { code: 10020 })
    await calls.loginByName({ name: 'forgetful', password: 'the second one' })
  })

  test('looks for devices, users and tasks, and tries a notification before it is sent', async (t) => {
    const token = await carillon.addApp('looked-at')
    const caller = new Caller({ ...place, appId: 'looked-at', accessToken: token })
    const [row] = await caller.registerUsers([{ username: 'ann' }])
    const login = await caller.tokenFor(row!.user_id!, 'phone of ann')
    const { list, matched } = await caller.devices({ search: 'phone of ann' })
    t.assert.deepEqual([list[0]!.push_token, matched], [login.push_token, 'device_guid'])
    t.assert.equal((await caller.searchUsers({ search: 'an' })).list[0]!.user_id, row!.user_id)
    t.assert.equal((await caller.user(row!.user_id!)).devices.length, 1)
    const counted = await caller.count({ audience: 'all' })
    t.assert.deepEqual([counted.inbox, counted.complete], [1, true])
    t.assert.equal((await caller.preflight({ message: { title: 'Hello' } })).find(({ vendor }) => vendor === 'nativepush')!.title, 'Hello')
    const { task_id } = await caller.notify({ audience: 'all', message: { title: 'Hello' } })
    const [task] = await caller.tasks({ audience_kind: 'all', from: 1 })
    t.assert.deepEqual([task!.task_id, task!.title, task!.sums?.target], [task_id, 'Hello', 1])
    t.assert.deepEqual(await caller.series(task_id), [])
    t.assert.equal((await caller.device(login.push_token!)).pushes[0]!.task_id, task_id)
    await caller.removeDevice(login.push_token!)
    t.assert.equal((await caller.overview()).devices, 0)
  })

  test('has a webhook set, tried, its events listed and told again', async (t) => {
    const token = await carillon.addApp('with-a-webhook')
    const caller = new Caller({ ...place, appId: 'with-a-webhook', accessToken: token })
    t.assert.equal(await caller.webhook(), null)
    const { url, secret } = await caller.setWebhook('http://127.0.0.1:9/nobody-listens')
    t.assert.match(secret, /\S{16,}/)
    t.assert.equal((await caller.webhook())?.url, url)
    await caller.testWebhook()
    const [event] = await caller.events()
    t.assert.equal(event!.kind, 'webhook.test')
    t.assert.deepEqual(await caller.replayEvents([event!.id]), { replayed: 1 })
    await caller.deleteWebhook()
    t.assert.equal(await caller.webhook(), null)
  })

  test('users, groups and tokens are managed with an admin token', async (t) => {
    const [row, refused] = await admin.registerUsers([{ username: 'managed' }, { username: 'managed' }])
    t.assert.deepEqual([row!.success, refused!.success], [true, false])
    const userId = row!.user_id!
    const { group_id } = await admin.createGroup('team', [userId])
    const group = (await admin.groups()).list.find((listed) => listed.group_id === group_id)
    t.assert.partialDeepStrictEqual(group, { name: 'team', member_count: 1 })
    await admin.removeMembers(group_id, [userId])
    await admin.addMembers(group_id, [userId])

    const { push_token } = await admin.tokenFor(userId, 'phone')
    const message = { title: 'to the team' }
    const { task_id } = await admin.as({ groupId: group_id }).notify({ audience: 'all', message })
    await carillon.until(() => admin.counters([task_id]), ([row]) => row!.nativepush_target === 1)
    const shown = { task_id, scope: `group ${group_id}`, audience: 'all', message }
    t.assert.partialDeepStrictEqual(await admin.task(task_id), shown)
    t.assert.notEqual((await admin.trace(task_id, push_token!)).steps.length, 0)
    t.assert.equal((await admin.tasks({ limit: 500 })).some((task) => task.task_id === task_id), true)
    await t.assert.rejects(admin.as({ userId }).task(task_id), { code: 12011 })

    await admin.disableUser(userId)
    await t.assert.rejects(admin.tokenFor(userId), { code: 10010 })
    await admin.enableUser(userId)
    await admin.setPassword(userId, 'a new password')
    const user = (await admin.users({ page_size: 500 })).list.find((listed) => listed.user_id === userId)
    t.assert.equal(user!.has_password, true)
    await admin.deleteUser(userId)
    await t.assert.rejects(admin.tokenFor(userId), { code: 10000, status: 404 })
    await t.assert.rejects(admin.tokenFor(2n ** 60n), { code: 10000 })
  })

  test('a scheduled task can be cancelled', async (t) => {
    const send_time = Math.floor(Date.now() / 1000) + 3600
    const { task_id } = await admin.notify({ audience: 'all', message: { title: 'later' }, setting: { send_time } })
    t.assert.equal((await admin.cancel(task_id)).state, 'cancelled')
  })

  test('certificates and settings are set and read', async (t) => {
    const token = await carillon.addApp('with-certificates')
    const caller = new Caller({ ...place, appId: 'with-certificates', accessToken: token })
    await t.assert.rejects(caller.certificate({ provider: 3 }), { code: 12010 })
    const fields = { app_id: '1', app_key: '2', app_secret: 'secret', options: { package_name: 'com.example' } }
    await caller.setCertificate({ provider: 3, name: 'mi', ...fields })
    t.assert.partialDeepStrictEqual(await caller.certificate({ provider: 3 }), { name: 'mi', app_secret: 'secret' })
    t.assert.partialDeepStrictEqual(await caller.certificates(), [{ provider: 3, environment: 1, name: 'mi' }])
    t.assert.deepEqual(await caller.lanes(), [])
    await caller.deleteCertificate({ provider: 3 })
    t.assert.deepEqual(await caller.certificates(), [])
    await t.assert.rejects(caller.checkCertificate({ provider: 3 }), { code: 12010 })
    t.assert.deepEqual((await caller.audit({ limit: 1 })).map(({ action }) => action), ['certificate.list'])
    t.assert.equal((await caller.setSettings({ push_enabled: false })).push_enabled, false)
    t.assert.equal((await caller.settings()).push_enabled, false)
    await t.assert.rejects(caller.notify({ audience: 'all', message: { title: 'off' } }), { code: 12006, status: 403 })
  })

  test('what is wrong is said with code, status and the name of the field', async (t) => {
    const wrong = admin.notify({ audience: { tag: [] }, message: { title: 'nobody' } })
    await t.assert.rejects(wrong, { code: 10002, status: 400, message: /audience/ })
    await t.assert.rejects(wrong, CarillonError)
  })
})

suite('notify with a request_id', () => {
  /** A road to the server that misbehaves: each answer by the next of these, then honestly. */
  const roughRoad = async (t: After, misdeeds: Misdeed[]): Promise<{ url: string; asked(): number }> => {
    let asked = 0
    const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>)
      const { 'app-id': app, 'access-token': token } = request.headers as Record<string, string>
      const answer = await fetch(carillon.http + request.url, {
        method: request.method,
        headers: { 'app-id': app!, 'access-token': token!, 'content-type': 'application/json' },
        body: Buffer.concat(chunks),
      })
      response.writeHead(answer.status).end(await answer.text())
    }
    const road = createServer((request, response) => void (misdeeds[asked++] ?? pass)(request, response))
    await new Promise<void>((resolve) => road.listen(0, '127.0.0.1', resolve))
    t.after(() => road.close())
    return { url: `http://127.0.0.1:${(road.address() as AddressInfo).port}`, asked: () => asked }
  }
  const refuse = (status: number, code: number, headers = {}): Misdeed => (_request, response) =>
    void response.writeHead(status, headers).end(JSON.stringify({ code, data: null, message: 'not now' }))
  const cut: Misdeed = ({ socket }) => void socket.destroy()
  const notify = (request_id?: string): Notify => ({
    audience: 'all',
    message: { title: 'once' },
    setting: { request_id },
  })

  test('is asked again while the network fails or the server is full, when Retry-After says', async (t) => {
    const pausesTaken: number[] = []
    const clock: Clock = {
      now: () => Date.now(),
      after: (ms, work) => (pausesTaken.push(ms), setImmediate(work), () => {}),
    }
    const { url, asked } = await roughRoad(t, [
      cut,
      refuse(503, 50300, { 'retry-after': '2' }),
      refuse(429, 42900, { 'retry-after': '7' }),
      (_request, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>'),
    ])
    const caller = new Caller({ url, appId: 'demo', accessToken: carillon.admin, clock, chance: () => 0 })
    const { task_id } = await caller.notify(notify('through thick and thin'))
    t.assert.equal(asked(), 5)
    t.assert.deepEqual(pausesTaken, [0, 2_000, 7_000, 0])
    t.assert.equal((await admin.notify(notify('through thick and thin'))).task_id, task_id)
  })

  test('an answer that was lost on the way is asked for again and the task is the same one', async (t) => {
    const taken: number[] = []
    const { url } = await roughRoad(t, [
      async (request, response) => {
        for await (const _ of request);
        taken.push((await admin.notify(notify('answer lost'))).task_id)
        response.destroy()
      },
    ])
    const caller = new Caller({ url, appId: 'demo', accessToken: carillon.admin, pauses })
    t.assert.deepEqual([(await caller.notify(notify('answer lost'))).task_id], taken)
  })

  test('without one nothing is repeated, and with one not for ever, nor what will never be right', async (t) => {
    const { url, asked } = await roughRoad(t, [cut, cut, cut, refuse(400, 10002)])
    const caller = new Caller({ url, appId: 'demo', accessToken: carillon.admin, pauses, attempts: 2 })
    await t.assert.rejects(caller.notify(notify()), { name: 'CarillonError', code: 0, status: 0 })
    t.assert.equal(asked(), 1)
    await t.assert.rejects(caller.notify(notify('twice at most')), { code: 0 })
    t.assert.equal(asked(), 3)
    await t.assert.rejects(caller.notify(notify('wrong')), { code: 10002 })
    t.assert.equal(asked(), 4)
  })
})
