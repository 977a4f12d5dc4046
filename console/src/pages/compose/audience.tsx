import { Pill, TagsInput, Tabs, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'
import { Reach } from './reach.tsx'
import { type AudienceKind, listKinds, type ListKind } from './draft.ts'
import { useProblem } from './field.tsx'
import { settleItems, stopsOf } from './items.ts'
import { LIST_MAX } from './limits.ts'
import { useComposing, useDraftStore } from './use-draft.ts'

const kinds: readonly AudienceKind[] = ['all', ...listKinds]

/** Who gets it. */
export const Audience = () => {
  const say = useWords(composeWords)
  const store = useDraftStore()
  const kind = useComposing(({ draft }) => draft.kind)
  return (
    <Panel title={say.who}>
      <Tabs
        value={kind}
        onChange={(value) => store.setAudience((value ?? 'all') as AudienceKind)}
        variant="pills"
        keepMounted={false}
        classNames={{ tab: style.pill, list: style.pills }}
      >
        <Tabs.List aria-label={say.audienceKinds}>
          {kinds.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {say[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="all" pt="sm">
          <Text size="sm" c="dimmed">
            {say.allHelp}
          </Text>
        </Tabs.Panel>
        {listKinds.map((each) => (
          <Tabs.Panel key={each} value={each} pt="sm">
            {each === 'user_id' ? <UserItems /> : <Items kind={each} />}
          </Tabs.Panel>
        ))}
      </Tabs>
      <Reach />
    </Panel>
  )
}

interface Items {
  kind: ListKind
  /** To choose from, by what is typed. */
  found?: { value: string; label: string }[]
  onSearch?: (text: string) => void
  /** What a chip says of its item. */
  nameOf?: (item: string) => string
  /** The item that a typed text means. */
  itemOf?: (text: string) => string
}

/** A list as chips: typed one by one, or pasted as a column of a table. */
const Items = ({ kind, found, onSearch, nameOf = (item) => item, itemOf = (text) => text }: Items) => {
  const say = useWords(composeWords)
  const { formats } = useLanguage()
  const store = useDraftStore()
  const items = useComposing(({ draft }) => draft.lists[kind])
  const problem = useProblem('audience')
  const [over, setOver] = useState(0)
  const change = (list: string[]) => {
    const settled = settleItems(list.map(itemOf))
    setOver(settled.over)
    store.setAudience(kind, settled.items)
  }
  return (
    <>
      <TagsInput
        id="audience"
        label={say[kind]}
        description={say[`${kind}Help`]}
        placeholder={items.length === 0 ? say.addItem : undefined}
        value={[...items]}
        onChange={change}
        onBlur={() => store.touch('audience')}
        onSearchChange={onSearch}
        data={found}
        filter={({ options }) => options}
        selectFirstOptionOnChange={found !== undefined}
        renderPill={({ value, onRemove }) => (
          <Pill withRemoveButton onRemove={onRemove}>
            {nameOf(String(value))}
          </Pill>
        )}
        isDuplicate={(item, current) => current.includes(item)}
        splitChars={stopsOf[kind]}
        clearable
        clearButtonProps={{ 'aria-label': say.removeAll }}
        error={problem}
        classNames={{ pillsList: style.items }}
        autoComplete="off"
      />
      <Text size="xs" c="dimmed" ta="end" mt={4}>
        {say.itemsOfMost(formats.number(items.length), formats.number(LIST_MAX))}
      </Text>
      <div role="status">
        {over > 0 && <span className={style.warn}>{say.leftOut(formats.number(over), formats.number(LIST_MAX))}</span>}
      </div>
    </>
  )
}

const SEARCH_PAUSE_MS = 250
const FOUND_MOST = 8

/** People are known by their names, the interface by their ids: a name that is typed offers its user. */
const UserItems = () => {
  const { caller } = useSession()
  const [search, setSearch] = useState('')
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  const [searched] = useDebouncedValue(search.trim(), SEARCH_PAUSE_MS)
  const { data } = useQuery({
    queryKey: ['user search', searched],
    queryFn: async () => {
      const { list } = await caller.searchUsers({ search: searched, limit: FOUND_MOST })
      setNames(
        (known) => new Map([...known, ...list.map(({ user_id, username }) => [String(user_id), username] as const)]),
      )
      return list
    },
    enabled: searched !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })
  const found = search.trim() === '' ? [] : (data ?? [])
  const nameOf = (id: string): string => (names.has(id) ? `${names.get(id)} · ${id}` : id)
  return (
    <Items
      kind="user_id"
      found={found.map(({ user_id }) => ({ value: String(user_id), label: nameOf(String(user_id)) }))}
      onSearch={setSearch}
      nameOf={nameOf}
      itemOf={(text) => found.find(({ username }) => username === text)?.user_id.toString() ?? text}
    />
  )
}
