import type { ListedGroup } from '@carillon/sdk/answers.ts'
import { Button, Group, Modal, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { useReason } from '../../parts/failed.tsx'
import { toastDone } from '../../parts/toasts.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { usersWords } from '../users.words.ts'
import { idsOf, MemberIds } from './member-ids.tsx'
import style from './users.module.css'

/** Takes users into a group, or out of it. */
export const MembersDialog = ({ group: { group_id, name }, onClose }: { group: ListedGroup; onClose(): void }) => {
  const say = useWords(usersWords)
  const reason = useReason()
  const { formats } = useLanguage()
  const { caller } = useSession()
  const queries = useQueryClient()
  const [items, setItems] = useState<string[]>([])
  const [isMissing, setMissing] = useState(false)
  const changing = useMutation({
    mutationFn: ({ way, ids }: { way: 'add' | 'takeOut'; ids: bigint[] }) =>
      way === 'add' ? caller.addMembers(group_id, ids) : caller.removeMembers(group_id, ids),
    onSuccess: async (_, { way, ids }) => {
      toastDone((way === 'add' ? say.added : say.takenOut)(formats.number(ids.length), name))
      onClose()
      await Promise.all([keys.groups, ['user']].map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
    meta: { quiet: true },
  })
  const change = (way: 'add' | 'takeOut'): void => {
    const ids = idsOf(items)
    setMissing(items.length === 0)
    if (ids && ids.length > 0) changing.mutate({ way, ids })
  }
  const problem = isMissing && items.length === 0 ? say.isNeeded : changing.isError && reason(changing.error)
  return (
    <Modal opened onClose={onClose} title={say.changeOf(name)} centered>
      <Stack>
        <MemberIds label={say.memberIds} value={items} onChange={setItems} error={problem} />
        <p className={style.lead}>{say.changeHelp}</p>
        <Group justify="flex-end">
          <Button variant="default" loading={changing.isPending} onClick={() => change('takeOut')}>
            {say.takeOut}
          </Button>
          <Button loading={changing.isPending} onClick={() => change('add')}>
            {say.add}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
