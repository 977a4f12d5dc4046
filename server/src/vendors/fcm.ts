import { createPrivateKey, sign } from 'node:crypto'
import type { Message } from '@carillon/protocol/notify.ts'
import type { Warning } from '@carillon/protocol/sentences/warnings.ts'
import { Type } from '@carillon/protocol/type.ts'
import { readPrivateKey } from './keys.ts'
import { defaultChannel, label, text, word } from './credentials.ts'
import {
  androidOf, badgeOf, cutCharacters, dataOf, httpsPictureOf, oauthTokenOf, objectOf, readIntent, readObject,
  secondsLeft, typeOf, withCode,
} from './message.ts'
import { defineVendor } from './vendor.ts'
import type {
  AccessToken, Account, Address, Checked, FieldName, Fields, Problem, Reply, Vendor, VendorPush, VendorRequest, Verdict,
} from './vendor.ts'

const ORIGIN = 'https://fcm.googleapis.com'
const TOKEN_URI = 'https://oauth2.googleapis.com/token'
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const RSA_BITS = 2048
const PAYLOAD_BYTES = 4096
const TTL_SECONDS = 2_419_200
const VALIDATE = 'validate_only'

interface ServiceAccount {
  project_id: string
  client_email: string
  private_key: string
  private_key_id?: unknown
  token_uri?: unknown
}

/** Environment files often carry the line breaks of a key as the two characters \ and n. */
const withLineBreaks = (pem: string) => pem.replaceAll('\\n', '\n')

const checkFile = ({ app_id, app_key, app_secret, certificate }: Fields): Partial<Checked> => {
  const wrong = (expected: string): Partial<Checked> => ({ problems: [{ field: 'certificate', expected }] })
  const file = readObject(certificate)
  if (!file) return wrong("must be the service account's key file: JSON text that holds one object")
  if ('project_info' in file) {
    return wrong("must be the service account's key file: this is google-services.json, which belongs into the app")
  }
  if (file.type !== 'service_account') return wrong('must be a key file whose "type" is service_account')
  const missing = ['project_id', 'client_email', 'private_key'].filter(
    (key) => typeof file[key] !== 'string' || file[key].trim() === '',
  )
  if (missing.length > 0) return wrong(`must be a key file that holds ${missing.join(', ')}`)

  const account = file as unknown as ServiceAccount
  const warnings: Warning[] = []
  if (app_id !== '' && app_id !== account.project_id) {
    warnings.push(differs('app_id', 'project_id'))
  }
  if (app_key !== '' && app_key !== account.client_email) {
    warnings.push(differs('app_key', 'client_email'))
  }
  if (app_secret !== '') {
    const words = 'app_secret is not used when certificate holds the key file'
    warnings.push({ name: 'needless', values: { field: 'app_secret', words } })
  }
  if (typeof file.private_key_id !== 'string') {
    const words = 'certificate holds no private_key_id'
    warnings.push({ name: 'lacks', values: { field: 'certificate', part: 'private_key_id', words } })
  }
  if (file.token_uri !== undefined && file.token_uri !== TOKEN_URI) {
    const words = `certificate names another token_uri than ${TOKEN_URI}`
    warnings.push({ name: 'differs', values: { field: 'token_uri', other: TOKEN_URI, words } })
  }
  return withAccount('certificate', account, { problems: [], warnings })
}

const differs = (field: FieldName, other: string): Warning => ({
  name: 'differs', values: { field, other, words: `${field} is not the ${other} in certificate, which counts` },
})

/** The same three values pasted one by one. */
const checkPieces = (fields: Fields): Partial<Checked> => {
  const problems: Problem[] = []
  const need = (field: FieldName, title: string) =>
    problems.push({ field, expected: `must not be blank: without the key file it is the ${title}` })
  if (fields.app_id === '') need('app_id', 'Project ID')
  if (fields.app_key === '') need('app_key', 'service account email')
  return withAccount('app_secret', fromPieces(fields), { problems, warnings: [] })
}

const fromPieces = ({ app_id, app_key, app_secret }: Fields): ServiceAccount => ({
  project_id: app_id,
  client_email: app_key,
  private_key: app_secret,
})

const withAccount = (
  keyField: FieldName,
  { project_id, client_email, private_key }: ServiceAccount,
  { problems, warnings }: Pick<Checked, 'problems' | 'warnings'>,
): Partial<Checked> => {
  const key = readPrivateKey(withLineBreaks(private_key))
  if (key?.asymmetricKeyType !== 'rsa') {
    problems.push({ field: keyField, expected: 'must hold an RSA private key in PEM, BEGIN and END lines included' })
  } else if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < RSA_BITS) {
    const words = `${keyField} holds an RSA key shorter than the ${RSA_BITS} bits Google issues`
    warnings.push({ name: 'odd', values: { field: keyField, words } })
  }
  if (project_id !== '' && !/^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(project_id)) {
    const words = 'the Project ID has an unusual shape: normally 6 to 30 lower-case letters, digits and dashes'
    warnings.push({ name: 'odd', values: { field: 'project_id', words } })
  }
  if (client_email !== '' && !client_email.includes('@')) {
    const words = 'the service account email has no @ in it'
    warnings.push({ name: 'lacks', values: { field: 'client_email', part: '@', words } })
  }
  return { problems, warnings }
}

// Every request needs the project, and the file is long: it is read once per certificate.
const opened = new WeakMap<Account, ServiceAccount>()

const serviceAccountOf = (account: Account): ServiceAccount => {
  const known = opened.get(account)
  if (known) return known
  const found =
    account.certificate === '' ? fromPieces(account) : (readObject(account.certificate) as unknown as ServiceAccount)
  opened.set(account, found)
  return found
}

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

const tokenRequest = (account: Account, _region: string, now: number): VendorRequest => {
  const { client_email, private_key, private_key_id, token_uri } = serviceAccountOf(account)
  const isAddress = typeof token_uri === 'string' && /^https?:/.test(token_uri) && URL.canParse(token_uri)
  const audience = isAddress ? token_uri : TOKEN_URI
  const { protocol, origin, pathname, search } = new URL(audience)
  const issued = Math.floor(now / 1000)
  const header = { alg: 'RS256', typ: 'JWT', kid: typeof private_key_id === 'string' ? private_key_id : undefined }
  const claims = { iss: client_email, scope: SCOPE, aud: audience, iat: issued, exp: issued + 3600 }
  const input = `${encoded(header)}.${encoded(claims)}`
  const signature = sign('sha256', Buffer.from(input), createPrivateKey(withLineBreaks(private_key)))
  return {
    // Who holds the assertion can get a token for it: it never travels in the clear, whatever the file says.
    origin: protocol === 'https:' ? origin : new URL(TOKEN_URI).origin,
    method: 'POST',
    path: pathname + search,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body:
      'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer' +
      `&assertion=${input}.${signature.toString('base64url')}`,
  }
}

const passing = new Set(['internal_failure', 'server_error', 'temporarily_unavailable'])
const wrongAccount: Record<string, string> = {
  invalid_grant: 'Google does not accept the key: it was revoked, or is not the one of this service account',
  invalid_scope: 'the service account may not ask for messaging',
  unauthorized_client: 'the service account may not ask for tokens',
  invalid_client: 'Google does not know the service account',
}

const readToken = (reply: Reply, now: number): AccessToken | Verdict => {
  const { status } = reply
  const answer = readObject(reply.body)
  const token = status === 200 ? oauthTokenOf(answer, now) : undefined
  if (token) return token
  const { error, error_description: described } = answer ?? {}
  const code = typeof error === 'string' && error !== '' ? cutCharacters(error, 64) : `HTTP ${status}`
  if ([408, 429].includes(status) || status >= 500 || passing.has(code)) {
    return withCode({ kind: 'down', why: 'Google gives no access token at the moment' }, code)
  }
  if (!Object.hasOwn(wrongAccount, code)) {
    return withCode({ kind: 'unknown', why: 'Google gave no access token, for a reason that is in no table' }, code)
  }
  if (typeof described === 'string' && /timeframe|\biat\b/.test(described)) {
    return withCode({ kind: 'denied', why: 'Google finds the time in the request wrong: check the clock here' }, code)
  }
  return withCode({ kind: 'denied', why: wrongAccount[code]! }, code)
}

// Google refuses a push whose data uses these.
const isReserved = (key: string) => /^(from$|message_type$|google\.|gcm\.)/.test(key)

const pageOf = (message: Message): string | undefined => {
  const { click_action, intent } = androidOf(message, 'fcm')
  return click_action === 'intent' ? intent : undefined
}

/** Text alone is allowed. All of it becomes extras of what opens, and so do those of the intent; ours win. */
const textDataOf = (push: VendorPush, { badge }: Address): Record<string, string> => {
  const page = pageOf(push.message)
  const texts: Record<string, string> = {}
  for (const [key, value] of Object.entries((page && readIntent(page)?.extras) || {})) {
    if (!isReserved(key)) texts[key] = value
  }
  const own = { ...dataOf(push, 'fcm'), ...(badge !== null && { badge }), ...(page && { intent: page }) }
  for (const [key, value] of Object.entries(own)) texts[key] = typeof value === 'string' ? value : JSON.stringify(value)
  return texts
}

/** Launchers count one more for each notification by themselves; every other number is told to them. */
const countOf = (message: Message, { badge }: Address): number | undefined => {
  const rule = badgeOf(message)
  return badge === null || (rule && 'add' in rule && rule.add === 1) ? undefined : badge
}

const notificationsOf = (push: VendorPush, account: Account, address: Address) => {
  const { message, setting, taskId } = push
  const { title, body, big_text } = message
  const image = httpsPictureOf(message)
  // A pass-through message, and one without anything to look at, reaches the app as data alone.
  if (typeOf(message) === 'cmd' || [title, body, big_text, image].every((part) => part === undefined)) return undefined
  const { channel_id = account.options.default_channel_id, sound } = androidOf(message, 'fcm')
  return {
    everywhere: { title, body, image },
    android: {
      body: big_text, // Android unfolds a long body
      channel_id,
      sound,
      // Replaces on the screen what has the same tag. Without an id the task's own merges a push with its repetition.
      tag: setting.collapse_id ?? String(taskId),
      // Only an action can be named: a component alone opens the app, which finds the page in its data.
      click_action: readIntent(pageOf(message) ?? '')?.action,
      notification_count: countOf(message, address),
    },
  }
}

/** As Google counts: keys and values, without what JSON puts around them. */
const bytesOf = (...records: object[]): number =>
  records
    .flatMap((record) => Object.entries(record))
    .reduce((sum, [key, value]) => (value === undefined ? sum : sum + Buffer.byteLength(`${key}${value}`)), 0)

const request: Vendor['request'] = ({ push, account, addresses, access, variant }) => {
  const address = addresses[0]!
  const { setting, message } = push
  const data = textDataOf(push, address)
  const shown = notificationsOf(push, account, address)
  // A long text that does not fit gives way to the short one; without a short one Google says that it is too long.
  if (shown?.android.body !== undefined && message.body !== undefined) {
    if (bytesOf(data, shown.everywhere, shown.android) > PAYLOAD_BYTES) shown.android.body = undefined
  }
  // Google demotes senders of high pushes that show nothing, so data alone is high only when that was asked for.
  const high = setting.priority === 'high' || (setting.priority === undefined && shown !== undefined)
  return {
    origin: ORIGIN,
    method: 'POST',
    path: `/v1/projects/${encodeURIComponent(serviceAccountOf(account).project_id)}/messages:send`,
    headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...(variant === VALIDATE && { validate_only: true }),
      message: {
        token: address.token,
        notification: shown?.everywhere,
        data,
        android: {
          priority: high ? 'HIGH' : 'NORMAL',
          ttl: `${Math.min(secondsLeft(push), TTL_SECONDS)}s`,
          collapse_key: setting.collapse_id,
          notification: shown?.android,
        },
      },
    }),
  }
}

interface Sent {
  message: {
    notification?: { title?: string; body?: string; image?: string }
    data: Record<string, string>
    android: { notification?: { body?: string } }
  }
}

const sight: Vendor['sight'] = ({ body: text }) => {
  const { notification = {}, data, android } = (JSON.parse(text) as Sent).message
  const { title, body, image } = notification
  const long = android.notification?.body
  const size = bytesOf(data, notification, android.notification ?? {})
  return { title, body: body ?? long, bigText: body === undefined ? undefined : long, image, shown: { notification, android }, size, most: PAYLOAD_BYTES }
}

type Failure = Exclude<Verdict, { kind: 'sent' }>

const DEAD: Failure = { kind: 'dead', why: 'the token is not valid' }
const OTHER_KEY: Failure = { kind: 'denied', why: "the project's own key for APNs or web push is not accepted" }
// The allowance counts a rolling minute, so it is back in one.
const TOO_MANY = { kind: 'limited', why: 'too many pushes for the project', waitMs: 60_000 } as const satisfies Failure
const DOWN: Failure = { kind: 'down', why: 'Google has trouble' }
const UNHEARD: Failure = { kind: 'unknown', why: 'Google gave an answer that is in no table' }

/** What messaging says (errorCode) goes before what Google's doors say (status); where both use a word they agree. */
const codes: Record<string, Failure> = {
  UNREGISTERED: { kind: 'dead', why: 'the token is not registered' },
  SENDER_ID_MISMATCH: { kind: 'dead', why: 'the token belongs to another project' },
  THIRD_PARTY_AUTH_ERROR: OTHER_KEY,
  APNS_AUTH_ERROR: OTHER_KEY,
  QUOTA_EXCEEDED: TOO_MANY,
  // Tried again a few times, not until the push expires.
  UNSPECIFIED_ERROR: { kind: 'unknown', why: 'Google gives no reason' },
  INVALID_ARGUMENT: { kind: 'refused', why: 'Google does not take the push' },
  INTERNAL: DOWN,
  UNAVAILABLE: DOWN,
  UNAUTHENTICATED: { kind: 'renew', why: 'the access token is not accepted' },
  PERMISSION_DENIED: {
    kind: 'denied',
    why: 'the service account may not send for this project, or the messaging API is not enabled there',
  },
  NOT_FOUND: { kind: 'denied', why: 'Google does not know the project' },
  RESOURCE_EXHAUSTED: TOO_MANY,
}

/** The code that a status stands for when the body says nothing, as pages of HTML do. */
const codeOfStatus: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const objectsIn = (list: unknown): Record<string, unknown>[] =>
  Array.isArray(list) ? list.map(objectOf).filter((item) => item !== undefined) : []

/** What an answer holds of use, wherever it stands. */
const faultOf = (body: string) => {
  const error = objectOf(readObject(body)?.error)
  const details = objectsIn(error?.details)
  const detail = (type: string) => details.find((item) => textOf(item['@type'])?.endsWith(type))
  return {
    code: textOf(detail('google.firebase.fcm.v1.FcmError')?.errorCode) ?? textOf(error?.status),
    message: textOf(error?.message) ?? '',
    apns: textOf(detail('google.firebase.fcm.v1.ApnsError')?.reason),
    fields: objectsIn(detail('google.rpc.BadRequest')?.fieldViolations).flatMap(({ field }) => textOf(field) ?? []),
    reason: textOf(detail('google.rpc.ErrorInfo')?.reason),
    quotas: objectsIn(detail('google.rpc.QuotaFailure')?.violations).flatMap((quota) => Object.values(quota)),
  }
}

const failureOf = (status: number, code: string, fault: ReturnType<typeof faultOf>): Failure => {
  const { message, apns, fields, quotas } = fault
  // Only these speak of the token: whoever drops it for any bad argument loses good devices to one bad push.
  const blamesToken = /is not a valid FCM registration token/.test(message) || fields.includes('message.token')
  if (code === 'INVALID_ARGUMENT' && (blamesToken || apns === 'Unregistered' || apns === 'BadDeviceToken')) return DEAD
  if (code === 'INVALID_ARGUMENT' && fields.length > 0) {
    return { kind: 'refused', why: `Google does not take the push: wrong is ${cutCharacters(fields.join(', '), 200)}` }
  }
  // Comes with the status of our own token, which is not to blame.
  if (code === 'UNAUTHENTICATED' && apns) return OTHER_KEY
  const failure = Object.hasOwn(codes, code) ? codes[code]! : UNHEARD
  if (failure === TOO_MANY && quotas.some((quota) => /device/i.test(textOf(quota) ?? ''))) {
    return { ...TOO_MANY, why: 'too many pushes for this device', alone: true }
  }
  if (failure !== UNHEARD) return failure
  if (status >= 500) return DOWN
  return status === 429 ? TOO_MANY : UNHEARD
}

const verdictOf = ({ status, body }: Reply): Verdict => {
  if (status === 200) {
    const named = textOf(readObject(body)?.name)
    return named ? { kind: 'sent' } : withCode({ kind: 'unknown', why: 'Google did not name what it took' }, 'HTTP 200')
  }
  const fault = faultOf(body)
  const failure = failureOf(status, fault.code ?? codeOfStatus[status] ?? '', fault)
  const said = [fault.code ?? `HTTP ${status}`, fault.reason ?? fault.apns].filter((part) => part !== undefined)
  const verdict = withCode(failure, cutCharacters(said.join(': '), 120))
  // Which field is wrong stands in `why` already.
  return failure.kind === 'refused' && fault.fields.length > 0
    ? { ...verdict, said: cutCharacters(`${verdict.said}: ${fault.fields.join(', ')}`, 200) }
    : verdict
}

export default defineVendor({
  name: 'fcm',
  title: 'Firebase Cloud Messaging',
  credentials: Type.Object({
    app_id: Type.Optional(
      word({
        title: 'Project ID',
        description: 'project_id of the key file. Needed only without the file itself.',
        zh: { help: '密钥文件中的 project_id。提供密钥文件时无需填写。' },
      }),
    ),
    app_key: Type.Optional(
      word({
        title: 'Service account email',
        description: 'client_email of the key file. Needed only without the file itself.',
        zh: { title: '服务账号邮箱', help: '密钥文件中的 client_email。提供密钥文件时无需填写。' },
      }),
    ),
    app_secret: Type.Optional(
      text({
        title: 'Private key',
        description: 'private_key of the key file. Needed only without the file itself.',
        zh: { title: '私钥', help: '密钥文件中的 private_key。提供密钥文件时无需填写。' },
      }),
    ),
    certificate: Type.Optional(
      text({
        title: 'Key file',
        description: 'The whole JSON file that "Generate new private key" downloads.',
        zh: { title: '密钥文件', help: '点击“生成新的私钥”所下载的完整 JSON 文件。' },
      }),
    ),
    name: label,
  }),
  options: Type.Object({ default_channel_id: defaultChannel }),

  check(fields) {
    if (fields.certificate !== '') return checkFile(fields)
    if (fields.app_secret !== '') return checkPieces(fields)
    const expected = "must not be blank: it is the service account's key file (JSON)"
    return { problems: [{ field: 'certificate', expected }] }
  },

  protocol: 'h2',
  // 600,000 a rolling minute; a connection takes 100 requests at once.
  limits: { batch: 1, concurrency: 400, perSecond: 10_000, counts: 'requests', timeoutMs: 15_000 },
  carries: () => true,
  access: { request: tokenRequest, read: readToken },
  request,
  sight,
  read: (reply, { addresses }) => addresses.map(() => verdictOf(reply)),
  probe: { token: 'a-token-that-no-device-has', variant: VALIDATE },
})
