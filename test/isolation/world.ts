import type { CallOptions, Carillon, Login } from '../harness/carillon.ts'

export interface Person {
  id: number
  password: string
  guid: string
  login: Login
}

/** One app with two users, each with a device and in a group of their own. */
export interface Side {
  app: string
  admin: string
  /** The number of that token. */
  adminId: number
  people: Record<Name, Person>
  groups: Record<GroupName, number>
  /** Tasks that wait for a day that is far off, so that one could still stop them. */
  tasks: Record<'admin' | 'staff' | 'ann', number>
  /** The same of those beside them. */
  neighbours: Record<'guests' | 'bob', number>
  /** In the certificate. */
  secret: string
  /** Where the certificate is: each app has one where the other has none. */
  environment: 0 | 1
  notifier: string
  inboxLimit: number
  /** Where events are told; nobody listens there. */
  hook: string
  /** One of them. */
  event: number
}

type Name = 'ann' | 'bob'
type GroupName = 'staff' | 'guests'

const waiting = {
  audience: 'all',
  message: { title: 'Later' },
  setting: { send_time: 4_000_000_000, request_id: 'order-1' },
}

/** Fills an app. Whatever a caller names is named the same in every app: only ids and secrets tell them apart. */
export const settle = async (
  carillon: Carillon,
  { app, admin, environment, inboxLimit }: Pick<Side, 'app' | 'admin' | 'environment' | 'inboxLimit'>,
): Promise<Side> => {
  const by: CallOptions = { app, token: admin }
  const passwords = { ann: `ann's word in ${app}`, bob: `bob's word in ${app}` }
  const list = (['ann', 'bob'] as const).map((username, i) => ({
    username,
    password: passwords[username],
    mobile: `+491700${i}`,
    email: `${username}@example.com`,
  }))
  const [ann, bob]: number[] = (await carillon.ok('/user/register/batch', { ...by, body: { list } })).map(
    (row: { user_id: number }) => row.user_id,
  )
  const personOf = async (name: Name, id: number): Promise<Person> => {
    const guid = `phone of ${name}`
    const login = await carillon.tokenFor(id, guid, { app, admin })
    const as: CallOptions = { app, token: login.token }
    await carillon.ok('/user/push/tag', { ...as, body: { tags: ['everyone', name] } })
    await carillon.ok('/user/push/alias', { ...as, body: { alias: 'desk' } })
    await carillon.ok('/user/token/bind', { ...as, body: { provider: 3, device_token: `vendor token of ${name}` } })
    return { id, password: passwords[name], guid, login }
  }
  const people = { ann: await personOf('ann', ann!), bob: await personOf('bob', bob!) }
  const group = async (name: GroupName, members: number[]): Promise<number> =>
    (await carillon.ok('/group/create', { ...by, body: { name, members } })).group_id
  const groups = { staff: await group('staff', [ann!]), guests: await group('guests', [bob!]) }

  const [secret, notifier] = [`Secret+of+${app}+1234567890==`, `com.example.${app}`]
  const certificate = { provider: 3, environment, app_id: '1', app_key: '2', app_secret: secret, name: notifier }
  await carillon.ok('/push/certificate', { ...by, method: 'PUT', body: certificate })
  await carillon.setApp({ inbox_limit: inboxLimit }, by)
  const hook = `http://127.0.0.1:9/${app}`
  await carillon.ok('/app/webhook', { ...by, method: 'PUT', body: { url: hook } })
  await carillon.ok('/app/webhook/test', { ...by, method: 'POST' })
  const [{ id: event }] = await carillon.ok('/app/webhook/events', by)
  const tasks = {
    admin: await carillon.notify(waiting, by),
    staff: await carillon.notify(waiting, { ...by, group: groups.staff }),
    ann: await carillon.notify(waiting, { app, token: people.ann.login.token }),
  }
  const neighbours = {
    guests: await carillon.notify(waiting, { ...by, group: groups.guests }),
    bob: await carillon.notify(waiting, { app, token: people.bob.login.token }),
  }
  const [{ id: adminId }] = await carillon.ok<[{ id: number }]>('/app/token/list', by)
  return { app, admin, adminId, people, groups, tasks, neighbours, secret, environment, notifier, inboxLimit, hook, event }
}

/** What an admin sees of one side, all of it. Whatever others do, it stays the same. */
export const lookAt = async (carillon: Carillon, side: Side): Promise<unknown> => {
  const { app, admin, people, tasks, environment } = side
  const by: CallOptions = { app, token: admin }
  const ids = Object.values(tasks)
  return Promise.all([
    carillon.ok('/user/list', by),
    carillon.ok('/group/list', by),
    carillon.ok('/user/device/list', { ...by, user: people.ann.id }),
    carillon.ok('/user/device/list', { ...by, user: people.bob.id }),
    ...ids.map((id) => carillon.ok(`/push/task/${id}`, by)),
    carillon.ok('/push/task/detail', { ...by, body: { list: ids } }),
    carillon.ok('/push/certificate/list', by),
    carillon.ok(`/push/certificate?provider=3&environment=${environment}`, by),
    carillon.ok('/app/setting', by),
    carillon.ok('/app/webhook', by),
  ])
}

/** Whether something of a side, or of ann alone, stands in what somebody else was answered. */
export const leaks = (data: unknown, side: Side, whole: boolean): boolean => {
  const { people, groups, tasks, secret, notifier, inboxLimit, hook } = side
  const persons = whole ? Object.values(people) : [people.ann]
  const texts = [
    secret,
    ...persons.flatMap(({ login }) => [login.push_token, login.token]),
    ...(whole ? [notifier, hook] : []),
  ]
  const numbers: Record<string, number[]> = {
    user_id: persons.map(({ id }) => id),
    task_id: Object.values(tasks),
    group_id: whole ? Object.values(groups) : [groups.staff],
    inbox_limit: whole ? [inboxLimit] : [],
  }
  const inside = (value: unknown, key = ''): boolean => {
    if (typeof value === 'string') return texts.some((text) => value.includes(text))
    if (typeof value === 'number') return numbers[key]?.includes(value) ?? false
    if (typeof value !== 'object' || value === null) return false
    return Object.entries(value).some(([name, item]) => inside(item, Array.isArray(value) ? key : name))
  }
  return inside(data)
}
