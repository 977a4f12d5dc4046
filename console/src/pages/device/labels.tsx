import { TAGS_MAX } from '@carillon/protocol/bodies.ts'
import type { DeviceDetail } from '@carillon/protocol/device-answers.ts'
import { Button, NumberInput, Stack, TagsInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useCallsAs } from '../../api/calls-as.ts'
import { keys } from '../../api/keys.ts'
import { useReason } from '../../parts/failed.tsx'
import { Panel } from '../../parts/panel.tsx'
import { toastDone } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { devicesWords } from '../devices.words.ts'
import style from './device.module.css'

const NAME_MAX = 128
const BADGE_MAX = 999_999_999
const order: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error']

/** How the device is found by those who send, and what its badge shows. An admin changes them as its user. */
export const Labels = ({ device }: { device: DeviceDetail }) => {
  const say = useWords(devicesWords)
  const calls = useCallsAs(device.user_id)
  const of = { push_token: device.push_token }
  return (
    <Panel title={say.labels}>
      <Stack>
        <Tags device={device} />
        <One
          name={say.aliasLabel}
          device={device}
          stored={device.alias ?? ''}
          store={(alias) => (alias.trim() === '' ? calls.removeAlias(of) : calls.setAlias(alias.trim(), of))}
        >
          {(value, change, error) => (
            <TextInput
              label={say.aliasLabel}
              description={say.aliasHelp}
              inputWrapperOrder={order}
              maxLength={NAME_MAX}
              value={value}
              error={error}
              onChange={({ currentTarget }) => change(currentTarget.value)}
            />
          )}
        </One>
        <One
          name={say.badgeLabel}
          device={device}
          stored={String(device.badge)}
          check={(badge) => (/^\d{1,9}$/.test(badge) ? undefined : say.isCount)}
          store={(badge) => calls.setBadge(Number(badge), of)}
        >
          {(value, change, error) => (
            <NumberInput
              label={say.badgeLabel}
              description={say.badgeHelp}
              inputWrapperOrder={order}
              min={0}
              max={BADGE_MAX}
              allowDecimal={false}
              clampBehavior="none"
              value={value}
              error={error}
              onChange={(badge) => change(String(badge))}
            />
          )}
        </One>
      </Stack>
    </Panel>
  )
}

const Tags = ({ device: { push_token, user_id, tags } }: { device: DeviceDetail }) => {
  const say = useWords(devicesWords)
  const reason = useReason()
  const calls = useCallsAs(user_id)
  const queries = useQueryClient()
  const tagging = useMutation({
    mutationFn: async (wanted: string[]) => {
      const gone = tags.filter((tag) => !wanted.includes(tag))
      const added = wanted.filter((tag) => !tags.includes(tag))
      if (gone.length > 0) await calls.removeTags(gone, { push_token })
      if (added.length > 0) await calls.addTags(added, { push_token })
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keys.device(push_token) }),
    meta: { quiet: true },
  })
  return (
    <TagsInput
      label={say.tagsLabel}
      description={say.tagsHelp}
      inputWrapperOrder={order}
      maxLength={NAME_MAX}
      maxTags={TAGS_MAX}
      // What was chosen stands there until the server has answered.
      value={tagging.isPending ? tagging.variables : tags}
      error={tagging.isError && reason(tagging.error)}
      onChange={(wanted) => tagging.mutate(wanted)}
    />
  )
}

interface One {
  /** What it is, for those who only hear the button. */
  name: string
  device: DeviceDetail
  stored: string
  check?(value: string): string | undefined
  store(value: string): Promise<void>
  children(value: string, change: (value: string) => void, error: string | undefined): ReactNode
}

/** One value with a button that stores it. */
const One = ({ name, device, stored, check, store, children }: One) => {
  const say = useWords(devicesWords)
  const reason = useReason()
  const queries = useQueryClient()
  // Until somebody types, it is what the server has: the device itself may change it.
  const [typed, change] = useState<string>()
  const [wrong, setWrong] = useState<string>()
  const value = typed ?? stored
  const storing = useMutation({
    mutationFn: store,
    onSuccess: async () => {
      toastDone(say.saved)
      await queries.invalidateQueries({ queryKey: keys.device(device.push_token) })
      change(undefined)
    },
    onError: (error) => setWrong(reason(error)),
    meta: { quiet: true },
  })
  return (
    <form
      noValidate
      className={style.one}
      onSubmit={(event) => {
        event.preventDefault()
        const problem = check?.(value)
        setWrong(problem)
        if (problem === undefined) storing.mutate(value)
      }}
    >
      {children(value, change, wrong)}
      <Button
        type="submit"
        variant="default"
        mt={25}
        disabled={value.trim() === stored}
        loading={storing.isPending}
        aria-label={say.saveThis(name)}
      >
        {say.save}
      </Button>
    </form>
  )
}
