import { Button } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLanguage, useWords } from '../words/language.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { Failed } from './failed.tsx'
import style from './paged-table.module.css'
import { partsWords } from './parts.words.ts'

/** One page of a list, and where the next one begins; null after the last. */
export interface Paged<Row, Cursor> {
  list: Row[]
  next: Cursor | null
}

interface PagedTable<Row, Cursor> {
  /** What the list is of; read aloud before it. */
  label: string
  query: UseInfiniteQueryResult<InfiniteData<Paged<Row, Cursor>>>
  columns: Column<Row>[]
  rowKey(row: Row): string | number
  /** Shown when there is nothing at all. */
  empty: ReactNode
}

/** A list that grows at its end. There are no page numbers: the server pages by key, however long the list is. */
export const PagedTable = <Row, Cursor>({ label, query, columns, rowKey, empty }: PagedTable<Row, Cursor>) => {
  const say = useWords(partsWords)
  const { formats } = useLanguage()
  if (query.isError && !query.data) {
    return (
      <div className={style.failed}>
        <Failed error={query.error} again={() => void query.refetch()} />
      </div>
    )
  }
  const rows = query.data?.pages.flatMap(({ list }) => list)
  // A page that was filtered may be empty, and another one follow it.
  if (rows?.length === 0 && !query.hasNextPage) return empty
  return (
    <>
      <DataTable label={label} rows={rows} columns={columns} rowKey={rowKey} />
      {rows && (
        <div className={style.foot}>
          <span role="status">{say.shown(formats.number(rows.length))}</span>
          {query.isFetchNextPageError && <Failed error={query.error} />}
          {query.hasNextPage && (
            <Button
              variant="default"
              size="xs"
              loading={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {say.loadMore}
            </Button>
          )}
        </div>
      )}
    </>
  )
}
