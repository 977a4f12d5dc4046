import type { TaskSummary } from '@carillon/protocol/task-answers.ts'
import { Button } from '@mantine/core'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { keys } from '../api/keys.ts'
import { pageBefore, usePages } from '../api/pages.ts'
import { useSession } from '../api/session.tsx'
import { Page } from '../frame/page.tsx'
import { Badge, StateBadge } from '../parts/badges.tsx'
import { Icon } from '../parts/icon.tsx'
import { PagedTable } from '../parts/paged-table.tsx'
import { Empty, Panel } from '../parts/panel.tsx'
import { TimeAgo } from '../parts/time-ago.tsx'
import { useLanguage, useWords } from '../words/language.tsx'
import type { TaskFilter } from './tasks/filter.ts'
import { TaskFilters } from './tasks/filters.tsx'
import style from './tasks/tasks.module.css'
import { tasksWords } from './tasks.words.ts'

const LIMIT = 50
const route = getRouteApi('/tasks')

/** Everything that was sent. */
export const TasksPage = () => {
  const say = useWords(tasksWords)
  const { formats } = useLanguage()
  const { ask } = useSession()
  const filter = route.useSearch()
  const navigate = useNavigate({ from: '/tasks' })
  const query = usePages(keys.tasks(filter), async (before: number | undefined) =>
    pageBefore(await ask<TaskSummary[]>('/push/task/list', { query: { ...filter, before, limit: LIMIT } }), LIMIT, ({ task_id }) => task_id),
  )
  const compose = (
    <Button component={Link} to="/compose" leftSection={<Icon name="compose" size={16} />}>
      {say.compose}
    </Button>
  )
  return (
    <Page title={say.title} lead={say.lead} actions={compose}>
      <TaskFilters filter={filter} onChange={(search: TaskFilter) => void navigate({ search, replace: true })} />
      <Panel title={say.title} flush>
        <PagedTable
          label={say.title}
          query={query}
          rowKey={({ task_id }) => task_id}
          empty={<Empty title={say.none}>{say.noneText}</Empty>}
          columns={[
            { title: say.task, cell: (task) => <Title task={task} /> },
            { title: say.state, cell: ({ state }) => <StateBadge state={state} /> },
            { title: say.audience, wide: true, cell: ({ audience_kind }) => audience_kind && say[audience_kind] },
            { title: say.reached, cell: ({ sums }) => sums && <Reached {...sums} /> },
            { title: say.when, wide: true, align: 'end', cell: ({ accepted_at }) => <TimeAgo at={accepted_at} /> },
            { title: '№', wide: true, align: 'end', cell: ({ task_id }) => formats.number(task_id) },
          ]}
        />
      </Panel>
    </Page>
  )
}

const Title = ({ task: { task_id, title, dry_run } }: { task: TaskSummary }) => {
  const say = useWords(tasksWords)
  return (
    <>
      <Link to="/tasks/$taskId" params={{ taskId: task_id }} className={style.title}>
        {title ?? say.number(String(task_id))}
      </Link>{' '}
      {dry_run && <Badge>{say.dryRun}</Badge>}
    </>
  )
}

/** How far it came, over all channels: drawn, and in words for those who hear it. */
const Reached = ({ target, sent, received }: { target: number; sent: number; received: number }) => {
  const say = useWords(tasksWords)
  const { formats } = useLanguage()
  const share = (part: number): string => (target === 0 ? '0' : `${(100 * part) / target}%`)
  return (
    <span className={style.reached} title={say.funnel(formats.number(target), formats.number(sent), formats.number(received))}>
      <span className={style.bar} aria-hidden="true">
        <span className={style.sent} style={{ width: share(sent) }} />
        <span className={style.received} style={{ width: share(received) }} />
      </span>
      <span aria-hidden="true">{formats.short(target)}</span>
      <span className="unseen">{say.funnel(formats.number(target), formats.number(sent), formats.number(received))}</span>
    </span>
  )
}
