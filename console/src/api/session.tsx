import type { ConsoleSession } from '@carillon/protocol/console-answers.ts'
import { type Asked, call } from '@carillon/sdk/call.ts'
import { Caller } from '@carillon/sdk/caller.ts'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useMemo } from 'react'
import { disconnectBrowser } from '../device/browser-device.ts'
import { endOfSession } from './failure.ts'
import { keys } from './keys.ts'

/** In, with what the server says of the session; or out, and why if it ended by itself. */
export type Door = { open: true; session: ConsoleSession } | { open: false; why?: 'expired' | 'ended' }

const here = { url: location.origin }

/** The cookie alone says whose session it is: which app, the server answers. */
const find = async (): Promise<Door> => {
  try {
    const session = await call<ConsoleSession | null>({ ...here, appId: '' }, '/console/session')
    return session ? { open: true, session } : { open: false }
  } catch (error) {
    const why = endOfSession(error)
    if (why) return { open: false, why }
    throw error
  }
}

/** Whether somebody is signed in. Asked once; from then on, every refused call may answer it anew. */
export const useDoor = () => useQuery({ queryKey: keys.session, queryFn: find, staleTime: Infinity, gcTime: Infinity })

export const useSignIn = () => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { app_id: string; token: string }) =>
      call<ConsoleSession>({ ...here, appId: body.app_id }, '/console/session', { body }),
    onSuccess: (session) => enter(queries, { open: true, session }),
    meta: { quiet: true },
  })
}

export const useSignOut = () => {
  const queries = useQueryClient()
  const { session } = useSession()
  return useMutation({
    mutationFn: () => call<null>({ ...here, appId: session.app_id }, '/console/session', { method: 'DELETE' }),
    onSuccess: () => enter(queries, { open: false }),
  })
}

/** Called with every error: one that says the session is over leads back to the door. */
export const leaveOn = (queries: QueryClient, error: unknown): void => {
  const why = endOfSession(error)
  const door = queries.getQueryData<Door>(keys.session)
  if (why && door?.open) enter(queries, { open: false, why })
}

/** Nothing that one session has read is left for the next. */
const enter = (queries: QueryClient, door: Door): void => {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] })
  queries.setQueryData<Door>(keys.session, door)
}

type Ask = <D>(path: string, asked?: Asked) => Promise<D>

interface Inside {
  session: ConsoleSession
  /** The API, typed: what the SDK's caller has a method for. */
  caller: Caller
  /** Any other call: resolves to `data`, rejects with a CarillonError. */
  ask: Ask
}

const Within = createContext<Inside | undefined>(undefined)

export const SignedIn = ({ session, children }: { session: ConsoleSession; children: ReactNode }) => {
  const inside = useMemo(() => {
    const place = { ...here, appId: session.app_id }
    return { session, caller: new Caller(place), ask: ((path, asked) => call(place, path, asked)) as Ask }
  }, [session])
  // A device of this session ends with it.
  useEffect(() => disconnectBrowser, [session])
  return <Within value={inside}>{children}</Within>
}

/** Who is signed in, and the ways to call. Only inside a page. */
export const useSession = (): Inside => {
  const inside = use(Within)
  if (!inside) throw new Error('nobody is signed in here')
  return inside
}
