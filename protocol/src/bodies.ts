import { Type, type Static } from 'typebox'
import { channels, platforms, receiptEvents } from './names.ts'
import { Default, FreeObject, FreeText, Int, Int64, LAST_SECOND, List, Name, OneOf, Text } from './types.ts'

/** A device has at most this many tags. */
export const TAGS_MAX = 100

const PushToken = Text(512)
const VendorToken = FreeText({ maxBytes: 4096 })
const Provider = Int(1, 8, { description: '1 APNs, 2 Huawei, 3 Xiaomi, 4 Meizu, 5 vivo, 6 OPPO, 7 FCM, 8 Honor' })
const Environment = Default(OneOf([0, 1]), 1)
const Tags = List(Name, TAGS_MAX)
const Hour = Int(0, 23)

/** Pages of a list, as query. */
export const Page = Type.Object({
  page_num: Default(Int(1, 1_000_000_000), 1),
  page_size: Default(Int(1, 500), 50),
})
export type Page = Static<typeof Page>

// Tokens, users, groups

/** Passwords are compared byte by byte and never trimmed. The minimum length is an app's setting. */
const Password = Text(256)
const DeviceGuid = Type.Optional(Name)

export const TokenById = Type.Object({ user_id: Int64(), password: Password, device_guid: DeviceGuid })
export type TokenById = Static<typeof TokenById>

/** login_name is as long as an email may be. */
export const TokenByLogin = Type.Object({ login_name: Text(254), password: Password, device_guid: DeviceGuid })
export type TokenByLogin = Static<typeof TokenByLogin>

export const TokenByUser = Type.Object({ name: Name, password: Password, device_guid: DeviceGuid })
export type TokenByUser = Static<typeof TokenByUser>

/** An admin's: no password is asked. */
export const TokenByAdmin = Type.Object({ user_id: Int64(), device_guid: DeviceGuid })
export type TokenByAdmin = Static<typeof TokenByAdmin>

const contacts = {
  mobile: Type.Optional(Text(21, { format: 'mobile' })),
  email: Type.Optional(Text(254, { format: 'email' })),
}

export const Register = Type.Object({ username: Name, password: Password, ...contacts })
export type Register = Static<typeof Register>

/** An admin may register users without a password: they get their tokens through /token/admin. */
export const RegisterRow = Type.Object({ username: Name, password: Type.Optional(Password), ...contacts })

export const RegisterBatch = Type.Object({ list: List(RegisterRow) })
export type RegisterBatch = Static<typeof RegisterBatch>

export const ChangePassword = Type.Object({ old_password: Password, password: Password })
export type ChangePassword = Static<typeof ChangePassword>

export const ChangePasswordAdmin = Type.Object({ user_id: Int64(), password: Password })
export type ChangePasswordAdmin = Static<typeof ChangePasswordAdmin>

export const UserRef = Type.Object({ user_id: Int64() })
export type UserRef = Static<typeof UserRef>

export const Kick = Type.Object({ device_guid: DeviceGuid })
export type Kick = Static<typeof Kick>

export const GroupCreate = Type.Object({ name: Name, members: Default(List(Int64()), []) })
export type GroupCreate = Static<typeof GroupCreate>

export const GroupMembers = Type.Object({ group_id: Int64(), list: List(Int64()) })
export type GroupMembers = Static<typeof GroupMembers>

// Devices

/** "This device": the one the token was issued for, or the one named here. */
export const DeviceRef = Type.Object({ push_token: Type.Optional(PushToken) })
export type DeviceRef = Static<typeof DeviceRef>

export const DeviceRemove = Type.Object({ push_token: PushToken })
export type DeviceRemove = Static<typeof DeviceRemove>

/** Either notifier_name, a certificate's name, or provider with environment. */
export const Bind = Type.Object({
  push_token: Type.Optional(PushToken),
  device_token: VendorToken,
  notifier_name: Type.Optional(Name),
  provider: Type.Optional(Provider),
  environment: Environment,
  platform: Type.Optional(OneOf(platforms)),
})
export type Bind = Static<typeof Bind>

export const Unbind = Type.Object({
  push_token: Type.Optional(PushToken),
  provider: Type.Optional(Provider),
})
export type Unbind = Static<typeof Unbind>

export const SetAlias = Type.Object({ alias: Name, push_token: Type.Optional(PushToken) })
export type SetAlias = Static<typeof SetAlias>

export const SetTags = Type.Object({ tags: Tags, push_token: Type.Optional(PushToken) })
export type SetTags = Static<typeof SetTags>

export const RemoveTags = Type.Object({ tags: Tags, push_token: Type.Optional(PushToken) })
export type RemoveTags = Static<typeof RemoveTags>

export const SetBadge = Type.Object({ badge: Int(0, 999_999_999), push_token: Type.Optional(PushToken) })
export type SetBadge = Static<typeof SetBadge>

/** Push on or off, and quiet hours: both hours or neither. */
export const SetPush = Type.Object({
  enabled: Type.Boolean(),
  no_push_start_hour: Type.Optional(Hour),
  no_push_end_hour: Type.Optional(Hour),
  time_zone: Type.Optional(Text(64, { format: 'time-zone' })),
})
export type SetPush = Static<typeof SetPush>

// Certificates

export const CertificateQuery = Type.Object({ provider: Provider, environment: Environment })
export type CertificateQuery = Static<typeof CertificateQuery>

/** Which of the fields a vendor needs is the vendor's to say. */
export const CertificatePut = Type.Object({
  provider: Provider,
  environment: Environment,
  name: Name,
  app_id: Type.Optional(Text(1024)),
  app_key: Type.Optional(Text(1024)),
  app_secret: Type.Optional(Text(65_536)),
  certificate: Type.Optional(Text(65_536)),
  options: Type.Optional(FreeObject()),
})
export type CertificatePut = Static<typeof CertificatePut>

// Tasks and receipts

export const TaskDetail = Type.Object({ list: List(Int64()) })
export type TaskDetail = Static<typeof TaskDetail>

export const TaskRef = Type.Object({ task_id: Int64() })
export type TaskRef = Static<typeof TaskRef>

export const ReceiptItem = Type.Object({
  task_id: Int64(),
  event: OneOf(receiptEvents),
  channel: Type.Optional(OneOf(channels)),
  at: Type.Optional(Int(0, LAST_SECOND * 1000, { description: 'Unix milliseconds' })),
})
export type ReceiptItem = Static<typeof ReceiptItem>

export const ReceiptList = Type.Object({ list: List(ReceiptItem) })
export type ReceiptList = Static<typeof ReceiptList>

// The app itself

/** What is not given stays as it is. */
export const AppSettingPut = Type.Object({
  push_enabled: Type.Optional(Type.Boolean()),
  alias_by: Type.Optional(OneOf(['user', 'admin'])),
  registration_enabled: Type.Optional(Type.Boolean()),
  password_min_length: Type.Optional(Int(1, 256)),
  token_days: Type.Optional(Int(1, 3650)),
  inbox_limit: Type.Optional(Int(1, 100_000)),
  retention_days: Type.Optional(Int(1, 3650)),
})
export type AppSettingPut = Static<typeof AppSettingPut>
