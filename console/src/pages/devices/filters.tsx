import { vendorNames } from '@carillon/protocol/names.ts'
import { Button, NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { Panel } from '../../parts/panel.tsx'
import { partsWords } from '../../parts/parts.words.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { useWords } from '../../words/language.tsx'
import { devicesWords } from '../devices.words.ts'
import style from './devices.module.css'
import { type DeviceFilter, given, SEARCH_MAX } from './filter.ts'

interface Filters {
  filter: DeviceFilter
  onChange(filter: DeviceFilter): void
  /** Below the fields: how the search was understood. */
  children: ReactNode
}

/** Narrows the list. */
export const DeviceFilters = ({ filter, onChange, children }: Filters) => {
  const say = useWords(devicesWords)
  const names = useWords(partsWords)
  const change = (part: DeviceFilter): void => onChange(given({ ...filter, ...part }))
  return (
    <Panel
      title={say.filters}
      aside={
        Object.keys(filter).length > 0 && (
          <Button variant="subtle" size="xs" onClick={() => onChange({})}>
            {say.clear}
          </Button>
        )
      }
    >
      <div className={style.filters}>
        <SearchField
          label={say.search}
          description={say.searchHelp}
          maxLength={SEARCH_MAX}
          value={filter.search ?? ''}
          onSearch={(search) => change({ search: search || undefined, by: undefined })}
        />
        <NativeSelect
          label={say.connection}
          value={filter.online === undefined ? '' : String(filter.online)}
          data={[
            { value: '', label: say.any },
            { value: 'true', label: say.online },
            { value: 'false', label: say.offline },
          ]}
          onChange={({ currentTarget: { value } }) => change({ online: value === '' ? undefined : value === 'true' })}
        />
        <NativeSelect
          label={say.vendor}
          value={filter.vendor ?? ''}
          data={[{ value: '', label: say.any }, ...vendorNames.map((vendor) => ({ value: vendor, label: names[vendor] }))]}
          onChange={({ currentTarget: { value } }) => change({ vendor: vendorNames.find((vendor) => vendor === value) })}
        />
      </div>
      {children}
    </Panel>
  )
}
