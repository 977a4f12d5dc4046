import { Button, NumberInput, TagsInput, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { keys } from '../../api/keys.ts'
import { browserCalls } from '../../device/browser-device.ts'
import { toastDone } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { browserWords } from '../browser.words.ts'
import style from './browser.module.css'

/** How the device is found by those who send: its tags and alias; and what its badge shows. */
export const Labels = () => {
  const say = useWords(browserWords)
  const queries = useQueryClient()
  const { data: had = [] } = useQuery({ queryKey: keys.browserTags, queryFn: () => browserCalls()!.tags() })
  const tagging = useMutation({
    mutationFn: async (tags: string[]) => {
      const calls = browserCalls()!
      const gone = had.filter((tag) => !tags.includes(tag))
      const added = tags.filter((tag) => !had.includes(tag))
      if (gone.length > 0) await calls.removeTags(gone)
      return added.length > 0 ? calls.addTags(added) : calls.tags()
    },
    onSuccess: (tags) => queries.setQueryData(keys.browserTags, tags),
  })
  return (
    <div className={style.labels}>
      <TagsInput label={say.tags} description={say.tagsHelp} value={had} onChange={(tags) => tagging.mutate(tags)} maxLength={128} />
      <One label={say.alias} action={(alias) => browserCalls()!.setAlias(alias)}>
        {(value, change) => <TextInput label={say.alias} value={value} maxLength={128} onChange={({ currentTarget }) => change(currentTarget.value)} />}
      </One>
      <One label={say.badge} action={(badge) => browserCalls()!.setBadge(Number(badge))}>
        {(value, change) => (
          <NumberInput label={say.badge} value={value} min={0} max={999_999_999} allowDecimal={false} onChange={(badge) => change(String(badge))} />
        )}
      </One>
    </div>
  )
}

interface One {
  label: string
  action(value: string): Promise<void>
  children(value: string, change: (value: string) => void): ReactNode
}

/** One value with a button that tells the server. */
const One = ({ label, action, children }: One) => {
  const say = useWords(browserWords)
  const [value, change] = useState('')
  const setting = useMutation({ mutationFn: () => action(value), onSuccess: () => toastDone(say.done) })
  return (
    <form
      className={style.one}
      onSubmit={(event) => {
        event.preventDefault()
        if (value.trim() !== '') setting.mutate()
      }}
    >
      {children(value, change)}
      <Button type="submit" variant="default" loading={setting.isPending} aria-label={`${say.set}: ${label}`}>
        {say.set}
      </Button>
    </form>
  )
}
