import { tallyOf } from '@carillon/protocol/counters.ts'
import { channels } from '@carillon/protocol/names.ts'
import type { Setting } from '@carillon/protocol/notify.ts'
import type { Fate as FateTold, TaskDescription } from '@carillon/protocol/task-answers.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { ChannelBadge } from '../../parts/badges.tsx'
import { Funnel } from '../../parts/chart/funnel.tsx'
import { Fate } from '../../parts/fate.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import { partsWords } from '../../parts/parts.words.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { tasksWords } from '../tasks.words.ts'
import { type SeriesPoint, summed } from './series.ts'
import style from './task.module.css'

const TimeChart = lazy(async () => ({ default: (await import('../../parts/chart/time-chart.tsx')).TimeChart }))

/** Target, sent and received: per channel, over time, and in words where it went otherwise. */
export const Figures = ({ task }: { task: TaskDescription }) => {
  const say = useWords(tasksWords)
  const { counters } = task
  const tallies = Object.fromEntries(channels.map((channel) => [channel, tallyOf(counters, channel)]))
  const nobody = Object.values(tallies).every(({ target }) => target === 0)
  return (
    <>
      <div className={style.halves}>
        <Panel title={say.perChannel}>
          {nobody ? <Empty title={say.nobody}>{say.nobodyText}</Empty> : <Funnel label={say.perChannel} tallies={tallies} />}
        </Panel>
        <Fates fates={task.fates} />
      </div>
      <OverTime task={task} />
    </>
  )
}

const Fates = ({ fates }: { fates: FateTold[] }) => {
  const say = useWords(tasksWords)
  const { formats } = useLanguage()
  const sorted = fates.toSorted((a, b) => b.deliveries - a.deliveries)
  return (
    <Panel title={say.reasons}>
      {sorted.length === 0 ? (
        <p className={style.soft}>{say.noReasons}</p>
      ) : (
        <dl className={style.reasons}>
          {sorted.map(({ channel, state, reason, why, deliveries }) => (
            <div key={`${channel} ${state} ${why}`}>
              <dt>
                {channel && <ChannelBadge channel={channel} />} <Fate state={state} reason={reason} why={why} />
              </dt>
              <dd>{formats.number(deliveries)}</dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  )
}

/** Read again whenever the counters have moved. */
const OverTime = ({ task: { task_id, counters, accepted_at, setting } }: { task: TaskDescription }) => {
  const say = useWords(tasksWords)
  const names = useWords(partsWords)
  const { ask } = useSession()
  const moved = JSON.stringify(counters)
  const { data } = useQuery({
    queryKey: [...keys.task(task_id), 'series', moved],
    queryFn: () => ask<SeriesPoint[]>(`/push/task/${task_id}/series`),
    placeholderData: (before) => before,
  })
  const { send_time = 0 } = (setting ?? {}) as Setting
  const points = summed(Math.max(accepted_at, send_time * 1000), data ?? [])
  return (
    <Panel title={say.overTime}>
      {points.length < 2 ? (
        <p className={style.soft}>{say.noSeries}</p>
      ) : (
        <Suspense fallback={<div className={style.chart} />}>
          <TimeChart label={say.overTime} series={[names.sent, names.received]} points={points} />
        </Suspense>
      )}
    </Panel>
  )
}
