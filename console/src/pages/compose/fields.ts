import { type VendorName, messageTypes, sequenceItems, strategies, vendorNames } from '@carillon/protocol/names.ts'
import type { AndroidOptions, IosOptions, Message, Setting } from '@carillon/protocol/notify.ts'

type VendorHolder = Exclude<VendorName, 'apns'> // what is Apple's alone stands in `ios`
const vendorHolders = [...new Set([...sequenceItems.ups!, ...vendorNames])].filter((vendor) => vendor !== 'apns')

/** The objects of a message that speak to one platform or to one vendor, in the order the form shows them. */
export const holders = ['ios', 'android', ...vendorHolders] as const
export type Holder = (typeof holders)[number]

/** How a field is written down in the form: always as text, and read from it in one of these ways. */
export type Field =
  | { is: 'text'; maxCharacters?: number; maxBytes?: number }
  | { is: 'choice'; of: readonly string[] }
  | { is: 'number choice'; of: readonly string[] }
  | { is: 'choices'; of: readonly string[] }
  | { is: 'yes or no' }
  | { is: 'whole number'; most: number }
  | { is: 'seconds' }
  | { is: 'object' }

type OptionsOf<H extends Holder> = NonNullable<Message[H]>
type Own = Exclude<keyof Message, Holder>

/** A field by its path: the one that the server names when it refuses a value. */
export type FieldPath =
  | `message.${Own}`
  | `setting.${keyof Setting}`
  | { [H in Holder]: `message.${H}.${keyof OptionsOf<H> & string}` }[Holder]

const text: Field = { is: 'text' }
const name: Field = { is: 'text', maxCharacters: 128, maxBytes: 512 }
const short: Field = { is: 'text', maxBytes: 64 }
const yesOrNo: Field = { is: 'yes or no' }
const zeroOrOne: Field = { is: 'number choice', of: ['0', '1'] }

const android: Record<keyof AndroidOptions, Field> = {
  sound: text,
  channel_id: text,
  click_action: { is: 'choice', of: ['open_app', 'intent'] },
  intent: text,
}

const ios: Record<keyof IosOptions, Field> = {
  subtitle: text,
  sound: text,
  category: text,
  thread_id: text,
  apns_collapse_id: short,
  content_available: yesOrNo,
  mutable_content: yesOrNo,
}

/** What some vendors have beyond Android's: no more than the interface has for them, and all of it. */
const own: {
  readonly [V in VendorHolder as keyof OptionsOf<V> extends keyof AndroidOptions ? never : V]: Readonly<
    Record<Exclude<keyof OptionsOf<V>, keyof AndroidOptions>, Field>
  >
} = {
  huawei: { badge_class: text },
  honor: { badge_class: text },
  vivo: { push_mode: zeroOrOne, classification: zeroOrOne },
}

const ownOf: Partial<Record<VendorHolder, Record<string, Field>>> = own

/** What each of them holds. */
export const fieldsOf = {
  ios,
  android,
  ...Object.fromEntries(vendorHolders.map((vendor) => [vendor, { ...android, ...ownOf[vendor] }])),
} as { readonly [H in Holder]: Readonly<Record<keyof OptionsOf<H>, Field>> }

const message: Record<Own, Field> = {
  type: { is: 'choice', of: messageTypes },
  title: text,
  body: text,
  big_text: text,
  attachment_url: { is: 'text', maxCharacters: 2048 },
  badge: text,
  ext: { is: 'object' },
  show_begin_time: { is: 'seconds' },
  show_end_time: { is: 'seconds' },
}

const setting: Record<keyof Setting, Field> = {
  request_id: name,
  distribution_strategy: { is: 'choice', of: strategies },
  ospush_sequence: { is: 'choices', of: Object.keys(sequenceItems) },
  time_to_live: { is: 'whole number', most: 2_592_000 },
  send_time: { is: 'seconds' },
  priority: { is: 'choice', of: ['normal', 'high'] },
  collapse_id: short,
  dry_run: yesOrNo,
}

const under = (prefix: string, table: Record<string, Field>): [string, Field][] =>
  Object.entries(table).map(([leaf, field]) => [`${prefix}.${leaf}`, field])

/** Every field there is, by its path, in the order a request is written. */
export const fields: ReadonlyMap<FieldPath, Field> = new Map([
  ...under('message', message),
  ...holders.flatMap((holder) => under(`message.${holder}`, fieldsOf[holder])),
  ...under('setting', setting),
] as [FieldPath, Field][])

export const isFieldPath = (path: string): path is FieldPath => fields.has(path as FieldPath)

/** The field's own name: the last part of its path. */
export const leafOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1)
