import type { DeviceDetail } from '@carillon/protocol/device-answers.ts'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { keys } from '../api/keys.ts'
import { useSession } from '../api/session.tsx'
import { Page } from '../frame/page.tsx'
import { Badge } from '../parts/badges.tsx'
import { Failed } from '../parts/failed.tsx'
import { Icon } from '../parts/icon.tsx'
import { useWords } from '../words/language.tsx'
import { About } from './device/about.tsx'
import { DeviceActions } from './device/actions.tsx'
import { Labels } from './device/labels.tsx'
import { LastPushes } from './device/last-pushes.tsx'
import { VendorTokens } from './device/vendor-tokens.tsx'
import style from './device/device.module.css'
import { devicesWords } from './devices.words.ts'

const route = getRouteApi('/devices/$pushToken')
const REFRESH_MS = 10_000

/** One device: what it is, how it is reached, and what was sent to it last. */
export const DevicePage = () => {
  const say = useWords(devicesWords)
  const { ask } = useSession()
  const { pushToken } = route.useParams()
  const { data, error, refetch } = useQuery({
    queryKey: keys.device(pushToken),
    queryFn: () => ask<DeviceDetail>(`/device/${encodeURIComponent(pushToken)}`),
    refetchInterval: ({ state }) => (state.status === 'error' ? false : REFRESH_MS),
  })
  const back = (
    <Link to="/devices">
      <Icon name="back" size={14} /> {say.back}
    </Link>
  )
  return (
    <Page
      before={back}
      title={data ? (data.alias ?? data.device_guid) : say.device}
      lead={data && <Standing device={data} />}
      actions={data && <DeviceActions device={data} />}
    >
      {error && !data && <Failed error={error} again={() => void refetch()} />}
      {!error && !data && <Skeleton height={420} radius={12} />}
      {data && (
        <>
          <div className={style.halves}>
            <About device={data} />
            <Labels device={data} />
          </div>
          <VendorTokens tokens={data.vendor_tokens} />
          <LastPushes device={data} />
        </>
      )}
    </Page>
  )
}

const Standing = ({ device: { online, logged_in, platform } }: { device: DeviceDetail }) => {
  const say = useWords(devicesWords)
  return (
    <>
      <Badge tone={online ? 'good' : 'plain'} dot>
        {online ? say.online : say.offline}
      </Badge>{' '}
      {!logged_in && <Badge tone="warn">{say.loggedOut}</Badge>} <Badge>{say[platform]}</Badge>
    </>
  )
}
