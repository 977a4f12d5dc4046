import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { type Dictionary, type Language, languages } from './dictionary.ts'
import { type Formats, formatsOf } from './formats.ts'

interface Speaking {
  language: Language
  formats: Formats
  speak(language: Language): void
}

const Speech = createContext<Speaking | undefined>(undefined)
const KEPT = 'carillon.language'

const firstLanguage = (): Language => {
  const wanted = [localStorage.getItem(KEPT) ?? '', ...navigator.languages]
  for (const tag of wanted) {
    const known = languages.find((language) => tag.toLowerCase().split('-')[0] === language)
    if (known) return known
  }
  return 'en'
}

/** Everything inside speaks one language, and the choice outlives the visit. */
export const Speaks = ({ children }: { children: ReactNode }) => {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en'
  }, [language])
  const speaking = useMemo(
    () => ({
      language,
      formats: formatsOf(language),
      speak: (chosen: Language) => {
        localStorage.setItem(KEPT, chosen)
        setLanguage(chosen)
      },
    }),
    [language],
  )
  return <Speech value={speaking}>{children}</Speech>
}

/** The language spoken, how it writes numbers and times, and how to choose another. */
export const useLanguage = (): Speaking => {
  const speaking = use(Speech)
  if (!speaking) throw new Error('nothing speaks here: put it inside <Speaks>')
  return speaking
}

/** The phrases of one dictionary in the language spoken. */
export const useWords = <W,>(words: Dictionary<W>): Dictionary<W>[Language] => words[useLanguage().language]
