import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { useReason } from '../../parts/failed.tsx'
import { Panel } from '../../parts/panel.tsx'
import { toastDone } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { usersWords } from '../users.words.ts'
import { idsOf, MemberIds } from './member-ids.tsx'
import style from './users.module.css'

/** Makes a group, with members or without. */
export const NewGroup = () => {
  const say = useWords(usersWords)
  const reason = useReason()
  const { caller } = useSession()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [members, setMembers] = useState<string[]>([])
  const [wrong, setWrong] = useState<{ name?: string; members?: string }>({})
  const making = useMutation({
    mutationFn: (ids: bigint[]) => caller.createGroup(name.trim(), ids),
    onSuccess: async () => {
      toastDone(say.groupMade(name.trim()))
      setName('')
      setMembers([])
      await queries.invalidateQueries({ queryKey: keys.groups })
    },
    onError: (error) => setWrong({ [reason(error).startsWith('members') ? 'members' : 'name']: reason(error) }),
    meta: { quiet: true },
  })
  const make = (event: FormEvent): void => {
    event.preventDefault()
    const ids = idsOf(members)
    setWrong(name.trim() === '' ? { name: say.isNeeded } : {})
    if (name.trim() !== '' && ids) making.mutate(ids)
  }
  return (
    <Panel title={say.newGroup}>
      <p className={style.lead}>{say.groupsLead}</p>
      <form noValidate className={style.newGroup} onSubmit={make}>
        <TextInput
          label={say.groupName}
          description={say.groupNameHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={128}
          value={name}
          error={wrong.name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <MemberIds label={say.firstMembers} value={members} onChange={setMembers} error={wrong.members} />
        <Button type="submit" mt={25} loading={making.isPending}>
          {say.makeGroup}
        </Button>
      </form>
    </Panel>
  )
}
