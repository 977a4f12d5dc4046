import { inWords, type Sentences, type Told } from '@carillon/protocol/sentences/sentence.ts'
import type { Dictionary } from './dictionary.ts'
import { useWords } from './language.tsx'

/**
 * Says a sentence that the server named, in the language spoken. Where it named none, because it was stored before it had
 * a name, or one that this page does not know, the server's own words stand for it.
 */
export const useTold = <S extends Sentences>(words: Dictionary<S>): ((told: Told<S> | null | undefined, text: string) => string) => {
  const sentences = useWords(words) as Sentences
  return (told, text) => (told && inWords(sentences, told)) ?? text
}

/** Where it stands alone; Chinese has no capitals. */
export const capitalized = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1)
