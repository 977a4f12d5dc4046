import type { Told } from './sentence.ts'

/**
 * What another service answered. `words`: what that means, as its vendor's file says it in English. `said`: the
 * service's own code, and its words where it gave some, as they came; '' where it gave none.
 */
interface Answered {
  words: string
  said: string
}

const asItsFileSays = ({ words }: Answered): string => words

/** Why a delivery did not go, waits, or was not taken; and why a lane takes nothing. */
export const reasonSentences = {
  // No channel was chosen, or not yet.
  logged_out: () => 'the device is logged out',
  push_off: () => 'the user has switched push off',
  no_vendor: () => 'no vendor can reach the device',
  no_vendor_left: () => 'no other vendor is left to try',
  now_or_never: () => 'the device is away and the message is for now or never',
  quiet_hours: () => 'quiet hours of the user',
  quiet_too_long: () => 'it expires before the quiet hours of the user end',
  no_channel: () => 'no channel could be chosen',
  until_later: () => 'until later',

  // It was not handed over, or nothing came of it.
  no_certificate: () => 'the app has no certificate for it',
  no_vendor_token: () => 'the device has no such vendor token any more',
  not_here: ({ channel }: { channel: string }) => `this node has no ${channel}`,
  shown_later: () => 'it is to be shown later, which this vendor leaves to us',
  resting: () => 'the vendor asked to leave this device alone for a while',
  no_time: () => 'there was no time for it',
  unforeseen: () => 'it failed in a way nobody foresaw',
  node_ended: () => 'the node ended while it was handing over',
  unmentioned: () => 'the channel said nothing of it',
  no_access_token: asItsFileSays,
  unreached: asItsFileSays,
  unanswered: asItsFileSays,

  // What a vendor's answer means. Each vendor has hundreds of codes, so this names their kinds, and quotes them.
  gone: asItsFileSays,
  refused: asItsFileSays,
  denied: asItsFileSays,
  limited: asItsFileSays,
  exhausted: asItsFileSays,
  down: asItsFileSays,
  unknown: asItsFileSays,
} as const

export type ReasonName = keyof typeof reasonSentences
export type Reason = Told<typeof reasonSentences>

/** Those that are the same sentence whatever they are said of. */
export type PlainReason = {
  [N in ReasonName]: (typeof reasonSentences)[N] extends () => string ? N : never
}[ReasonName]

/** Those that tell of an answer. */
export type AnswerReason = Exclude<ReasonName, PlainReason | 'not_here'>

/** What is kept of a reason: its text, and what that was made of. What was kept before it had a name has no more. */
export interface Grounds {
  why: string
  reason?: ReasonName
  /** What is quoted in it. */
  said?: string
}

/** These alone, of whatever holds them. */
export const groundsIn = ({ why, reason, said }: Grounds): Grounds => ({
  why, ...(reason && { reason }), ...(said && { said }),
})

export const plainly = (reason: PlainReason): { why: string; reason: PlainReason } => ({
  why: reasonSentences[reason](), reason,
})

export const notHere = (channel: string): Grounds => ({
  why: reasonSentences.not_here({ channel }), reason: 'not_here', said: channel,
})

/** A reason as answers tell it. */
export const reasonOf = ({ why, reason, said = '' }: Grounds): Reason | undefined => {
  if (reason === undefined) return undefined
  if (reason === 'not_here') return { name: reason, values: { channel: said } }
  return isPlain(reason) ? { name: reason, values: {} } : { name: reason, values: { words: why, said } }
}

const isPlain = (reason: ReasonName): reason is PlainReason => reasonSentences[reason].length === 0

/** Why no channel was chosen is stored by its name; by its text where it was stored before it had one. */
export const groundsOf = (stored: string | null): Grounds => {
  if (stored === null) return plainly('no_channel')
  return Object.hasOwn(reasonSentences, stored) && isPlain(stored as ReasonName)
    ? plainly(stored as PlainReason)
    : { why: stored }
}
