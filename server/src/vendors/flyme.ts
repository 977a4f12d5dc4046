import { createHash, timingSafeEqual } from 'node:crypto'
import { Type } from '@carillon/protocol/type.ts'
import type { Static } from 'typebox'
import { choice, flag, label, word } from './credentials.ts'
import {
  androidOf, bodyOf, cutBytes, cutCharacters, dataOf, integerOf, objectOf, readIntent, readObject, secondsLeft,
  sentenceOf, taskIdOf, textsOf, titleOf, typeOf, withCode,
} from './message.ts'
import {
  defineVendor, type Account, type Addressed, type Receipts, type Reply, type Vendor, type VendorPush, type VendorReceipt,
  type Verdict,
} from './vendor.ts'

const options = Type.Object({
  region: choice(['china', 'overseas'], {
    title: 'Region',
    description: 'Where the devices are registered; china by default.',
    zh: { title: '区域', help: '设备注册所在的区域，默认为 china。' },
  }),
  notice_msg_type: choice([0, 1], {
    title: 'Message class',
    description: '0 public, with a small daily number a device; 1 private, for messages meant for one person.',
    zh: { title: '消息类别', help: '0 为公信消息，每台设备每日条数有限；1 为私信消息，面向个人。' },
  }),
  receipt_access_token: Type.Optional(
    word({
      title: 'Receipt access token',
      description: 'As set in receipt management; receipts must show it.',
      zh: { title: '回执访问令牌', help: '与回执管理中的设置一致，用于校验回执。' },
    }),
  ),
  pass_through: flag({
    title: 'Try pass-through',
    description: 'Hands cmd messages to Meizu too, although it lists pass-through as disabled.',
    zh: { title: '尝试透传', help: 'cmd 消息也交给魅族，尽管其文档称透传已停用。' },
  }),
})

const optionsOf = (account: Account) => account.options as Static<typeof options>

const origins = { china: 'https://server-api-push.meizu.com', overseas: 'https://server-api-push.in.meizu.com' }
const originOf = (account: Account): string => origins[optionsOf(account).region === 'overseas' ? 'overseas' : 'china']

const TITLE_LIMIT = 32
const CONTENT_LIMIT = 100
/** Meizu documents none; this is what its users found to work. */
const MESSAGE_BYTES = 4096
const CALLBACK_URL_BYTES = 128
const HOUR_MS = 3_600_000
const KEPT_HOURS = 72
const DELIVERED_AND_CLICKED = '3'
const LAST_MS = Date.UTC(9999, 11, 31)

/** pushIds travel as a list joined by commas: a token with one in it is none, and would address other devices. */
const isPushId = (token: string): boolean => !token.includes(',')

/** All fields by name, without anything between them, then the secret. What is signed is sent as it is. */
export const signedForm = (fields: Record<string, string>, secret: string): string => {
  const pairs = Object.keys(fields).sort().map((name) => `${name}=${fields[name]}`)
  const sign = createHash('md5').update(pairs.join('') + secret).digest('hex')
  return new URLSearchParams({ ...fields, sign }).toString()
}

const pushTimeInfo = (push: VendorPush) => {
  const seconds = secondsLeft(push)
  return { offLine: seconds === 0 ? 0 : 1, validTime: Math.min(Math.max(Math.ceil(seconds / 3600), 1), KEPT_HOURS) }
}

/** As clocks in China show it; they are not put forward in summer. */
const chinaTime = (at: number): string =>
  new Date(Math.min(at, LAST_MS) + 8 * HOUR_MS).toISOString().slice(0, 19).replace('T', ' ')

const beginOf = ({ message, now }: VendorPush): number | undefined => {
  const begin = (message.show_begin_time ?? 0) * 1000
  return begin > now ? begin : undefined
}

/** A window has two ends: it opens now and closes when the push expires, unless the message says otherwise. */
const displayWindow = (push: VendorPush) => {
  const begin = beginOf(push)
  const { show_end_time } = push.message
  if (begin === undefined && show_end_time === undefined) return {}
  const end = show_end_time === undefined ? push.expiresAt : show_end_time * 1000
  return { fixDisplay: 1, fixStartDisplayTime: chinaTime(begin ?? push.now), fixEndDisplayTime: chinaTime(end) }
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Of all with one key only the last is shown. Eight characters are what Meizu takes. */
const notifyKey = ({ taskId, setting: { collapse_id } }: VendorPush): string => {
  // A push without a collapse id replaces itself alone, when it is sent again after a lost answer.
  const hash = createHash('sha256').update(collapse_id === undefined ? `task ${taskId}` : `collapse ${collapse_id}`)
  return Array.from(hash.digest().subarray(0, 8), (byte) => BASE62[byte % 62]).join('')
}

/** A sound can only be left out: Meizu plays no file of the app's. */
const silent = { notificationType: { vibrate: 1, lights: 1, sound: 0 } }

const advanceInfo = (push: VendorPush) => ({
  ...displayWindow(push),
  ...(androidOf(push.message, 'flyme').sound === 'none' ? silent : {}),
  notifyKey: notifyKey(push),
})

/** An intent as a class and its values: Meizu's SDK does not read intent addresses. */
const clickTypeInfo = (push: VendorPush) => {
  const { click_action, intent } = androidOf(push.message, 'flyme')
  const page = click_action === 'intent' && intent !== undefined ? readIntent(intent) : undefined
  const data = textsOf(push, 'flyme')
  // The page's own values go before ours, but for the two that receipts are told by.
  const parameters = { ...data, ...page?.extras, task_id: data.task_id, channel: data.channel }
  return page ? { clickType: 1, activity: page.activity, parameters } : { clickType: 0, parameters }
}

const callbackInfo = ({ receiptUrl, taskId }: VendorPush) => {
  if (receiptUrl === undefined || Buffer.byteLength(receiptUrl) > CALLBACK_URL_BYTES) return {}
  const extra = { callback: receiptUrl, 'callback.param': String(taskId), 'callback.type': DELIVERED_AND_CLICKED }
  return { extra }
}

/** As much of a text as takes so many bytes inside JSON, where some characters grow. */
const cutForJson = (text: string, most: number): string => {
  const size = Buffer.byteLength(JSON.stringify(text)) - 2
  if (text === '' || size <= most) return text
  return cutForJson(cutBytes(text, Math.floor((Buffer.byteLength(text) * most) / size)), most)
}

/** A notification as JSON; the text that unfolds is cut to the room the rest leaves. */
const notificationJson = (push: VendorPush, account: Account): string => {
  const withText = (noticeExpandContent: string) =>
    JSON.stringify({
      noticeBarInfo: {
        noticeMsgType: optionsOf(account).notice_msg_type ?? 0,
        noticeBarType: 0,
        title: cutCharacters(titleOf(push), TITLE_LIMIT),
        content: cutCharacters(bodyOf(push), CONTENT_LIMIT),
      },
      ...(noticeExpandContent === '' ? {} : { noticeExpandInfo: { noticeExpandType: 1, noticeExpandContent } }),
      clickTypeInfo: clickTypeInfo(push),
      pushTimeInfo: pushTimeInfo(push),
      advanceInfo: advanceInfo(push),
      ...callbackInfo(push),
    })
  const room = MESSAGE_BYTES - Buffer.byteLength(withText('x')) + 1
  return withText(cutForJson(push.message.big_text ?? '', room))
}

interface Sent {
  noticeBarInfo?: { title: string; content: string }
  noticeExpandInfo?: { noticeExpandContent: string }
  clickTypeInfo?: { parameters: unknown }
}

const sight: Vendor['sight'] = ({ body }) => {
  const json = new URLSearchParams(body).get('messageJson')!
  const { clickTypeInfo: { parameters: _, ...click } = { parameters: {} }, ...shown } = JSON.parse(json) as Sent
  const { title, content } = shown.noticeBarInfo ?? {}
  const bigText = shown.noticeExpandInfo?.noticeExpandContent
  return { title, body: content, bigText, bigTextIn: 'bytes', shown: { ...shown, click }, size: Buffer.byteLength(json), most: MESSAGE_BYTES }
}

const passThroughJson = (push: VendorPush): string =>
  JSON.stringify({ content: JSON.stringify(dataOf(push, 'flyme')), pushTimeInfo: pushTimeInfo(push) })

type Failure = Exclude<Verdict['kind'], 'sent' | 'adapt'>
type Codes = Record<number, [kind: Failure, why: string]>

/** https://github.com/MEIZUPUSH/PushAPI: what an answer says as a whole. */
const codes: Codes = {
  300: ['down', 'Meizu asks to repeat it elsewhere'],
  500: ['down', 'an error at Meizu'],
  1001: ['down', 'a system error at Meizu'],
  1003: ['down', 'Meizu is busy'],
  1005: ['refused', 'a parameter is wrong'],
  1006: ['denied', 'the signature is wrong: the AppSecret is not the one of this AppId'],
  110000: ['denied', 'the AppId is not right'],
  110001: ['denied', 'the AppKey is not right'],
  110002: ['dead', 'the pushId is not registered'],
  110003: ['dead', 'the pushId is not valid'],
  110004: ['refused', 'a parameter is empty'],
  110009: ['denied', 'the app is on the blacklist'],
  110010: ['limited', 'too many requests of the app'],
  110019: ['exhausted', "the app's number of pushes of the day is used up"],
  110031: ['denied', 'the package name is not right'],
  110032: ['refused', 'the task id is not right'],
  110033: ['denied', 'the AppSecret is not right'],
  110051: ['exhausted', "the app's number of pushes is used up"],
  110053: ['refused', 'pass-through is not open to the app'],
}

/** The same place: what it says of single targets. 110010 means something else here. */
const targetCodes: Codes = {
  201: ['refused', 'the app may not send this to the device'],
  501: ['down', 'a database error at Meizu'],
  513: ['down', 'pushing failed'],
  518: ['limited', 'over the rate that Meizu set for the app'],
  519: ['down', 'Meizu is overloaded'],
  520: ['refused', 'folded away: more than five in a minute to this device'],
  110002: ['dead', 'the pushId is not subscribed'],
  110003: ['dead', 'the pushId is not valid'],
  110005: ['refused', 'the alias is not subscribed, or switched off'],
  110010: ['refused', 'push is switched off on the device'],
  110011: ['exhausted', "the device's number of public messages of the day is used up"],
}

const byStatus = (status: number, code: number | undefined, said: string): Verdict => {
  if (status === 429) return withCode({ kind: 'limited', why: 'too many requests' }, 'HTTP 429')
  if (status >= 500) return withCode({ kind: 'down', why: 'Meizu has trouble' }, `HTTP ${status}`)
  return withCode({ kind: 'unknown', why: 'an answer that is not understood' }, code ?? `HTTP ${status}`, said)
}

/** What the answer says of all devices it does not name. */
const readWhole = ({ status, body }: Reply, { account, addresses }: Addressed): Verdict => {
  const answer = readObject(body)
  const code = integerOf(answer?.code)
  if (code === 200) return { kind: 'sent' }
  const sentence = sentenceOf(answer?.message)
  // An echo of what only we should know is not passed on.
  const said = sentence.includes(account.app_secret) ? '' : sentence
  const known = code === undefined ? undefined : codes[code]
  if (code === undefined || !known) return byStatus(status, code, said)
  const [kind, why] = known
  // It does not say which of several devices it means.
  return withCode({ kind: kind === 'dead' && addresses.length > 1 ? 'unknown' : kind, why }, code, said)
}

const readTarget = (code: string): Verdict => {
  const [kind, why] = targetCodes[integerOf(code) ?? 0] ?? ['unknown', 'a code that is not known']
  return withCode(kind === 'exhausted' ? { kind, why, alone: true } : { kind, why }, sentenceOf(code))
}

const read = (reply: Reply, to: Addressed): Verdict[] => {
  const whole = readWhole(reply, to)
  // On errors it is an empty text in place of an object.
  const failures = (whole.kind === 'sent' && objectOf(readObject(reply.body)?.value)) || {}
  const failed = new Map<unknown, Verdict>()
  for (const [code, targets] of Object.entries(failures)) {
    if (Array.isArray(targets)) for (const target of targets) failed.set(target, readTarget(code))
  }
  return to.addresses.map(({ token }) =>
    isPushId(token) ? (failed.get(token) ?? whole) : { kind: 'dead', why: 'a pushId has no comma in it (not sent)' },
  )
}

const reports: Record<number, VendorReceipt['event']> = { 1: 'received', 2: 'clicked' }

/** The type inside counts: the one at the end of the key was seen to contradict it. */
const receiptsIn = ([key, entry]: [string, unknown]): VendorReceipt[] => {
  const { param, type, targets } = objectOf(entry) ?? {}
  const taskId = taskIdOf(param)
  const event = reports[integerOf(type ?? key.slice(key.lastIndexOf('-') + 1)) ?? 0]
  if (taskId === undefined || event === undefined || !Array.isArray(targets)) return []
  return targets.filter((token) => typeof token === 'string').map((token) => ({ taskId, token, event }))
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const receipts: Receipts = {
  read: ({ body }, accounts) => {
    const form = new URLSearchParams(body)
    const shown = digestOf(form.get('access_token') ?? '')
    const wanted = accounts.flatMap((account) => optionsOf(account).receipt_access_token ?? [])
    if (wanted.length > 0 && !wanted.some((token) => timingSafeEqual(digestOf(token), shown))) return 'forged'
    const reported = readObject(form.get('cb') ?? '')
    return reported ? Object.entries(reported).flatMap(receiptsIn) : 'malformed'
  },
  answer: '',
}

export default defineVendor({
  name: 'flyme',
  title: 'Meizu Flyme Push',
  credentials: Type.Object({
    app_id: word({
      title: 'AppId',
      description: 'The AppId of the app in the Flyme push console.',
      zh: { help: 'Flyme 推送平台中应用的 AppId。' },
      usual: { pattern: '^[0-9]+$', words: 'digits' },
    }),
    app_key: Type.Optional(
      word({
        title: 'AppKey',
        description: "Not needed to send; devices start Meizu's SDK with it.",
        zh: { help: '发送时不需要；设备端初始化魅族 SDK 时使用。' },
      }),
    ),
    app_secret: word({
      title: 'AppSecret',
      description: 'The AppSecret of the app; it signs and is never sent.',
      zh: { help: '应用的 AppSecret，仅用于签名，不会发送。' },
      usual: { pattern: '^[0-9A-Fa-f]{32}$', words: '32 hexadecimal digits' },
    }),
    name: label,
  }),
  options,

  protocol: 'h1',
  limits: { batch: 100, concurrency: 8, perSecond: 200, counts: 'requests', timeoutMs: 15_000 },
  carries: (message, account) => typeOf(message) !== 'cmd' || optionsOf(account).pass_through === true,
  // It keeps a push for three days: one that lives longer is handed over when its time has come, as is "now or never".
  presents: (push) =>
    typeOf(push.message) !== 'cmd' && secondsLeft(push) > 0 && push.expiresAt - push.now <= KEPT_HOURS * HOUR_MS,
  request: ({ push, account, addresses }) => {
    const passThrough = typeOf(push.message) === 'cmd'
    const fields = {
      appId: account.app_id,
      pushIds: addresses.map(({ token }) => token).filter(isPushId).join(','),
      messageJson: passThrough ? passThroughJson(push) : notificationJson(push, account),
    }
    return {
      origin: originOf(account),
      method: 'POST',
      path: `/garcia/api/server/push/${passThrough ? 'unvarnished' : 'varnished'}/pushByPushId`,
      headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
      body: signedForm(fields, account.app_secret),
    }
  },
  sight,
  read,
  // A pushId in shape alone: good credentials answer that it is not valid.
  probe: { token: 'CARILLONTRIESITSCREDENTIALS0000000NODEVICE000', variant: '' },
  receipts,
})
