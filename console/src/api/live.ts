import type { Overview } from '@carillon/protocol/console-answers.ts'
import type { TaskDescription } from '@carillon/protocol/task-answers.ts'
import { CarillonError, envelopeOf } from '@carillon/sdk/call.ts'
import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { readEvents } from './events.ts'
import { keys } from './keys.ts'
import { leaveOn, useSession } from './session.tsx'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000
const REFRESH_MS = 30_000

/** What a live page hears of a task. */
export type LiveTask = Pick<TaskDescription, 'task_id' | 'state' | 'counters' | 'waiting' | 'reasons' | 'fates'>

/** The newest figures there are: asked for now and then, told by the second while a page is live. */
export const useOverview = () => {
  const { ask } = useSession()
  return useQuery({
    queryKey: keys.overview,
    queryFn: () => ask<Overview>('/app/overview'),
    refetchInterval: REFRESH_MS,
  })
}

/** The live figures of one task; nothing until they have come once. */
export const useLiveTask = (taskId: number): LiveTask | undefined =>
  useQuery<LiveTask>({ queryKey: keys.liveTask(taskId), queryFn: skipToken }).data

/**
 * Listens while the page is looked at, and puts what it hears where useOverview and useLiveTask find it. Returns
 * whether it hears anything.
 */
export const useLive = (taskId?: number): boolean => {
  const queries = useQueryClient()
  const { session } = useSession()
  const [hears, setHears] = useState(false)
  const looked = useDocumentVisibility() !== 'hidden'
  useEffect(() => {
    if (!looked) return
    const stop = new AbortController()
    void listen({ queries, appId: session.app_id, taskId, signal: stop.signal, setHears })
    return () => stop.abort()
  }, [queries, session.app_id, taskId, looked])
  return hears
}

interface Listening {
  queries: QueryClient
  appId: string
  taskId: number | undefined
  signal: AbortSignal
  setHears(hears: boolean): void
}

const listen = async (listening: Listening): Promise<void> => {
  const { queries, signal, setHears } = listening
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      await hear(listening, () => (pauseMs = FIRST_PAUSE_MS))
    } catch (error) {
      if (!signal.aborted) leaveOn(queries, error)
    }
    if (signal.aborted) return
    setHears(false)
    await pause(pauseMs, signal)
  }
}

const hear = async ({ queries, appId, taskId, signal, setHears }: Listening, begun: () => void): Promise<void> => {
  const path = taskId === undefined ? '/app/live' : `/app/live?task_id=${taskId}`
  const response = await fetch(path, { headers: { 'app-id': encodeHeader(appId) }, signal, cache: 'no-store' })
  if (!response.ok || !response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const { code, message } = envelopeOf(await response.text(), path, response.status)
    throw new CarillonError(code, message ?? '', response.status)
  }
  for await (const { name, data } of readEvents(response.body)) {
    begun()
    setHears(true)
    if (name === 'overview') queries.setQueryData<Overview>(keys.overview, JSON.parse(data) as Overview)
    if (name === 'task' && taskId !== undefined)
      queries.setQueryData(keys.liveTask(taskId), JSON.parse(data) as LiveTask)
  }
}

/** Headers are bytes, one a character; the server reads them as UTF-8. */
const encodeHeader = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

/** Ends early when the network is back, or when nobody waits any more. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      window.removeEventListener('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    window.addEventListener('online', done)
    signal.addEventListener('abort', done)
  })
