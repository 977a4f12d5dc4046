import { useInfiniteQuery } from '@tanstack/react-query'
import type { Paged } from '../parts/paged-table.tsx'

/** A list read page after page, by key. `read` gets where to begin: undefined first, then each page's `next`. */
export const usePages = <Row, Cursor>(
  key: readonly unknown[],
  read: (from: Cursor | undefined) => Promise<Paged<Row, Cursor>>,
) =>
  useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam as Cursor | undefined),
    initialPageParam: undefined as Cursor | undefined,
    getNextPageParam: ({ next }: Paged<Row, Cursor>) => next ?? undefined,
  })

/** For calls that answer a bare list and take the last row's id as `before`: a full page may have another behind it. */
export const pageBefore = <Row>(list: Row[], limit: number, idOf: (row: Row) => number): Paged<Row, number> => ({
  list,
  next: list.length < limit ? null : idOf(list.at(-1)!),
})
