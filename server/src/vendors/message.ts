import { createHash } from 'node:crypto'
import type { ChannelName, VendorName } from '@carillon/protocol/names.ts'
import type { AndroidOptions, Message } from '@carillon/protocol/notify.ts'
import { badgeRule } from '../push/task.ts'
import type { AccessToken, VendorPush, Verdict } from './vendor.ts'

/** What several vendors read out of a message in the same way. */

export const typeOf = (message: Message): 'text' | 'image' | 'cmd' => message.type ?? 'text'

/** Where a vendor insists on both: title = the app's name, body = title. */
export const titleOf = ({ message, appName }: VendorPush): string => message.title ?? appName
export const bodyOf = (push: VendorPush): string => push.message.body ?? titleOf(push)

/** Those with an object of their own in a message. */
type AndroidVendor = VendorName & keyof Message

/** The vendor's own object first, then `android`, field by field. */
export const androidOf = <V extends AndroidVendor>(message: Message, vendor: V): AndroidOptions & NonNullable<Message[V]> =>
  ({ ...message.android, ...message[vendor] }) as AndroidOptions & NonNullable<Message[V]>

/** "5" sets, "+5" adds; null leaves the badge alone. */
export const badgeOf = badgeRule

/** Whole seconds left; 0 only for "now or never". */
export const secondsLeft = ({ setting, now, expiresAt }: VendorPush): number =>
  setting.time_to_live === 0 ? 0 : Math.max(1, Math.floor((expiresAt - now) / 1000))

/**
 * What the app gets beside what is shown: every payload carries task_id and channel. A message that shows nothing carries
 * its texts here.
 */
export const dataOf = ({ taskId, message }: VendorPush, channel: ChannelName): Record<string, unknown> => {
  const { ext, attachment_url, show_begin_time, show_end_time, title, body, big_text } = message
  const hidden = typeOf(message) === 'cmd' ? { title, body, big_text } : {}
  return withoutBlanks({ task_id: taskId, channel, type: typeOf(message), ext, attachment_url, show_begin_time, show_end_time, ...hidden })
}

const withoutBlanks = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

/** The same where a vendor's data are pairs of texts: what is no text is written as JSON. */
export const textsOf = (push: VendorPush, channel: ChannelName): Record<string, string> =>
  Object.fromEntries(
    Object.entries(dataOf(push, channel)).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )

/** The attachment where it is a picture served over https; audio and video reach the app as data alone. */
export const httpsPictureOf = ({ attachment_url: url }: Message): string | undefined =>
  url !== undefined && /^https:\/\/[^?#]*\.(jpe?g|png)([?#]|$)/i.test(url) ? url : undefined

/** At most so many code points: never half of one. */
export const cutCharacters = (text: string, most: number): string => {
  if (text.length <= most) return text
  const characters = Array.from(text)
  return characters.length <= most ? text : characters.slice(0, most).join('')
}

/** At most so many bytes of UTF-8: never half of a code point. */
export const cutBytes = (text: string, most: number): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  let end = most
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}

/** A stable number in 1 … 2^31-1 for vendors whose ids are integers. */
export const idOf = (text: string): number => (createHash('sha256').update(text).digest().readUInt32BE() & 0x7fffffff) || 1

export interface Intent {
  package: string
  /** The full class name. */
  activity: string
  action: string | undefined
  /** S.key=value and its kind, decoded. */
  extras: Record<string, string>
}

/** Reads `intent:…#Intent;component=package/activity;S.key=value;end`; its shape was checked when it was accepted. */
export const readIntent = (intent: string): Intent | undefined => {
  const parts = intent.slice(intent.indexOf('#Intent;') + '#Intent;'.length).split(';')
  const component = parts.find((part) => part.startsWith('component='))?.slice('component='.length)
  const [name = '', activity = ''] = component?.split('/') ?? []
  if (name === '' || activity === '') return undefined
  const extras: Record<string, string> = {}
  for (const part of parts) {
    const extra = /^[SBbcdfils]\.([^=]+)=(.*)$/.exec(part)
    if (extra) extras[decoded(extra[1]!)] = decoded(extra[2]!)
  }
  const action = parts.find((part) => part.startsWith('action='))?.slice('action='.length)
  return { package: name, activity: activity.startsWith('.') ? name + activity : activity, action, extras }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What several vendors read out of an answer or a receipt in the same way. Those may hold anything: nothing throws. */

export const objectOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined

/** The text as one JSON object; undefined when it is anything else. */
export const readObject = (text: string): Record<string, unknown> | undefined => {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** A vendor's own sentence, fit for one line of a log; '' when there is none. */
export const sentenceOf = (value: unknown): string =>
  typeof value === 'string' ? cutCharacters(value.slice(0, 1000).replace(/[\p{C}\s]+/gu, ' ').trim(), 120) : ''

/** A verdict of a table with the vendor's own words, if any, and the code it was found by. */
export const withCode = (verdict: Verdict, code: number | string, said = ''): Verdict =>
  'why' in verdict
    ? { ...verdict, why: `${verdict.why}${said && `: ${said}`} (${code})`, said: `${code}${said && `: ${said}`}` }
    : verdict

/** A whole number, also where it comes as text. */
export const integerOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^(0|-?[1-9][0-9]{0,15})$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(number) ? (number as number) : undefined
}

/** The task that a receipt's text stands for; undefined when we never wrote such a text. */
export const taskIdOf = (text: unknown): number | undefined => {
  const id = integerOf(text)
  return id !== undefined && id > 0 ? id : undefined
}

const RENEW_EARLY_MS = 300_000

/** The token of an OAuth answer, renewed five minutes before its end or halfway; undefined when it cannot be one. */
export const oauthTokenOf = (answer: Record<string, unknown> | undefined, now: number): AccessToken | undefined => {
  const value = answer?.access_token
  const lifeMs = (integerOf(answer?.expires_in) ?? 0) * 1000
  // It travels in a header, which takes nothing but visible ASCII.
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value) || lifeMs <= 0) return undefined
  return { value, renewAt: now + Math.max(lifeMs - RENEW_EARLY_MS, lifeMs / 2), endsAt: now + lifeMs }
}
