import type { Overview } from '@carillon/protocol/console-answers.ts'
import { Button, Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useLive, useOverview } from '../api/live.ts'
import { Page } from '../frame/page.tsx'
import { Badge } from '../parts/badges.tsx'
import { Funnel } from '../parts/chart/funnel.tsx'
import { TimeChart } from '../parts/chart/time-chart.tsx'
import { Failed } from '../parts/failed.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Panel, Stat, Stats } from '../parts/panel.tsx'
import { useLanguage, useWords } from '../words/language.tsx'
import { Alarms } from './overview/alarms.tsx'
import { Begin } from './overview/begin.tsx'
import { Lanes } from './overview/lanes.tsx'
import { LastTasks } from './overview/last-tasks.tsx'
import style from './overview/overview.module.css'
import { overviewWords } from './overview.words.ts'

/** The server counts what waits no further. */
const COUNTED = 2_000

/** How things stand, by the second. */
export const OverviewPage = () => {
  const say = useWords(overviewWords)
  const { formats } = useLanguage()
  const hears = useLive()
  const { data, error, refetch } = useOverview()
  const compose = (
    <Button component={Link} to="/compose" leftSection={<Icon name="compose" size={16} />}>
      {say.compose}
    </Button>
  )
  const lead = (
    <>
      <Badge tone={hears ? 'good' : 'plain'} dot>
        {hears ? say.live : say.connecting}
      </Badge>{' '}
      {data && say.asOf(formats.time(data.at))}
    </>
  )
  return (
    <Page title={say.title} lead={lead} actions={compose}>
      {!data && error && <Failed error={error} again={() => void refetch()} />}
      {!data && !error && <Skeleton height={420} radius={12} />}
      {data && <Figures overview={data} />}
    </Page>
  )
}

const Figures = ({ overview }: { overview: Overview }) => {
  const say = useWords(overviewWords)
  const { formats } = useLanguage()
  const { per_minute, funnel, queue } = overview
  const waiting = (count: number) => formats.number(count) + (count < COUNTED ? '' : '+')
  const tasks = per_minute.reduce((sum, { accepted }) => sum + accepted, 0)
  const quiet = !Object.values(funnel).some(({ target }) => target > 0)
  return (
    <>
      <Alarms alarms={overview.alarms} />
      {overview.devices === 0 && <Begin />}
      <Stats>
        <Stat
          label={say.pushes}
          value={formats.number(overview.pushes_per_minute)}
          note={say.pushesNote(tasks, formats.number(tasks))}
        />
        <Stat
          label={say.online}
          value={formats.number(overview.devices_online)}
          note={say.ofDevices(formats.number(overview.devices))}
        />
        <Stat label={say.users} value={formats.number(overview.users)} />
        <Stat
          label={say.queue}
          value={waiting(queue.batches)}
          note={say.queueNote(queue.tasks, waiting(queue.tasks))}
        />
        <Stat label={say.events} value={waiting(queue.events)} note={say.eventsNote} />
      </Stats>
      <Panel title={say.lastHour} aside={<span className={style.soft}>{say.perMinute}</span>}>
        <TimeChart
          label={`${say.lastHour}, ${say.perMinute}`}
          series={[say.sent, say.received]}
          points={drawn(per_minute).map(({ at, sent, received }) => ({ at, values: [sent, received] }))}
        />
      </Panel>
      <div className={style.halves}>
        <Panel title={say.funnel} aside={<span className={style.soft}>{say.funnelLead}</span>}>
          {quiet ? (
            <Empty title={say.nothingSent}>{say.nothingSentText}</Empty>
          ) : (
            <Funnel label={say.funnel} tallies={funnel} />
          )}
        </Panel>
        <Lanes lanes={overview.lanes} />
      </div>
      <LastTasks />
    </>
  )
}

/** The last minute is under way: until it has caught up with the one before, it would look like a fall. */
const drawn = (minutes: Overview['per_minute']): Overview['per_minute'] => {
  const [before, last] = minutes.slice(-2)
  return before && last && last.sent < before.sent ? minutes.slice(0, -1) : minutes
}
