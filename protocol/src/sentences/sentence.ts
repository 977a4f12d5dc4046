/**
 * The sentences people read, by name. In English they stand here once: the server writes its texts with them, and the
 * console says the same names in its other languages. An answer holds both: the text, and what it was made of.
 */

/** Sentences of one subject: each makes its text of the values it needs, which are texts and numbers. */
export type Sentences = Readonly<Record<string, (values: never) => string>>

type ValuesOf<F> = F extends () => string ? Record<never, never> : F extends (values: infer V) => string ? V : never

/** One of them, told: which, and with what in it. */
export type Told<S extends Sentences> = {
  [N in keyof S & string]: { name: N; values: ValuesOf<S[N]> }
}[keyof S & string]

/** What was told, in the words of one language; undefined where that has no such sentence. */
export const inWords = (sentences: Sentences, { name, values }: { name: string; values: object }): string | undefined =>
  Object.hasOwn(sentences, name) ? (sentences[name] as (values: object) => string)(values) : undefined

/** The same where it is known that it has one: in English. */
export const inEnglish = <S extends Sentences>(sentences: S, told: Told<S>): string => inWords(sentences, told)!
