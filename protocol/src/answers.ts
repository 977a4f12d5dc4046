import { type Static, type TObject, type TSchema, type TUnsafe, Type } from 'typebox'
import { AppSettingPut } from './bodies.ts'
import { type Counters, emptyCounters } from './counters.ts'
import { platforms, taskStates } from './names.ts'
import { Message, Setting } from './notify.ts'
import { described, FreeObject, Int, OneOf } from './types.ts'

/** The schemas of `data`: what handlers are held to by the compiler, live answers by a test, and callers read. */

/** An id we made: a number that JSON holds exactly. */
const Id = (description: string) => Type.Integer({ format: 'int64', minimum: 1, description })
const Millis = (description: string) => Type.Integer({ format: 'int64', description: `${description}, in Unix milliseconds.` })
const Count = (description: string) => Type.Integer({ format: 'int64', minimum: 0, description })
const Words = (description: string) => Type.String({ description })
const OrNull = <S extends TSchema>(schema: S): TUnsafe<Static<S> | null> =>
  Type.Unsafe({ ...schema, type: [(schema as { type?: string }).type, 'null'] })
const Rows = <S extends TSchema>(schema: S, description?: string) => Type.Array(schema, description ? { description } : {})

// Tokens, users, groups

export const TokenRecord = Type.Object(
  {
    access_key_secret: Words('The file key: signs uploads.'),
    encrypt_type: OneOf([0, 1], { description: 'Whether devices connect with TLS: 0 plain, 1 TLS.' }),
    expire: Millis('When the access token ends'),
    public_key: Words('The server\'s TLS key as base64 of its SPKI, for pinning; "" without TLS.'),
    push_token: Type.Optional(Words("The device's address; only there when device_guid was sent.")),
    store_token: Words('The file token: names the uploader.'),
    token: Words('The access token, for the header access-token.'),
    user_id: Id('Whose token it is.'),
  },
  { title: 'TokenRecord' },
)

export const UserMade = Type.Object({ user_id: Id('The new user.') })

export const RegisteredRow = Type.Object(
  {
    success: Type.Boolean(),
    reason: OrNull(Words('Why not; null on success.')),
    user_id: OrNull(Id('The new user; null if there is none.')),
  },
  { title: 'RegisteredRow' },
)
export type RegisteredRow = Static<typeof RegisteredRow>
export const RegisteredRows = Rows(RegisteredRow)

const pageOf = (row: TObject) =>
  Type.Object({ total: Count('How many there are on all pages.'), list: Rows(row) })

const ListedUser = Type.Object(
  {
    user_id: Id('The user.'),
    username: Type.String(),
    mobile: OrNull(Type.String()),
    email: OrNull(Type.String()),
    disabled: Type.Boolean({ description: 'Locked out by an admin.' }),
    has_password: Type.Boolean({ description: 'Without one, tokens come from /token/admin alone.' }),
    created_at: Millis('When the user was registered'),
  },
  { title: 'User' },
)
export const UserPage = pageOf(ListedUser)

export const GroupMade = Type.Object({ group_id: Id('The new group.') })

const ListedGroup = Type.Object(
  {
    group_id: Id('The group.'),
    name: Type.String(),
    created_at: Millis('When it was made'),
    member_count: Count('How many users are in it.'),
  },
  { title: 'Group' },
)
export const GroupPage = pageOf(ListedGroup)

// Devices

export const DeviceTags = Type.Object({ tags: Rows(Type.String(), 'All tags the device has now.') })

const place = {
  provider: Int(1, 8, { description: '1 APNs, 2 Huawei, 3 Xiaomi, 4 Meizu, 5 vivo, 6 OPPO, 7 FCM, 8 Honor.' }),
  environment: Int(0, 1, { description: '0 development, 1 production.' }),
}

export const Device = Type.Object(
  {
    push_token: Words("The device's address."),
    device_guid: Words('The id it logged in with.'),
    platform: OneOf(platforms),
    online: Type.Boolean({ description: 'Connected and subscribed.' }),
    providers: Rows(Type.Object(place), 'Where it has a vendor token that is in use.'),
    tags: Rows(Type.String()),
    alias: OrNull(Type.String()),
    badge: Count('As far as the server knows.'),
    created_at: Millis('When it logged in first'),
    seen_at: Millis('When it was last heard of'),
  },
  { title: 'Device' },
)
export const DeviceList = Rows(Device)

// Certificates

export const Certificate = Type.Object(
  {
    app_id: Words("The app's id at the provider."),
    app_key: Words("The app's key at the provider."),
    app_secret: Words('"" for users.'),
    certificate: Words('"" for users.'),
    name: Words("The certificate's name."),
    options: Type.Optional(FreeObject({ description: 'What the vendor takes beside these fields; for admins alone.' })),
  },
  { title: 'Certificate' },
)

export const CertificateSet = Type.Object({ warnings: Rows(Type.String(), 'What is unusual about it. It is used all the same.') })

export const ListedCertificate = Type.Object(
  {
    ...place,
    name: Type.String(),
    app_id: Type.String(),
    app_key: Type.String(),
    expires_at: OrNull(Millis('When its credential ends, if it has an end')),
    updated_at: Millis('When it was set'),
  },
  { title: 'ListedCertificate' },
)
export const CertificateList = Rows(ListedCertificate)

// Tasks

export const TaskMade = Type.Object({ task_id: Id('The task, which is on stable storage now.') })

const meanings: Record<string, string> = {
  target: 'Devices this channel was chosen for.',
  sent: 'Handed over.',
  received: 'The device, or the vendor for it, said so.',
}

export const TaskCounters = Type.Unsafe<Counters>(
  Type.Object(
    Object.fromEntries(
      Object.keys(emptyCounters(0)).map((name) => [
        name,
        name === 'task_id' ? Id('The task.') : Count(meanings[name.slice(name.lastIndexOf('_') + 1)]!),
      ]),
    ),
    { title: 'Counters', description: 'For each channel target ≥ sent ≥ received; none of them ever falls.' },
  ),
)
export const CounterList = Rows(TaskCounters)

export const TaskEnd = Type.Object({ task_id: Id('The task.'), state: OneOf(taskStates) })

const summary = {
  task_id: Id('The task.'),
  state: OneOf(taskStates, { description: 'The last three are endings. done: nothing is left to try.' }),
  scope: Words('Who sent it: app, `group 3` or `user 7`.'),
  dry_run: Type.Boolean(),
  accepted_at: Millis('When it was accepted'),
  planned_for: OrNull(Millis('When planning is due; null once it is done')),
  expires_at: Millis('When what has not arrived is dropped'),
  finished_at: OrNull(Millis('When it ended')),
  purged: Type.Boolean({ description: 'Its content is no longer kept; the counters are.' }),
}

export const TaskSummary = Type.Object(summary, { title: 'TaskSummary' })
export const TaskSummaries = Rows(TaskSummary)

const audienceShown = 'As it was sent; of push tokens, how many were asked for and how many are known.'
const shownOrNull = <S extends TSchema>(schema: S, description: string) =>
  Type.Unsafe<unknown>({ anyOf: [schema, { type: 'null' }], description })

export const TaskDescription = Type.Object(
  {
    ...summary,
    audience: Type.Unsafe<unknown>({
      anyOf: [{ type: 'string', const: 'all' }, { type: 'object', additionalProperties: true }, { type: 'null' }],
      description: audienceShown,
    }),
    setting: shownOrNull(Setting, 'As it was sent; null when purged.'),
    message: shownOrNull(Message, 'As it was sent; null when purged.'),
    counters: TaskCounters,
    waiting: Count('Deliveries that wait in inboxes.'),
    reasons: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'How many deliveries ended, or stand, in which way: `nativepush: received`, `none: push is off`.',
    }),
  },
  { title: 'Task' },
)

const Step = Type.Object(
  {
    at: OrNull(Millis('When; null where only the present state is known')),
    text: Words('What happened, in words for a person.'),
  },
  { title: 'Step' },
)
export const TaskTrace = Type.Object({ task_id: Id('The task.'), state: OneOf(taskStates), steps: Rows(Step) })

export const ReceiptsTaken = Type.Object({
  accepted: Count('How many are about pushes this device was sent; the others are ignored.'),
})

// The app itself and the server

export const AppSetting = Type.Required(AppSettingPut, { title: 'AppSetting' })

export const AuditEntry = Type.Object(
  {
    id: Id('The entry.'),
    at: Millis('When'),
    actor: Words('`admin token 3 (ci)`, `user 7` or `command line`.'),
    action: Words('What was done, such as `certificate.put`.'),
    detail: FreeObject({ description: 'To what. It holds no secrets.' }),
  },
  { title: 'AuditEntry' },
)
export const AuditList = Rows(AuditEntry)

export const Live = Type.Object({ live: Type.Boolean() })

const PartHealth = Type.Object(
  { name: Type.String(), ok: Type.Boolean(), why: Type.Optional(described(Type.String(), 'What is wrong, in words.')) },
  { title: 'PartHealth' },
)
export const Ready = Type.Object({ ready: Type.Boolean(), parts: Rows(PartHealth) })

// Events

const webhookUrl = Words('Where events are posted.')

export const WebhookSecret = Type.Object({ url: webhookUrl, secret: Words('Signs what is posted; shown this once.') })

export const WebhookRecord = Type.Object({ url: webhookUrl, updated_at: Millis('When it was set') })

export const Event = Type.Object(
  {
    id: Id('The event.'),
    kind: Words('What happened.'),
    data: Type.Unknown({ description: 'What there is to tell of it.' }),
    at: Millis('When it happened'),
    due_at: OrNull(Millis('When it is told next; null once it was taken or given up')),
    attempt: Count('How often it was told.'),
    delivered_at: OrNull(Millis('When it was taken')),
    answer: OrNull(Words('What the last attempt met.')),
  },
  { title: 'Event' },
)
export const EventList = Rows(Event)

export const Replayed = Type.Object({ replayed: Count('How many are told again.') })

// Attachments

export const Attached = Type.Object({ url: Words('Its public address, for attachment_url.') })
