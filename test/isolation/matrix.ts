import { createHash, createHmac } from 'node:crypto'
import type { Side } from './world.ts'

/** Who tries: from another app, or from the same one with another group or user than the owner's. */
export const intruders = ['otherAdmin', 'otherGroup', 'otherUser', 'sisterGroup', 'sisterUser'] as const
export type Intruder = (typeof intruders)[number]

export interface Attempt {
  /** Where it differs from the route's own. */
  path?: string
  headers?: Record<string, string>
  body?: object
  /** The code each of them is answered with; who is not named does not try. */
  answers: Partial<Record<Intruder, number>>
  /** What a success must hold, where that is nothing of one's own. */
  data?: unknown
}

interface Row {
  /** Called without an access token, so nobody's token can open or close it. */
  open?: true
  /** Answered without an envelope: the status stands for the code, the text for the data. */
  document?: true
  /** Calls with the intruder's own credentials that name what is the owner's, or what both call the same. */
  attempts(owner: Side, own: Side): Attempt[]
}

const onlyAdmins = (code: number): Attempt['answers'] => ({
  otherAdmin: code, otherGroup: 10010, otherUser: 10010, sisterGroup: 10010, sisterUser: 10010,
})

/** An admin has to say as which user. */
const onlyUsers = (code: number): Attempt['answers'] => ({
  otherAdmin: 10002, otherGroup: 10010, otherUser: code, sisterGroup: 10010, sisterUser: code,
})

const everybody = (code: number): Attempt['answers'] => ({
  otherAdmin: code, otherGroup: code, otherUser: code, sisterGroup: code, sisterUser: code,
})

const namingUser: Row = { attempts: ({ people }) => [{ body: { user_id: people.ann.id }, answers: onlyAdmins(10000) }] }

const namingDevice = (more: object = {}): Row => ({
  attempts: ({ people }) => [{ body: { push_token: people.ann.login.push_token, ...more }, answers: onlyUsers(12011) }],
})

const readingOwn = (path: string): Row => ({ attempts: () => [{ path, answers: onlyAdmins(200) }] })

const harmless: Row = { open: true, attempts: () => [{ answers: everybody(200) }] }

/** The same for everybody. */
const publicPage: Row = { open: true, document: true, attempts: () => [{ answers: everybody(200) }] }

const audiences = ({ people: { ann } }: Side): unknown[] => [
  'all',
  { tag: ['ann', 'everyone'] },
  { alias: ['desk'] },
  { user_id: [ann.id] },
  { push_token: [ann.login.push_token] },
]

/** Shows nothing, so that no badge moves: whom it may reach, it reaches without a trace in what we look at. */
const message = { type: 'cmd', ext: { a: 1 } }

/** What a file is sent with; `{}` is all there is in it. */
const signed = (storeToken: string, secret: string): Record<string, string> => {
  const text = `PUT\n/file/bell.png\n${createHash('sha256').update('{}').digest('hex')}`
  return { 'store-token': storeToken, signature: createHmac('sha256', secret).update(text).digest('hex') }
}

/** A row for every route of the program. */
export const matrix: Record<string, Row> = {
  'GET /health/live': harmless,
  'GET /health/ready': harmless,
  'GET /openapi.json': publicPage,
  'GET /docs': publicPage,
  'GET /metrics': publicPage,

  'POST /token/id': {
    open: true,
    attempts: ({ people: { ann } }) => [
      { body: { user_id: ann.id, password: ann.password }, answers: { otherAdmin: 10020 } },
    ],
  },
  'POST /token/login': {
    open: true,
    attempts: ({ people: { ann } }) =>
      ['ann', 'ann@example.com', '+4917000'].map((login_name) => ({
        body: { login_name, password: ann.password, device_guid: ann.guid },
        answers: { otherAdmin: 10020 },
      })),
  },
  'POST /token/user': {
    open: true,
    attempts: ({ people: { ann, bob } }) => [
      { body: { name: 'ann', password: ann.password }, answers: { otherAdmin: 10020 } },
      { body: { name: 'ann', password: bob.password }, answers: { sisterUser: 10020 } },
    ],
  },
  'POST /token/admin': namingUser,
  // Ends the token it is called with: tried with tokens of its own, after the matrix.
  'POST /token/logout': { attempts: () => [{ answers: { otherGroup: 10010, sisterGroup: 10010 } }] },

  'POST /console/session': {
    open: true,
    attempts: (owner, own) => [
      { body: { app_id: own.app, token: owner.admin }, answers: { otherAdmin: 10008 } },
      { body: { app_id: owner.app, token: own.admin }, answers: { otherAdmin: 10008 } },
      { body: { app_id: owner.app, token: owner.people.ann.login.token }, answers: { otherAdmin: 10010 } },
    ],
  },
  'GET /console/session': {
    open: true,
    attempts: () => [{ answers: { otherAdmin: 200, otherUser: 10010, sisterUser: 10010 } }],
  },
  'DELETE /console/session': harmless,

  'POST /user/register/v2': {
    open: true,
    attempts: (owner) => [
      { body: { username: 'ann', password: 'long enough' }, answers: { otherAdmin: 10004 } },
      { body: { username: `new in ${owner.app}`, password: 'long enough' }, answers: { otherAdmin: 200 } },
    ],
  },
  'POST /user/register/batch': {
    attempts: (owner) => [{ body: { list: [{ username: `also new in ${owner.app}` }] }, answers: onlyAdmins(200) }],
  },
  'POST /user/change_password': {
    attempts: ({ people: { ann } }) => [
      { body: { old_password: ann.password, password: 'something else' }, answers: onlyUsers(10020) },
    ],
  },
  'POST /user/change_password_admin': {
    attempts: ({ people: { ann } }) => [
      { body: { user_id: ann.id, password: 'something else' }, answers: onlyAdmins(10000) },
    ],
  },
  'POST /user/disable': namingUser,
  'POST /user/enable': namingUser,
  'POST /user/delete': namingUser,
  'GET /user/list': readingOwn('/user/list?page_size=500'),
  // In another app there is a device of the same guid, which ends with it: after the matrix.
  'POST /user/kick': {
    attempts: ({ people: { ann } }) => [
      { body: { device_guid: ann.guid }, answers: { ...onlyUsers(12011), otherUser: undefined } },
    ],
  },

  'POST /group/create': {
    attempts: ({ people: { ann } }) => [{ body: { name: 'staff', members: [ann.id] }, answers: onlyAdmins(10000) }],
  },
  'POST /group/member/add': {
    attempts: ({ people, groups }, own) => [
      { body: { group_id: groups.staff, list: [own.people.bob.id] }, answers: onlyAdmins(20001) },
      { body: { group_id: own.groups.guests, list: [people.ann.id] }, answers: onlyAdmins(10000) },
    ],
  },
  'POST /group/member/remove': {
    attempts: ({ people, groups }, own) => [
      { body: { group_id: groups.staff, list: [people.ann.id] }, answers: onlyAdmins(20001) },
      { body: { group_id: own.groups.staff, list: [people.ann.id] }, answers: onlyAdmins(200) },
    ],
  },
  'GET /group/list': readingOwn('/group/list?page_size=500'),

  'GET /user/search': {
    attempts: ({ people: { ann } }) => ['', '?search=ann', `?search=${ann.id}`, '?search=ann%40example.com'].map(
      (query) => ({ path: `/user/search${query}`, answers: onlyAdmins(200) }),
    ),
  },
  'GET /user/:user_id': {
    attempts: ({ people: { ann } }) => [{ path: `/user/${ann.id}`, answers: onlyAdmins(10000) }],
  },
  'GET /device/list': {
    attempts: ({ people: { ann } }) =>
      ['', '?online=false', '?vendor=xiaomi', '?search=desk', '?search=everyone', '?search=ann', `?search=${ann.id}`, `?search=${ann.login.push_token}`].map(
        (query) => ({ path: `/device/list${query}`, answers: onlyAdmins(200) }),
      ),
  },
  'GET /device/:push_token': {
    attempts: ({ people: { ann } }) => [{ path: `/device/${ann.login.push_token}`, answers: onlyAdmins(12011) }],
  },
  'POST /device/remove': {
    attempts: ({ people: { ann } }) => [{ body: { push_token: ann.login.push_token }, answers: onlyAdmins(12011) }],
  },

  'POST /user/push/alias': namingDevice({ alias: 'mine' }),
  'DELETE /user/push/alias': namingDevice(),
  'GET /user/push/tag': {
    attempts: ({ people: { ann } }) => [
      { path: `/user/push/tag?push_token=${ann.login.push_token}`, answers: onlyUsers(12011) },
    ],
  },
  'POST /user/push/tag': namingDevice({ tags: ['mine'] }),
  'DELETE /user/push/tag': namingDevice({ tags: ['everyone'] }),
  'DELETE /user/push/tag/all': namingDevice(),
  'POST /user/push/badge': namingDevice({ badge: 9 }),
  'POST /user/push': {
    attempts: () => [
      { body: { enabled: false }, answers: onlyUsers(200) },
      { body: { enabled: true }, answers: onlyUsers(200) },
    ],
  },
  'GET /user/device/list': { attempts: () => [{ answers: onlyUsers(200) }] },
  'POST /user/device/remove': namingDevice(),
  'POST /user/token/bind': {
    attempts: ({ people: { ann }, notifier }) => [
      { body: { push_token: ann.login.push_token, provider: 3, device_token: 'mine' }, answers: onlyUsers(12011) },
      { body: { notifier_name: notifier, device_token: 'mine' }, answers: { otherUser: 12010 } },
      { body: { provider: 3, device_token: 'vendor token of ann' }, answers: { otherUser: 200 } },
    ],
  },
  'PUT /user/token/bind': namingDevice({ provider: 3, device_token: 'mine' }),
  'POST /user/token/unbind': namingDevice(),
  'DELETE /user/token/unbind': namingDevice({ provider: 3 }),

  'GET /push/stream': {
    attempts: ({ people: { ann } }) => [
      {
        headers: { 'push-token': ann.login.push_token },
        answers: { otherAdmin: 10010, otherGroup: 10010, otherUser: 12011, sisterGroup: 10010, sisterUser: 12011 },
      },
    ],
  },

  'GET /push/certificate': {
    attempts: ({ environment }) => [
      {
        path: `/push/certificate?provider=3&environment=${environment}`,
        // The public part is every user's: their devices start the maker's own software with it.
        answers: { otherAdmin: 12010, otherGroup: 10010, otherUser: 12010, sisterGroup: 10010, sisterUser: 200 },
      },
    ],
  },
  'DELETE /push/certificate': {
    attempts: ({ environment }) => [
      { path: `/push/certificate?provider=3&environment=${environment}`, answers: onlyAdmins(12010) },
    ],
  },
  'POST /push/certificate/check': {
    attempts: ({ environment }) => [{ body: { provider: 3, environment }, answers: onlyAdmins(12010) }],
  },
  'PUT /push/certificate': {
    attempts: ({ environment }) => [
      {
        body: { provider: 3, environment, app_secret: 'AnotherSecret1234567890', name: 'com.example.another' },
        answers: onlyAdmins(200),
      },
    ],
  },
  'GET /push/certificate/list': readingOwn('/push/certificate/list'),
  'GET /push/certificate/form': readingOwn('/push/certificate/form'),
  'GET /push/lane/list': readingOwn('/push/lane/list'),
  'POST /push/receipt/:vendor/:secret': {
    open: true,
    // The secret alone says whose it is: one that nobody was given leads nowhere.
    attempts: () => [{ path: '/push/receipt/xiaomi/1-AAAAAAAAAAAAAAAAAAAAAA', body: {}, answers: everybody(40400) }],
  },

  'POST /push/notify': {
    attempts: (owner) => audiences(owner).map((audience) => ({ body: { audience, message }, answers: everybody(200) })),
  },
  'POST /push/count': {
    // One's own devices alone: what is named the same in both apps counts here as it does there.
    attempts: ({ people: { ann } }) => [{ user_id: [ann.id] }, { push_token: [ann.login.push_token] }].map((audience) => ({
      body: { audience },
      answers: onlyAdmins(200),
      data: { channels: {}, inbox: 0, held: 0, none: {}, reasons: [], devices: 0, complete: true },
    })),
  },
  'POST /push/preflight': { attempts: () => [{ body: { message: { title: 'a' } }, answers: onlyAdmins(200) }] },
  'POST /push/task/detail': {
    attempts: ({ tasks }) => [{ body: { list: Object.values(tasks) }, answers: everybody(200), data: [] }],
  },
  'POST /push/task/cancel': {
    attempts: ({ tasks }) => Object.values(tasks).map((task_id) => ({ body: { task_id }, answers: everybody(12011) })),
  },
  'GET /push/task/list': {
    // In the same app it is the list of the whole app's admin, and of nobody else.
    attempts: () => ['limit=500', 'request_id=order-1', 'state=accepted', 'audience_kind=all', 'from=1'].map(
      (query) => ({ path: `/push/task/list?${query}`, answers: onlyAdmins(200) }),
    ),
  },
  'GET /push/task/:task_id': {
    attempts: ({ tasks }) => Object.values(tasks).map(
      (id) => ({ path: `/push/task/${id}`, answers: everybody(12011) }),
    ),
  },
  'GET /push/task/:task_id/series': {
    attempts: ({ tasks }) => Object.values(tasks).map((id) => ({ path: `/push/task/${id}/series`, answers: everybody(12011) })),
  },
  'GET /push/task/:task_id/trace': {
    attempts: ({ tasks, people: { ann } }, own) => [
      ...Object.values(tasks).map((id) => ({
        path: `/push/task/${id}/trace?push_token=${own.people.bob.login.push_token}`,
        answers: everybody(12011),
      })),
      // One's own task, another's device.
      ...Object.entries({
        otherAdmin: own.tasks.admin,
        otherGroup: own.tasks.staff,
        otherUser: own.tasks.ann,
        sisterGroup: own.neighbours.guests,
        sisterUser: own.neighbours.bob,
      }).map(([who, id]) => ({
        path: `/push/task/${id}/trace?push_token=${ann.login.push_token}`,
        answers: { [who]: 12011 },
      })),
    ],
  },
  'POST /push/receipt': {
    attempts: ({ tasks, people: { ann } }) => {
      const list = Object.values(tasks).map((task_id) => ({ task_id, event: 'clicked' }))
      return [
        { body: { list }, answers: onlyUsers(200), data: { accepted: 0 } },
        { body: { list, push_token: ann.login.push_token }, answers: onlyUsers(12011) },
      ]
    },
  },

  'GET /app/overview': readingOwn('/app/overview'),
  'GET /app/live': {
    attempts: ({ tasks }) => Object.values(tasks).map((id) => ({ path: `/app/live?task_id=${id}`, answers: onlyAdmins(12011) })),
  },
  'GET /app/setting': readingOwn('/app/setting'),
  'PUT /app/setting': {
    attempts: (_owner, own) => [
      { body: { inbox_limit: own.inboxLimit, push_enabled: true }, answers: onlyAdmins(200) },
    ],
  },
  'GET /app/audit': readingOwn('/app/audit?limit=500'),
  'GET /app/token/list': readingOwn('/app/token/list'),
  'POST /app/token/create': { attempts: () => [{ body: { name: 'another' }, answers: onlyAdmins(200) }] },
  'POST /app/token/revoke': { attempts: ({ adminId }) => [{ body: { id: adminId }, answers: onlyAdmins(12011) }] },

  'GET /app/webhook': readingOwn('/app/webhook'),
  'POST /app/webhook/test': readingOwn('/app/webhook/test'),
  'GET /app/webhook/events': readingOwn('/app/webhook/events?limit=500'),
  'POST /app/webhook/replay': {
    attempts: ({ event }) => [{ body: { list: [event] }, answers: onlyAdmins(200), data: { replayed: 0 } }],
  },
  'DELETE /app/webhook': readingOwn('/app/webhook'),
  'PUT /app/webhook': {
    attempts: (_owner, own) => [{ body: { url: own.hook }, answers: onlyAdmins(200) }],
  },

  'PUT /file/:name': {
    open: true,
    attempts: ({ people: { ann } }, own) => [
      {
        path: '/file/bell.png',
        headers: signed(ann.login.store_token, ann.login.access_key_secret),
        answers: { otherAdmin: 10008, otherGroup: 10008, otherUser: 10008 },
      },
      {
        path: '/file/bell.png',
        headers: signed(own.people.bob.login.store_token, ann.login.access_key_secret),
        answers: everybody(10008),
      },
      // For the app itself, as its admin; what is sent is no picture.
      { path: '/file/bell.png', answers: onlyAdmins(10002) },
    ],
  },
  // Whoever has the address has the file, and nobody guesses it.
  'GET /file/:key/:name': {
    open: true,
    document: true,
    attempts: () => [{ path: '/file/bell/bell.png', answers: everybody(404) }],
  },
}
