import type { UserDetail } from '@carillon/protocol/device-answers.ts'
import { Button, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { toastDone } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { usersWords } from '../users.words.ts'
import style from './user.module.css'

/** What an operator may do with a user. */
export const UserActions = ({ user }: { user: UserDetail }) => {
  const say = useWords(usersWords)
  const { caller } = useSession()
  const { user_id, username } = user
  return (
    <>
      <Button
        leftSection={<Icon name="compose" size={16} />}
        renderRoot={(props) => <Link to="/compose" search={{ user_id }} {...props} />}
      >
        {say.send}
      </Button>
      <Confirmed
        userId={user_id}
        name={say.signOut}
        title={say.signOutTitle(username)}
        text={say.signOutText}
        done={say.signedOut}
        act={() => caller.kickUser(user_id)}
      />
      {user.disabled ? (
        <Enable userId={user_id} />
      ) : (
        <Confirmed
          userId={user_id}
          name={say.disable}
          title={say.disableTitle(username)}
          text={say.disableText}
          done={say.disabledDone}
          act={() => caller.disableUser(user_id)}
        />
      )}
      <Erase user={user} />
    </>
  )
}

/** The user, and every list they stand in. */
const useForget = (userId: number): (() => Promise<unknown>) => {
  const queries = useQueryClient()
  const stale = [keys.user(userId), ['users'], ['devices'], ['device']]
  return () => Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
}

interface Confirmed {
  userId: number
  name: string
  title: string
  text: string
  /** Said when it is done. */
  done: string
  act(): Promise<void>
}

const Confirmed = ({ userId, name, title, text, done, act }: Confirmed) => {
  const forget = useForget(userId)
  const [asks, question] = useDisclosure(false)
  const acting = useMutation({
    mutationFn: act,
    onSuccess: async () => {
      question.close()
      toastDone(done)
      await forget()
    },
  })
  return (
    <>
      <Button variant="default" onClick={question.open}>
        {name}
      </Button>
      <ConfirmDialog
        opened={asks}
        title={title}
        action={name}
        pending={acting.isPending}
        onConfirm={() => acting.mutate()}
        onClose={question.close}
      >
        {text}
      </ConfirmDialog>
    </>
  )
}

const Enable = ({ userId }: { userId: number }) => {
  const say = useWords(usersWords)
  const { caller } = useSession()
  const forget = useForget(userId)
  const enabling = useMutation({
    mutationFn: () => caller.enableUser(userId),
    onSuccess: () => {
      toastDone(say.enabledDone)
      return forget()
    },
  })
  return (
    <Button variant="default" loading={enabling.isPending} onClick={() => enabling.mutate()}>
      {say.enable}
    </Button>
  )
}

/** Nothing of it can be brought back, so the name has to be typed. */
const Erase = ({ user: { user_id, username } }: { user: UserDetail }) => {
  const say = useWords(usersWords)
  const { caller } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [asks, question] = useDisclosure(false)
  const [typed, setTyped] = useState('')
  const erasing = useMutation({
    mutationFn: () => caller.deleteUser(user_id),
    onSuccess: async () => {
      toastDone(say.erased(username))
      await navigate({ to: '/users' })
      queries.removeQueries({ queryKey: keys.user(user_id) })
      const stale = [['users'], ['devices'], ['device'], keys.groups]
      await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
  })
  const open = (): void => {
    setTyped('')
    question.open()
  }
  return (
    <>
      <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={open}>
        {say.erase}
      </Button>
      <ConfirmDialog
        opened={asks}
        title={say.eraseTitle(username)}
        action={say.erase}
        ready={typed === username}
        pending={erasing.isPending}
        onConfirm={() => erasing.mutate()}
        onClose={question.close}
      >
        <p>{say.eraseText}</p>
        <TextInput
          className={style.typed}
          label={say.eraseType(username)}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </ConfirmDialog>
    </>
  )
}
