import type { FoundUsers } from '@carillon/protocol/device-answers.ts'
import { Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { keys } from '../../api/keys.ts'
import { usePages } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { Badge } from '../../parts/badges.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { useWords } from '../../words/language.tsx'
import { usersWords } from '../users.words.ts'
import { USER_SEARCH_MAX } from './filter.ts'
import style from './users.module.css'

const LIMIT = 50
type ListedUser = FoundUsers['list'][number]

/** All users, or those a search means. */
export const UserList = ({ search, onSearch }: { search: string | undefined; onSearch(text: string): void }) => {
  const say = useWords(usersWords)
  const { ask } = useSession()
  const query = usePages<ListedUser, string>(keys.users({ search }), (after) =>
    ask<FoundUsers>('/user/search', { query: { search, after, limit: LIMIT } }),
  )
  return (
    <Stack>
      <Panel title={say.search}>
        <SearchField
          label={say.lookFor}
          description={say.searchHelp}
          maxLength={USER_SEARCH_MAX}
          value={search ?? ''}
          onSearch={onSearch}
        />
      </Panel>
      <Panel title={say.users} flush>
        <PagedTable
          label={say.users}
          query={query}
          rowKey={({ user_id }) => user_id}
          empty={
            search === undefined ? (
              <Empty title={say.none}>{say.noneText}</Empty>
            ) : (
              <Empty title={say.noneFound}>{say.noneFoundText}</Empty>
            )
          }
          columns={[
            { title: say.user, cell: (user) => <Name user={user} /> },
            { title: say.mobile, wide: true, cell: ({ mobile }) => mobile },
            { title: say.email, wide: true, cell: ({ email }) => <span className={style.text}>{email}</span> },
            { title: say.state, cell: (user) => <UserState user={user} /> },
            { title: say.registered, align: 'end', cell: ({ created_at }) => <TimeAgo at={created_at} /> },
          ]}
        />
      </Panel>
    </Stack>
  )
}

const Name = ({ user: { user_id, username } }: { user: ListedUser }) => {
  const say = useWords(usersWords)
  return (
    <>
      <Link to="/users/$userId" params={{ userId: user_id }} className={style.name}>
        {username}
      </Link>
      <span className={style.below}>{say.idIs(user_id)}</span>
    </>
  )
}

/** Whether somebody may log in, and how. */
export const UserState = ({ user }: { user: Pick<ListedUser, 'disabled' | 'has_password'> }) => {
  const { disabled, has_password } = user
  const say = useWords(usersWords)
  return (
    <span className={style.states}>
      <Badge tone={disabled ? 'bad' : 'good'} dot>
        {disabled ? say.disabled : say.active}
      </Badge>
      {!has_password && <Badge>{say.noPassword}</Badge>}
    </span>
  )
}
