import type { Told } from './sentence.ts'

/** `title`: what the vendor calls itself. `words`, `said`: as of a reason (reasons.ts). */
interface Asked {
  title: string
  words: string
  said: string
}

/** What a vendor thinks of an app's credentials. */
export const triedSentences = {
  accepted: ({ title }: { title: string }) => `${title} accepts these credentials`,
  token_given: ({ title }: { title: string }) => `${title} gave an access token for these credentials`,
  accepted_but_full: ({ title, words }: Asked) =>
    `${title} accepts these credentials, but takes no more at the moment: ${words}`,
  not_accepted: ({ title, words }: Asked) => `${title} does not accept these credentials: ${words}`,
  not_reached: ({ title, words }: Asked) => `${title} could not be reached: ${words}`,
  not_asked: ({ title, words }: Asked) => `${title} could not be asked: ${words}`,
  not_understood: ({ title, words }: Asked) => `${title} answered what nobody knows: ${words}`,
} as const
export type TriedTold = Told<typeof triedSentences>
