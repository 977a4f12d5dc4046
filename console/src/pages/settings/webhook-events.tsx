import type { ListedEvent } from '@carillon/sdk/answers.ts'
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { keys } from '../../api/keys.ts'
import { pageBefore, usePages } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { Badge } from '../../parts/badges.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import { Moment } from '../../parts/time-ago.tsx'
import { toastDone } from '../../parts/toasts.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { useTold } from '../../words/told.ts'
import { settingsWords } from '../settings.words.ts'
import { answerWords } from './answer.words.ts'

const LIMIT = 50
const REPLAYED_AT_ONCE = 500

const isGivenUp = ({ delivered_at, due_at }: ListedEvent): boolean => delivered_at === null && due_at === null

/** What was told, and what the listener said to it. */
export const WebhookEvents = () => {
  const say = useWords(settingsWords)
  const met = useTold(answerWords)
  const { formats } = useLanguage()
  const { caller } = useSession()
  const queries = useQueryClient()
  const query = usePages(keys.events, async (before: number | undefined) =>
    pageBefore(await caller.events({ before, limit: LIMIT }), LIMIT, ({ id }) => id),
  )
  const replaying = useMutation({
    mutationFn: (ids: number[]) => caller.replayEvents(ids.slice(0, REPLAYED_AT_ONCE)),
    onSuccess: ({ replayed }) => {
      toastDone(say.replayed(formats.number(replayed)))
      return queries.invalidateQueries({ queryKey: keys.events })
    },
  })
  const givenUp = query.data?.pages.flatMap(({ list }) => list).filter(isGivenUp) ?? []
  const replayAll = givenUp.length > 0 && (
    <Button variant="default" size="xs" loading={replaying.isPending} onClick={() => replaying.mutate(givenUp.map(({ id }) => id))}>
      {say.replayFailed}
    </Button>
  )
  return (
    <Panel title={say.events} aside={replayAll} flush>
      <PagedTable
        label={say.events}
        query={query}
        rowKey={({ id }) => id}
        empty={<Empty title={say.noEvents}>{say.noEventsText}</Empty>}
        columns={[
          { title: say.when, cell: ({ at }) => <Moment at={at} /> },
          { title: say.event, cell: ({ kind }) => <code>{kind}</code> },
          { title: say.state, cell: (event) => <State event={event} /> },
          { title: say.attempts, align: 'end', wide: true, cell: ({ attempt }) => formats.number(attempt) },
          { title: say.answer, wide: true, cell: ({ answer, told }) => answer && met(told, answer) },
          {
            title: say.action,
            align: 'end',
            cell: ({ id }) => (
              <Button variant="subtle" size="xs" aria-label={say.replayThis(String(id))} onClick={() => replaying.mutate([id])}>
                {say.replay}
              </Button>
            ),
          },
        ]}
      />
    </Panel>
  )
}

const State = ({ event }: { event: ListedEvent }) => {
  const say = useWords(settingsWords)
  if (event.delivered_at !== null) return <Badge tone="good">{say.taken}</Badge>
  return isGivenUp(event) ? <Badge tone="bad">{say.givenUp}</Badge> : <Badge tone="cool">{say.waits}</Badge>
}
