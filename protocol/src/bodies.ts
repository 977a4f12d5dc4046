import type { Static } from 'typebox'
import { audienceKinds, channels, LAST_PROVIDER, platforms, providersInWords, receiptEvents, taskStates } from './names.ts'
import { Type } from './type.ts'
import { Default, described, FreeObject, FreeText, Int, Int64, LAST_SECOND, List, Name, OneOf, Text } from './types.ts'

/** A device has at most this many tags. */
export const TAGS_MAX = 100

const PushToken = Text(512, { description: "The push token of the device; one of the user's own." })
const ThisDevice = Type.Optional(
  described(PushToken, 'Another device of this user than the one the access token was issued for: its push token.'),
)
export const VendorToken = FreeText({ maxBytes: 4096, description: "What the vendor's SDK on the device calls its token." })
export const Provider = Int(1, LAST_PROVIDER, { description: `${providersInWords}.` })
export const Environment = Default(OneOf([0, 1], { description: '0 development, 1 production.' }), 1)
export const Tags = List(Name, TAGS_MAX)
const Hour = (description: string) => Type.Optional(Int(0, 23, { description }))
const UserId = Int64({ description: 'The id of a user of this app.' })
const GroupId = Int64({ description: 'The id of a group of this app.' })
const Millis = (description: string) => Int(0, LAST_SECOND * 1000, { description })
const TaskId = Int64({ description: 'What notify answered with.' })

/** Pages of a list, as query. */
export const Page = Type.Object({
  page_num: Default(Int(1, 1_000_000_000, { description: 'Which page, from 1.' }), 1),
  page_size: Default(Int(1, 500, { description: 'How many on a page.' }), 50),
})
export type Page = Static<typeof Page>

// Tokens, users, groups

/** Passwords are compared byte by byte and never trimmed. The minimum length is an app's setting. */
export const Password = Text(256, { description: 'Compared byte by byte, never trimmed.' })
const NewPassword = described(Password, "Kept as an argon2id hash. Its least length is the app's setting password_min_length.")
const DeviceGuid = Type.Optional(
  described(Name, 'An id the device keeps as long as it is installed. With it, the answer has a push token.'),
)

export const TokenById = Type.Object({
  user_id: Int64({ description: 'The user id registration answered with.' }),
  password: Password,
  device_guid: DeviceGuid,
})
export type TokenById = Static<typeof TokenById>

/** login_name is as long as an email may be. */
export const TokenByLogin = Type.Object({
  login_name: Text(254, { description: 'A mobile number, an email (upper and lower case alike) or a username.' }),
  password: Password,
  device_guid: DeviceGuid,
})
export type TokenByLogin = Static<typeof TokenByLogin>

export const TokenByUser = Type.Object({
  name: described(Name, 'The username.'),
  password: Password,
  device_guid: DeviceGuid,
})
export type TokenByUser = Static<typeof TokenByUser>

/** An admin's: no password is asked. */
export const TokenByAdmin = Type.Object({ user_id: UserId, device_guid: DeviceGuid })
export type TokenByAdmin = Static<typeof TokenByAdmin>

export const contacts = {
  mobile: Type.Optional(Text(21, { format: 'mobile', description: 'A mobile number, unique within the app.' })),
  email: Type.Optional(Text(254, { format: 'email', description: 'Unique within the app, upper and lower case alike.' })),
}
const Username = described(Name, 'Unique within the app.')

export const Register = Type.Object({ username: Username, password: NewPassword, ...contacts })
export type Register = Static<typeof Register>

/** An admin may register users without a password: they get their tokens through /token/admin. */
export const RegisterRow = Type.Object(
  {
    username: Username,
    password: Type.Optional(described(NewPassword, 'Without one, the user gets tokens through /token/admin alone.')),
    ...contacts,
  },
  { title: 'Registration' },
)

export const RegisterBatch = Type.Object({ list: List(RegisterRow) })
export type RegisterBatch = Static<typeof RegisterBatch>

export const ChangePassword = Type.Object({ old_password: Password, password: NewPassword })
export type ChangePassword = Static<typeof ChangePassword>

export const ChangePasswordAdmin = Type.Object({ user_id: UserId, password: NewPassword })
export type ChangePasswordAdmin = Static<typeof ChangePasswordAdmin>

export const UserRef = Type.Object({ user_id: UserId })
export type UserRef = Static<typeof UserRef>

export const Kick = Type.Object({
  device_guid: Type.Optional(described(Name, 'One device of the user alone; blank means all.')),
})
export type Kick = Static<typeof Kick>

export const GroupCreate = Type.Object({
  name: described(Name, 'For people; groups may share one.'),
  members: Default({ ...List(Int64()), description: 'User ids.' }, []),
})
export type GroupCreate = Static<typeof GroupCreate>

export const GroupMembers = Type.Object({ group_id: GroupId, list: described(List(Int64()), 'User ids.') })
export type GroupMembers = Static<typeof GroupMembers>

// Devices

/** "This device": the one the token was issued for, or the one named here. */
export const DeviceRef = Type.Object({ push_token: ThisDevice })
export type DeviceRef = Static<typeof DeviceRef>

export const DeviceRemove = Type.Object({ push_token: PushToken })
export type DeviceRemove = Static<typeof DeviceRemove>

/** Either notifier_name, a certificate's name, or provider with environment. */
export const Bind = Type.Object({
  push_token: ThisDevice,
  device_token: VendorToken,
  notifier_name: Type.Optional(described(Name, "A certificate's name, in place of provider and environment.")),
  provider: Type.Optional(Provider),
  environment: Environment,
  platform: Type.Optional(OneOf(platforms, { description: 'What kind of device it is; blank leaves it as it is.' })),
})
export type Bind = Static<typeof Bind>

export const Unbind = Type.Object({
  push_token: ThisDevice,
  provider: Type.Optional(described(Provider, `${providersInWords}. Blank means all.`)),
})
export type Unbind = Static<typeof Unbind>

export const SetAlias = Type.Object({ alias: described(Name, 'Takes the place of the one before.'), push_token: ThisDevice })
export type SetAlias = Static<typeof SetAlias>

export const RemoveAlias = Type.Object({
  alias: Type.Optional(described(Name, 'Only if it is this one.')),
  push_token: ThisDevice,
})
export type RemoveAlias = Static<typeof RemoveAlias>

export const SetTags = Type.Object({ tags: described(Tags, 'To add.'), push_token: ThisDevice })
export type SetTags = Static<typeof SetTags>

export const RemoveTags = Type.Object({ tags: described(Tags, 'To take away.'), push_token: ThisDevice })
export type RemoveTags = Static<typeof RemoveTags>

export const SetBadge = Type.Object({
  badge: Int(0, 999_999_999, { description: 'The number the device shows.' }),
  push_token: ThisDevice,
})
export type SetBadge = Static<typeof SetBadge>

/** Push on or off, and quiet hours: both hours or neither. */
export const SetPush = Type.Object({
  enabled: Type.Boolean({ description: 'Off: this user is no target of any push.' }),
  no_push_start_hour: Hour('Quiet from this full hour on.'),
  no_push_end_hour: Hour('Until this full hour, over midnight if it is smaller; equal hours mean none.'),
  time_zone: Type.Optional(Text(64, { format: 'time-zone', description: 'Of the two hours; UTC if blank.' })),
})
export type SetPush = Static<typeof SetPush>

// Certificates

export const CertificateQuery = Type.Object({ provider: Provider, environment: Environment })
export type CertificateQuery = Static<typeof CertificateQuery>

/** Which of the fields a vendor needs is the vendor's to say. */
export const CertificatePut = Type.Object({
  provider: Provider,
  environment: Environment,
  name: described(Name, "The certificate's name, by which devices may bind; for Xiaomi the package name."),
  app_id: Type.Optional(Text(1024, { description: "The app's id at the provider." })),
  app_key: Type.Optional(Text(1024, { description: "The app's key at the provider." })),
  app_secret: Type.Optional(Text(65_536, { description: 'Sealed before it is stored.' })),
  certificate: Type.Optional(Text(65_536, { description: 'A key or key file as text. Sealed before it is stored.' })),
  options: Type.Optional(FreeObject({ description: 'What this vendor takes beside these fields; under 16 KiB of JSON.' })),
})
export type CertificatePut = Static<typeof CertificatePut>

// Tasks and receipts

export const TaskDetail = Type.Object({ list: described(List(Int64()), 'Task ids.') })
export type TaskDetail = Static<typeof TaskDetail>

export const TaskRef = Type.Object({ task_id: TaskId })
export type TaskRef = Static<typeof TaskRef>

export const TaskList = Type.Object({
  before: Type.Optional(Int64({ description: 'Only tasks with a smaller id: the last one of the page before.' })),
  limit: Default(Int(1, 500, { description: 'How many.' }), 50),
  state: Type.Optional(OneOf(taskStates, { description: 'Only tasks in this state.' })),
  audience_kind: Type.Optional(OneOf(audienceKinds, { description: 'Only tasks whose audience asks in this way.' })),
  from: Type.Optional(Millis('Only tasks accepted then or later, in Unix milliseconds.')),
  to: Type.Optional(Millis('Only tasks accepted before, in Unix milliseconds.')),
  request_id: Type.Optional(described(Name, 'Only tasks that were sent with it, in whichever scope.')),
})
export type TaskList = Static<typeof TaskList>

export const TraceQuery = Type.Object({ push_token: Text(512, { description: 'The device asked about.' }) })
export type TraceQuery = Static<typeof TraceQuery>

export const ReceiptItem = Type.Object(
  {
    task_id: Int64({ description: 'From the payload of the push.' }),
    event: OneOf(receiptEvents),
    channel: Type.Optional(
      OneOf(channels, { description: 'From the payload of the push; blank means the newest one used for this device.' }),
    ),
    at: Type.Optional(Int(0, LAST_SECOND * 1000, { description: 'When, in Unix milliseconds.' })),
  },
  { title: 'Receipt' },
)
export type ReceiptItem = Static<typeof ReceiptItem>

export const ReceiptList = Type.Object({ list: List(ReceiptItem), push_token: ThisDevice })
export type ReceiptList = Static<typeof ReceiptList>

// The app itself

/** What is not given stays as it is. */
export const AppSettingPut = Type.Object({
  push_enabled: Type.Optional(Type.Boolean({ description: 'Off: notify is refused.' })),
  alias_by: Type.Optional(OneOf(['user', 'admin'], { description: 'Who may give a device its alias.' })),
  registration_enabled: Type.Optional(Type.Boolean({ description: 'Whether people may register themselves.' })),
  password_min_length: Type.Optional(Int(1, 256, { description: 'Characters of a new password.' })),
  token_days: Type.Optional(Int(1, 3650, { description: "How long a user's access token lives." })),
  inbox_limit: Type.Optional(Int(1, 100_000, { description: 'Pushes that wait for one device; older ones give way.' })),
  retention_days: Type.Optional(Int(1, 3650, { description: 'How long the content of a finished task is kept.' })),
  no_push_start_hour: Type.Optional(Int(0, 23, { description: 'When quiet hours begin, for users who have set none of their own.' })),
  no_push_end_hour: Type.Optional(Int(0, 23, { description: 'When they end; the same hour as the start means that there are none.' })),
  time_zone: Type.Optional(Text(64, { description: 'Whose hours these are, such as Europe/Berlin.' })),
})
export type AppSettingPut = Static<typeof AppSettingPut>

export const AuditQuery = Type.Object({
  before: Default(
    Int(1, Number.MAX_SAFE_INTEGER, { description: 'Only entries with a smaller id: the last one of the page before.' }),
    Number.MAX_SAFE_INTEGER,
  ),
  limit: Default(Int(1, 500, { description: 'How many.' }), 50),
})
export type AuditQuery = Static<typeof AuditQuery>

// Events

export const WebhookSet = Type.Object({
  url: Text(2048, { format: 'web-address', description: 'Where events are posted.' }),
  secret: Type.Optional(Text(256, { description: 'Signs what is posted; blank means that one is made.' })),
})

export const WebhookEvents = Type.Object({
  before: Default(
    Int(1, Number.MAX_SAFE_INTEGER, { description: 'Only events with a smaller id: the last one of the page before.' }),
    Number.MAX_SAFE_INTEGER,
  ),
  limit: Default(Int(1, 500, { description: 'How many.' }), 50),
})

export const WebhookReplay = Type.Object({ list: described(List(Int64()), 'Event ids.') })
