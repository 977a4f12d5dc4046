import { Type } from '@carillon/protocol/type.ts'
import type { Static } from 'typebox'
import { defaultChannel, flag, word } from './credentials.ts'
import {
  androidOf, bodyOf, cutCharacters, dataOf, idOf, integerOf, objectOf, readObject, secondsLeft, sentenceOf, taskIdOf,
  titleOf, typeOf, withCode,
} from './message.ts'
import {
  defineVendor, type Account, type Address, type Addressed, type Receipts, type Reply, type VendorPush,
  type Vendor, type VendorReceipt, type Verdict,
} from './vendor.ts'

const digits = { pattern: '^[0-9]+$', words: 'digits' }

const options = Type.Object({
  default_channel_id: defaultChannel,
  template_id: Type.Optional(
    word({
      title: 'Template ID',
      description:
        'The approved template of private-class messages on the default bar channel. Its variables are keywords1, ' +
        'which gets the title, and keywords2, which gets the body.',
      zh: { title: '模板 ID', help: '默认通知渠道上私信消息所用的已审核模板；变量 keywords1 填标题，keywords2 填正文。' },
    }),
  ),
  pass_through: flag({
    title: 'Try pass-through',
    description: 'Hands cmd messages to Xiaomi too, although it announced the end of pass-through.',
    zh: { title: '尝试透传', help: 'cmd 消息也交给小米，尽管其已宣布停止透传。' },
  }),
})

const optionsOf = (account: Account) => account.options as Static<typeof options>

const TITLE_LIMIT = 49
const DESCRIPTION_LIMIT = 127
const PAYLOAD_LIMIT = 4095
/** About what one line of the bar holds; a longer text can be unfolded. */
const LINE = 24
const CALLBACK_URL_BYTES = 128
// How long Xiaomi keeps a message for a device that is away, by class.
const PUBLIC_SECONDS = 86_400
const PRIVATE_SECONDS = 864_000
const ALL_SIGNALS = -1
const VIBRATE_AND_LIGHTS = 2 | 4

/** Regids travel as a list joined by commas: a token with one in it is none, and would address other devices. */
const isRegid = (token: string): boolean => !token.includes(',')

/** The one number all devices of the request share: they also share the payload. */
const badgeOfAll = (addresses: readonly Address[]): number | undefined => {
  const badge = addresses[0]?.badge
  return addresses.every((address) => address.badge === badge) ? (badge ?? undefined) : undefined
}

/** The bar shows neither the badge nor big_text, so the app gets them; a big_text there is no room for is left out. */
const payloadOf = ({ push, addresses }: Addressed): string => {
  const data = { ...dataOf(push, 'xiaomi'), badge: badgeOfAll(addresses) }
  const { big_text } = push.message
  const whole = JSON.stringify({ ...data, big_text })
  return whole.length <= PAYLOAD_LIMIT || typeOf(push.message) === 'cmd' ? whole : JSON.stringify(data)
}

const channelOf = (push: VendorPush, account: Account): string | undefined =>
  androidOf(push.message, 'xiaomi').channel_id ?? optionsOf(account).default_channel_id

/** The template is approved for the default channel, so a message that names another one goes without. */
const templateOf = (push: VendorPush, account: Account): string | undefined => {
  const { template_id, default_channel_id } = optionsOf(account)
  return channelOf(push, account) === default_channel_id && typeOf(push.message) !== 'cmd' ? template_id : undefined
}

/** What templates refuse: symbols and characters not assigned yet, emoji, and what joins, colours and frames those. */
const refusedSymbols =
  /[\p{So}\p{Cn}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Join_Control}\p{Variation_Selector}\p{Me}]/gu
const withoutSymbols = (text: string): string => text.replace(refusedSymbols, '').trim()

/** The variables as Xiaomi's own template for chats names them: from whom, then what. */
const templateFields = (push: VendorPush, account: Account, title: string, description: string) => {
  const template = templateOf(push, account)
  if (template === undefined) return {}
  const keywords1 = withoutSymbols(title) || withoutSymbols(push.appName) || account.name
  const keywords2 = withoutSymbols(description) || keywords1
  return { 'extra.template_id': template, 'extra.template_param': JSON.stringify({ keywords1, keywords2 }) }
}

const soundOf = (sound: string | undefined, account: Account): string | undefined => {
  if (sound === undefined || sound === 'default' || sound === 'none') return undefined
  // A resource is named without the ending of its file.
  return sound.includes('://') ? sound : `android.resource://${account.name}/raw/${sound.replace(/\.[^.]*$/, '')}`
}

/** A picture in place of the text that unfolds; both at once do not go. */
const styleOf = ({ message }: VendorPush, description: string) => {
  if (typeOf(message) === 'image') {
    return { 'extra.notification_style_type': 2, 'extra.notification_bigPic_uri': message.attachment_url }
  }
  return description.length > LINE ? { 'extra.notification_style_type': 1 } : {}
}

/** What only a notification has; a pass-through message shows nothing. */
const shownFields = (push: VendorPush, account: Account) => {
  const { click_action, intent, sound } = androidOf(push.message, 'xiaomi')
  const { collapse_id } = push.setting
  const title = cutCharacters(titleOf(push), TITLE_LIMIT)
  const description = cutCharacters(bodyOf(push), DESCRIPTION_LIMIT)
  const opensPage = click_action === 'intent' && intent !== undefined
  return {
    texts: { title, description },
    signals: {
      notify_type: sound === 'none' ? VIBRATE_AND_LIGHTS : ALL_SIGNALS,
      // Without an id of its own, every notification would replace the one before it.
      notify_id: idOf(collapse_id === undefined ? `task ${push.taskId}` : `collapse ${collapse_id}`),
    },
    extras: {
      'extra.notify_effect': opensPage ? 2 : 1,
      'extra.intent_uri': opensPage ? intent : undefined,
      'extra.notify_foreground': 1,
      'extra.sound_uri': soundOf(sound, account),
      ...styleOf(push, description),
      ...templateFields(push, account, title, description),
    },
  }
}

/** Without receipts after Xiaomi found fault with the address for them: a push matters more than its count. */
const WITHOUT_RECEIPTS = 'without receipts'

const callbackFields = ({ push: { receiptUrl, taskId }, variant }: Addressed) => {
  if (receiptUrl === undefined || variant === WITHOUT_RECEIPTS) return {}
  if (Buffer.byteLength(receiptUrl) > CALLBACK_URL_BYTES) return {}
  return { 'extra.callback': receiptUrl, 'extra.callback.param': taskId, 'extra.callback.type': REPORT_TYPES }
}

const fieldsOf = (to: Addressed): Record<string, string | number | undefined> => {
  const { push, account, addresses } = to
  const shown = typeOf(push.message) === 'cmd' ? undefined : shownFields(push, account)
  const seconds = secondsLeft(push)
  const ceiling = templateOf(push, account) === undefined ? PUBLIC_SECONDS : PRIVATE_SECONDS
  return {
    registration_id: addresses.map(({ token }) => token).filter(isRegid).join(','),
    restricted_package_name: account.name,
    pass_through: shown ? 0 : 1,
    ...shown?.texts,
    payload: payloadOf(to),
    ...shown?.signals,
    time_to_live: Math.min(Math.max(seconds, 1), ceiling) * 1000,
    'extra.channel_id': channelOf(push, account),
    ...shown?.extras,
    'extra.only_send_once': seconds === 0 ? 1 : undefined,
    // A device shows the first message of a job alone: one sent again after a lost answer is not seen twice.
    'extra.jobkey': push.taskId,
    ...callbackFields(to),
  }
}

const formOf = (fields: Record<string, string | number | undefined>): string => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, String(value))
  return form.toString()
}

const sight: Vendor['sight'] = ({ body }) => {
  const { payload = '', registration_id: _, ...shown } = Object.fromEntries(new URLSearchParams(body))
  const image = shown['extra.notification_bigPic_uri']
  return { title: shown.title, body: shown.description, image, shown, size: payload.length, most: PAYLOAD_LIMIT }
}

type Failure = Exclude<Verdict['kind'], 'sent' | 'adapt'>

/** https://dev.mi.com/xiaomihyperos/documentation/detail?pId=1560 */
const codes: Record<number, [kind: Failure, why: string]> = {
  [-1]: ['down', 'Xiaomi does not know what went wrong'],
  1: ['down', 'an error inside Xiaomi'],
  10001: ['down', 'a system error at Xiaomi'],
  10002: ['down', 'Xiaomi is busy'],
  10003: ['down', 'a service behind Xiaomi failed'],
  10008: ['refused', 'a parameter is wrong'],
  10012: ['refused', 'the request is not allowed'],
  10016: ['refused', 'a parameter is missing'],
  10017: ['refused', 'a parameter has a value that is not allowed'],
  10018: ['refused', 'the request is too long'],
  10022: ['limited', 'too many requests from this address'],
  10023: ['limited', 'too many requests of this account'],
  10024: ['limited', 'too many requests of this kind'],
  10026: ['denied', 'the app is on the blacklist'],
  10027: ['limited', 'the interface is called too often'],
  10028: ['limited', 'the interface is called too often'],
  10029: ['dead', 'not a device of this vendor'],
  10031: ['denied', 'the app may not send'],
  10034: ['exhausted', 'too many messages today'],
  10036: ['denied', 'the app may not do this'],
  10037: ['down', 'the request took too long on its way'],
  20301: ['down', 'sending failed'],
  20607: ['down', 'a database error at Xiaomi'],
  21301: ['denied', 'the AppSecret is not right'],
  21302: ['denied', 'the credentials are not right'],
  21303: ['denied', 'the app is restricted'],
  21305: ['refused', 'a parameter is missing'],
  22000: ['denied', 'the app is not known'],
  22006: ['denied', 'the AppId is not right'],
  22007: ['denied', 'the AppKey is not right'],
  22008: ['denied', 'the AppSecret is not right'],
  22022: ['denied', 'the package name is not right'],
  22102: ['down', 'sending the notification failed'],
  26003: ['down', 'a call inside Xiaomi failed'],
  26004: ['limited', 'too many broadcasts'],
  26006: ['refused', "the message has to be reviewed in Xiaomi's console"],
  27001: ['refused', 'the bar channel is not one that Xiaomi approved for the app'],
  65003: ['down', 'the device was not found, it is probably offline'],
  65009: ['refused', 'the message is too long'],
  65011: ['refused', 'a parameter is not given'],
  65014: ['refused', 'too many values'],
  65015: ['refused', 'the values are too long'],
  65036: ['refused', 'the parameter of the receipt address is too long'],
  65037: ['refused', 'the receipt address is too long'],
  65038: ['refused', 'the receipt address is not one Xiaomi takes'],
  200001: ['exhausted', "the app's total of the day is used up"],
  200002: ['limited', 'too many requests in a second'],
}

const NO_TARGETS = 20301
const RECEIPT_FAULTS = [65036, 65037, 65038]

/** An answer without a code we know, most likely from something that stands before Xiaomi. */
const byStatus = (status: number, code: number | undefined, said: string): Verdict => {
  if (status === 401 || status === 403) {
    return withCode({ kind: 'denied', why: 'Xiaomi does not let us in' }, `HTTP ${status}`)
  }
  if (status === 429) return withCode({ kind: 'limited', why: 'too many requests' }, 'HTTP 429')
  if (status >= 500) return withCode({ kind: 'down', why: 'Xiaomi has trouble' }, `HTTP ${status}`)
  return withCode({ kind: 'unknown', why: 'an answer that is not understood' }, code ?? `HTTP ${status}`, said)
}

/** What the answer says of all devices it does not name. The body goes first: no status is documented for errors. */
const readWhole = ({ status, body }: Reply, { push, account, addresses, variant }: Addressed): Verdict => {
  const answer = readObject(body)
  const code = integerOf(answer?.code)
  if (code === 0) return { kind: 'sent' }
  const reason = sentenceOf(answer?.reason)
  // An echo of what only we should know is not passed on.
  const said = reason.includes(account.app_secret) ? '' : reason
  const known = code === undefined ? undefined : codes[code]
  if (code === undefined || !known) return byStatus(status, code, said)
  const [kind, why] = known
  if (code === NO_TARGETS && /^no valid targets/i.test(reason)) {
    return withCode({ kind: 'dead', why: 'the regid is not valid for this app' }, code, said)
  }
  if (RECEIPT_FAULTS.includes(code) && push.receiptUrl !== undefined && variant !== WITHOUT_RECEIPTS) {
    return withCode({ kind: 'adapt', why, variant: WITHOUT_RECEIPTS }, code, said)
  }
  // It does not say which of several devices it means.
  return withCode({ kind: kind === 'dead' && addresses.length > 1 ? 'unknown' : kind, why }, code, said)
}

const read = (reply: Reply, to: Addressed): Verdict[] => {
  const whole = readWhole(reply, to)
  const listed = whole.kind === 'sent' ? objectOf(readObject(reply.body)?.data)?.bad_regids : undefined
  const bad = new Set(typeof listed === 'string' ? listed.split(',') : [])
  return to.addresses.map(({ token }): Verdict => {
    if (!isRegid(token)) return { kind: 'dead', why: 'a regid has no comma in it (not sent)' }
    return bad.has(token) ? withCode({ kind: 'dead', why: 'the regid is not valid' }, 'bad_regids') : whole
  })
}

/** What Xiaomi reports, by its bit; a report of another kind was not asked for. */
const reports: Record<number, Pick<VendorReceipt, 'event' | 'why'>> = {
  1: { event: 'received' },
  2: { event: 'clicked' },
  16: { event: 'dead', why: 'the regid is not valid any more (16)' },
  32: { event: 'failed', why: 'the app switched push off on the device (32)' },
  128: { event: 'failed', why: "the limit of the day is reached, the app's or the device's (128)" },
  1024: { event: 'failed', why: 'it expired before the device came online (1024)' },
}
const REPORT_TYPES = Object.keys(reports).reduce((sum, bit) => sum + Number(bit), 0)

const receiptsIn = (entry: unknown): VendorReceipt[] => {
  const { param, type, targets, replaceTarget } = objectOf(entry) ?? {}
  const taskId = taskIdOf(param)
  const report = reports[integerOf(type) ?? 0]
  if (taskId === undefined || !report || typeof targets !== 'string') return []
  const successors = objectOf(replaceTarget) ?? {}
  return targets.split(',').filter(Boolean).map((token) => {
    const replacedBy = Object.hasOwn(successors, token) ? successors[token] : undefined
    return { taskId, token, ...report, ...(typeof replacedBy === 'string' && replacedBy !== '' ? { replacedBy } : {}) }
  })
}

/** Nothing is signed: the secret in the address is what proves a call. */
const receipts: Receipts = {
  read: ({ body }) => {
    const data = readObject(new URLSearchParams(body).get('data') ?? '')
    return data ? Object.values(data).flatMap(receiptsIn) : 'malformed'
  },
  answer: '',
}

export default defineVendor({
  name: 'xiaomi',
  title: 'Xiaomi Mi Push',
  credentials: Type.Object({
    app_id: Type.Optional(
      word({
        title: 'AppId',
        description: "Not needed to send; devices start Xiaomi's SDK with it.",
        zh: { help: '发送时不需要；设备端初始化小米 SDK 时使用。' },
        usual: digits,
      }),
    ),
    app_key: Type.Optional(
      word({
        title: 'AppKey',
        description: "Not needed to send; devices start Xiaomi's SDK with it.",
        zh: { help: '发送时不需要；设备端初始化小米 SDK 时使用。' },
        usual: digits,
      }),
    ),
    app_secret: word({
      title: 'AppSecret',
      description: 'The AppSecret on the page of the app; every request shows it.',
      zh: { help: '应用页面上的 AppSecret，每次请求都会携带。' },
      usual: {
        pattern: '^(?=.*[A-Za-z])[A-Za-z0-9+/]{16,64}={0,2}$',
        words: 'letters and digits, often ending in == (digits alone are the AppId or the AppKey)',
      },
    }),
    name: word({
      title: 'Package name',
      description: 'The Android package name, to which Xiaomi delivers. A device may bind its vendor token by it.',
      zh: { title: '应用包名', help: 'Android 应用包名，小米据此投递；设备可按此名称绑定厂商令牌。' },
      pattern: '^[\\x21-\\x7e]{1,128}$',
      must: 'be at most 128 visible ASCII characters without spaces',
      usual: { pattern: '^[A-Za-z]\\w*(\\.[A-Za-z]\\w*)+$', words: 'an Android package name such as com.example.app' },
    }),
  }),
  options,

  protocol: 'h1',
  // 500 requests a second are what the smallest apps get.
  limits: { batch: 1000, concurrency: 8, perSecond: 500, counts: 'requests', timeoutMs: 10_000 },
  carries: (message, account) => typeOf(message) !== 'cmd' || optionsOf(account).pass_through === true,
  request: (to) => ({
    origin: 'https://api.xmpush.xiaomi.com',
    method: 'POST',
    path: '/v3/message/regid',
    headers: {
      authorization: `key=${to.account.app_secret}`,
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    },
    body: formOf(fieldsOf(to)),
  }),
  sight,
  read,
  // A regid in shape alone: good credentials answer that there is no such target.
  probe: { token: Buffer.from('Carillon tries its credentials; no device has this').toString('base64'), variant: '' },
  receipts,
})
