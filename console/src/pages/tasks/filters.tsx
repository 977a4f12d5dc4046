import { audienceKinds, taskStates } from '@carillon/protocol/names.ts'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { Panel } from '../../parts/panel.tsx'
import { partsWords } from '../../parts/parts.words.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { useWords } from '../../words/language.tsx'
import { tasksWords } from '../tasks.words.ts'
import type { TaskFilter } from './filter.ts'
import style from './tasks.module.css'

/** As a field of date and time writes it, in the zone of the browser. */
const written = (at: number | undefined): string => {
  if (at === undefined) return ''
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

const read = (text: string): number | undefined => (text === '' || Number.isNaN(Date.parse(text)) ? undefined : Date.parse(text))

/** Narrows the list. */
export const TaskFilters = ({ filter, onChange }: { filter: TaskFilter; onChange(filter: TaskFilter): void }) => {
  const say = useWords(tasksWords)
  const names = useWords(partsWords)
  const change = (part: TaskFilter): void =>
    onChange(Object.fromEntries(Object.entries({ ...filter, ...part }).filter(([, value]) => value !== undefined)))
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
        <NativeSelect
          label={say.state}
          value={filter.state ?? ''}
          data={[{ value: '', label: say.any }, ...taskStates.map((state) => ({ value: state, label: names[state] }))]}
          onChange={({ currentTarget: { value } }) => change({ state: taskStates.find((state) => state === value) })}
        />
        <NativeSelect
          label={say.audience}
          value={filter.audience_kind ?? ''}
          data={[{ value: '', label: say.any }, ...audienceKinds.map((kind) => ({ value: kind, label: say[kind] }))]}
          onChange={({ currentTarget: { value } }) => change({ audience_kind: audienceKinds.find((kind) => kind === value) })}
        />
        <TextInput label={say.from} type="datetime-local" value={written(filter.from)} onChange={({ currentTarget }) => change({ from: read(currentTarget.value) })} />
        <TextInput label={say.to} type="datetime-local" value={written(filter.to)} onChange={({ currentTarget }) => change({ to: read(currentTarget.value) })} />
        <SearchField label={say.requestId} value={filter.request_id ?? ''} maxLength={128} onSearch={(text) => change({ request_id: text || undefined })} />
      </div>
    </Panel>
  )
}
