import { Tooltip } from '@mantine/core'
import { useLanguage } from '../words/language.tsx'
import { useNow } from './now.ts'

/** How long ago, or how soon; pointed at, the moment itself. */
export const TimeAgo = ({ at }: { at: number }) => {
  const { formats } = useLanguage()
  const now = useNow()
  return (
    <Tooltip label={formats.dateTime(at)} withArrow>
      <time dateTime={new Date(at).toISOString()}>{formats.ago(at, now)}</time>
    </Tooltip>
  )
}

/** The moment itself. */
export const Moment = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()}>{useLanguage().formats.dateTime(at)}</time>
)
