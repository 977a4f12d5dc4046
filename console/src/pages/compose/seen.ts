import { type ChannelName, channels, ownChannel } from '@carillon/protocol/names.ts'
import type { Carried } from '@carillon/protocol/push-answers.ts'
import { isAddress, isPicture } from './check.ts'
import { type CutText, cutOf, follow } from './cut.ts'
import { type Draft, valueOf } from './draft.ts'

/** A notification as the person will see it on one channel. */
export interface Seen {
  /** The vendor has no way for it. */
  isCarried: boolean
  /** The app gets it, the person sees nothing. */
  isSilent: boolean
  title: CutText
  /** Under the title: iOS has it, and who takes it over. */
  subtitle: string
  body: CutText
  /** What unfolds, where something longer does. */
  long: CutText | undefined
  picture: string | undefined
  /** Audio or video for the app to play. */
  hasClip: boolean
}

/** Channels in the order the preview offers them. */
export const previewed: readonly ChannelName[] = [...new Set<ChannelName>(['apns', ownChannel, 'fcm', 'huawei', 'honor', ...channels])]

/** What the server said of a draft: one row a channel. */
export interface Checked {
  /** The draft it was asked about; a moment old while one writes. */
  draft: Draft
  rows: readonly Carried[]
}

export const rowOf = (checked: Checked | undefined, channel: ChannelName): Carried | undefined =>
  checked?.rows.find(({ vendor }) => vendor === channel)

/** From what the server says the channel is handed; before it has said so, from what is written. */
export const seenOf = (draft: Draft, channel: ChannelName, checked: Checked | undefined): Seen => {
  const row = rowOf(checked, channel)
  const attachment = valueOf(draft, 'message.attachment_url')
  return {
    isCarried: row?.carries ?? true,
    isSilent: valueOf(draft, 'message.type') === 'cmd',
    subtitle: channel === 'apns' ? valueOf(draft, 'message.ios.subtitle') : '',
    picture: isPicture(attachment) && (!row || row.image !== null || channel === 'apns') ? attachment : undefined,
    hasClip: isAddress(attachment) && !isPicture(attachment),
    ...(row ? textsSaid(draft, checked!.draft, row) : textsWritten(draft)),
  }
}

const textsWritten = (draft: Draft): Pick<Seen, 'title' | 'body' | 'long'> => {
  const [title, body, long] = textsOf(draft)
  return {
    title: cutOf(title, title),
    body: cutOf(body || long, body || long),
    long: long && body ? cutOf(long, long) : undefined,
  }
}

const textsSaid = (
  draft: Draft,
  asked: Draft,
  { title, body, big_text }: Carried,
): Pick<Seen, 'title' | 'body' | 'long'> => {
  const [titleThen, bodyThen, longThen] = textsOf(asked)
  const [titleNow, bodyNow, longNow] = textsOf(draft)
  const shown = body ?? ''
  // Some vendors show the long text in place of the text.
  const isLong = !begins(bodyThen, shown) && begins(longThen, shown)
  return {
    title: follow(titleThen, title ?? '', titleNow),
    body: isLong ? follow(longThen, shown, longNow) : follow(bodyThen, shown, bodyNow),
    long: big_text === null ? undefined : follow(longThen, big_text, longNow),
  }
}

const textsOf = (draft: Draft): [title: string, body: string, long: string] => [
  valueOf(draft, 'message.title'),
  valueOf(draft, 'message.body'),
  valueOf(draft, 'message.big_text'),
]

const begins = (text: string, shown: string): boolean =>
  text !== '' && (text === shown || cutOf(text, shown).lost !== '')

/** How much a channel changes: nothing, something, or everything. */
export const stateOf = (row: Carried | undefined): 'unknown' | 'fine' | 'changed' | 'not carried' => {
  if (!row) return 'unknown'
  if (!row.carries) return 'not carried'
  return row.cut.length + row.dropped.length === 0 ? 'fine' : 'changed'
}
