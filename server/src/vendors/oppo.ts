import { createHash } from 'node:crypto'
import { Type } from '@carillon/protocol/type.ts'
import { category, choice, defaultChannel, label, word } from './credentials.ts'
import {
  androidOf, badgeOf, bodyOf, cutCharacters, idOf, integerOf, objectOf, readIntent, readObject, secondsLeft, taskIdOf,
  textsOf, titleOf, typeOf, withCode,
} from './message.ts'
import { defineVendor } from './vendor.ts'
import type { Account, Address, Reply, VendorPush, VendorReceipt, VendorRequest, Verdict } from './vendor.ts'

const SERVICE = ['IM', 'ACCOUNT', 'TODO', 'DEVICE_REMINDER', 'ORDER', 'SUBSCRIPTION']
const CLASSES = [...SERVICE, 'NEWS', 'CONTENT', 'MARKETING', 'SOCIAL']

const CHINA_HOSTS = ['api.push.oppomobile.com', 'api-push-cn.heytapmobi.com']
const OVERSEAS_HOST = 'api-intl.push.oppomobile.com'
const OVERSEAS = 'overseas'

const TITLE_MOST = 50
const SUBTITLE_MOST = 10
const CONTENT_MOST = 50
const LONG_CONTENT_MOST = 128
const OFFLINE_SECONDS_MOST = 864_000
const RECEIPT_URL_MOST = 200
const BADGE_MOST = 99
const DATA_MOST = 4000
const TOKEN_LIFE_MS = 86_400_000

const STANDARD = 1
const LONG_TEXT = 2
const OPEN_APP = 0
const OPEN_ACTIVITY = 4
const OPEN_URL = 5
const OVERWRITE = 0
const ADD_ONE = 1

type Failure = Exclude<Verdict['kind'], 'sent' | 'adapt'>

const each = (codes: number[], kind: Failure, words: string): Record<number, [Failure, string]> =>
  Object.fromEntries(codes.map((code) => [code, [kind, words]]))

const codes: Record<number, [Failure, string]> = {
  [-2]: ['limited', 'flow control is on'],
  [-1]: ['down', 'the service is not available'],
  11: ['renew', 'the auth token is not valid'],
  ...each([12, 20, 21, 22, 23, 24, 25], 'refused', 'the call was not made as the interface asks'),
  13: ['limited', 'too many calls'],
  14: ['denied', 'app_key is not valid'],
  15: ['denied', 'app_key is missing'],
  16: ['denied', 'the signature is wrong: app_secret is probably the AppSecret, and must be the MasterSecret'],
  17: ['denied', 'the signature is missing'],
  18: ['denied', 'the timestamp is missing'],
  19: ['denied', "the timestamp is not within ten minutes of OPPO's: set this machine's clock right"],
  26: ['denied', "this machine's address is on OPPO's black list"],
  27: ['denied', 'the app has no right to this call'],
  28: ['denied', 'the app is disabled'],
  29: ['renew', 'the auth token is missing'],
  30: ['denied', 'the app has no right to push by calls'],
  31: ['refused', 'there is no such data'],
  32: ['refused', 'it was sent before'],
  33: ['exhausted', "the app's messages of the day are used up"],
  34: ['exhausted', "the day's picture uploads are used up"],
  40: ['refused', 'an argument is missing'],
  41: ['refused', 'an argument is not valid: its length, its format or a sensitive word'],
  42: ['exhausted', "the day's saved messages are used up"],
  51: ['refused', 'the picture is not valid'],
  54: ['refused', 'this category needs an approved template: set options.private_template_id'],
  55: ['limited', 'calls come too often'],
  59: ['refused', 'the app has no right to a fallback link'],
  67: ['refused', 'the app may not use options.default_category or options.notify_level'],
  69: ['limited', 'a limit over all apps is reached'],
  10_000: ['dead', 'the token is not valid'],
}

const unlisted = (code: number): [Failure, string] =>
  code > 10_000 && code <= 20_000 ? ['refused', 'this interface refused it'] : ['unknown', 'a code that is not known']

const NAMES_TOKEN = /registration_?id|target_?value/i

const verdictOf = (code: number, message: unknown): Verdict => {
  if (code === 0) return { kind: 'sent' }
  const said = typeof message === 'string' ? message : ''
  if (code === 41 && NAMES_TOKEN.test(said)) return withCode({ kind: 'dead', why: 'the token is not usable' }, code)
  const [kind, words] = codes[code] ?? unlisted(code)
  // Only OPPO's own words tell which argument it means.
  const detail = said !== '' && (kind === 'refused' || kind === 'unknown') ? `: ${cutCharacters(said, 80)}` : ''
  return withCode({ kind, why: words }, `${code}${detail}`)
}

/** What an answer says of the whole request. Its code counts, whatever the status; success needs both. */
const wholeOf = ({ status, body }: Reply): Verdict => {
  const answer = readObject(body)
  const code = integerOf(answer?.code)
  if (code !== undefined && (code !== 0 || status === 200)) return verdictOf(code, answer?.message)
  if (status === 429) return withCode({ kind: 'limited', why: 'too many calls' }, 'HTTP 429')
  if (status === 200 && answer) return withCode({ kind: 'unknown', why: 'an answer without a code' }, 'HTTP 200')
  return withCode({ kind: 'down', why: 'no answer that can be read' }, `HTTP ${status}`)
}

/** What an answer may say where no push was sent; the other kinds are about a push or its address. */
const ABOUT_ACCESS: ReadonlySet<Verdict['kind']> = new Set(['denied', 'limited', 'exhausted', 'down'])

const readEach = (reply: Reply, addresses: readonly Address[]): Verdict[] => {
  const whole = wholeOf(reply)
  if (whole.kind === 'dead') {
    return addresses.map(() => ({ ...whole, kind: 'unknown', why: `one of several: ${whole.why}` }))
  }
  if (whole.kind !== 'sent') return addresses.map(() => whole)
  const data = readObject(reply.body)?.data
  const rows = (Array.isArray(data) ? data : []).map(objectOf)
  const byToken = new Map(rows.map((row) => [row?.registrationId, row]))
  return addresses.map(({ token }) => {
    const row = byToken.get(token)
    // Asked once more it does no harm: OPPO shows one app_message_id once.
    if (!row) return withCode({ kind: 'unknown', why: 'the answer does not name this token' }, 0)
    const code = integerOf(row.errorCode ?? 0)
    if (code === undefined) return withCode({ kind: 'unknown', why: 'the answer for this token has no code' }, 0)
    return verdictOf(code, row.errorMessage)
  })
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }

const post = ({ options }: Account, region: string, path: string, fields: Record<string, string>): VendorRequest => {
  const { china_host = CHINA_HOSTS[0] } = options as { china_host?: string }
  return {
    origin: `https://${region === OVERSEAS ? OVERSEAS_HOST : china_host}`,
    method: 'POST',
    path: `/server/v1/${path}`,
    headers: FORM,
    body: new URLSearchParams(fields).toString(),
  }
}

/**
 * OPPO shows one id once per device and takes the second silently: a repeat must carry the same one, and no other push
 * may. The time in it keeps tasks apart whose numbers began anew in an emptied store.
 */
const messageIdOf = ({ taskId, expiresAt }: VendorPush, { deviceId }: Address): string =>
  createHash('sha256').update(`${taskId}:${deviceId}:${expiresAt}`).digest('hex').slice(0, 32)

const clickOf = (push: VendorPush) => {
  const { click_action, intent } = androidOf(push.message, 'oppo')
  const data = textsOf(push, 'oppo')
  if (click_action !== 'intent' || intent === undefined) {
    return { click_action_type: OPEN_APP, action_parameters: JSON.stringify(data) }
  }
  const page = readIntent(intent)
  if (!page) return { click_action_type: OPEN_URL, click_action_url: intent, action_parameters: JSON.stringify(data) }
  return {
    click_action_type: OPEN_ACTIVITY,
    click_action_activity: page.activity,
    action_parameters: JSON.stringify({ ...page.extras, ...data }),
  }
}

const keepingOf = (push: VendorPush) => {
  const seconds = secondsLeft(push)
  return seconds === 0 ? { off_line: false } : { off_line: true, off_line_ttl: Math.min(seconds, OFFLINE_SECONDS_MOST) }
}

/** OPPO wants both ends of the window. */
const windowOf = ({ message: { show_begin_time: begin, show_end_time: end }, now, expiresAt }: VendorPush) => {
  if (end === undefined && (begin === undefined || begin * 1000 <= now)) return {}
  return {
    show_time_type: 1,
    show_start_time: Math.max((begin ?? 0) * 1000, now),
    show_end_time: end === undefined ? expiresAt : end * 1000,
  }
}

const receiptOf = ({ receiptUrl: url, taskId }: VendorPush) =>
  url !== undefined && url.length <= RECEIPT_URL_MOST ? { call_back_url: url, call_back_parameter: `${taskId}` } : {}

/** OPPO adds one at a time; a larger step goes out as the number it leads to. */
const badgeFor = (push: VendorPush, { badge }: Address) => {
  const rule = badgeOf(push.message)
  if (rule === null || badge === null || ('add' in rule && rule.add === 0)) return {}
  if ('add' in rule && rule.add === 1) return { badge_operation_type: ADD_ONE }
  const count = 'set' in rule ? rule.set : badge
  return { badge_operation_type: OVERWRITE, badge_message_count: Math.min(count, BADGE_MOST) }
}

/** What is the same for every device. */
const notificationOf = (push: VendorPush, { options }: Account) => {
  const { message, setting } = push
  const text = message.big_text ?? bodyOf(push)
  const isLong = message.big_text !== undefined || cutCharacters(text, CONTENT_MOST) !== text
  const subtitle = message.ios?.subtitle
  const collapseId = setting.collapse_id ?? message.ios?.apns_collapse_id
  return {
    title: cutCharacters(titleOf(push), TITLE_MOST),
    content: cutCharacters(text, LONG_CONTENT_MOST),
    ...clickOf(push),
    ...keepingOf(push),
    style: isLong ? LONG_TEXT : STANDARD,
    sub_title: subtitle === undefined ? undefined : cutCharacters(subtitle, SUBTITLE_MOST),
    ...windowOf(push),
    channel_id: androidOf(message, 'oppo').channel_id ?? options.default_channel_id,
    category: options.default_category,
    // Without a category it is an error.
    notify_level: options.default_category === undefined ? undefined : options.notify_level,
    private_msg_template_id: options.private_template_id,
    notify_id: collapseId === undefined ? undefined : idOf(collapseId),
    ...receiptOf(push),
  }
}

const events: Record<string, Pick<VendorReceipt, 'event' | 'why'>> = {
  push_arrive: { event: 'received' },
  regid_invalid: { event: 'dead', why: 'the app was removed or the device was away for 30 days (regid_invalid)' },
  user_daily_limit: { event: 'failed', why: 'the device had its messages of the day (user_daily_limit)' },
}

/** Rows of several tasks come in one call. An event with another name says nothing we could keep. */
const readReceipt = ({ param, eventType, registrationIds }: Record<string, unknown>): VendorReceipt[] => {
  const taskId = taskIdOf(param)
  const event = typeof eventType === 'string' && Object.hasOwn(events, eventType) ? events[eventType] : undefined
  if (taskId === undefined || !event || typeof registrationIds !== 'string') return []
  const tokens = registrationIds.split(',').map((token) => token.trim()).filter((token) => token !== '')
  return tokens.map((token) => ({ taskId, token, ...event }))
}

export default defineVendor({
  name: 'oppo',
  title: 'OPPO Push',
  credentials: Type.Object({
    app_id: Type.Optional(
      word({
        title: 'AppId',
        description: 'Not needed to send; when given, receipts are held against it.',
        zh: { help: '发送时不需要；填写后用于核对回执。' },
      }),
    ),
    app_key: word({
      title: 'AppKey',
      description: 'The AppKey on the configuration page of the app.',
      zh: { help: '应用配置页面上的 AppKey。' },
    }),
    app_secret: word({
      title: 'MasterSecret',
      description: 'The MasterSecret. The AppSecret beside it looks alike and does not work on a server.',
      zh: { help: 'MasterSecret。旁边的 AppSecret 外观相似，但不能用于服务端。' },
      usual: { pattern: '^[0-9A-Fa-f]{32}$', words: '32 hexadecimal digits' },
    }),
    name: label,
  }),
  options: Type.Object({
    default_channel_id: defaultChannel,
    default_category: category(CLASSES, {
      title: 'Category',
      description: 'The class messages are sent under; the service classes need a right that OPPO grants.',
      zh: { title: '消息分类', help: '发送消息所用的分类；服务类需 OPPO 授权。' },
    }),
    notify_level: choice([1, 2, 16], {
      title: 'Notify level',
      description: '1 shade; 2 also lock screen; 16 also banner, vibration and sound, by a right that OPPO grants.',
      zh: { title: '提醒等级', help: '1 通知栏；2 另加锁屏；16 另加横幅、振动和铃声，需 OPPO 授权。' },
    }),
    private_template_id: Type.Optional(
      word({
        title: 'Private template ID',
        description: 'The approved template that classes such as IM ask for.',
        zh: { title: '私信模板 ID', help: 'IM 等分类所需的、已审核通过的模板。' },
      }),
    ),
    china_host: choice(CHINA_HOSTS, {
      title: 'Host for mainland China',
      description: 'The first one by default. Devices elsewhere are told by their registration id and need no setting.',
      zh: { title: '中国大陆域名', help: '默认为第一个。其他地区的设备由 registration_id 识别，无需设置。' },
    }),
  }),

  check({ options }) {
    if (!('notify_level' in options) || 'default_category' in options) return {}
    const [field, other] = ['options.notify_level', 'options.default_category']
    const words = `${field} works only together with ${other}`
    return { warnings: [{ name: 'only_with', values: { field, other, words } }] }
  },

  protocol: 'h1',
  // 1000 are allowed; of 200 the answer stays within 64 KiB even when each of them carries an error.
  limits: { batch: 200, concurrency: 10, perSecond: 5000, counts: 'requests', timeoutMs: 10_000 },
  carries: (message) => typeOf(message) !== 'cmd',
  // A device that is off is waited for at most so long, and "now or never" is meant for the beginning.
  presents({ message: { show_begin_time: begin }, setting, now }) {
    if (begin === undefined || setting.time_to_live === 0) return false
    return begin * 1000 > now && begin * 1000 - now < OFFLINE_SECONDS_MOST * 1000
  },

  /** HASH, COUNTRY_HASH or BRAND_COUNTRY_HASH. */
  regionOf(token) {
    const parts = token.split('_')
    return parts.length === 1 || (parts.length <= 3 && parts.at(-2) === 'CN') ? 'china' : OVERSEAS
  },

  access: {
    request(account, region, now) {
      const { app_key, app_secret } = account
      const sign = createHash('sha256').update(`${app_key}${now}${app_secret}`).digest('hex')
      return post(account, region, 'auth', { app_key, sign, timestamp: `${now}` })
    },
    read(reply, now) {
      const whole = wholeOf(reply)
      if (whole.kind !== 'sent') return ABOUT_ACCESS.has(whole.kind) ? whole : { ...whole, kind: 'unknown' }
      const data = objectOf(readObject(reply.body)?.data)
      const value = data?.auth_token
      if (typeof value !== 'string' || value === '') {
        return withCode({ kind: 'unknown', why: 'no auth token in the answer' }, 0)
      }
      // It may be one that was handed out before.
      const ageMs = now - (integerOf(data?.create_time) ?? now)
      const leftMs = ageMs > 0 && ageMs < TOKEN_LIFE_MS ? TOKEN_LIFE_MS - ageMs : TOKEN_LIFE_MS
      return { value, renewAt: now + Math.floor((leftMs * 5) / 6), endsAt: now + leftMs }
    },
  },

  request({ push, account, addresses, region, access }) {
    const shared = notificationOf(push, account)
    const messages = addresses.map((address) => ({
      target_type: 2,
      target_value: address.token,
      verify_registration_id: false,
      notification: { app_message_id: messageIdOf(push, address), ...shared, ...badgeFor(push, address) },
    }))
    const [path, fields] = messages.length === 1
      ? ['unicast', { message: JSON.stringify(messages[0]) }] as const
      : ['unicast_batch', { messages: JSON.stringify(messages) }] as const
    return post(account, region, `message/notification/${path}`, { auth_token: access, ...fields })
  },

  sight({ body }) {
    const { notification } = JSON.parse(new URLSearchParams(body).get('message')!) as { notification: Record<string, string> }
    const { app_message_id: _, action_parameters: data = '', ...shown } = notification
    return { title: shown.title, body: shown.content, shown, size: data.length, most: DATA_MOST }
  },

  read: (reply, { addresses }) => (addresses.length === 1 ? [wholeOf(reply)] : readEach(reply, addresses)),

  receipts: {
    read({ body }, accounts) {
      let rows: unknown
      try {
        rows = JSON.parse(body)
      } catch {
        return 'malformed'
      }
      if (!Array.isArray(rows)) return 'malformed'
      const reports = rows.map(objectOf).filter((row) => row !== undefined)
      const ours = accounts.map(({ app_id }) => app_id)
      const isProvable = ours.length > 0 && !ours.includes('')
      if (isProvable && !reports.every(({ appId }) => ours.includes(`${appId}`))) return 'forged'
      return reports.flatMap(readReceipt)
    },
    answer: '{}',
  },
})
