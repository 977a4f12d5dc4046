import type { Static } from 'typebox'
import { Count, OrNull, Rows, Sentence, Words } from './answer-types.ts'
import { type ChannelName, channels } from './names.ts'
import { droppedSentences, uncarriedSentences } from './sentences/carried.ts'
import { reasonSentences } from './sentences/reasons.ts'
import { Type } from './type.ts'
import { OneOf } from './types.ts'

/** What calls answer that try a notification before it is sent. */

const counts = <K extends string>(description: string) =>
  Type.Unsafe<Partial<Record<K, number>>>({
    type: 'object', additionalProperties: { type: 'integer', minimum: 0 }, description,
  })

export const Counted = Type.Object(
  {
    channels: counts<ChannelName>(
      'Devices by the channel they would be sent to first; nativepush: those that are connected.',
    ),
    inbox: Count('Devices that are away and would find it in their inbox.'),
    held: Count('Devices of users whose quiet hours it would wait for.'),
    none: counts<string>('Devices it would not be sent to, by reason.'),
    reasons: Rows(
      Type.Object({ reason: Sentence(reasonSentences, 'Why not.'), devices: Count('How many.') }),
      'The same by the name of the reason.',
    ),
    devices: Count('All of these.'),
    complete: Type.Boolean({ description: 'False: there are more; counting ends after a moment.' }),
  },
  { title: 'Counted' },
)
export type Counted = Omit<Static<typeof Counted>, 'none'> & { none: Record<string, number> }

const Cut = Type.Object(
  {
    field: Words('By its path, such as `message.title`.'),
    from: Count('Its length.'),
    to: Count('What is left of it.'),
    unit: OneOf(['characters', 'bytes'], { description: 'What its vendor counts.' }),
  },
  { title: 'Cut' },
)

const Dropped = Type.Object(
  {
    field: Words('By its path, such as `message.android.sound`.'),
    why: Words('What becomes of it, in words.'),
    reason: Sentence(droppedSentences, 'The same by its name.'),
  },
  { title: 'Dropped' },
)

/** What one channel would carry of a message. */
export const Carried = Type.Object(
  {
    vendor: OneOf(channels, { description: 'The channel: a vendor, or nativepush.' }),
    carries: Type.Boolean({ description: 'Whether it has a way to carry this message.' }),
    why: Type.Optional(Words('Why not.')),
    reason: Type.Optional(Sentence(uncarriedSentences, 'The same by its name.')),
    certificate: Type.Boolean({
      description:
        'Whether the app has a certificate there; nativepush needs none. Without one, the usual options of its ' +
        'vendor are assumed.',
    }),
    title: OrNull(Words('As its request holds it; null where it shows none.')),
    body: OrNull(Words('As its request holds it; null where it shows none.')),
    big_text: OrNull(Words('What unfolds; null where nothing does.')),
    image: OrNull(Words('The picture it shows; null where it shows none.')),
    cut: Rows(Cut, 'What is cut to the length its vendor takes.'),
    dropped: Rows(Dropped, 'What is not shown, or has no effect.'),
    bytes: Count('The size of what is carried, as its vendor counts it.'),
    limit: OrNull(Count('The most its vendor takes; null where that is not known.')),
  },
  { title: 'Carried' },
)
export type Carried = Static<typeof Carried>
export const CarriedList = Rows(Carried)
