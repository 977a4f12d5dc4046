import type { Count, Preflight } from '@carillon/protocol/notify.ts'
import type { Counted } from '@carillon/protocol/push-answers.ts'
import type { Caller } from '@carillon/sdk/caller.ts'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSession } from '../../api/session.tsx'
import { type Draft, valueOf } from './draft.ts'
import { writeText } from './json-text.ts'
import { audienceOf, messageOf, settingOf } from './request.ts'
import type { Checked } from './seen.ts'
import { useComposing } from './use-draft.ts'

const TYPING_PAUSE_MS = 400

/** One question, as the query client knows it: what reads the same is the same question. */
const questionOf = <Body extends object, Answer>(name: string, body: Body, ask: (body: Body) => Promise<Answer>) => ({
  queryKey: [name, writeText(body)],
  queryFn: () => ask(body),
})

/** Whether there is a pause in the writing: nothing is asked at every letter. */
const useSettled = ([, text]: readonly string[]): boolean => useDebouncedValue(text, TYPING_PAUSE_MS)[0] === text

/** The id is made anew with each request and decides nothing here. */
const settingAsked = (draft: Draft): object => {
  const { request_id: _, ...setting } = settingOf(draft)
  return setting
}

// Which ways there are depends on whether something is shown, not on what: a stand-in spares counting at every word.
const silent = { type: 'cmd', body: '-' }

const countOf = (caller: Caller, draft: Draft) => {
  const isSilent = valueOf(draft, 'message.type') === 'cmd'
  const body = { audience: audienceOf(draft), setting: settingAsked(draft), ...(isSilent && { message: silent }) }
  return questionOf('push count', body as Count, (count) => caller.count(count))
}

/** How many devices the draft reaches by which channel; asked anew when that may have changed. */
export const useCount = () => {
  const { caller } = useSession()
  const draft = useComposing((composing) => composing.draft)
  const canAsk = useComposing(({ problems }) =>
    problems.every(({ path }) => path !== 'audience' && !path.startsWith('setting.')),
  )
  const question = countOf(caller, draft)
  const isSettled = useSettled(question.queryKey)
  const query = useQuery({
    ...question,
    enabled: canAsk && isSettled,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
  const isCurrent = canAsk && isSettled && query.isSuccess && !query.isPlaceholderData
  return { canAsk, count: canAsk ? query.data : undefined, isCurrent, error: canAsk && isSettled ? query.error : null }
}

/** Counts once more, this moment: an audience grows while one writes. Nothing if it cannot be counted. */
export const useCountNow = (): ((draft: Draft) => Promise<Counted | undefined>) => {
  const { caller } = useSession()
  const queries = useQueryClient()
  return (draft) => queries.fetchQuery({ ...countOf(caller, draft), staleTime: 0 }).catch(() => undefined)
}

/** What every channel makes of the message. */
export const useChecked = () => {
  const { caller } = useSession()
  const draft = useComposing((composing) => composing.draft)
  const canAsk = useComposing(({ problems }) => problems.every(({ path }) => path === 'audience'))
  const body: Preflight = { message: messageOf(draft), setting: settingAsked(draft) }
  const { queryKey, queryFn } = questionOf('push preflight', body, (preflight) => caller.preflight(preflight))
  const isSettled = useSettled(queryKey)
  const { data, error, isFetching } = useQuery({
    queryKey,
    queryFn: async (): Promise<Checked> => ({ draft, rows: await queryFn() }),
    enabled: canAsk && isSettled,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    structuralSharing: false,
  })
  return {
    checked: canAsk ? data : undefined,
    isWaiting: canAsk && (!isSettled || isFetching),
    error: canAsk ? error : null,
  }
}
