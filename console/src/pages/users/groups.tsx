import type { ListedGroup } from '@carillon/sdk/answers.ts'
import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { keys } from '../../api/keys.ts'
import { usePages } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { usersWords } from '../users.words.ts'
import { MembersDialog } from './members-dialog.tsx'
import { NewGroup } from './new-group.tsx'
import style from './users.module.css'

const SIZE = 50

/** Named sets of users. The interface counts their pages: an app has a handful of groups, not a million. */
export const Groups = () => {
  const say = useWords(usersWords)
  const { formats } = useLanguage()
  const { caller } = useSession()
  const [changing, setChanging] = useState<ListedGroup>()
  const query = usePages<ListedGroup, number>(keys.groups, async (page = 1) => {
    const { total, list } = await caller.groups({ page_num: page, page_size: SIZE })
    return { list, next: page * SIZE < total ? page + 1 : null }
  })
  return (
    <Stack>
      <NewGroup />
      <Panel title={say.groups} flush>
        <PagedTable
          label={say.groups}
          query={query}
          rowKey={({ group_id }) => group_id}
          empty={<Empty title={say.noGroups}>{say.noGroupsText}</Empty>}
          columns={[
            { title: say.group, cell: ({ group_id, name }) => <Name id={group_id} name={name} /> },
            { title: say.members, align: 'end', cell: ({ member_count }) => formats.number(member_count) },
            { title: say.made, wide: true, align: 'end', cell: ({ created_at }) => <TimeAgo at={created_at} /> },
            {
              title: say.action,
              align: 'end',
              cell: (group) => (
                <Button variant="default" size="xs" aria-label={say.changeOf(group.name)} onClick={() => setChanging(group)}>
                  {say.change}
                </Button>
              ),
            },
          ]}
        />
      </Panel>
      {changing && <MembersDialog group={changing} onClose={() => setChanging(undefined)} />}
    </Stack>
  )
}

const Name = ({ id, name }: { id: number; name: string }) => {
  const say = useWords(usersWords)
  return (
    <>
      <span className={style.name}>{name}</span>
      <span className={style.below}>{say.idIs(id)}</span>
    </>
  )
}
