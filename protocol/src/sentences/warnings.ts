import type { Told } from './sentence.ts'

/** `words`: all of it in English, as the vendor's file says it; it knows best what its own console shows. */
interface Own {
  field: string
  words: string
}

const asItsFileSays = ({ words }: Own): string => words

/** What is unusual about a certificate and may still work. `title`: what the vendor calls the field, or itself. */
export const warningSentences = {
  unusual: ({ field, title, usual }: { field: string; title: string; usual: string }) =>
    `${field} has an unusual shape for "${title}", which is normally ${usual}`,
  unused: ({ field, title }: { field: string; title: string }) => `${field} is not used for ${title}`,
  unknown_options: ({ options, title, known }: { options: string; title: string; known: string }) =>
    `options holds ${options}, not used for ${title} (known: ${known})`,
  pasted_twice: ({ field }: { field: string }) =>
    `${field} is the same as another field: one of the two was probably pasted twice`,

  // What a single vendor looks at, by the kind of it.
  needless: asItsFileSays,
  odd: asItsFileSays,
  differs: asItsFileSays as (values: Own & { other: string }) => string,
  equals: asItsFileSays as (values: Own & { other: string }) => string,
  only_with: asItsFileSays as (values: Own & { other: string }) => string,
  lacks: asItsFileSays as (values: Own & { part: string }) => string,
  ends_soon: asItsFileSays as (values: Own & { day: string }) => string,
  begins_later: asItsFileSays as (values: Own & { day: string }) => string,
} as const
export type Warning = Told<typeof warningSentences>
