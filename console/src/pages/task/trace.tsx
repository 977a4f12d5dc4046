import type { StepName } from '@carillon/protocol/names.ts'
import type { Reason } from '@carillon/protocol/sentences/reasons.ts'
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { ChannelBadge } from '../../parts/badges.tsx'
import { useReason } from '../../parts/failed.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { reasonWords } from '../../parts/reason.words.ts'
import { Moment } from '../../parts/time-ago.tsx'
import { useWords } from '../../words/language.tsx'
import { capitalized, useTold } from '../../words/told.ts'
import { tasksWords } from '../tasks.words.ts'
import { stepWords } from './step.words.ts'
import style from './task.module.css'

const route = getRouteApi('/tasks/$taskId')
const REFRESH_MS = 2_000

type Answer = Extract<Reason, { values: { words: string } }>

const isAnswer = (what: StepName, reason: Reason | undefined): reason is Answer => what === reason?.name

/** What happened on the way to one device, step by step. */
export const Trace = ({ taskId }: { taskId: number }) => {
  const say = useWords(tasksWords)
  const happened = useWords(stepWords)
  const failure = useReason()
  const told = useTold(reasonWords)
  // A step that is called as its reason is has said the kind of answer already.
  const whyOf = (what: StepName, why: string, reason: Reason | undefined): string =>
    isAnswer(what, reason) ? happened.answered(reason.values) : told(reason, why)
  const { caller } = useSession()
  const { device = '' } = route.useSearch()
  const navigate = useNavigate({ from: '/tasks/$taskId' })
  const [typed, setTyped] = useState(device)
  const [isMissing, setMissing] = useState(false)
  const { data, error } = useQuery({
    queryKey: keys.trace(taskId, device),
    queryFn: () => caller.trace(taskId, device),
    enabled: device !== '',
    refetchInterval: REFRESH_MS,
    meta: { quiet: true },
  })
  const ask = (event: FormEvent): void => {
    event.preventDefault()
    setMissing(typed.trim() === '')
    if (typed.trim() !== '') void navigate({ search: { device: typed.trim() }, replace: true })
  }
  return (
    <Panel title={say.trace}>
      <form className={style.ask} onSubmit={ask}>
        <TextInput
          label={say.pushToken}
          description={say.pushTokenHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={typed}
          error={isMissing ? say.isNeeded : undefined}
          spellCheck={false}
          autoComplete="off"
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button type="submit" variant="default" mt={25}>
          {say.ask}
        </Button>
      </form>
      {error && (
        <Notice tone="bad" role="alert">
          {failure(error)}
        </Notice>
      )}
      {data && (
        <ol className={style.steps} aria-label={say.steps}>
          {data.steps.map(({ at, what, channel, why, reason, text }) => (
            <li key={`${at} ${text}`} data-what={what}>
              <span>
                {channel ? <><ChannelBadge channel={channel} /> {happened[what]}</> : capitalized(happened[what])}
                {why && <span className={style.soft}>{happened.because(whyOf(what, why, reason))}</span>}
              </span>
              {at !== null && (
                <small>
                  <Moment at={at} />
                </small>
              )}
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
