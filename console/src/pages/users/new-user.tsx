import { refusalOf } from '@carillon/protocol/sentences/refusals.ts'
import { Button, Group, Modal, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { useReason } from '../../parts/failed.tsx'
import { Notice } from '../../parts/notice.tsx'
import { partsWords } from '../../parts/parts.words.ts'
import { toastDone } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { usersWords } from '../users.words.ts'
import { inForm, type NewUser, refusedField, registrationOf } from './registration.ts'

/** Registers one user, and leads to them. */
export const NewUserDialog = ({ opened, onClose }: { opened: boolean; onClose(): void }) => {
  const say = useWords(usersWords)
  return (
    <Modal opened={opened} onClose={onClose} title={say.newUser} centered>
      <NewUserForm onClose={onClose} />
    </Modal>
  )
}

const NewUserForm = ({ onClose }: { onClose(): void }) => {
  const say = useWords(usersWords)
  const parts = useWords(partsWords)
  const reason = useReason()
  const { caller } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string>()
  const form = useForm<NewUser>({
    initialValues: { username: '', password: '', mobile: '', email: '' },
    validate: { username: (name) => (name.trim() === '' ? say.isNeeded : null) },
  })
  const refused = (sentence: string): void => {
    const field = refusedField(sentence)
    if (field) form.setFieldError(field, refusalOf(sentence)?.name === 'taken' ? say.taken : inForm(sentence))
    else setProblem(sentence)
  }
  const registering = useMutation({
    mutationFn: async (user: NewUser) => (await caller.registerUsers([registrationOf(user)]))[0]!,
    onMutate: () => setProblem(undefined),
    onSuccess: async ({ success, reason: why, user_id }, { username }) => {
      if (!success) return refused(why ?? '')
      await queries.invalidateQueries({ queryKey: ['users'] })
      toastDone(say.registeredDone(username.trim()))
      onClose()
      await navigate({ to: '/users/$userId', params: { userId: user_id! } })
    },
    onError: (error) => refused(reason(error)),
    meta: { quiet: true },
  })
  return (
    <form noValidate onSubmit={form.onSubmit((user) => registering.mutate(user))}>
      <Stack>
        {problem !== undefined && (
          <Notice tone="bad" role="alert">
            {problem}
          </Notice>
        )}
        <TextInput
          label={say.username}
          required
          autoComplete="off"
          maxLength={128}
          data-autofocus
          {...form.getInputProps('username')}
        />
        <PasswordInput
          label={say.password}
          description={say.passwordHelp}
          autoComplete="new-password"
          maxLength={256}
          {...form.getInputProps('password')}
        />
        <TextInput
          label={say.mobile}
          description={say.mobileHelp}
          type="tel"
          autoComplete="off"
          maxLength={21}
          {...form.getInputProps('mobile')}
        />
        <TextInput label={say.email} type="email" autoComplete="off" maxLength={254} {...form.getInputProps('email')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {parts.cancel}
          </Button>
          <Button type="submit" loading={registering.isPending}>
            {say.register}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
