import { errors } from '@carillon/protocol/errors.ts'
import { refusalOf } from '@carillon/protocol/sentences/refusals.ts'
import { CarillonError } from '@carillon/sdk/call.ts'
import { Button } from '@mantine/core'
import { errorName, fieldOf } from '../api/failure.ts'
import { useLanguage, useWords } from '../words/language.tsx'
import { quoting } from '../words/quoting.ts'
import { useTold } from '../words/told.ts'
import { errorWords } from './error.words.ts'
import { Notice } from './notice.tsx'
import { partsWords } from './parts.words.ts'
import { refusalWords } from './refusal.words.ts'

/** What went wrong, in words for a person. */
export const useReason = (): ((error: unknown) => string) => {
  const say = useWords(partsWords)
  const refused = useWords(errorWords)
  const more = useTold(refusalWords)
  const { language } = useLanguage()
  return (error) => {
    if (error instanceof CarillonError && error.status === 0) return say.noAnswer
    const message = error instanceof Error ? error.message : String(error)
    const name = errorName(error)
    // A field that is wrong is told in the server's words, which hold its path and its limits.
    if (language === 'en' || !name || fieldOf(error) !== undefined) return message
    const isUsual = message === errors[name].says || name === 'tooMany'
    return more(refusalOf(message), isUsual ? refused[name] : quoting(refused[name], message))
  }
}

/** The same as a part of a page: it changes with the language. */
export const Reason = ({ error }: { error: unknown }) => useReason()(error)

/** In place of what could not be loaded. */
export const Failed = ({ error, again }: { error: unknown; again?: () => void }) => {
  const say = useWords(partsWords)
  return (
    <Notice tone="bad" title={say.couldNotLoad} role="alert">
      <p>
        <Reason error={error} />
      </p>
      {again && (
        <Button variant="default" size="xs" onClick={again}>
          {say.tryAgain}
        </Button>
      )}
    </Notice>
  )
}
