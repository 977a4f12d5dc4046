import test, { after, before, suite } from 'node:test'
import { type Login, startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { listenLive } from './harness/live.ts'

const carillon = await startCarillon({ after })
const admin = { token: carillon.admin }

const seconds = (count: number) => ({ timeout: count * 1000 })

suite('how the app is doing', () => {
  test('people, devices and pushes are counted, on whichever node they are', seconds(60), async (t) => {
    const south = { app: 'counted', token: await carillon.addApp('counted') }
    const overview = () => carillon.ok('/app/overview', south)
    const before = await overview()
    t.assert.deepEqual([before.users, before.devices, before.devices_online, before.funnel], [0, 0, 0, {}])
    t.assert.equal(before.per_minute.length, 60)

    const ids = await Promise.all(
      ['ann', 'bob', 'cleo'].map((name) => carillon.addUser(name, { app: south.app, admin: south.token })),
    )
    const logins = await Promise.all(
      ids.map((id, i) => carillon.tokenFor(id, `phone ${i}`, { app: south.app, admin: south.token })),
    )
    const devices = await Promise.all(logins.slice(0, 2).map((login) => connectDevice(t, carillon, login)))
    await carillon.notify({ audience: 'all', message: { title: 'Hello' } }, south)
    await Promise.all(devices.map((device) => device.has(1)))
    // Every node tells what it did by itself, a moment later.
    const full = await carillon.until(overview, ({ funnel: { nativepush }, devices_online, per_minute }) =>
      nativepush?.target === 3 && nativepush.received === 2 && devices_online === 2 && per_minute.some(({ accepted }: any) => accepted > 0))
    t.assert.deepEqual([full.users, full.devices, full.devices_online], [3, 3, 2])
    t.assert.deepEqual(full.funnel, { nativepush: { target: 3, sent: 2, received: 2 } })
    const sum = (name: string) => full.per_minute.reduce((all: number, minute: any) => all + minute[name], 0)
    t.assert.deepEqual([sum('accepted'), sum('sent'), sum('received')], [1, 2, 2])
    t.assert.equal(full.pushes_per_minute, 2)
    t.assert.deepEqual(full.queue, { tasks: 0, batches: 0, events: 0 })

    await devices[0]!.close()
    await carillon.ok('/user/delete', { ...south, body: { user_id: ids[2] } })
    const less = await carillon.until(overview, ({ devices_online, users }) => devices_online === 1 && users === 2)
    t.assert.equal(less.devices, 2)
  })

  test('a dry run is no push', async (t) => {
    const app = { app: 'dry', token: await carillon.addApp('dry') }
    await carillon.tokenFor(
      await carillon.addUser('ann', { app: app.app, admin: app.token }), 'phone', { app: app.app, admin: app.token },
    )
    await carillon.notify({ audience: 'all', message: { title: 'Hello' }, setting: { dry_run: true } }, app)
    await carillon.notify({ audience: 'all', message: { title: 'Hello' } }, app)
    const { funnel, per_minute } = await carillon.until(
      () => carillon.ok('/app/overview', app), ({ funnel: seen }) => seen.nativepush !== undefined,
    )
    t.assert.deepEqual(funnel, { nativepush: { target: 1, sent: 0, received: 0 } })
    t.assert.equal(per_minute.reduce((all: number, { accepted }: any) => all + accepted, 0), 1)
  })

  test('what somebody should look at is told: push switched off, a webhook nobody answers', async (t) => {
    const app = { app: 'troubled', token: await carillon.addApp('troubled') }
    await carillon.ok('/app/setting', { ...app, method: 'PUT', body: { push_enabled: false } })
    await carillon.ok('/app/webhook', { ...app, method: 'PUT', body: { url: 'http://127.0.0.1:1/' } })
    await carillon.ok('/app/webhook/test', { ...app, method: 'POST' })
    const kinds = ({ alarms }: any) => alarms.map(({ kind }: any) => kind)
    const { alarms, queue } = await carillon.until(
      () => carillon.ok('/app/overview', app), (seen) => kinds(seen).includes('webhook_failing'),
    )
    t.assert.deepEqual(kinds({ alarms }), ['push_off', 'webhook_failing'])
    t.assert.equal(queue.events, 1)
    for (const { since, text } of alarms) t.assert.deepEqual([typeof since, text.length > 0], ['number', true])
    await carillon.ok('/app/setting', { ...app, method: 'PUT', body: { push_enabled: true } })
    await carillon.until(() => carillon.ok('/app/overview', app), (seen) => !kinds(seen).includes('push_off'))
  })

  test('figures are told as they change, and those of one task beside them', seconds(60), async (t) => {
    const login = await carillon.tokenFor(await carillon.addUser('listener'), 'phone of listener')
    const task = await carillon.notify({ audience: { push_token: [login.push_token] }, message: { title: 'Wait' } })
    const live = await listenLive(t, carillon, { taskId: task })
    t.assert.deepEqual([live.status, live.type], [200, 'text/event-stream'])
    const { users } = await live.until('overview')
    const waiting = await live.until('task')
    t.assert.deepEqual(Object.keys(waiting), ['task_id', 'state', 'counters', 'waiting', 'reasons', 'fates'])
    t.assert.deepEqual([waiting.task_id, waiting.waiting, waiting.counters.nativepush_received], [task, 1, 0])
    const device = await connectDevice(t, carillon, login)
    await device.has(1)
    const received = await live.until('task', ({ counters }) => counters.nativepush_received === 1)
    t.assert.deepEqual([received.waiting, received.reasons], [0, { 'nativepush: received': 1 }])
    const series = await carillon.ok(`/push/task/${task}/series`, admin)
    t.assert.deepEqual(
      series.map(({ at: _, ...point }: any) => point), [{ channel: 'nativepush', sent: 1, received: 1 }],
    )
    await carillon.addUser('one more')
    await live.until('overview', (data) => data.users === users + 1)
  })

  test('it ends when its token is revoked', seconds(30), async (t) => {
    const { stdout } = await carillon.cli(['token', 'create', '--app', 'demo', '--name', 'short', '--json'])
    const { token, id } = JSON.parse(stdout)
    const live = await listenLive(t, carillon, { token })
    await live.until('overview')
    await carillon.cli(['token', 'revoke', '--app', 'demo', String(id)])
    await live.ended
    t.assert.equal((await carillon.call('/app/overview', { token })).code, 10008)
  })

  test('nobody else may look, and a task elsewhere is none', async (t) => {
    const login = await carillon.tokenFor(await carillon.addUser('curious'))
    t.assert.equal((await carillon.call('/app/overview', { token: login.token })).code, 10010)
    t.assert.equal((await carillon.call('/app/live', { token: login.token })).code, 10010)
    const other = { app: 'elsewhere', token: await carillon.addApp('elsewhere') }
    const task = await carillon.notify({ audience: 'all', message: { title: 'x' } }, other)
    for (const id of [task, 999_999, '9007199254740993']) {
      t.assert.equal((await carillon.call(`/app/live?task_id=${id}`, admin)).code, 12011)
    }
    const { code, message } = await carillon.call('/app/live?task_id=one', admin)
    t.assert.deepEqual([code, message?.startsWith('task_id ')], [10002, true])
  })
})

suite('devices and users', () => {
  const app = 'found'
  let south: { app: string; token: string }
  const people: Record<string, { id: number; login: Login }> = {}

  before(async () => {
    south = { app, token: await carillon.addApp(app) }
    const list = [
      { username: 'ann', mobile: '+4917000', email: 'Ann@Example.com' },
      { username: 'annabel' },
      { username: 'bob' },
    ]
    const made = await carillon.ok('/user/register/batch', { ...south, body: { list } })
    for (const [i, { username }] of list.entries()) {
      const id = made[i].user_id
      people[username] = { id, login: await carillon.tokenFor(id, `phone of ${username}`, { app, admin: south.token }) }
    }
    const as = (name: string) => ({ app, token: people[name]!.login.token })
    await carillon.ok('/user/push/alias', { ...as('ann'), body: { alias: 'desk' } })
    await carillon.ok('/user/push/alias', { ...as('bob'), body: { alias: 'desk' } })
    await carillon.ok('/user/push/tag', { ...as('ann'), body: { tags: ['desk', 'beta'] } })
    await carillon.ok(
      '/user/token/bind', { ...as('bob'), body: { provider: 3, device_token: 'regid-of-bob-0123456789' } },
    )
  })

  const names = (page: any): string[] => page.list.map(({ username }: any) => username)
  const devices = (query = '') => carillon.ok(`/device/list${query}`, south)

  test('devices come newest first, page after page, each once', async (t) => {
    const first = await devices('?limit=2')
    t.assert.deepEqual(names(first), ['bob', 'annabel'])
    const rest = await devices(`?limit=2&after=${first.next}`)
    t.assert.deepEqual([names(rest), rest.next], [['ann'], null])
    const [ann] = rest.list
    t.assert.deepEqual(
      [ann.device_guid, ann.push_token, ann.user_id, ann.alias, ann.tags, ann.online, ann.providers],
      ['phone of ann', people.ann!.login.push_token, people.ann!.id, 'desk', ['beta', 'desk'], false, []],
    )
  })

  test('one is found by whatever it is known by, and it is said by what', async (t) => {
    const { id, login } = people.ann!
    for (const [search, matched] of [
      [login.push_token, 'push_token'], ['phone of ann', 'device_guid'], [String(id), 'user'], ['ann', 'user'],
      ['+4917000', 'user'],
      ['ANN@example.COM', 'user'], ['beta', 'tag'],
    ]) {
      const page = await devices(`?search=${encodeURIComponent(search!)}`)
      t.assert.deepEqual([names(page), page.matched], [['ann'], matched], search!)
    }
    const both = await devices('?search=desk')
    t.assert.deepEqual([names(both), both.matched, both.also], [['bob', 'ann'], 'alias', ['tag']])
    const tagged = await devices('?search=desk&by=tag')
    t.assert.deepEqual([names(tagged), tagged.matched, tagged.also], [['ann'], 'tag', ['alias']])
    t.assert.deepEqual(await devices('?search=nobody'), { list: [], next: null, matched: null, also: [] })
  })

  test('filters leave those that are connected, or that a vendor reaches', seconds(60), async (t) => {
    t.assert.deepEqual(names(await devices('?vendor=xiaomi')), ['bob'])
    t.assert.deepEqual(names(await devices('?vendor=vivo')), [])
    const phone = await connectDevice(t, carillon, people.annabel!.login)
    await carillon.online(people.annabel!.login, { app })
    t.assert.deepEqual(names(await devices('?online=true')), ['annabel'])
    t.assert.deepEqual(names(await devices('?online=false')), ['bob', 'ann'])
    t.assert.deepEqual(names(await devices('?online=true&vendor=xiaomi')), [])
    t.assert.deepEqual(names(await devices('?search=desk&online=false&vendor=xiaomi')), ['bob'])
    await phone.close()
    await carillon.until(() => devices('?online=true'), (page) => page.list.length === 0)
  })

  test('a wrong question is told its field', async (t) => {
    for (const [path, field] of [
      ['/device/list?limit=201', 'limit'], ['/device/list?online=yes', 'online'],
      ['/device/list?vendor=acme', 'vendor'], ['/device/list?by=name', 'by'],
      ['/device/list?after=x', 'after'], ['/user/search?after=x', 'after'], ['/user/search?limit=0', 'limit'],
      ['/push/task/list?state=over', 'state'],
      ['/push/task/list?audience_kind=one', 'audience_kind'], ['/push/task/list?from=now', 'from'],
      ['/user/ann', 'user_id'],
    ]) {
      const { code, message } = await carillon.call(path!, south)
      t.assert.deepEqual([code, message?.split(' ')[0]], [10002, field], path!)
    }
  })

  test('a device tells its vendor tokens without giving them away, and what it was sent', seconds(60), async (t) => {
    const { login, id } = people.bob!
    const setting = { distribution_strategy: 'nativepush_only' }
    const send = (audience: unknown, title: string) => carillon.notify({ audience, message: { title }, setting }, south)
    const toOne = await send({ push_token: [login.push_token] }, 'to the device')
    const toUser = await send({ user_id: [id] }, 'to the user')
    const toAll = await send('all', 'to all')
    await send({ user_id: [people.ann!.id] }, 'to somebody else')
    const list = await send({ user_id: [people.ann!.id, id] }, 'x'.repeat(200))
    const device = await carillon.until(
      () => carillon.ok(`/device/${login.push_token}`, south), ({ pushes }) => pushes.length === 4,
    )
    t.assert.deepEqual(device.pushes.map((push: any) => push.task_id), [list, toAll, toUser, toOne])
    t.assert.deepEqual(
      device.pushes.map((push: any) => push.title), ['x'.repeat(80), 'to all', 'to the user', 'to the device'],
    )
    for (const { channel, state } of device.pushes) t.assert.deepEqual([channel, state], ['nativepush', 'waiting'])
    t.assert.equal(device.pushes_complete, true)
    const [token] = device.vendor_tokens
    t.assert.deepEqual(
      [token.vendor, token.environment, token.quarantined_at, token.token], ['xiaomi', 1, null, 'regid…56789'],
    )
    t.assert.deepEqual([device.username, device.badge, device.logged_in, device.push.enabled], ['bob', 4, true, true])
    t.assert.equal((await carillon.call(`/device/${people.ann!.login.token}`, south)).code, 12011)
  })

  test('an admin erases a device: its connection ends, and the audit log tells who did it', seconds(60), async (t) => {
    const id = await carillon.addUser('gone', { app, admin: south.token })
    const login = await carillon.tokenFor(id, 'phone of gone', { app, admin: south.token })
    const phone = await connectDevice(t, carillon, login)
    await carillon.ok('/device/remove', { ...south, body: { push_token: login.push_token } })
    await phone.closed
    t.assert.equal(
      (await carillon.call('/device/remove', { ...south, body: { push_token: login.push_token } })).code, 12011,
    )
    const [entry] = await carillon.ok('/app/audit?limit=1', south)
    t.assert.deepEqual(
      [entry.action, entry.detail.device_guid, entry.detail.user_id], ['device.remove', 'phone of gone', id],
    )
    t.assert.match(entry.actor, /^admin token \d+/)
  })

  test('users are found by the beginning of their name, or exactly by what else they are known by', async (t) => {
    const users = (query: string) => carillon.ok(`/user/search${query}`, south)
    t.assert.deepEqual(names(await users('?search=ann')), ['ann', 'annabel'])
    t.assert.deepEqual(names(await users('?search=ann%40example.com')), ['ann'])
    t.assert.deepEqual(names(await users(`?search=${people.bob!.id}`)), ['bob'])
    const first = await users('?limit=1&search=a')
    t.assert.deepEqual(
      [names(first), names(await users(`?limit=1&search=a&after=${first.next}`))], [['ann'], ['annabel']],
    )
    const newest = await users('?limit=2')
    t.assert.equal(names(newest).length, 2)
    t.assert.deepEqual(names(await users(`?limit=50&after=${newest.next}`)).slice(-1), ['ann'])
  })

  test('one user: devices, groups, and when they may be disturbed', async (t) => {
    const { id, login } = people.ann!
    const { group_id } = await carillon.ok('/group/create', { ...south, body: { name: 'staff', members: [id] } })
    const hours = { no_push_start_hour: 22, no_push_end_hour: 7, time_zone: 'Asia/Tokyo' }
    await carillon.ok('/user/push', { app, token: login.token, body: { enabled: false, ...hours } })
    const user = await carillon.ok(`/user/${id}`, south)
    t.assert.deepEqual(
      [user.username, user.email, user.disabled, user.groups],
      ['ann', 'Ann@Example.com', false, [{ group_id, name: 'staff' }]],
    )
    t.assert.deepEqual(user.push, { enabled: false, ...hours })
    t.assert.deepEqual(
      [user.devices.map((device: any) => device.push_token), user.devices_next], [[login.push_token], null],
    )
    t.assert.equal((await carillon.call('/user/999999', south)).code, 10000)
  })
})

suite('tasks', () => {
  test("are found by state, audience, time and the caller's own id, and tell their sums", seconds(60), async (t) => {
    const app = 'tasks'
    const by = { app, token: await carillon.addApp(app) }
    const id = await carillon.addUser('ann', { app, admin: by.token })
    await carillon.tokenFor(id, 'phone', { app, admin: by.token })
    const send = (audience: unknown, setting: object, title: string, options = {}) => carillon.notify(
      { audience, message: { title }, setting }, { ...by, ...options },
    )
    const all = await send('all', {}, 'all')
    const tag = await send({ tag: ['x'] }, { request_id: 'order 1' }, 'tag')
    const later = await send({ user_id: [id] }, { send_time: 4_000_000_000 }, 'later')
    const other = await send({ alias: ['y'] }, { request_id: 'order 1' }, 'as a user', { user: id })
    await carillon.ok('/push/task/cancel', { ...by, body: { task_id: later } })
    const list = async (query: string): Promise<number[]> =>
      (await carillon.ok(`/push/task/list${query}`, by)).map(({ task_id }: any) => task_id)
    await carillon.until(() => list('?state=done'), (ids) => ids.length === 3)
    t.assert.deepEqual(await list('?state=done'), [other, tag, all])
    t.assert.deepEqual(await list('?state=cancelled'), [later])
    t.assert.deepEqual(await list('?state=sending'), [])
    t.assert.deepEqual(await list('?audience_kind=all'), [all])
    t.assert.deepEqual(await list('?audience_kind=user_id&state=cancelled'), [later])
    t.assert.deepEqual(await list('?request_id=order%201'), [other, tag])
    t.assert.deepEqual(await list(`?before=${tag}`), [all])
    const rows = await carillon.ok('/push/task/list', by)
    const { accepted_at } = rows.find(({ task_id }: any) => task_id === later)
    t.assert.deepEqual((await list(`?from=${accepted_at}`)).includes(all), rows.at(-1).accepted_at >= accepted_at)
    t.assert.deepEqual(await list(`?to=${rows.at(-1).accepted_at}`), [])
    t.assert.deepEqual(await list(`?from=${rows[0].accepted_at + 1}`), [])
    t.assert.deepEqual(await list(`?from=1&to=${rows[0].accepted_at + 1}`), [other, later, tag, all])
    const series = await carillon.ok(`/push/task/${all}/series`, by)
    t.assert.deepEqual(series, [])
    const shown = rows.at(-1)
    t.assert.deepEqual(
      [shown.title, shown.audience_kind, shown.sums], ['all', 'all', { target: 1, sent: 0, received: 0 }],
    )
  })
})
