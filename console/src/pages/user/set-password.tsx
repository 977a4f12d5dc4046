import type { UserDetail } from '@carillon/protocol/device-answers.ts'
import { Button, PasswordInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { useReason } from '../../parts/failed.tsx'
import { Panel } from '../../parts/panel.tsx'
import { toastDone } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { usersWords } from '../users.words.ts'
import style from './user.module.css'

/** A new password, for one who has lost theirs or never had one. */
export const SetPassword = ({ user: { user_id } }: { user: UserDetail }) => {
  const say = useWords(usersWords)
  const reason = useReason()
  const { caller } = useSession()
  const queries = useQueryClient()
  const [password, setPassword] = useState('')
  const [wrong, setWrong] = useState<string>()
  const setting = useMutation({
    mutationFn: () => caller.setPassword(user_id, password),
    onSuccess: async () => {
      setPassword('')
      toastDone(say.passwordSet)
      await queries.invalidateQueries({ queryKey: keys.user(user_id) })
    },
    onError: (error) => setWrong(reason(error)),
    meta: { quiet: true },
  })
  const set = (event: FormEvent): void => {
    event.preventDefault()
    setWrong(password === '' ? say.isNeeded : undefined)
    if (password !== '') setting.mutate()
  }
  return (
    <Panel title={say.setPassword}>
      <form noValidate className={style.one} onSubmit={set}>
        <PasswordInput
          label={say.newPassword}
          description={say.newPasswordHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autoComplete="new-password"
          maxLength={256}
          value={password}
          error={wrong}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
        <Button type="submit" variant="default" mt={25} loading={setting.isPending}>
          {say.setPassword}
        </Button>
      </form>
    </Panel>
  )
}
