import { isDeepStrictEqual } from 'node:util'
import type { VendorName } from '@carillon/protocol/names.ts'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import type { Carried } from '@carillon/protocol/push-answers.ts'
import {
  type DroppedWhy, type Uncarried, droppedSentences, uncarriedSentences,
} from '@carillon/protocol/sentences/carried.ts'
import { inEnglish } from '@carillon/protocol/sentences/sentence.ts'
import { badgeRule, expiryOf } from '../push/task.ts'
import type { AppAccounts } from './accounts.ts'
import type { Account, Sight, Vendor, VendorRequest } from './vendor.ts'
import { vendors } from './vendors.ts'

interface Draft {
  message: Message
  setting: Setting
}

/** What every vendor would carry of a message, read from the requests it would be sent with. */
export const preflightVendors = ({ name, accounts }: AppAccounts, draft: Draft, now: number): Carried[] =>
  Object.values(vendors).map((vendor) => {
    const own = accounts.filter((account) => account.vendor === vendor.name)
    const account = own.find(({ environment }) => environment === 1) ?? own[0]
    const carried = carriedBy(vendor, account ?? standIn, { appName: name, now }, draft)
    return { ...carried, certificate: account !== undefined }
  })

/** Any account will do to see what a message becomes; options change some of it. */
const standIn: Account = {
  app_id: '1', app_key: '1', app_secret: '1', certificate: '', name: 'com.example.app', options: {}, environment: 1,
}

interface Around {
  appName: string
  now: number
}

/** A task's id and a device's are not known yet: ones of a usual length. */
const TASK_ID = 1_000_000
const DEVICE_ID = 1_000_000

const requestOf = (vendor: Vendor, account: Account, around: Around, { message, setting }: Draft): VendorRequest => {
  const token = vendor.probe?.token ?? 'token'
  const rule = badgeRule(message)
  const badge = rule && ('set' in rule ? rule.set : rule.add)
  const expiresAt = expiryOf(message, setting, around.now)
  return vendor.request({
    push: { taskId: TASK_ID, message, setting, ...around, expiresAt, receiptUrl: undefined },
    account,
    addresses: [{ token, deviceId: DEVICE_ID, badge }],
    region: vendor.regionOf?.(token, account) ?? '',
    access: 'access',
    variant: '',
    prepared: '',
  })
}

const nothing = { title: null, body: null, big_text: null, image: null, cut: [], dropped: [], bytes: 0, limit: null }

const whyNot = (reason: Uncarried) => ({ why: inEnglish(uncarriedSentences, reason), reason })

const OPTION = 'pass_through'

const showsNothing = ({ title, options }: Vendor): Uncarried =>
  OPTION in options.properties
    ? { name: 'shows_nothing_unless', values: { title, option: OPTION } }
    : { name: 'shows_nothing', values: { title } }

const carriedBy = (vendor: Vendor, account: Account, around: Around, draft: Draft): Omit<Carried, 'certificate'> => {
  const { name } = vendor
  if (!vendor.carries(draft.message, account)) {
    return { vendor: name, ...nothing, carries: false, ...whyNot(showsNothing(vendor)) }
  }
  const request = requestOf(vendor, account, around, draft)
  const sight = vendor.sight(request)
  const { title = null, body = null, bigText = null, image = null, size, most } = sight
  return {
    vendor: name,
    carries: size <= most,
    ...(size > most && whyNot({ name: 'too_large', values: { title: vendor.title, size, most } })),
    title,
    body,
    big_text: bigText,
    image,
    cut: cutsOf(draft.message, sight),
    dropped: droppedBy(vendor, draft, request, (without) => requestOf(vendor, account, around, without)),
    bytes: size,
    limit: most,
  }
}

const inUnits = {
  characters: (text: string): number => Array.from(text).length,
  bytes: (text: string): number => Buffer.byteLength(text),
}

type Texts = Partial<Record<'title' | 'body' | 'big_text', string | undefined>>

/** A text that is shown and is only the beginning of one that was given. */
const cutsOf = ({ title, body, big_text }: Message, sight: Sight): Carried['cut'] => {
  const cuts: Carried['cut'] = []
  const compare = (shown: string | undefined, given: Texts, unit: keyof typeof inUnits = 'characters') => {
    if (shown === undefined || Object.values(given).includes(shown)) return
    const beginning = shown.replace(/…$/, '')
    const found = Object.entries(given).find(([, text]) => text?.startsWith(beginning))
    if (!found) return
    const [name, whole] = found
    cuts.push({ field: `message.${name}`, from: inUnits[unit](whole!), to: inUnits[unit](shown), unit })
  }
  compare(sight.title, { title })
  compare(sight.body, { body, big_text })
  compare(sight.bigText, { big_text }, sight.bigTextIn)
  return cuts
}

const ofMessage = ['title', 'body', 'big_text', 'attachment_url', 'badge', 'ext'] as const
/** What a field says that is left out. */
const usual: readonly unknown[] = [undefined, false, 0, 'default', 'open_app', '+1']

const fieldsIn = (holder: unknown): Record<string, unknown> => (holder ?? {}) as Record<string, unknown>

/** Fields by their path that a vendor could do something about: its own, and those meant for phones like its. */
const fieldsFor = (vendor: VendorName, { message, setting }: Draft): string[] => {
  const given = (holder: unknown, names: readonly string[], path: string): string[] =>
    names.filter((name) => !usual.includes(fieldsIn(holder)[name])).map((name) => `${path}.${name}`)
  const texts = given(message, ofMessage, 'message')
  const collapse = given(setting, ['collapse_id'], 'setting')
  if (vendor === 'apns') {
    const forIos = Object.keys(fieldsIn(message.ios))
    return [...texts, ...given(message.ios, forIos, 'message.ios'), ...collapse]
  }
  const own = fieldsIn(message[vendor])
  const forAndroid = Object.keys(fieldsIn(message.android)).filter((name) => own[name] === undefined)
  return [
    ...texts,
    ...given(message.android, forAndroid, 'message.android'),
    ...given(own, Object.keys(own), `message.${vendor}`),
    ...collapse,
  ]
}

/** The same but for one field. What stands in the others is not copied: numbers in it may be more exact than a copy. */
const without = (draft: Draft, path: string): Draft => leftOut({ ...draft }, path.split('.')) as unknown as Draft

const leftOut = (record: Record<string, unknown>, [name, ...inner]: string[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => {
      if (key !== name) return [[key, value]]
      return inner.length === 0 ? [] : [[key, leftOut(value as Record<string, unknown>, inner)]]
    }),
  )

/**
 * What makes no difference to what is shown: the request is built once more without it. What the app alone gets is told
 * as that. A message that shows nothing has nothing to miss.
 */
const droppedBy = (vendor: Vendor, draft: Draft, request: VendorRequest, build: Build): Carried['dropped'] => {
  if (draft.message.type === 'cmd') return []
  const { shown } = vendor.sight(request)
  return fieldsFor(vendor.name, draft).flatMap((field) => {
    const other = build(without(draft, field))
    if (isSame(other, request)) return dropped(field, whyUnused(vendor, draft, field, build))
    const isSeen = field === 'message.ext' || !isDeepStrictEqual(vendor.sight(other).shown, shown)
    return isSeen ? [] : dropped(field, { name: 'data_only', values: {} })
  })
}

const dropped = (field: string, reason: DroppedWhy) => ({ field, why: inEnglish(droppedSentences, reason), reason })

type Build = (draft: Draft) => VendorRequest

const isSame = (a: VendorRequest, b: VendorRequest): boolean =>
  a.body === b.body && isDeepStrictEqual(a.headers, b.headers)

const whyUnused = (vendor: Vendor, { message }: Draft, field: string, build: Build): DroppedWhy => {
  if (field === 'message.body' && message.big_text !== undefined) return { name: 'big_text_instead', values: {} }
  // What has an effect in a short message has none here for another reason than its vendor.
  const makesSense = (only: Message): boolean => {
    const draft = { message: { title: 't', body: 'b', ...only }, setting: {} }
    return build(draft).body !== build(without(draft, field)).body
  }
  const short: Record<string, Message> = {
    'message.big_text': { big_text: 'long' },
    'message.attachment_url': { attachment_url: 'https://a.example/a.png' },
    'message.badge': { badge: '5', [vendor.name]: { badge_class: 'Main' } },
  }
  const hasPlace = field === 'message.ext' || (short[field] !== undefined && makesSense(short[field]))
  if (!hasPlace) return { name: 'no_place', values: { title: vendor.title } }
  if (field === 'message.badge') return { name: 'needs', values: { field: 'badge_class' } }
  return { name: 'no_room', values: {} }
}
