import { createPrivateKey, hash, sign, X509Certificate } from 'node:crypto'
import type { Warning } from '@carillon/protocol/sentences/warnings.ts'
import { Type } from '@carillon/protocol/type.ts'
import { holdsCertificate, holdsPrivateKey, openIdentity, readPrivateKey } from './keys.ts'
import { label, text, word } from './credentials.ts'
import { cutCharacters, dataOf, readObject, typeOf, withCode } from './message.ts'
import { defineVendor } from './vendor.ts'
import type {
  AccessToken, Account, Checked, Environment, Fields, Problem, Reply, TlsIdentity, Vendor, VendorPush, Verdict,
} from './vendor.ts'

const ORIGINS = ['https://api.sandbox.push.apple.com', 'https://api.push.apple.com'] as const
const PAYLOAD_BYTES = 4096
const STORED_MS = 30 * 86_400_000 // the longest Apple keeps a push for a device that is away

const DAY_MS = 86_400_000
const SOON_DAYS = 30

// 1.2.840.113635.100.6.3.1 and .2 in DER: the certificate may be used for development, for production.
const ALLOWS = [1, 2].map((last) => Buffer.from(`060a2a864886f7636406030${last}`, 'hex'))
const ENVIRONMENTS = ['development', 'production'] as const

/** A .p8 key signs tokens; whatever comes with a certificate is shown in the TLS handshake. */
const isSigningKey = (certificate: string) => holdsPrivateKey(certificate) && !holdsCertificate(certificate)

const checkSigningKey = ({ app_key, app_secret, certificate }: Fields): Partial<Checked> => {
  const problems: Problem[] = []
  const warnings: Warning[] = []
  const ids = [['app_key', 'Key ID', app_key], ['app_secret', 'Team ID', app_secret]] as const
  for (const [field, title, value] of ids) {
    if (value === '') problems.push({ field, expected: `must not be blank: with a .p8 key it is the ${title}` })
    else if (!/^[A-Z0-9]{10}$/.test(value)) {
      warnings.push({ name: 'unusual', values: { field, title, usual: '10 capital letters and digits' } })
    }
  }
  const key = readPrivateKey(certificate)
  if (key?.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    problems.push({
      field: 'certificate',
      expected: 'must be the .p8 file as Apple gave it: an EC P-256 private key in PEM, BEGIN and END lines included',
    })
  }
  return { problems, warnings }
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10)

const checkIdentity = (fields: Fields, environment: Environment, now: number): Partial<Checked> => {
  const identity = openIdentity(fields.certificate, fields.app_secret)
  if ('problem' in identity) return { problems: [identity.problem] }
  const { leaf } = identity
  // From the text: validToDate is made of whatever lies in memory when the time in the certificate is malformed.
  const beginsAt = Date.parse(leaf.validFrom)
  const expiresAt = Date.parse(leaf.validTo)
  if (Number.isNaN(beginsAt) || Number.isNaN(expiresAt)) {
    return { problems: [{ field: 'certificate', expected: 'must hold readable dates of its beginning and end' }] }
  }
  if (expiresAt <= now) {
    const expected = `must not be expired: this one ended on ${day(expiresAt)}`
    return { problems: [{ field: 'certificate', expected }], expiresAt }
  }
  const warnings = purposeWarnings(leaf, fields.app_id, environment)
  if (fields.app_key !== '') {
    const words = 'app_key is not used with a TLS certificate: a Key ID belongs to a .p8 key'
    warnings.push({ name: 'needless', values: { field: 'app_key', words } })
  }
  if (fields.app_secret !== '' && holdsCertificate(fields.certificate)) {
    const words = 'app_secret is not used with PEM text: a passphrase belongs to a .p12 file'
    warnings.push({ name: 'needless', values: { field: 'app_secret', words } })
  }
  if (expiresAt < now + SOON_DAYS * DAY_MS) {
    const words = `certificate expires soon, on ${day(expiresAt)}`
    warnings.push({ name: 'ends_soon', values: { field, day: day(expiresAt), words } })
  }
  if (beginsAt > now) {
    const words = `certificate is not valid before ${day(beginsAt)}`
    warnings.push({ name: 'begins_later', values: { field, day: day(beginsAt), words } })
  }
  return { warnings, expiresAt }
}

const field = 'certificate'

const purposeWarnings = (leaf: X509Certificate, bundleId: string, environment: Environment): Warning[] => {
  const warnings: Warning[] = []
  const topic = /^UID=(.+)$/m.exec(leaf.subject)?.[1]
  if (!topic) {
    const words = 'certificate names no app (UID) in its subject, as push certificates of Apple do'
    warnings.push({ name: 'lacks', values: { field, part: 'UID', words } })
  } else if (bundleId !== '' && topic !== bundleId) {
    const words = `certificate belongs to ${topic}, which is not app_id: Apple refuses pushes for another app`
    warnings.push({ name: 'differs', values: { field: 'app_id', other: `UID=${topic}`, words } })
  }
  const allowed = ALLOWS.map((oid) => leaf.raw.includes(oid))
  if (!allowed[environment] && allowed[1 - environment]) {
    const [other, own] = [ENVIRONMENTS[1 - environment], ENVIRONMENTS[environment]]
    const words = `certificate is made for ${other}, this record is for ${own}`
    warnings.push({ name: 'differs', values: { field: 'environment', other: field, words } })
  }
  return warnings
}

// Apple takes a token for an hour and wants a change at most every 20 minutes, counted over a whole team. A time of
// issue on a fixed grid is the same on every node; renewed at 55 minutes, no token is replaced within 25.
const GRID_MS = 30 * 60_000
const RENEW_MS = 55 * 60_000
const END_MS = 59 * 60_000

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Says who sends: Key ID, Team ID and a time in Unix seconds, signed. */
export const signedToken = ({ app_key, app_secret, certificate }: Fields, issued: number): string => {
  const input = `${encoded({ alg: 'ES256', kid: app_key })}.${encoded({ iss: app_secret, iat: issued })}`
  const key = createPrivateKey(certificate)
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

const makeToken = (account: Account, now: number): AccessToken => {
  // A TLS certificate speaks for itself: there is no token, and none runs out.
  if (!isSigningKey(account.certificate)) return { value: '', renewAt: now + DAY_MS, endsAt: now + DAY_MS }
  const issuedAt = now - (now % GRID_MS)
  const value = signedToken(account, issuedAt / 1000)
  return { value, renewAt: issuedAt + RENEW_MS, endsAt: issuedAt + END_MS }
}

const identityOf = ({ certificate, app_secret }: Account): TlsIdentity | undefined => {
  if (isSigningKey(certificate)) return undefined
  if (!holdsCertificate(certificate)) return { pfx: Buffer.from(certificate, 'base64'), passphrase: app_secret }
  const opened = openIdentity(certificate, '')
  if ('problem' in opened) return { cert: certificate, key: certificate }
  // The chain was accepted in any order; a handshake takes the leaf first.
  const blocks = certificate.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const isLeaf = (block: string) => new X509Certificate(block).fingerprint256 === opened.leaf.fingerprint256
  const cert = [...blocks.filter(isLeaf), ...blocks.filter((block) => !isLeaf(block))].join('\n')
  return { cert, key: certificate }
}

/** Tokens are hexadecimal; some apps send them as the description of an NSData, `<0a1b …>`. */
const hexOf = (token: string) => (plainHex.test(token) ? token : token.replace(/[<>\s]/g, '').toLowerCase())
const plainHex = /^[0-9a-f]*$/

/** The same for every attempt at one device, so that Apple's log shows them as one. A UUID of version 8. */
const apnsIdOf = (taskId: number, hex: string): string => {
  const digits = hash('sha256', `${taskId}:${hex}`, 'hex')
  const variant = '89ab'[Number.parseInt(digits[16]!, 16) & 3]!
  const [first, second] = [digits.slice(0, 8), digits.slice(8, 12)]
  return `${first}-${second}-8${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}

/** Everything a person sees or hears; empty for what only wakes the app. */
const shownBy = ({ message }: VendorPush, badge: number | null, body: string | undefined) => {
  const { title, ios } = message
  if (typeOf(message) === 'cmd') return {}
  const hasText = [title, ios?.subtitle, body].some((part) => part !== undefined)
  return {
    ...(hasText && { alert: { title, subtitle: ios?.subtitle, body } }),
    ...(badge !== null && { badge }),
    ...(ios?.sound !== undefined && { sound: ios.sound }),
  }
}

/** Apple knows true as the number 1, and false as nothing at all. */
const one = (yes: boolean | undefined) => (yes ? 1 : undefined)

/** The payload, and whether it shows anything. */
const payloadOf = (push: VendorPush, badge: number | null, body: string | undefined) => {
  const { ios, attachment_url } = push.message
  const shown = shownBy(push, badge, body)
  const alerts = Object.keys(shown).length > 0
  const data = dataOf(push, 'apns')
  // Apple wants nothing beside this one key in aps: the app gets the badge as data.
  if (!alerts) {
    return { alerts, payload: { aps: { 'content-available': 1 }, ...data, badge: badge ?? undefined } }
  }
  const aps = {
    ...shown,
    'content-available': one(ios?.content_available),
    // Apple carries no picture: an extension of the app fetches it, and runs only with this.
    'mutable-content': one(ios?.mutable_content ?? attachment_url !== undefined),
    category: ios?.category,
    'thread-id': ios?.thread_id,
  }
  return { alerts, payload: { aps, ...data } }
}

/** A payload as JSON, in two parts where a badge stands between them. */
interface Pieces {
  before: string
  after: string
  bytes: number
}

/** Two payloads that differ in a badge of one digit differ in one place: there the badge of each device is put. */
const piecesOf = (push: VendorPush, hasBadge: boolean, body: string | undefined): Pieces => {
  const text = JSON.stringify(payloadOf(push, hasBadge ? 1 : null, body).payload)
  if (!hasBadge) return { before: text, after: '', bytes: Buffer.byteLength(text) }
  const other = JSON.stringify(payloadOf(push, 2, body).payload)
  let at = 0
  while (text[at] === other[at]) at += 1
  return { before: text.slice(0, at), after: text.slice(at + 1), bytes: Buffer.byteLength(text) - 1 }
}

/** Replaces what has the same id. Without one the task's own id merges a push with its repetition. */
const collapseIdOf = ({ message, setting, taskId }: VendorPush, alerts: boolean): string | undefined => {
  const id = message.ios?.apns_collapse_id ?? setting.collapse_id
  if (id === undefined) return alerts ? String(taskId) : undefined
  // A header takes visible ASCII; of other text a digest collapses just as well. In hexadecimal it has 64 bytes.
  const fits = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(id)
  return fits ? id : hash('sha256', id, 'hex')
}

/** What is the same in all requests of a push, to devices with a badge or to those without. */
interface Draft {
  long: Pieces
  /** In place of a long text that does not fit; without a short one Apple says that it is too long. */
  short: Pieces | undefined
  headers: Record<string, string>
  access: string
  account: Account
}

const draftOf = (push: VendorPush, account: Account, access: string, hasBadge: boolean): Draft => {
  const { body, big_text } = push.message
  const { alerts } = payloadOf(push, hasBadge ? 1 : null, big_text ?? body)
  const isLong = alerts && big_text !== undefined && body !== undefined
  const collapseId = collapseIdOf(push, alerts)
  const expiresAt = Math.min(push.expiresAt, push.now + STORED_MS)
  const headers = {
    ...(access !== '' && { authorization: `bearer ${access}` }),
    'apns-topic': account.app_id,
    'apns-push-type': alerts ? 'alert' : 'background',
    // What shows nothing is refused with 10.
    'apns-priority': alerts && push.setting.priority !== 'normal' ? '10' : '5',
    // A moment, not a length. 0 = one attempt, nothing kept.
    'apns-expiration': push.setting.time_to_live === 0 ? '0' : String(Math.ceil(expiresAt / 1000)),
    ...(collapseId !== undefined && { 'apns-collapse-id': collapseId }),
    'content-type': 'application/json',
  }
  const short = isLong ? piecesOf(push, hasBadge, body) : undefined
  return { long: piecesOf(push, hasBadge, big_text ?? body), short, headers, access, account }
}

// A push goes to thousands of devices: what they share is built once and kept as long as the push is.
const drafts = { withBadge: new WeakMap<VendorPush, Draft>(), without: new WeakMap<VendorPush, Draft>() }

const keptDraft = (push: VendorPush, account: Account, access: string, hasBadge: boolean): Draft => {
  const kept = hasBadge ? drafts.withBadge : drafts.without
  let draft = kept.get(push)
  if (draft?.access !== access || draft.account !== account) {
    draft = draftOf(push, account, access, hasBadge)
    kept.set(push, draft)
  }
  return draft
}

const request: Vendor['request'] = ({ push, account, addresses, access }) => {
  const { token, badge } = addresses[0]!
  const hex = hexOf(token)
  const { long, short, headers } = keptDraft(push, account, access, badge !== null)
  const shownBadge = badge === null ? '' : String(badge)
  const { before, after } = short && long.bytes + shownBadge.length > PAYLOAD_BYTES ? short : long
  return {
    origin: ORIGINS[account.environment],
    method: 'POST',
    path: `/3/device/${encodeURIComponent(hex)}`,
    headers: { ...headers, 'apns-id': apnsIdOf(push.taskId, hex) },
    body: before + shownBadge + after,
  }
}

const sight: Vendor['sight'] = ({ headers, body }) => {
  const { aps } = JSON.parse(body) as { aps: { alert?: { title?: string; body?: string } } }
  const { authorization: _access, 'apns-id': _id, ...about } = headers
  return { title: aps.alert?.title, body: aps.alert?.body, shown: { aps, about }, size: Buffer.byteLength(body), most: PAYLOAD_BYTES }
}

type Failure = Exclude<Verdict, { kind: 'sent' }>

const reconnect = true
const broken = (what: string): Failure => ({ kind: 'refused', why: `Apple does not take the push: ${what}` })
const shut = (why: string): Failure => ({ kind: 'denied', why, reconnect })

/** One line per reason Apple documents or was seen to give. */
const reasons: Record<string, Failure> = {
  BadDeviceToken: { kind: 'dead', why: 'the token is none of this environment' },
  DeviceTokenNotForTopic: { kind: 'dead', why: 'the token belongs to another app than the Bundle ID names' },
  Unregistered: { kind: 'dead', why: 'the token is not registered' },
  ExpiredToken: { kind: 'dead', why: 'the token has expired' },

  BadTopic: { kind: 'denied', why: 'the Bundle ID is not valid' },
  MissingTopic: { kind: 'denied', why: 'the certificate is for several apps and the Bundle ID is missing' },
  TopicDisallowed: { kind: 'denied', why: 'these credentials may not push to this Bundle ID' },

  BadCollapseId: broken('its collapse id is too long'),
  BadExpirationDate: broken('its expiry is not valid'),
  BadMessageId: broken('its id is not valid'),
  BadPriority: broken('its priority is not valid'),
  InvalidPushType: broken('its push type is not valid'),
  DuplicateHeaders: broken('a header came twice'),
  MissingDeviceToken: broken('it names no token'),
  PayloadEmpty: broken('it is empty'),
  PayloadTooLarge: broken(`it has more than ${PAYLOAD_BYTES} bytes`),
  BadPath: broken('its path is not valid'),
  MethodNotAllowed: broken('its method is not POST'),

  ExpiredProviderToken: { kind: 'renew', why: 'the signed token is over an hour old: is the clock right?', reconnect },
  UnrelatedKeyIdInToken: { kind: 'renew', why: 'the connection was opened with another key', reconnect },
  InvalidProviderToken: shut('Apple does not accept the signed token: Key ID, Team ID and key do not fit together'),
  MissingProviderToken: shut('Apple got neither a signed token nor a certificate'),
  Forbidden: shut('Apple does not allow this'),
  BadCertificate: shut('Apple does not accept the certificate'),
  BadCertificateEnvironment: shut('the certificate is for the other environment'),
  BadEnvironmentKeyIdInToken: shut('the key is for the other environment'),
  BadEnvironmentKeyInToken: shut('the key is for the other environment'),

  TooManyProviderTokenUpdates: { kind: 'limited', why: 'the signed token was changed too often', reconnect },
  TooManyRequests: { kind: 'limited', why: 'too many pushes for this device', alone: true },

  IdleTimeout: { kind: 'down', why: 'Apple closed an idle connection', reconnect },
  // Seen on connections that were idle for long; the next one goes over a new connection.
  InternalServerError: { kind: 'down', why: 'Apple has an internal error', reconnect },
  ServiceUnavailable: { kind: 'down', why: 'Apple is not available' },
  Shutdown: { kind: 'down', why: 'this server of Apple is shutting down', reconnect },
}

/** What the status alone says. */
const byStatus = (status: number): Failure => {
  if (status === 421) return { kind: 'down', why: 'the connection leads to the wrong server', reconnect }
  if (status === 429) return { kind: 'limited', why: 'too many pushes' }
  if (status >= 500) return { kind: 'down', why: 'Apple has trouble' }
  return { kind: 'unknown', why: 'Apple gave an answer that is in no table' }
}

const sent: Verdict = { kind: 'sent' }

const verdictOf = ({ status, body }: Reply): Verdict => {
  if (status === 200) return sent
  const { reason, timestamp } = readObject(body) ?? {}
  if (typeof reason !== 'string' || reason === '') {
    return withCode(byStatus(status), `HTTP ${status}`)
  }
  const known = Object.hasOwn(reasons, reason) ? reasons[reason]! : byStatus(status)
  const failure = withCode(known, cutCharacters(reason, 64))
  // Milliseconds. A device that registered again later is not meant.
  if (failure.kind === 'dead' && status === 410 && Number.isSafeInteger(timestamp)) {
    return { ...failure, since: timestamp as number }
  }
  return failure
}

export default defineVendor({
  name: 'apns',
  title: 'Apple Push Notification service',
  credentials: Type.Object({
    app_id: word({
      title: 'Bundle ID',
      description: 'The Bundle ID of the app; pushes are addressed to it.',
      zh: { help: '应用的 Bundle ID，推送以它为目标。' },
      usual: { pattern: '^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$', words: 'a reversed domain such as com.example.app' },
    }),
    app_key: Type.Optional(
      word({
        title: 'Key ID',
        description: 'With a .p8 key: its Key ID. With a TLS certificate: leave blank.',
        zh: { help: '使用 .p8 密钥时填其 Key ID；使用 TLS 证书时留空。' },
      }),
    ),
    app_secret: Type.Optional(
      text({
        title: 'Team ID, or passphrase',
        description: 'With a .p8 key: the Team ID. With a .p12 file: its passphrase, if it has one.',
        zh: { title: 'Team ID 或密码', help: '使用 .p8 密钥时填 Team ID；使用 .p12 文件时填其密码（如有）。' },
      }),
    ),
    certificate: text({
      title: 'Auth key (.p8), or push certificate',
      description:
        'The text of the .p8 file; or a .p12 file in base64; or PEM text with a certificate and its unencrypted key.',
      zh: { title: '认证密钥（.p8）或推送证书', help: '.p8 文件的文本；或 base64 编码的 .p12 文件；或含证书及未加密私钥的 PEM 文本。' },
    }),
    name: label,
  }),
  options: Type.Object({}),

  check(fields, environment, now) {
    if (fields.certificate === '') return {}
    return isSigningKey(fields.certificate) ? checkSigningKey(fields) : checkIdentity(fields, environment, now)
  },

  protocol: 'h2',
  // Apple publishes no rate: this one only says that there is no need to wait. Streams are many, connections few.
  limits: { batch: 1, concurrency: 500, perSecond: 100_000, counts: 'requests', timeoutMs: 10_000 },
  carries: () => true,
  identity: identityOf,
  access: { make: makeToken },
  request,
  sight,
  read: (reply, { addresses }) => addresses.map(() => verdictOf(reply)),
  probe: { token: '0'.repeat(64), variant: '' },
})
