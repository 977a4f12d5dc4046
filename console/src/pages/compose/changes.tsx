import { type ChannelName, ownChannel } from '@carillon/protocol/names.ts'
import type { Carried } from '@carillon/protocol/push-answers.ts'
import { Link } from '@tanstack/react-router'
import { useReason } from '../../parts/failed.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { useTold } from '../../words/told.ts'
import { droppedWords, uncarriedWords } from './carried.words.ts'
import { isPicture } from './check.ts'
import style from './compose.module.css'
import { hasContent, valueOf } from './draft.ts'
import { leafOf } from './fields.ts'
import { fieldWords } from './field.words.ts'
import { previewWords } from './preview.words.ts'
import { useComposing } from './use-draft.ts'

interface Changes {
  channel: ChannelName
  row: Carried | undefined
  isWaiting: boolean
  error: Error | null
}

/** What one channel cuts and leaves out, in words. */
export const Changes = ({ channel, row, isWaiting, error }: Changes) => {
  const words = useWords(previewWords)
  const { formats } = useLanguage()
  const failure = useReason()
  const uncarried = useTold(uncarriedWords)
  const dropped = useTold(droppedWords)
  const nameOf = useFieldName()
  const hasPicture = useComposing(({ draft }) => isPicture(valueOf(draft, 'message.attachment_url')))
  const isEmpty = useComposing(({ draft }) => !hasContent(draft))
  return (
    <section className={style.changes} aria-label={words.changes} aria-busy={isWaiting} data-stale={isWaiting}>
      <h3 className={style.small}>{words.changes}</h3>
      {channel === ownChannel && <p className={style.note}>{words.drawnByApp}</p>}
      {channel === 'apns' && hasPicture && <p className={style.note}>{words.pictureByApp}</p>}
      {error && !row && (
        <p className={style.note}>
          {words.cannotCheck} {failure(error)}
        </p>
      )}
      {!row && !error && (
        <p className={style.note}>{isWaiting ? words.checking : isEmpty ? words.nothingYet : words.mendFirst}</p>
      )}
      {row && !row.certificate && (
        <p className={style.note}>
          {words.noCertificate} <Link to="/certificates">{words.addCertificate}</Link>
        </p>
      )}
      {row && !row.carries && (
        <p className={style.problem}>
          {words.notCarried}
          {row.why && words.because(uncarried(row.reason, row.why))}
        </p>
      )}
      {row?.carries && row.cut.length + row.dropped.length === 0 && <p className={style.note}>{words.unchanged}</p>}
      {row?.carries && row.cut.length + row.dropped.length > 0 && (
        <ul className={style.changeList}>
          {row.cut.map(({ field, from, to, unit }) => (
            <li key={`cut ${field}`} data-kind="cut">
              {words.cut(
                nameOf(field),
                formats.number(from),
                formats.number(to),
                unit === 'bytes' ? words.bytes : words.characters,
              )}
            </li>
          ))}
          {row.dropped.map(({ field, why, reason }) => (
            <li key={`dropped ${field}`} data-kind="dropped">
              {words.dropped(nameOf(field), dropped(reason, why))}
            </li>
          ))}
        </ul>
      )}
      {row?.carries && row.bytes > 0 && (
        <p className={style.note}>
          {row.limit
            ? words.size(formats.number(row.bytes), formats.number(row.limit))
            : words.sizeAlone(formats.number(row.bytes))}
        </p>
      )}
    </section>
  )
}

/** A field by the name the form gives it. */
const useFieldName = (): ((path: string) => string) => {
  const names: Record<string, unknown> = useWords(fieldWords)
  return (path) => {
    const name = names[leafOf(path)]
    return typeof name === 'string' ? name : path
  }
}
