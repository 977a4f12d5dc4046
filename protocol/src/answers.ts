import type { Static, TObject } from 'typebox'
import { Count, Id, Millis, OrNull, Rows, Sentence, Words } from './answer-types.ts'
import { AppSettingPut } from './bodies.ts'
import { LAST_PROVIDER, platforms, providersInWords } from './names.ts'
import { answerSentences } from './sentences/events.ts'
import { reasonSentences } from './sentences/reasons.ts'
import { triedSentences } from './sentences/tried.ts'
import { warningSentences } from './sentences/warnings.ts'
import { Type } from './type.ts'
import { described, FreeObject, Int, OneOf } from './types.ts'

/** The schemas of `data`: what handlers are held to by the compiler, live answers by a test, and callers read. */

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

export const ListedUser = Type.Object(
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

/** One provider in one environment. */
export const place = {
  provider: Int(1, LAST_PROVIDER, { description: `${providersInWords}.` }),
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

export const CertificateSet = Type.Object({
  warnings: Rows(Type.String(), 'What is unusual about it. It is used all the same.'),
  told: Rows(Sentence(warningSentences, 'Its name, and what is in it.'), 'The same by their names, in the same order.'),
})

export const ListedCertificate = Type.Object(
  {
    ...place,
    name: Type.String(),
    app_id: Type.String(),
    app_key: Type.String(),
    expires_at: OrNull(Millis('When its credential ends, if it has an end')),
    updated_at: Millis('When it was set'),
    receipt_url: OrNull(Words("To be pasted into the provider's console; null where it sends no reports or the public address is not set.")),
  },
  { title: 'ListedCertificate' },
)
export const CertificateList = Rows(ListedCertificate)

export const CertificateTried = Type.Object({
  ok: Type.Boolean({ description: 'Whether the provider accepts the credentials.' }),
  message: Words('What it said, in words.'),
  told: Sentence(triedSentences, 'The same by its name.'),
})

export const Lane = Type.Object(
  {
    ...place,
    state: OneOf(['open', 'paused', 'trying'], { description: '`paused`: takes nothing until then; `trying`: one request at a time, until one succeeds.' }),
    why: OrNull(Words('Why it is not open.')),
    reason: OrNull(Sentence(reasonSentences, 'The same by its name; null where there is none.')),
    until: OrNull(Millis('Until when it is paused')),
    tokens_dying_since: OrNull(Millis('An alarm: since when so many tokens are called dead that none of it is believed')),
    requests_under_way: Count('Requests that wait for an answer.'),
  },
  { title: 'Lane' },
)
export const LaneList = Rows(Lane)

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
  {
    name: Type.String(),
    ok: Type.Boolean(),
    degraded: Type.Optional(described(Type.Boolean(), 'It works in a worse way; the node is ready all the same.')),
    why: Type.Optional(described(Type.String(), 'What is wrong, in words.')),
  },
  { title: 'PartHealth' },
)
export const Ready = Type.Object({ ready: Type.Boolean(), parts: Rows(PartHealth) })

// Events

const webhookUrl = Words('Where events are posted.')

export const WebhookSecret = Type.Object({ url: webhookUrl, secret: Words('Signs what is posted; shown this once.') })

const WebhookRecord = Type.Object({ url: webhookUrl, updated_at: Millis('When it was set') }, { title: 'Webhook' })
export const WebhookRecordOrNull = Type.Unsafe<Static<typeof WebhookRecord> | null>({ anyOf: [WebhookRecord, { type: 'null' }] })

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
    told: OrNull(Sentence(answerSentences, 'The same by its name.')),
  },
  { title: 'Event' },
)
export const EventList = Rows(Event)

export const Replayed = Type.Object({ replayed: Count('How many are told again.') })

// Attachments

export const Attached = Type.Object({ url: Words('Its public address, for attachment_url.') })
