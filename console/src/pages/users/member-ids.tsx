import { TagsInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../../words/language.tsx'
import { isItem, settleItems, stopsOf } from '../compose/items.ts'
import { usersWords } from '../users.words.ts'

interface MemberIds {
  label: string
  value: string[]
  onChange(ids: string[]): void
  error?: ReactNode
}

/** User ids, typed one by one or pasted many at once. */
export const MemberIds = ({ label, value, onChange, error }: MemberIds) => {
  const say = useWords(usersWords)
  const wrong = value.filter((item) => !isItem('user_id', item))
  return (
    <TagsInput
      label={label}
      description={say.memberIdsHelp}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      inputMode="numeric"
      acceptValueOnBlur
      splitChars={stopsOf.user_id}
      value={value}
      error={wrong.length > 0 ? say.notIds(wrong.slice(0, 5).join(', ')) : error}
      // A line that was dropped in whole is parted here: the field itself parts only what is typed or pasted.
      onChange={(items) => onChange(settleItems(items.flatMap((item) => item.split(/[\s,;，、；]+/))).items)}
    />
  )
}

/** As the calls take them; undefined where one of them is no id. */
export const idsOf = (items: readonly string[]): bigint[] | undefined =>
  items.every((item) => isItem('user_id', item)) ? items.map(BigInt) : undefined
