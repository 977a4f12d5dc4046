import { badField } from './errors.ts'
import { isIntent } from './intent.ts'
import { type VendorName, vendorNames } from './names.ts'
import { Count, Message, Notify, Preflight, type Audience } from './notify.ts'
import { read } from './read.ts'

const MESSAGE_BYTES = 64 * 1024
const MESSAGE_DEPTH = 32

/** The body of /push/notify, with every rule that can be decided without the store. `now` is Unix milliseconds. */
export const readNotify = (body: unknown, { now }: { now: number }): Notify => {
  const notify = read(Notify, body)
  checkAudience(notify.audience)
  checkMessage(notify.message, body, now)
  return notify
}

/** The body of /push/count: the same rules, and a message that may be blank. */
export const readCount = (body: unknown, { now }: { now: number }): Count => {
  const count = read(Count, body)
  checkAudience(count.audience)
  if (count.message) checkMessage(count.message, body, now)
  return count
}

/** The body of /push/preflight, likewise. */
export const readPreflight = (body: unknown, { now }: { now: number }): Preflight => {
  const preflight = read(Preflight, body)
  if (preflight.message) checkMessage(preflight.message, body, now)
  return preflight
}

const checkMessage = (message: Message, body: unknown, now: number): void => {
  // The message counts as it was sent, fields we do not know included.
  checkSize((body as { message: unknown }).message)
  checkContent(message)
  checkAttachment(message)
  checkShowTimes(message, now)
  checkIntents(message)
}

const checkAudience = (audience: Audience): void => {
  if (audience === 'all' || Object.keys(audience).length === 1) return
  throw badField('audience', 'must be all, or an object with exactly one of tag, alias, user_id, push_token')
}

const checkSize = (message: unknown): void => {
  // Depth first: writing out is recursive too.
  if (isDeeper(message, MESSAGE_DEPTH)) throw badField('message', `must be at most ${MESSAGE_DEPTH} levels deep`)
  const text = JSON.stringify(message)
  if (text.length * 3 > MESSAGE_BYTES && Buffer.byteLength(text) > MESSAGE_BYTES) {
    throw badField('message', `must be at most ${MESSAGE_BYTES} bytes of JSON`)
  }
}

const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return false
  if (levels === 0) return true
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true
  return false
}

const contents = ['title', 'body', 'big_text', 'attachment_url', 'ext', 'badge'] as const

const checkContent = (message: Message): void => {
  if (contents.some((name) => message[name] !== undefined) || message.ios?.content_available !== undefined) return
  throw badField('message', `must hold at least one of ${contents.join(', ')}, ios.content_available`)
}

const checkAttachment = ({ type, attachment_url }: Message): void => {
  if (type !== 'image') return
  if (attachment_url === undefined) throw badField('message.attachment_url', 'is required when message.type is image')
  const path = new URL(attachment_url).pathname.toLowerCase()
  if (!['.jpg', '.jpeg', '.png'].some((ending) => path.endsWith(ending))) {
    throw badField(
      'message.attachment_url',
      'must have a path ending in .jpg, .jpeg or .png when message.type is image',
    )
  }
}

const checkShowTimes = ({ show_begin_time, show_end_time }: Message, now: number): void => {
  if (show_end_time === undefined) return
  if (show_end_time * 1000 <= now) throw badField('message.show_end_time', 'must be in the future (Unix seconds)')
  if (show_begin_time !== undefined && show_end_time <= show_begin_time) {
    throw badField('message.show_end_time', 'must be after message.show_begin_time')
  }
}

type IntentHolder = 'android' | (VendorName & keyof Message)
const intentHolders = ['android', ...vendorNames].filter((name): name is IntentHolder => name in Message.properties)

/** A vendor's object without a click_action takes the one of `android`, so its intent is held to the same shape. */
const checkIntents = (message: Message): void => {
  for (const holder of intentHolders) {
    const options = message[holder]
    if (!options) continue
    const { click_action, intent } = options
    if ((click_action ?? message.android?.click_action) !== 'intent') continue
    if (intent === undefined) {
      if (click_action === undefined) continue
      throw badField(`message.${holder}.intent`, 'is required when click_action is intent')
    }
    if (!isIntent(intent)) {
      throw badField(
        `message.${holder}.intent`,
        'must read intent:…#Intent;component=package/activity;key=value;…end with exactly one component',
      )
    }
  }
}
