import type { UserDetail } from '@carillon/protocol/device-answers.ts'
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { Panel } from '../../parts/panel.tsx'
import { toastDone } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { usersWords } from '../users.words.ts'
import style from './user.module.css'

const OFFERED = 500 // the most that one page of the list holds

interface Group {
  group_id: number
  name: string
}

/** The groups somebody is in. */
export const Memberships = ({ user: { user_id, groups } }: { user: UserDetail }) => {
  const say = useWords(usersWords)
  const { caller } = useSession()
  const queries = useQueryClient()
  const changing = useMutation({
    mutationFn: ({ way, group }: { way: 'join' | 'leave'; group: Group }) =>
      way === 'join' ? caller.addMembers(group.group_id, [user_id]) : caller.removeMembers(group.group_id, [user_id]),
    onSuccess: async (_, { way, group }) => {
      toastDone((way === 'join' ? say.joined : say.left)(group.name))
      await Promise.all([keys.user(user_id), keys.groups].map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
  })
  return (
    <Panel title={say.groups}>
      {groups.length > 0 ? (
        <ul className={style.groups}>
          {groups.map((group) => (
            <li key={group.group_id}>
              {group.name}
              <Button
                variant="default"
                size="xs"
                aria-label={say.leaveOf(group.name)}
                disabled={changing.isPending}
                onClick={() => changing.mutate({ way: 'leave', group })}
              >
                {say.leave}
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <p className={style.soft}>{say.inNoGroup}</p>
      )}
      <Join without={groups} pending={changing.isPending} onJoin={(group) => changing.mutate({ way: 'join', group })} />
    </Panel>
  )
}

const Join = ({ without, pending, onJoin }: { without: Group[]; pending: boolean; onJoin(group: Group): void }) => {
  const say = useWords(usersWords)
  const { caller } = useSession()
  const { data } = useQuery({ queryKey: keys.groupsToJoin, queryFn: () => caller.groups({ page_size: OFFERED }) })
  const [chosen, choose] = useState('')
  const offered = (data?.list ?? []).filter(({ group_id }) => !without.some((group) => group.group_id === group_id))
  const group = offered.find(({ group_id }) => String(group_id) === chosen)
  if (offered.length === 0) return null
  return (
    <div className={style.one}>
      <NativeSelect
        label={say.joinLabel}
        value={group ? chosen : ''}
        data={[
          { value: '', label: say.choose },
          ...offered.map(({ group_id, name }) => ({ value: String(group_id), label: say.groupNamed(name, group_id) })),
        ]}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      <Button variant="default" mt={25} disabled={!group} loading={pending} onClick={() => group && onJoin(group)}>
        {say.join}
      </Button>
    </div>
  )
}
