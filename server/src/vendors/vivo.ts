import { createHash } from 'node:crypto'
import { Type } from '@carillon/protocol/type.ts'
import { category, label, word } from './credentials.ts'
import {
  androidOf, badgeOf, cutCharacters, idOf, integerOf, objectOf, readObject, secondsLeft, taskIdOf, textsOf, titleOf,
  typeOf, withCode,
} from './message.ts'
import { defineVendor } from './vendor.ts'
import type { Account, Addressed, Reply, VendorPush, VendorReceipt, VendorRequest, Verdict } from './vendor.ts'

const code = { pattern: '^[0-9A-Fa-f-]{32,36}$', words: '32 to 36 hexadecimal digits and dashes' }

const ORIGIN = 'https://api-push.vivo.com.cn'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const TITLE_MOST = 40
const CONTENT_MOST = 100
const CUSTOM_MOST = 1024
const CALLBACK_MOST = 128
const LIFE_SECONDS_LEAST = 60
const LIFE_SECONDS_MOST = 86_400

// Pages of vivo differ on whether a Chinese character counts once or twice: the stricter way is the second try.
const NARROW = 'narrow'
const ANEW = 'anew'
const SINGLE = 'single'

type Failure = Exclude<Verdict['kind'], 'sent' | 'adapt'>

const row = (results: number[], kind: Failure, words: string): Record<number, Verdict> =>
  Object.fromEntries(results.map((result) => [result, withCode({ kind, why: words }, result)]))

const adapted = (results: number[], variant: string, words: string): Record<number, Verdict> =>
  Object.fromEntries(results.map((result) => [result, withCode({ kind: 'adapt', variant, why: words }, result)]))

// In China's time. Alone, since system messages pass meanwhile.
const rest = 'operational messages rest from 23:00 to 07:00'
const atNight = withCode({ kind: 'limited', alone: true, why: rest }, 10071)

const results: Record<number, Verdict> = {
  0: { kind: 'sent' },
  ...row([10000], 'renew', 'the auth token is missing, wrong or expired'),
  ...row([10040], 'down', 'the service is busy'),
  ...row([10043], 'denied', 'push is switched off for the app'),
  ...row([10045], 'denied', 'the app is under review and may only send with push_mode 1'),
  ...row([10050, 10150], 'refused', 'the list of tokens is empty'),
  ...row([10051, 11000], 'refused', 'this classification is not allowed'),
  ...row([10054], 'refused', 'a field is wrong'),
  ...row([10055], 'refused', 'the title is empty'),
  ...row([10057], 'refused', 'the content is empty'),
  ...adapted([10056], NARROW, 'the title is too long'),
  ...adapted([10058], NARROW, 'the content is too long'),
  ...row([10059], 'refused', 'the time to live is wrong'),
  ...row([10060, 10061, 10062, 10063, 10064, 10068, 10069], 'refused', 'what a click opens is wrong'),
  ...row([10065], 'refused', 'the network type is wrong'),
  ...row([10066, 10067], 'refused', 'the custom map is wrong or too long'),
  ...row([10070], 'exhausted', "the day's operational messages are used up"),
  10071: atNight,
  ...row([10072], 'limited', 'messages come too fast'),
  ...row([10073], 'exhausted', "the day's system messages are used up"),
  ...row([10082], 'denied', 'the app has no right to system messages, classification 1'),
  ...row([10085, 10104], 'refused', 'the text looks like a test: only Latin letters, digits or signs, or brackets'),
  ...row([10093], 'limited', 'auth tokens are asked for too often'),
  ...row([10094], 'denied', 'app_id is not the one of the auth token'),
  ...row([10095], 'refused', 'the notify id is out of range'),
  ...row([10096], 'refused', 'the category is not known: see options.system_category and options.operational_category'),
  ...row([10097], 'refused', 'the category does not go with the classification'),
  ...row([10103], 'refused', 'the text holds sensitive content'),
  ...adapted([10151, 10152, 10155], ANEW, 'the saved body is not there any more'),
  ...row([10153, 10154], 'refused', 'a list takes 2 to 1000 tokens'),
  ...row([10200, 10201, 10203, 10204], 'denied', 'a part of the credentials is empty or wrong'),
  ...row([10202], 'denied', 'app_key is wrong'),
  ...row([10205], 'denied', 'app_id is wrong'),
  ...row([10206], 'denied', 'the signature is wrong: app_secret does not belong to app_id and app_key'),
  ...row([10207], 'denied', "the timestamp is not within ten minutes of vivo's: set this machine's clock right"),
  // Asked for more, vivo lowers the allowance: the rest of the day goes one by one.
  10252: withCode({ kind: 'adapt', variant: SINGLE, batch: 1, why: "the day's saved bodies are used up" }, 10252),
  ...row([10254], 'exhausted', "the day's pushes to all are used up"),
  ...row([10301], 'refused', 'the alias is too long'),
  ...row([10302], 'dead', 'the token is not valid: unknown, removed or its data cleared'),
  ...row([10304], 'refused', 'a key of extra is not known'),
  ...row([10305], 'refused', 'the receipt address is too long'),
  ...row([10306], 'refused', 'the receipt parameter is too long'),
  ...row([10311], 'refused', 'the device cannot be reached now: notifications are off, or it is not in use'),
  ...row([10352, 10353], 'refused', 'the request id is empty or too long'),
  ...row([10471, 10473], 'refused', 'statistics take 1 to 100 ids'),
}

/** What vivo says of one token, in `invalidUser` and `invalidUsers`. */
const statuses: Record<number, Verdict> = {
  1: { kind: 'dead', why: 'the token is not known for this app' },
  2: { kind: 'dead', why: 'the app was removed, unsubscribed or its data cleared' },
  3: { kind: 'refused', why: 'the device has been offline for long' },
  4: { kind: 'refused', why: "not a test device: push_mode 1 reaches those listed in vivo's console alone" },
}

const UNHEARD: Verdict = { kind: 'unknown', why: 'not taken, for an unknown reason' }

const ofToken = (status: number): Verdict | undefined =>
  statuses[status] && withCode(statuses[status], `status ${status}`)

/** Ids are digits and may come without quotes: as numbers they would lose their end. */
const readAnswer = (body: string) => readObject(body.replace(/("(?:userid|taskId)"\s*:\s*)([0-9]+)/g, '$1"$2"'))

/** What an answer says of the whole request. Its result counts, whatever the status; success needs both. */
const wholeOf = ({ status }: Reply, answer: Record<string, unknown> | undefined): Verdict => {
  const result = integerOf(answer?.result)
  if (result !== undefined && (result !== 0 || status === 200)) {
    return results[result] ?? withCode({ kind: 'unknown', why: 'a result that is not known' }, result)
  }
  if (status === 429) return withCode({ kind: 'limited', why: 'too many calls' }, 'HTTP 429')
  if (status < 500 && answer) return withCode({ kind: 'unknown', why: 'an answer without a result' }, `HTTP ${status}`)
  return withCode({ kind: 'down', why: 'no answer that can be read' }, `HTTP ${status}`)
}

/** What an answer may say where no push was sent; the other kinds are about a push or its address. */
const ABOUT_ACCESS: ReadonlySet<Verdict['kind']> = new Set(['denied', 'limited', 'exhausted', 'down'])

const china = (at: number) => at + 8 * HOUR_MS
const timeOfDay = (at: number) => china(at) % DAY_MS
const dayOf = (at: number) => Math.floor(china(at) / DAY_MS)
const OPENS_MS = 7 * HOUR_MS
const CLOSES_MS = 23 * HOUR_MS

/** How long the night lasts; undefined by day, when vivo's clock or hours differ from ours. */
const untilMorning = (now: number): number | undefined => {
  const time = timeOfDay(now)
  if (time < OPENS_MS) return OPENS_MS - time
  return time < CLOSES_MS ? undefined : DAY_MS - time + OPENS_MS
}

const JSON_BODY = { 'content-type': 'application/json;charset=UTF-8' }

const post = (path: string, body: unknown, access?: string): VendorRequest => ({
  origin: ORIGIN,
  method: 'POST',
  path: `/message/${path}`,
  headers: access === undefined ? JSON_BODY : { ...JSON_BODY, authToken: access },
  body: JSON.stringify(body),
})

/** Everything outside ASCII counts twice. */
const cutNarrow = (text: string, most: number): string => {
  let width = 0
  let cut = ''
  for (const character of text) {
    width += character > '\x7f' ? 2 : 1
    if (width > most) break
    cut += character
  }
  return cut
}

const lengthOf = (map: Record<string, string>): number => Object.entries(map).flat().join('').length

/** All keys and values share their room; what does not fit is left out, `ext` last. */
const customMapOf = (push: VendorPush) => {
  const rule = badgeOf(push.message)
  const map = textsOf(push, 'vivo')
  // vivo cannot set a number: the app may.
  if (rule && 'set' in rule) map.badge = `${rule.set}`
  for (const optional of ['attachment_url', 'ext']) {
    if (lengthOf(map) > CUSTOM_MOST) delete map[optional]
  }
  return map
}

const classOf = (push: VendorPush): 0 | 1 => androidOf(push.message, 'vivo').classification ?? 0
const modeOf = (push: VendorPush): 0 | 1 => androidOf(push.message, 'vivo').push_mode ?? 0

const keepingOf = (push: VendorPush) => {
  const seconds = secondsLeft(push)
  // vivo keeps a message for a minute at least, and one with an end must not come after it.
  const isNowOrNever = seconds === 0 || (seconds < LIFE_SECONDS_LEAST && push.message.show_end_time !== undefined)
  return isNowOrNever
    ? { sendOnline: true }
    : { timeToLive: Math.min(Math.max(seconds, LIFE_SECONDS_LEAST), LIFE_SECONDS_MOST) }
}

const windowOf = ({ message: { show_begin_time: begin, show_end_time: end }, now, expiresAt }: VendorPush) =>
  begin === undefined || begin * 1000 <= now
    ? undefined
    : { overtimeDisplay: false, showStartTime: begin * 1000, showEndTime: end === undefined ? expiresAt : end * 1000 }

/** What is the same for one device and for a list. */
const messageOf = ({ push, account, variant }: Pick<Addressed, 'push' | 'account' | 'variant'>) => {
  const { message, setting } = push
  const { sound, click_action, intent } = androidOf(message, 'vivo')
  const { system_category, operational_category } = account.options
  const cut = variant === NARROW ? cutNarrow : cutCharacters
  const rule = badgeOf(message)
  const collapseId = setting.collapse_id ?? message.ios?.apns_collapse_id
  return {
    notifyType: sound === 'none' ? 1 : 4,
    title: cut(titleOf(push), TITLE_MOST),
    content: cut(message.body ?? message.big_text ?? titleOf(push), CONTENT_MOST),
    ...keepingOf(push),
    ...(click_action === 'intent' && intent !== undefined ? { skipType: 4, skipContent: intent } : { skipType: 1 }),
    classification: classOf(push),
    category: classOf(push) === 1 ? system_category : operational_category,
    clientCustomMap: customMapOf(push),
    pushMode: modeOf(push),
    notifyId: collapseId === undefined ? undefined : idOf(collapseId),
    addBadge: rule && 'add' in rule && rule.add > 0 ? true : undefined,
    timedDisplay: windowOf(push),
  }
}

/** With an id of its own a receipt address covers lists too; one given with the message covers single devices. */
const receiptOf = ({ taskId, receiptUrl }: VendorPush, { options }: Account, isList: boolean) => {
  const param = { 'callback.param': `${taskId}` }
  if (options.receipt_id !== undefined) return { 'callback.id': options.receipt_id, ...param }
  if (isList || receiptUrl === undefined || receiptUrl.length > CALLBACK_MOST) return undefined
  return { callback: receiptUrl, ...param }
}

/** Main types, and sub types that say more. */
const types: Record<number, string> = {
  100: 'held back by vivo',
  101: 'refused by the audit',
  102: 'it did not match',
  103: 'replaced by a newer one',
  104: 'not shown',
  1017: 'an operational message at night',
  2124: 'an operational message with the same text was sent before',
  2144: 'expired',
  2158: 'the link is wrong',
  2161: 'the page to open is not exported by the app',
  2162: 'the page to open is not in the app',
  2183: 'the token is not valid any more',
  10012: 'expired',
  11001: 'the volume limit is reached',
  12000: 'the device had too many',
  20001: 'the device is not subscribed',
  20002: 'there is no such device',
  20006: 'the device was offline for 14 days',
}
const DEAD_TYPES = [2183, 20001, 20002]

const eventOf = (report: Record<string, unknown>): Pick<VendorReceipt, 'event' | 'why'> | undefined => {
  const main = integerOf(report.ackType)
  // Older receipts have no types and tell of deliveries alone. One with a type we cannot read may tell of anything.
  if (main === undefined && Object.keys(report).some((key) => /type/i.test(key))) return undefined
  if (main === undefined || main === 0) return { event: 'received' }
  const sub = integerOf(report.subAckType) ?? main
  const why = `${types[sub] ?? types[main] ?? 'not delivered'} (${sub})`
  return { event: DEAD_TYPES.includes(sub) ? 'dead' : 'failed', why }
}

const readReceipt = (report: Record<string, unknown>): VendorReceipt[] => {
  const taskId = taskIdOf(report.param)
  const event = eventOf(report)
  if (taskId === undefined || !event || typeof report.targets !== 'string') return []
  const tokens = report.targets.split(',').map((token) => token.trim()).filter((token) => token !== '')
  return tokens.map((token) => ({ taskId, token, ...event }))
}

export default defineVendor({
  name: 'vivo',
  title: 'vivo Push',
  credentials: Type.Object({
    app_id: word({
      title: 'AppID',
      description: 'The AppID of the app; it travels as a number.',
      zh: { help: '应用的 AppID，以数字形式发送。' },
      pattern: '^[1-9][0-9]{0,14}$',
      must: 'be a number written in digits',
      usual: { pattern: '^[0-9]{6,9}$', words: '6 to 9 digits' },
    }),
    app_key: word({
      title: 'AppKey',
      description: 'The AppKey of the app.',
      zh: { help: '应用的 AppKey。' },
      usual: code,
    }),
    app_secret: word({
      title: 'AppSecret',
      description: 'The AppSecret; it signs and is never sent.',
      zh: { help: '应用的 AppSecret，仅用于签名，不会发送。' },
      usual: code,
    }),
    name: label,
  }),
  options: Type.Object({
    receipt_id: Type.Optional(
      word({
        title: 'Receipt ID',
        description: 'The id that vivo gives a receipt address set up in its console.',
        zh: { title: '回执 ID', help: '在 vivo 平台设置回执地址后得到的 ID。' },
      }),
    ),
    system_category: category(['IM', 'ACCOUNT', 'TODO', 'DEVICE_REMINDER', 'ORDER', 'SUBSCRIPTION'], {
      title: 'Category of system messages',
      description: 'The second-level class sent with classification 1.',
      zh: { title: '系统消息分类', help: 'classification 为 1 时发送的二级分类。' },
    }),
    operational_category: category(['NEWS', 'CONTENT', 'MARKETING', 'SOCIAL'], {
      title: 'Category of operational messages',
      description: 'The second-level class sent with classification 0.',
      zh: { title: '运营消息分类', help: 'classification 为 0 时发送的二级分类。' },
    }),
  }),

  protocol: 'h1',
  // 1000 are allowed; of 400 the answer stays within 64 KiB even when every token is listed as invalid.
  limits: { batch: 400, concurrency: 10, perSecond: 3000, counts: 'devices', timeoutMs: 10_000 },
  carries: (message) => typeOf(message) !== 'cmd',

  /** vivo takes a window that begins in ten minutes or later (one more is for the way), is short and within one day. */
  presents(push) {
    const window = windowOf(push)
    if (!window || push.setting.time_to_live === 0) return false
    const { showStartTime: start, showEndTime: end } = window
    const isByDay = timeOfDay(start) >= OPENS_MS && timeOfDay(end) <= CLOSES_MS
    return (
      start >= push.now + 11 * MINUTE_MS && end <= push.now + DAY_MS && end - start < 2 * HOUR_MS &&
      dayOf(start) === dayOf(end) && (classOf(push) === 1 || isByDay)
    )
  },

  access: {
    request({ app_id, app_key, app_secret }, _region, now) {
      const sign = createHash('md5').update(`${app_id}${app_key}${now}${app_secret}`).digest('hex')
      return post('auth', { appId: Number(app_id), appKey: app_key, timestamp: now, sign })
    },
    read(reply, now) {
      const answer = readAnswer(reply.body)
      const whole = wholeOf(reply, answer)
      if (whole.kind !== 'sent') return ABOUT_ACCESS.has(whole.kind) ? whole : { ...whole, kind: 'unknown' }
      const value = answer?.authToken
      // It travels in a header, which takes nothing but visible ASCII.
      if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
        return withCode({ kind: 'unknown', why: 'no auth token in the answer' }, 0)
      }
      return { value, renewAt: now + 2 * HOUR_MS, endsAt: now + DAY_MS }
    },
  },

  prepare: {
    isFor: ({ addresses }) => addresses.length > 1,
    request(to) {
      const { push, account, access, variant } = to
      const extra = receiptOf(push, account, true)
      const requestId = `${push.taskId}.list${variant && `-${variant}`}`
      return post('saveListPayload', { appId: Number(account.app_id), ...messageOf(to), requestId, extra }, access)
    },
    read(reply) {
      const answer = readAnswer(reply.body)
      const whole = wholeOf(reply, answer)
      if (whole.kind === 'dead') return { ...whole, kind: 'unknown' }
      if (whole.kind !== 'sent') return whole
      const prepared = answer?.taskId
      if (typeof prepared === 'string' && prepared !== '') return { prepared }
      return withCode({ kind: 'unknown', why: 'no task id in the answer' }, 0)
    },
  },

  request(to) {
    const { push, account, addresses, access, variant, prepared } = to
    const appId = Number(account.app_id)
    const { deviceId, token } = addresses[0]!
    if (addresses.length === 1) {
      const extra = receiptOf(push, account, false)
      const requestId = `${push.taskId}.${deviceId}${variant && `-${variant}`}`
      return post('send', { appId, regId: token, ...messageOf(to), requestId, extra }, access)
    }
    // Unlike that of another list of this task, and of what is left of this one.
    const requestId = `${push.taskId}.${deviceId}-${idOf(addresses.map((address) => address.deviceId).join())}`
    const regIds = addresses.map((address) => address.token)
    return post('pushToList', { appId, regIds, taskId: prepared, requestId, pushMode: modeOf(push) }, access)
  },

  sight({ body }) {
    const { appId: _app, regId: _token, requestId: _id, extra: _receipts, clientCustomMap, ...shown } =
      JSON.parse(body) as Record<string, unknown> & { title: string; content: string; clientCustomMap: Record<string, string> }
    return { title: shown.title, body: shown.content, shown, size: lengthOf(clientCustomMap), most: CUSTOM_MOST }
  },

  read(reply, { push, addresses }) {
    const answer = readAnswer(reply.body)
    const said = wholeOf(reply, answer)
    const whole = said === atNight ? { ...atNight, waitMs: untilMorning(push.now) } : said
    if (addresses.length === 1) {
      const status = integerOf(objectOf(answer?.invalidUser)?.status)
      return [whole.kind === 'dead' && status !== undefined ? (ofToken(status) ?? whole) : whole]
    }
    const invalid = (Array.isArray(answer?.invalidUsers) ? answer.invalidUsers : []).map(objectOf)
    const statusOf = new Map(invalid.map((user) => [user?.userid, integerOf(user?.status)]))
    const others: Verdict =
      whole.kind === 'dead' ? { ...whole, kind: 'unknown', why: `one of several: ${whole.why}` } : whole
    return addresses.map(({ token }) => {
      if (!statusOf.has(token)) return others
      const status = statusOf.get(token) ?? 0
      return ofToken(status) ?? withCode(UNHEARD, `status ${status}`)
    })
  },

  receipts: {
    read({ body }) {
      const reports = readObject(body)
      if (!reports) return 'malformed'
      return Object.values(reports).flat().map(objectOf).filter((report) => report !== undefined).flatMap(readReceipt)
    },
    answer: '{"errno":0,"errmsg":"success"}',
  },
})
