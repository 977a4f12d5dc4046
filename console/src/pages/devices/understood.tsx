import type { DevicePage } from '@carillon/protocol/device-answers.ts'
import type { DeviceMatch } from '@carillon/protocol/device-bodies.ts'
import { Button } from '@mantine/core'
import { useWords } from '../../words/language.tsx'
import { devicesWords } from '../devices.words.ts'
import style from './devices.module.css'

/** One text may name an alias, a tag and a user at once: says as what it was taken, and offers the others. */
export const Understood = ({
  page: { matched, also },
  onChoose,
}: {
  page: DevicePage
  onChoose(by: DeviceMatch): void
}) => {
  const say = useWords(devicesWords)
  if (matched === null && also.length === 0) return null
  return (
    <p className={style.understood}>
      <span role="status">{matched && say.matched(say[matched])}</span>
      {also.map((way) => (
        <Button key={way} variant="default" size="compact-xs" onClick={() => onChoose(way)}>
          {say.alsoAs(say[way])}
        </Button>
      ))}
    </p>
  )
}
