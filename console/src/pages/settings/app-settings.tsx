import type { AppSettingPut } from '@carillon/protocol/bodies.ts'
import { Button, Group, NativeSelect, NumberInput, SimpleGrid, Skeleton, Stack, Switch, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { fieldOf } from '../../api/failure.ts'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { Failed, useReason } from '../../parts/failed.tsx'
import { Panel } from '../../parts/panel.tsx'
import { toastDone, toastFailed } from '../../parts/toasts.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { settingsWords } from '../settings.words.ts'

type Settings = Required<AppSettingPut>
type Name = keyof Settings
type Form = UseFormReturnType<Partial<Settings>>

/** What the server takes, so that a slip is said where it is made. */
const ranges = {
  inbox_limit: [1, 100_000],
  retention_days: [1, 3_650],
  password_min_length: [1, 256],
  token_days: [1, 3_650],
} as const satisfies Partial<Record<Name, readonly [number, number]>>

/** The app's own settings: a section is saved by itself. */
export const AppSettings = () => {
  const { caller } = useSession()
  const { data, error, refetch } = useQuery({ queryKey: keys.settings, queryFn: () => caller.settings() })
  if (error && !data) return <Failed error={error} again={() => void refetch()} />
  if (!data) return <Skeleton height={420} radius={12} />
  return (
    <Stack>
      <Sending settings={data} />
      <People settings={data} />
    </Stack>
  )
}

const Sending = ({ settings }: { settings: Settings }) => {
  const say = useWords(settingsWords)
  return (
    <Section title={say.sending} settings={settings} names={['push_enabled', 'no_push_start_hour', 'no_push_end_hour', 'time_zone', 'inbox_limit', 'retention_days']}>
      {(form) => (
        <>
          <Switch label={say.pushEnabled} description={say.pushEnabledHelp} {...form.getInputProps('push_enabled', { type: 'checkbox' })} />
          <QuietHours form={form} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Count form={form} name="inbox_limit" label={say.inboxLimit} help={say.inboxLimitHelp} />
            <Count form={form} name="retention_days" label={say.retention} help={say.retentionHelp} />
          </SimpleGrid>
        </>
      )}
    </Section>
  )
}

const hours = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: `${String(hour).padStart(2, '0')}:00` }))
const USUAL = { start: 22, end: 8 }

/** The server has no switch for them: equal hours mean none. */
const QuietHours = ({ form }: { form: Form }) => {
  const say = useWords(settingsWords)
  const { no_push_start_hour: start, no_push_end_hour: end } = form.values
  const set = (from: number, to: number): void => form.setValues({ no_push_start_hour: from, no_push_end_hour: to })
  const isOn = start !== end
  return (
    <Stack gap="xs">
      <Switch
        label={say.quietHours}
        description={say.quietHoursHelp}
        checked={isOn}
        onChange={({ currentTarget }) => (currentTarget.checked ? set(USUAL.start, USUAL.end) : set(0, 0))}
      />
      {isOn && (
        <SimpleGrid cols={{ base: 2, sm: 3 }}>
          <NativeSelect
            label={say.quietFrom}
            data={hours}
            value={String(start)}
            error={form.errors.no_push_start_hour}
            onChange={({ currentTarget }) => form.setFieldValue('no_push_start_hour', Number(currentTarget.value))}
          />
          <NativeSelect
            label={say.quietTo}
            data={hours}
            value={String(end)}
            error={form.errors.no_push_end_hour}
            onChange={({ currentTarget }) => form.setFieldValue('no_push_end_hour', Number(currentTarget.value))}
          />
          <TextInput
            label={say.timeZone}
            description={say.timeZoneHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...form.getInputProps('time_zone')}
          />
        </SimpleGrid>
      )}
    </Stack>
  )
}

const People = ({ settings }: { settings: Settings }) => {
  const say = useWords(settingsWords)
  return (
    <Section title={say.people} settings={settings} names={['registration_enabled', 'alias_by', 'password_min_length', 'token_days']}>
      {(form) => (
        <>
          <Switch label={say.registration} description={say.registrationHelp} {...form.getInputProps('registration_enabled', { type: 'checkbox' })} />
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <NativeSelect
              label={say.aliasBy}
              data={[{ value: 'user', label: say.aliasByUser }, { value: 'admin', label: say.aliasByAdmin }]}
              {...form.getInputProps('alias_by')}
            />
            <Count form={form} name="password_min_length" label={say.passwordLength} help={say.passwordLengthHelp} />
            <Count form={form} name="token_days" label={say.tokenDays} help={say.tokenDaysHelp} />
          </SimpleGrid>
        </>
      )}
    </Section>
  )
}

const Count = ({ form, name, label, help }: { form: Form; name: keyof typeof ranges; label: string; help: string }) => {
  const [min, max] = ranges[name]
  return (
    <NumberInput
      label={label}
      description={help}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      min={min}
      max={max}
      allowDecimal={false}
      clampBehavior="none"
      {...form.getInputProps(name)}
    />
  )
}

interface SectionOf {
  title: string
  settings: Settings
  names: readonly Name[]
  children(form: Form): ReactNode
}

/** Some settings that are changed together; only what differs is sent. */
const Section = ({ title, settings, names, children }: SectionOf) => {
  const say = useWords(settingsWords)
  const { formats } = useLanguage()
  const { caller } = useSession()
  const reason = useReason()
  const queries = useQueryClient()
  const own = Object.fromEntries(names.map((name) => [name, settings[name]])) as Partial<Settings>
  const form = useForm<Partial<Settings>>({
    initialValues: own,
    validate: (values) => {
      const wrong: Partial<Record<Name, string>> = {}
      for (const [name, [min, max]] of Object.entries(ranges) as [keyof typeof ranges, readonly [number, number]][]) {
        const value: unknown = values[name]
        if (!names.includes(name) || (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max)) continue
        wrong[name] = say.isNumber(formats.number(min), formats.number(max))
      }
      return wrong
    },
  })
  const saving = useMutation({
    mutationFn: (change: AppSettingPut) => caller.setSettings(change),
    onSuccess: (saved) => {
      queries.setQueryData(keys.settings, saved)
      form.resetDirty()
      toastDone(say.saved)
    },
    onError: (error) => {
      const field = fieldOf(error)
      if (field && names.some((name) => name === field)) form.setFieldError(field, reason(error))
      else toastFailed(reason(error))
    },
    meta: { quiet: true },
  })
  const changed = names.filter((name) => form.values[name] !== settings[name])
  const save = (values: Partial<Settings>): void =>
    saving.mutate(Object.fromEntries(changed.map((name) => [name, values[name]])) as AppSettingPut)
  return (
    <Panel title={title}>
      <form noValidate onSubmit={form.onSubmit(save)}>
        <Stack>
          {children(form)}
          <Group justify="flex-end">
            <Button variant="default" disabled={changed.length === 0} onClick={() => form.setValues(own)}>
              {say.undo}
            </Button>
            <Button type="submit" disabled={changed.length === 0} loading={saving.isPending}>
              {say.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
