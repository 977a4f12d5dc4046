import type { Told } from './sentence.ts'

/** Why a channel does not carry a message. `title`: what its vendor calls itself. */
export const uncarriedSentences = {
  shows_nothing: ({ title }: { title: string }) => `${title} has no way to carry a message that shows nothing`,
  shows_nothing_unless: ({ title, option }: { title: string; option: string }) =>
    `${title} has no way to carry a message that shows nothing; its option ${option} tries it all the same`,
  too_large: ({ title, size, most }: { title: string; size: number; most: number }) =>
    `it takes ${size} of the ${most} that ${title} has room for`,
} as const
export type Uncarried = Told<typeof uncarriedSentences>

/** What becomes of a field that is not shown. */
export const droppedSentences = {
  data_only: () => 'it is not shown; the app gets it as data',
  big_text_instead: () => 'big_text is shown in its place',
  no_place: ({ title }: { title: string }) => `${title} has no place for it`,
  needs: ({ field }: { field: string }) => `it needs ${field}`,
  no_room: () => 'there is no room for it',
} as const
export type DroppedWhy = Told<typeof droppedSentences>
