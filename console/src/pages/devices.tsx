import type { DevicePage, FoundDevice } from '@carillon/protocol/device-answers.ts'
import { Button } from '@mantine/core'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { keys } from '../api/keys.ts'
import { usePages } from '../api/pages.ts'
import { useSession } from '../api/session.tsx'
import { Page } from '../frame/page.tsx'
import { PagedTable } from '../parts/paged-table.tsx'
import { Empty, Panel } from '../parts/panel.tsx'
import { useWords } from '../words/language.tsx'
import { useDeviceColumns } from './devices/columns.tsx'
import type { DeviceFilter } from './devices/filter.ts'
import { DeviceFilters } from './devices/filters.tsx'
import { Understood } from './devices/understood.tsx'
import { devicesWords } from './devices.words.ts'

const LIMIT = 50
const route = getRouteApi('/devices')

/** The devices of the app: all of them, or what a search and filters leave. */
export const DevicesPage = () => {
  const say = useWords(devicesWords)
  const { ask } = useSession()
  const filter = route.useSearch()
  const navigate = useNavigate({ from: '/devices' })
  const query = usePages<FoundDevice, number>(keys.devices(filter), (after) =>
    ask<DevicePage>('/device/list', { query: { ...filter, after, limit: LIMIT } }),
  )
  const narrow = (search: DeviceFilter): void => void navigate({ search, replace: true })
  const first = query.data?.pages[0] as DevicePage | undefined
  return (
    <Page title={say.title} lead={say.lead}>
      <DeviceFilters filter={filter} onChange={narrow}>
        {filter.search !== undefined && first && <Understood page={first} onChoose={(by) => narrow({ ...filter, by })} />}
      </DeviceFilters>
      <Panel title={say.title} flush>
        <PagedTable
          label={say.title}
          query={query}
          rowKey={({ device_id }) => device_id}
          columns={useDeviceColumns('of all')}
          empty={Object.keys(filter).length > 0 ? <Empty title={say.noneFound}>{say.noneFoundText}</Empty> : <NoneYet />}
        />
      </Panel>
    </Page>
  )
}

const NoneYet = () => {
  const say = useWords(devicesWords)
  return (
    <Empty
      title={say.none}
      action={
        <Button variant="default" component={Link} to="/browser">
          {say.makeBrowser}
        </Button>
      }
    >
      {say.noneText}
    </Empty>
  )
}
