import { TextInput } from '@mantine/core'
import { useNow } from '../../parts/now.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { composeWords } from './compose.words.ts'
import { useField } from './field.tsx'
import type { FieldPath } from './fields.ts'
import { inputOf, secondsOf, zoneHere } from './times.ts'

interface Moment {
  path: FieldPath
  label: string
  help?: string
  /** While it is being typed anew, the moment stays what it was. */
  keepsValue?: boolean
}

/** A moment in the browser's time zone, said in words so that nobody takes it for another zone's. */
export const MomentField = ({ path, label, help, keepsValue = false }: Moment) => {
  const say = useWords(composeWords)
  const { formats } = useLanguage()
  const now = useNow()
  const { value, set, input } = useField(path)
  const at = Number(value) * 1000
  const zone = zoneHere()
  return (
    <TextInput
      {...input}
      type="datetime-local"
      label={label}
      description={value === '' ? (help ?? say.zone(zone)) : `${formats.inFull(at)} (${zone}), ${formats.ago(at, now)}`}
      value={inputOf(value)}
      max="9999-12-31T23:59"
      onChange={({ currentTarget: { value: typed } }) => {
        const seconds = secondsOf(typed)
        if (seconds !== '' || !keepsValue) set(seconds)
      }}
    />
  )
}
