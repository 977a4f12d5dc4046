export const languages = ['en', 'zh'] as const
export type Language = (typeof languages)[number]

/** A phrase, or a phrase with something in it. */
export type Phrase = string | ((...values: never[]) => string)

/** The same phrases in another language: none missing, none too many, the same things put into them. */
type Same<W> = { [K in keyof W]: W[K] extends (...values: infer V) => string ? (...values: V) => string : string }

export interface Dictionary<W> extends Record<Language, unknown> {
  en: W
  zh: Same<W>
}

/** The words of one page or part, in every language. They live beside it and are loaded with it. */
export const dictionary = <W extends Record<string, Phrase>>(words: { en: W; zh: Same<NoInfer<W>> }): Dictionary<W> =>
  words
