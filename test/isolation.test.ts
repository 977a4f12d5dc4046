import test, { after, suite } from 'node:test'
import { type CallOptions, type Envelope, startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { connectPacket, openSocket, packetType } from './harness/raw-socket.ts'
import { type Attempt, type Intruder, intruders, matrix } from './isolation/matrix.ts'
import { routesOfProgram } from './isolation/routes.ts'
import { leaks, lookAt, settle, type Side } from './isolation/world.ts'

// Wrong passwords are part of this, and not what it is about.
const carillon = await startCarillon({ after }, { CARILLON_LOGIN_FAILURES: '1000', CARILLON_ADDRESS_FAILURES: '1000' })
const north = await settle(carillon, { app: 'demo', admin: carillon.admin, environment: 1, inboxLimit: 811 })
const south = await settle(
  carillon,
  { app: 'south', admin: await carillon.addApp('south'), environment: 0, inboxLimit: 822 },
)

interface Scope {
  name: string
  by: CallOptions
  side: Side
  /** Whose devices it reaches. */
  people: ('ann' | 'bob')[]
}

const scopesOf = (side: Side): Scope[] => {
  const { app, admin, people, groups } = side
  return [
    { name: `${app}'s admin`, by: { app, token: admin }, side, people: ['ann', 'bob'] },
    { name: `${app}'s staff`, by: { app, token: admin, group: groups.staff }, side, people: ['ann'] },
    { name: `${app}'s guests`, by: { app, token: admin, group: groups.guests }, side, people: ['bob'] },
    { name: `${app}'s ann`, by: { app, token: people.ann.login.token }, side, people: ['ann'] },
    { name: `${app}'s bob`, by: { app, token: admin, user: people.bob.id }, side, people: ['bob'] },
  ]
}
const scopes = [...scopesOf(north), ...scopesOf(south)]

const byOf = (intruder: Intruder, owner: Side, other: Side): { by: CallOptions; own: Side } => {
  const at = (side: Side, more: CallOptions) => ({ by: { app: side.app, ...more }, own: side })
  switch (intruder) {
    case 'otherAdmin':
      return at(other, { token: other.admin })
    case 'otherGroup':
      return at(other, { token: other.admin, group: other.groups.staff })
    case 'otherUser':
      return at(other, { token: other.people.ann.login.token })
    case 'sisterGroup':
      return at(owner, { token: owner.admin, group: owner.groups.guests })
    case 'sisterUser':
      return at(owner, { token: owner.people.bob.login.token })
  }
}

/** A call of a route that gets as far as its scope: a body where there may be one. */
const callRoute = async (route: string, by: CallOptions, attempt: Partial<Attempt> = {}): Promise<Envelope> => {
  const [method, own] = route.split(' ') as [string, string]
  const path = attempt.path ?? own.replace(':task_id', '1')
  const { headers } = attempt
  const body = method === 'GET' ? undefined : (attempt.body ?? {})
  if (!matrix[route]!.document) return carillon.call(path, { ...by, method, headers, body })
  const credentials = { app_id: by.app!, 'access-token': by.token! }
  const response = await fetch(carillon.http + path, { headers: { ...credentials, ...headers } })
  return { code: response.status, data: await response.text(), message: null }
}

test('every route of the program has its row in the matrix', async (t) => {
  t.assert.deepEqual(Object.keys(matrix).sort(), await routesOfProgram())
})

suite('no credentials of one app or scope count in another', () => {
  for (const [route, { open }] of Object.entries(matrix)) {
    if (open) continue
    test(route, async (t) => {
      const [{ people: { ann, bob }, groups }, { app, admin, people }] = [north, south]
      const refusals: [who: string, code: number, by: CallOptions][] = [
        ["another app's admin token", 10008, { app: north.app, token: admin }],
        ["another app's user token", 10008, { app: north.app, token: people.ann.login.token }],
        [
          "another app's token as if for one's own user",
          10008,
          { app: north.app, token: people.ann.login.token, user: ann.id },
        ],
        ["another app's group", 20001, { app, token: admin, group: groups.staff }],
        ["another app's user", 10000, { app, token: admin, user: ann.id }],
        ["another app's user, as a user", 10010, { app, token: people.ann.login.token, user: ann.id }],
        ['another user, as a user', 10010, { app: north.app, token: ann.login.token, user: bob.id }],
        ["one's own group, as a user", 10010, { app: north.app, token: ann.login.token, group: groups.staff }],
      ]
      for (const [who, code, by] of refusals) {
        const answer = await callRoute(route, by)
        t.assert.deepEqual({ who, code: answer.code, data: answer.data }, { who, code, data: null })
      }
    })
  }
})

suite('nothing of an app or scope is read or changed from another', () => {
  for (const [owner, other] of [[north, south], [south, north]] as const) {
    let looked: unknown
    for (const [route, { attempts }] of Object.entries(matrix)) {
      test(`${route}, of what is ${owner.app}'s`, async (t) => {
        const before = (looked ??= await lookAt(carillon, owner))
        for (const intruder of intruders) {
          const { by, own } = byOf(intruder, owner, other)
          for (const attempt of attempts(owner, own)) {
            const { path = '', body, answers, data: right } = attempt
            if (answers[intruder] === undefined) continue
            const { code, data, message } = await callRoute(route, by, attempt)
            const told = `${intruder} ${path} ${JSON.stringify(body)}: ${code} ${message} ${JSON.stringify(data)}`
            t.assert.equal(code, answers[intruder], told)
            t.assert.equal(leaks(data, owner, intruder.startsWith('other')), false, told)
            if (code === 200 && right !== undefined) t.assert.deepEqual(data, right, told)
          }
        }
        looked = await lookAt(carillon, owner)
        t.assert.deepEqual(looked, before)
      })
    }
  }
})

test('what leaks would be noticed: each side sees its own', async (t) => {
  t.assert.equal(leaks(await lookAt(carillon, north), north, true), true)
  t.assert.equal(leaks(await lookAt(carillon, north), south, true), false)
})

test('the same request_id is another task in every app, group and user, and the same one in each', async (t) => {
  const notify = { audience: { alias: ['nobody'] }, message: { title: 'a' }, setting: { request_id: 'order-2' } }
  const first = await Promise.all(scopes.map(({ by }) => carillon.notify(notify, by)))
  const again = await Promise.all(scopes.map(({ by }) => carillon.notify(notify, by)))
  t.assert.equal(new Set(first).size, scopes.length)
  t.assert.deepEqual(again, first)
})

test('a task is seen by the scope that made it and by the admin of its app, and by nobody else', async (t) => {
  const notify = { audience: { alias: ['nobody'] }, message: { title: 'a' } }
  const made = await Promise.all(scopes.map(async (scope) => ({ scope, id: await carillon.notify(notify, scope.by) })))
  const list = made.map(({ id }) => id)
  for (const viewer of scopes) {
    const isAdmin = viewer.people.length === 2
    const visible = made.filter(
      ({ scope }) => scope === viewer || (isAdmin && scope.side === viewer.side),
    ).map(({ id }) => id)
    const counters = await carillon.ok('/push/task/detail', { ...viewer.by, body: { list } })
    t.assert.deepEqual(counters.map((row: { task_id: number }) => row.task_id), visible, viewer.name)
    const codes = await Promise.all(list.map(async (id) => (await carillon.call(`/push/task/${id}`, viewer.by)).code))
    t.assert.deepEqual(codes, list.map((id) => (visible.includes(id) ? 200 : 12011)), viewer.name)
  }
})

test("a push token beyond the caller's reach is as good as none", async (t) => {
  const people = [north, south].flatMap((side) => (['ann', 'bob'] as const).map((name) => ({ side, name })))
  const send = (push_token: string[], by: CallOptions) =>
    carillon.notify({ audience: { push_token }, message: { type: 'cmd', ext: { a: 1 } } }, by)
  for (const { name, by, side, people: own } of scopes) {
    const beyond = people.filter((person) => person.side !== side || !own.includes(person.name))
    const foreign = await send(beyond.map((person) => person.side.people[person.name].login.push_token), by)
    const unknown = await send(beyond.map((_, i) => `cp_nobody_${i}`), by)
    const [one, other] = await Promise.all([foreign, unknown].map((id) => carillon.ok(`/push/task/${id}`, by)))
    const told = ({ audience, state, counters: { task_id: _, ...counters }, waiting, reasons }: typeof one) =>
      ({ audience, state, counters, waiting, reasons })
    t.assert.deepEqual(told(one), told(other), name)
  }
})

test('whoever is asked for, a push reaches the devices of its scope alone', async (t) => {
  const sides = [north, south]
  const phones = await Promise.all(
    sides.flatMap((side) =>
      (['ann', 'bob'] as const).map(
        async (name) => ({ side, name, device: await connectDevice(t, carillon, side.people[name].login) }),
      ),
    ),
  )
  const everyone = sides.flatMap(({ people }) => Object.values(people))
  const audiences = [
    'all',
    { tag: ['everyone'] },
    { alias: ['desk'] },
    { user_id: everyone.map(({ id }) => id) },
    { push_token: everyone.map(({ login }) => login.push_token) },
  ]
  // What waited for them from the tests before this one.
  const earlier = new Set<number>()
  const marker = await Promise.all(
    sides.map(
      ({ app, admin }) => carillon.notify({ audience: 'all', message: { title: 'now' } }, { app, token: admin }),
    ),
  )
  for (const { device } of phones) {
    await carillon.until(async () => device.tasks, (tasks) => marker.some((id) => tasks.includes(id)))
    for (const id of device.tasks) earlier.add(id)
  }

  const expected = new Map(phones.map(({ device }) => [device, new Set<number>()]))
  for (const { by, side, people, name } of scopes) {
    const reached = phones.filter((phone) => phone.side === side && people.includes(phone.name))
    const send = async (audience: unknown): Promise<void> => {
      const task = await carillon.notify({ audience, message: { title: 'a' } }, by)
      for (const { device } of reached) expected.get(device)!.add(task)
      const row = await carillon.until(
        () => carillon.counters(task, by),
        (counters) => counters.nativepush_received! >= reached.length,
      )
      t.assert.equal(row.nativepush_target, reached.length, `${name} ${JSON.stringify(audience)}`)
    }
    await Promise.all(audiences.map(send))
  }
  for (const { device, side, name } of phones) {
    const got = device.tasks.filter((id) => !earlier.has(id))
    t.assert.deepEqual(new Set(got), expected.get(device), `${name} of ${side.app}`)
  }
})

suite('a device connects with a token of its owner and no other', () => {
  const [{ ann, bob }, others] = [north.people, south.people]
  const tokens: Record<string, string> = {
    "the same name's in another app": others.ann.login.token,
    "another user's": bob.login.token,
    'an admin token': north.admin,
    "another app's admin token": south.admin,
    'its push token': ann.login.push_token,
    'its file token': ann.login.store_token,
  }
  for (const [what, password] of Object.entries(tokens)) {
    for (const version of [4, 5] as const) {
      test(`${what}, MQTT ${version === 4 ? '3.1.1' : '5'}`, async (t) => {
        const socket = await openSocket(t, carillon)
        socket.version = version
        socket.send(connectPacket(version, { username: ann.login.push_token, password }))
        const answer = await socket.next()
        t.assert.equal(answer?.type, packetType.connack)
        t.assert.equal(answer?.body[1], version === 4 ? 5 : 0x87)
        await socket.closed()
      })
    }
  }
})

test("a receipt for somebody else's delivery counts nothing, over HTTP and over MQTT", async (t) => {
  // The device that came last: those of the others stand before it in every list.
  const { people: { ann, bob: owner }, app, admin } = south
  const own = { app, token: admin }
  await carillon.until(
    () => carillon.ok('/user/device/list', { ...own, user: owner.id }),
    (devices) => devices.every(({ online }: { online: boolean }) => !online),
  )
  const setting = { distribution_strategy: 'nativepush_only' }
  const notify = (id: number) => carillon.notify({ audience: { user_id: [id] }, message: { title: 'a' }, setting }, own)
  const receipt = (task_id: number) => ({ task_id, event: 'received', channel: 'nativepush' })
  const task = await notify(owner.id)
  for (const side of [north, south]) {
    for (const { id, login } of Object.values(side.people)) {
      if (id === owner.id) continue
      const body = { list: [receipt(task)] }
      const answer = await carillon.ok('/push/receipt', { app: side.app, token: login.token, body })
      t.assert.deepEqual(answer, { accepted: 0 })
      const device = await connectDevice(t, carillon, login, { subscribe: 0 })
      await device.client.publishAsync('receipt', JSON.stringify(receipt(task)), { qos: 1 })
    }
  }
  // One that does count, said after all the others: when it is there, they would be too.
  const anns = await notify(ann.id)
  await carillon.until(() => carillon.counters(anns, own), (row) => row.nativepush_sent === 1)
  const taken = await carillon.ok('/push/receipt', { app, token: ann.login.token, body: { list: [receipt(anns)] } })
  t.assert.deepEqual(taken, { accepted: 1 })
  await carillon.until(() => carillon.counters(anns, own), (row) => row.nativepush_received === 1)
  const { nativepush_target, nativepush_sent, nativepush_received } = await carillon.counters(task, own)
  t.assert.deepEqual([nativepush_target, nativepush_sent, nativepush_received], [1, 0, 0])
})

test("the end of one app's tokens, devices and users is not the end of another's of the same name", async (t) => {
  const { ann } = north.people
  const device = await connectDevice(t, carillon, ann.login)
  const [there, as] = [south.people.ann, { app: south.app, token: south.people.ann.login.token }]
  t.assert.notEqual(there.login.push_token, ann.login.push_token)

  const admin = { app: south.app, token: south.admin }
  await carillon.ok('/user/kick', { ...as, body: { device_guid: there.guid } })
  const login = await carillon.tokenFor(there.id, there.guid, { app: south.app, admin: south.admin })
  await carillon.ok(
    '/user/device/remove',
    { app: south.app, token: login.token, body: { push_token: login.push_token } },
  )
  const last = await carillon.tokenFor(there.id, there.guid, { app: south.app, admin: south.admin })
  await carillon.ok('/token/logout', { app: south.app, token: last.token, method: 'POST' })
  await carillon.ok('/user/disable', { ...admin, body: { user_id: there.id } })
  await carillon.ok('/user/delete', { ...admin, body: { user_id: there.id } })
  await carillon.ok('/app/setting', { ...admin, method: 'PUT', body: { push_enabled: false } })
  await carillon.ok('/token/logout', { ...admin, method: 'POST' })
  await carillon.heard()

  const task = await carillon.notify({ audience: { user_id: [ann.id] }, message: { title: 'Still there' } })
  await carillon.until(async () => device.tasks, (tasks) => tasks.includes(task))
  t.assert.equal(device.client.connected, true)
  t.assert.equal((await carillon.call('/user/device/list', { token: ann.login.token })).code, 200)
  t.assert.equal((await carillon.call('/user/list', admin)).code, 10008)
})
