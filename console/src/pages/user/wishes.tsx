import type { UserDetail } from '@carillon/protocol/device-answers.ts'
import { Button, Group, NativeSelect, Stack, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallsAs } from '../../api/calls-as.ts'
import { fieldOf } from '../../api/failure.ts'
import { keys } from '../../api/keys.ts'
import { useReason } from '../../parts/failed.tsx'
import { Panel } from '../../parts/panel.tsx'
import { toastDone, toastFailed } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { usersWords } from '../users.words.ts'
import { hourText, type QuietForm, quietForm, quietKinds, setPushOf } from './quiet.ts'
import style from './user.module.css'

const hours = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: hourText(hour) }))
const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The server's name of each field of the form. */
const fields: Record<string, keyof QuietForm> = {
  no_push_start_hour: 'start',
  no_push_end_hour: 'end',
  time_zone: 'timeZone',
}

/** Whether, and when, this user may be disturbed. An admin changes it as the user. */
export const Wishes = ({ user: { user_id, push } }: { user: UserDetail }) => {
  const say = useWords(usersWords)
  const reason = useReason()
  const calls = useCallsAs(user_id)
  const queries = useQueryClient()
  const form = useForm<QuietForm>({
    initialValues: quietForm(push, zoneHere()),
    validate: { end: (end, { kind, start }) => (kind === 'own' && start === end ? say.equalHours : null) },
  })
  const saving = useMutation({
    mutationFn: (values: QuietForm) => calls.setPush(setPushOf(values)),
    onSuccess: async () => {
      toastDone(say.saved)
      await Promise.all([keys.user(user_id), ['device']].map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
    onError: (error) => {
      const field = fields[fieldOf(error) ?? '']
      if (field) form.setFieldError(field, reason(error))
      else toastFailed(reason(error))
    },
    meta: { quiet: true },
  })
  const hour = (name: 'start' | 'end') => ({
    data: hours,
    value: String(form.values[name]),
    error: form.errors[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLSelectElement }) => form.setFieldValue(name, Number(currentTarget.value)),
  })
  return (
    <Panel title={say.wishes}>
      <form noValidate onSubmit={form.onSubmit((values) => saving.mutate(values))}>
        <Stack>
          <Switch label={say.pushOn} description={say.pushOnHelp} {...form.getInputProps('enabled', { type: 'checkbox' })} />
          <NativeSelect
            label={say.quietHours}
            description={say.quietHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data={quietKinds.map((kind) => ({ value: kind, label: say[kind] }))}
            {...form.getInputProps('kind')}
          />
          {form.values.kind === 'own' && (
            <div className={style.hours}>
              <NativeSelect label={say.from} {...hour('start')} />
              <NativeSelect label={say.to} {...hour('end')} />
              <TextInput
                label={say.timeZone}
                description={say.timeZoneHelp}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                maxLength={64}
                {...form.getInputProps('timeZone')}
              />
            </div>
          )}
          <Group justify="flex-end">
            <Button variant="default" disabled={!form.isDirty()} onClick={form.reset}>
              {say.undo}
            </Button>
            <Button type="submit" disabled={!form.isDirty()} loading={saving.isPending}>
              {say.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
