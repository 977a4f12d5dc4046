import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { endOfSession, mayPass } from './failure.ts'
import { leaveOn } from './session.tsx'

declare module '@tanstack/react-query' {
  interface Register {
    /** quiet: whoever asked shows what went wrong itself; no toast beside it. */
    mutationMeta: { quiet?: boolean }
  }
}

const TRIES = 3

/** What the page knows of the server. `tell` shows what a change failed with, where nobody else does. */
export const makeQueries = (tell: (error: unknown) => void): QueryClient => {
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => leaveOn(queries, error) }),
    mutationCache: new MutationCache({
      onError: (error, _asked, _result, mutation) => {
        leaveOn(queries, error)
        if (!mutation.meta?.quiet && !endOfSession(error)) tell(error)
      },
    }),
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (failures, error) => failures < TRIES && mayPass(error) },
      // A call that changes something is asked again by a person, not by a page.
      mutations: { retry: false },
    },
  })
  return queries
}
