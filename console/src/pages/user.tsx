import type { UserDetail } from '@carillon/protocol/device-answers.ts'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { keys } from '../api/keys.ts'
import { useSession } from '../api/session.tsx'
import { Page } from '../frame/page.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Failed } from '../parts/failed.tsx'
import { Icon } from '../parts/icon.tsx'
import { Notice } from '../parts/notice.tsx'
import { Empty, Panel } from '../parts/panel.tsx'
import { Moment } from '../parts/time-ago.tsx'
import { useWords } from '../words/language.tsx'
import { useDeviceColumns } from './devices/columns.tsx'
import { UserActions } from './user/actions.tsx'
import { Memberships } from './user/memberships.tsx'
import { SetPassword } from './user/set-password.tsx'
import style from './user/user.module.css'
import { Wishes } from './user/wishes.tsx'
import { UserState } from './users/user-list.tsx'
import { usersWords } from './users.words.ts'

const route = getRouteApi('/users/$userId')

/** One user: devices, groups, and when they may be disturbed. */
export const UserPage = () => {
  const say = useWords(usersWords)
  const { ask } = useSession()
  const { userId } = route.useParams()
  const { data, error, refetch } = useQuery({
    queryKey: keys.user(userId),
    queryFn: () => ask<UserDetail>(`/user/${userId}`),
  })
  const back = (
    <Link to="/users">
      <Icon name="back" size={14} /> {say.back}
    </Link>
  )
  return (
    <Page
      before={back}
      title={data?.username ?? say.user}
      lead={data && <UserState user={data} />}
      actions={data && <UserActions user={data} />}
    >
      {error && !data && <Failed error={error} again={() => void refetch()} />}
      {!error && !data && <Skeleton height={420} radius={12} />}
      {data?.disabled && <Notice tone="warn">{say.disabledNotice}</Notice>}
      {data && (
        <>
          <Devices user={data} />
          <div className={style.halves}>
            <div className={style.column}>
              <About user={data} />
              <Memberships user={data} />
            </div>
            <div className={style.column}>
              <Wishes key={JSON.stringify(data.push)} user={data} />
              <SetPassword user={data} />
            </div>
          </div>
        </>
      )}
    </Page>
  )
}

const About = ({ user: { user_id, username, mobile, email, has_password, created_at } }: { user: UserDetail }) => {
  const say = useWords(usersWords)
  return (
    <Panel title={say.about}>
      <Facts>
        <Fact label={say.id}>
          <code>{user_id}</code>
          <CopyButton text={String(user_id)} what={say.id} />
        </Fact>
        <Fact label={say.username}>{username}</Fact>
        <Fact label={say.mobile}>{mobile ?? say.none1}</Fact>
        <Fact label={say.email}>{email ?? say.none1}</Fact>
        <Fact label={say.password}>{has_password ? say.has : say.none1}</Fact>
        <Fact label={say.registered}>
          <Moment at={created_at} />
        </Fact>
      </Facts>
    </Panel>
  )
}

const Devices = ({ user: { user_id, devices, devices_next } }: { user: UserDetail }) => {
  const say = useWords(usersWords)
  const columns = useDeviceColumns('of a user')
  const all = (
    <Link to="/devices" search={{ search: String(user_id), by: 'user' }}>
      {say.allDevices}
    </Link>
  )
  return (
    <Panel title={say.devices} flush aside={devices_next !== null && all}>
      {devices.length === 0 ? (
        <Empty title={say.noDevices}>{say.noDevicesText}</Empty>
      ) : (
        <DataTable label={say.devices} rows={devices} rowKey={({ device_id }) => device_id} columns={columns} />
      )}
    </Panel>
  )
}
