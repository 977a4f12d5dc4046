import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Message } from '@carillon/protocol/notify.ts'
import { Type } from '@carillon/protocol/type.ts'
import { category, choice, defaultChannel, label, word } from './credentials.ts'
import {
  androidOf, badgeOf, bodyOf, dataOf, httpsPictureOf, integerOf, oauthTokenOf, objectOf, readObject, secondsLeft,
  sentenceOf, taskIdOf, titleOf, typeOf, withCode,
} from './message.ts'
import { defineVendor, type Account, type Addressed, type VendorReceipt, type Verdict } from './vendor.ts'

const CLASSES = [
  'IM', 'VOIP', 'SUBSCRIPTION', 'TRAVEL', 'HEALTH', 'WORK', 'ACCOUNT', 'EXPRESS', 'FINANCE', 'DEVICE_REMINDER', 'MAIL',
  'PLAY_VOICE', 'MARKETING',
]
const DATA_CLASS = 'PLAY_VOICE' // of all classes the one that notifications do not have

const digits = { pattern: '^[0-9]{1,64}$', must: 'be digits only' }

const TTL_MOST = 1_296_000 // seconds: 15 days
const BADGE_MOST = 99
const MESSAGE_BYTES = 4096 // without the tokens

/** Without what needs a right that Huawei grants. */
const NORMAL = 'normal'
/** Huawei looks it over and delivers nothing. */
const VALIDATE = 'validate'

const SOME_ILLEGAL = 80100000
const codes: Record<number, Verdict> = {
  80000000: { kind: 'sent' },
  80100001: { kind: 'refused', why: 'a parameter is wrong' },
  80100002: { kind: 'refused', why: 'only one token may be given' },
  80100003: { kind: 'refused', why: 'the structure of the message is wrong' },
  80100004: { kind: 'refused', why: 'the message has expired' },
  80100013: { kind: 'refused', why: 'the collapse key is wrong' },
  80100016: { kind: 'refused', why: 'the message holds sensitive content' },
  80100017: { kind: 'limited', why: 'too many topic messages at once' },
  80100018: { kind: 'refused', why: 'the signature of the content review does not match' },
  80200001: { kind: 'renew', why: 'the access token was not accepted' },
  80200003: { kind: 'renew', why: 'the access token has expired' },
  80200005: { kind: 'renew', why: 'the signed token has expired' },
  80300002: { kind: 'denied', why: 'the app may not send: Push Kit or the region is not enabled, or wrong app' },
  80300007: { kind: 'dead', why: 'all tokens of the request are invalid' },
  80300008: { kind: 'refused', why: 'the message is longer than 4096 bytes' },
  80300010: { kind: 'refused', why: 'the number of tokens is out of range' },
  80300011: { kind: 'adapt', why: 'the app has no right to high-level messages', variant: NORMAL },
  80300013: { kind: 'denied', why: 'the receipt address or its certificate is wrong' },
  // Asking for a new access token tells trouble at Huawei from a wrong client ID or secret.
  80600003: { kind: 'renew', why: 'the authorization service failed: the client ID or secret may be wrong' },
  81000001: { kind: 'down', why: 'internal error of Huawei' },
}
const statuses: Record<number, Verdict> = {
  401: { kind: 'renew', why: 'the access token was not accepted' },
  404: { kind: 'denied', why: 'no such address: the client ID or project ID is wrong' },
  429: { kind: 'limited', why: 'too many requests' },
  503: { kind: 'limited', why: 'flow control' },
}

/** By `error` and `sub_error`. */
const tokenErrors: Record<string, Verdict> = {
  '1101/20002': { kind: 'denied', why: 'the client ID is malformed' },
  '1101/12304': { kind: 'denied', why: 'the client secret is wrong' },
  '1101/20171': { kind: 'denied', why: 'the client secret is empty' },
  '1101/20172': { kind: 'denied', why: 'the client secret is malformed' },
  '1101/20182': { kind: 'denied', why: 'the grant type was not accepted' }, // our fault: messages wait, none is lost
}
const tokenStatuses: Record<number, Verdict> = {
  403: { kind: 'down', why: 'a network policy blocks the request for an access token' },
  429: { kind: 'limited', why: 'too many access tokens were asked for' },
  503: { kind: 'limited', why: 'flow control of access tokens' },
}

/** The statuses of a receipt; `pending` ones are followed by another. */
const results: Record<number, readonly [VendorReceipt['event'] | 'pending', string?]> = {
  0: ['received'],
  2: ['dead', 'the app is not installed'],
  5: ['dead', 'the token is not known on the device'],
  6: ['failed', 'notifications are switched off on the device'],
  10: ['failed', 'the device has been offline for 30 days'],
  14: ['failed', 'internal network error of Huawei'],
  15: ['failed', 'replaced by a newer message while the device was offline'],
  22: ['failed', 'another user is active on the device'],
  27: ['pending'],
  31: ['failed', 'the page to open is missing, or the system is too old'],
  51: ['pending'],
  102: ['failed', 'more than 3000 messages a day for this device'],
  144: ['failed', 'another profile is active on the device'],
  201: ['failed', 'Huawei withholds it: uninstalled, switched off or another user'],
  256: ['failed', 'the daily allowance of marketing or test messages is used up'],
  259: ['failed', 'the content or an address in it was refused'],
}

const trouble: Verdict = { kind: 'down', why: 'Huawei has trouble' }
const riddle: Verdict = { kind: 'unknown', why: 'the answer is not understood' }

const byStatus = (table: Record<number, Verdict>, status: number): Verdict =>
  withCode(table[status] ?? (status >= 500 ? trouble : riddle), `HTTP ${status}`)

type Answer = ReturnType<typeof readObject>

/** The code comes first, whatever the HTTP status: which goes with which is not published. */
const judge = (answer: Answer, status: number): Verdict => {
  const code = integerOf(answer?.code)
  if (code === undefined) return byStatus(statuses, status)
  const said = sentenceOf(answer?.msg)
  const verdict = codes[code]
  // What somebody has to put right needs Huawei's own words; those about an access token may repeat it.
  if (verdict) return withCode(verdict, code, ['refused', 'denied'].includes(verdict.kind) ? said : '')
  const byHttp = byStatus(statuses, status)
  return byHttp.kind === 'unknown' ? withCode({ ...riddle, why: 'the code is in no table' }, code, said) : byHttp
}

/** The tokens that failed where others were taken; undefined when the list does not read. */
const illegalTokens = (answer: Answer): Set<unknown> | undefined => {
  // The list is JSON inside a string.
  const listed = typeof answer?.msg === 'string' ? readObject(answer.msg)?.illegal_tokens : undefined
  return Array.isArray(listed) ? new Set(listed) : undefined
}

const badgeFor = (message: Message, className: string | undefined) => {
  const rule = badgeOf(message)
  if (!className || !rule) return undefined // without the class of the icon's activity a badge does nothing
  if ('set' in rule) return { class: className, set_num: Math.min(rule.set, BADGE_MOST) }
  return rule.add > 0 ? { class: className, add_num: Math.min(rule.add, BADGE_MOST) } : undefined
}

const notificationOf = ({ push, account, variant }: Addressed) => {
  const { message, setting } = push
  const { sound, channel_id, click_action, intent, badge_class } = androidOf(message, 'huawei')
  const title = titleOf(push)
  return {
    title,
    body: bodyOf(push),
    importance: account.options.importance ?? (variant === NORMAL ? 'NORMAL' : undefined),
    click_action: click_action === 'intent' && intent ? { type: 1, intent } : { type: 3 },
    badge: badgeFor(message, badge_class),
    image: httpsPictureOf(message),
    ...(message.big_text && { style: 1, big_title: title, big_body: message.big_text }),
    ...(sound && { sound: sound.startsWith('/raw/') ? sound : `/raw/${sound}`, default_sound: false }),
    channel_id: channel_id ?? account.options.default_channel_id,
    // collapse_key has a hundred groups: two ids that fell into one would erase each other's waiting messages.
    tag: setting.collapse_id ?? message.ios?.apns_collapse_id,
    group: message.ios?.thread_id,
  }
}

type Shown = Partial<Record<'title' | 'body' | 'big_body' | 'image', string>>

const androidPart = (to: Addressed) => {
  const { push, account: { options }, variant } = to
  const silent = typeOf(push.message) === 'cmd'
  return {
    ttl: `${Math.min(Math.max(secondsLeft(push), 1), TTL_MOST)}s`,
    bi_tag: String(push.taskId),
    receipt_id: options.receipt_id,
    category: silent || options.default_category !== DATA_CLASS ? options.default_category : undefined,
    urgency: silent ? (variant === NORMAL ? 'NORMAL' : push.setting.priority?.toUpperCase()) : undefined,
    target_user_type: options.target_user_type,
    notification: silent ? undefined : notificationOf(to),
  }
}

/** Newer configurations sign with the decoded key, older ones with its text. */
const keysOf = (secret: string): Buffer[] => {
  const decoded = Buffer.from(secret, 'base64')
  // What is not base64 decodes to something short or empty, with which anybody could sign.
  const isBase64 = decoded.length > 0 && decoded.toString('base64').replace(/=+$/, '') === secret.replace(/=+$/, '')
  return isBase64 ? [decoded, Buffer.from(secret)] : [Buffer.from(secret)]
}

const isProvable = ({ options }: Account): boolean => 'receipt_user' in options && 'receipt_key' in options

/** `timestamp=…; nonce=…; value=…`, the value being a signature over the other two and the user name. */
const proves = (header: string, { options }: Account): boolean => {
  const part = (name: string): string => new RegExp(`(?:^|;)\\s*${name}=([^;]*)`).exec(header)?.[1]?.trim() ?? ''
  const signed = `${part('timestamp')}${part('nonce')}${options.receipt_user}`
  const given = Buffer.from(part('value'), 'base64')
  return keysOf(String(options.receipt_key)).some((key) => {
    const right = createHmac('sha256', key).update(signed).digest()
    return right.length === given.length && timingSafeEqual(right, given)
  })
}

const receiptOf = (value: unknown): VendorReceipt[] => {
  const { biTag, token, status, deliveryStatus } = objectOf(value) ?? {}
  const taskId = taskIdOf(biTag)
  const result = integerOf(status) ?? integerOf(objectOf(deliveryStatus)?.result)
  if (taskId === undefined || typeof token !== 'string' || result === undefined) return []
  const [event, why] = results[result] ?? ['failed', 'the status is in no table']
  if (event === 'pending') return []
  return [{ taskId, token, event, ...(why && { why: `${why} (${result})` }) }]
}

export default defineVendor({
  name: 'huawei',
  title: 'Huawei Push Kit',
  credentials: Type.Object({
    app_id: word({
      title: 'OAuth 2.0 client ID',
      description: 'The OAuth 2.0 client ID of the app in AppGallery Connect; older pages call it App ID.',
      zh: { title: 'OAuth 2.0 客户端 ID', help: 'AppGallery Connect 中应用的 OAuth 2.0 客户端 ID；旧页面称为 App ID。' },
      ...digits,
    }),
    app_key: Type.Optional(
      word({
        title: 'Project ID',
        description: 'Sends on the level of the project instead of the app. Leave blank if unsure.',
        zh: { help: '填写后按项目而非应用发送。不确定时请留空。' },
        ...digits,
      }),
    ),
    app_secret: word({
      title: 'OAuth 2.0 client secret',
      description: 'The secret beside the client ID; older pages call it App Secret.',
      zh: { title: 'OAuth 2.0 客户端密钥', help: '客户端 ID 旁的密钥；旧页面称为 App Secret。' },
      usual: { pattern: '^[0-9A-Fa-f]{32,64}$', words: '32 to 64 hexadecimal digits' },
    }),
    name: label,
  }),
  options: Type.Object({
    receipt_user: Type.Optional(
      word({
        title: 'Callback user name',
        description: 'Set beside the receipt address; proves receipts.',
        zh: { title: '回调用户名', help: '与回执地址一同设置，用于校验回执。' },
      }),
    ),
    receipt_key: Type.Optional(
      word({
        title: 'Callback key',
        description: 'Set beside the receipt address; proves receipts.',
        secret: true,
        zh: { title: '回调密钥', help: '与回执地址一同设置，用于校验回执。' },
      }),
    ),
    receipt_id: Type.Optional(
      word({
        title: 'Receipt ID',
        description: 'Picks one of the receipt addresses set up in AppGallery Connect.',
        zh: { title: '回执 ID', help: '选定 AppGallery Connect 中设置的某个回执地址。' },
      }),
    ),
    default_category: category(CLASSES, {
      title: 'Category',
      description: 'The class messages are sent under. Counts only once Huawei has granted self-classification.',
      zh: { title: '消息分类', help: '发送消息所用的分类，获得华为的自分类权益后才生效。' },
    }),
    default_channel_id: defaultChannel,
    importance: choice(['LOW', 'NORMAL'], {
      title: 'Importance',
      description: 'How prominently notifications are shown.',
      zh: { title: '重要程度', help: '通知展示的醒目程度。' },
    }),
    target_user_type: choice([0, 1], {
      title: 'Target user type',
      description: '1 sends test messages, which have a small daily allowance of their own; 0 real ones.',
      zh: { title: '目标用户类型', help: '1 为测试消息，每日另有少量配额；0 为正式消息。' },
    }),
  }),

  check({ options }) {
    if ('receipt_user' in options === 'receipt_key' in options) return {}
    const [field, other] = ['options.receipt_user', 'options.receipt_key']
    const words = `${field} and ${other} work only together: receipts would go unproved`
    return { warnings: [{ name: 'only_with', values: { field, other, words } }] }
  },

  protocol: 'h1',
  // Huawei takes 1000 tokens, but an answer that lists so many as illegal, about 135 bytes each, is longer than the
  // 64 KiB that are read of it. 400 fit.
  limits: { batch: 400, concurrency: 8, perSecond: 6000, counts: 'devices', timeoutMs: 10_000 },
  carries: () => true,

  access: {
    request: ({ app_id, app_secret }) => ({
      origin: 'https://oauth-login.cloud.huawei.com',
      method: 'POST',
      path: '/oauth2/v3/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: app_id,
        client_secret: app_secret,
      }).toString(),
    }),
    read({ status, body }, now) {
      const answer = readObject(body)
      const token = status < 300 ? oauthTokenOf(answer, now) : undefined
      if (token) return token
      const code = `${integerOf(answer?.error)}/${integerOf(answer?.sub_error)}`
      const verdict = tokenErrors[code]
      return verdict ? withCode(verdict, code) : byStatus(tokenStatuses, status)
    },
  },

  request: (to) => ({
    origin: 'https://push-api.cloud.huawei.com',
    method: 'POST',
    path: `/${to.account.app_key === '' ? `v1/${to.account.app_id}` : `v2/${to.account.app_key}`}/messages:send`,
    headers: { 'content-type': 'application/json;charset=UTF-8', authorization: `Bearer ${to.access}` },
    body: JSON.stringify({
      validate_only: to.variant === VALIDATE,
      message: {
        data: JSON.stringify(dataOf(to.push, 'huawei')),
        android: androidPart(to),
        // A token that is given twice gets the message twice.
        token: [...new Set(to.addresses.map((address) => address.token))],
      },
    }),
  }),

  sight({ body }) {
    const { message: { token: _, ...message }, ...rest } = JSON.parse(body) as { message: { token: unknown; android: { notification?: Shown } } }
    const { title, body: text, big_body, image } = message.android.notification ?? {}
    const size = Buffer.byteLength(JSON.stringify({ ...rest, message }))
    return { title, body: text, bigText: big_body, image, shown: message.android, size, most: MESSAGE_BYTES }
  },

  read({ status, body }, { addresses }) {
    const answer = readObject(body)
    if (integerOf(answer?.code) !== SOME_ILLEGAL) return Array<Verdict>(addresses.length).fill(judge(answer, status))
    const illegal = illegalTokens(answer)
    // Most were taken, so nobody is sent it again over this channel; a list that does not read kills no token.
    const unread = withCode({ kind: 'refused', why: 'some tokens failed, the list does not say which' }, SOME_ILLEGAL)
    const dead = withCode({ kind: 'dead', why: 'the token is illegal' }, SOME_ILLEGAL)
    return addresses.map(({ token }) => (!illegal ? unread : illegal.has(token) ? dead : { kind: 'sent' }))
  },

  // The access token proves client ID and secret; whether the app may send, and the project ID, only a message shows.
  probe: { token: 'carillon-credential-check', variant: VALIDATE },

  receipts: {
    read({ headers, body }, accounts) {
      const provable = accounts.filter(isProvable)
      const header = headers['x-huawei-callback-id'] ?? ''
      if (provable.length > 0 && !provable.some((account) => proves(header, account))) return 'forged'
      const reports = readObject(body)?.statuses
      return Array.isArray(reports) ? reports.flatMap(receiptOf) : 'malformed'
    },
    answer: '{"code":"0","message":"success"}',
  },
})
