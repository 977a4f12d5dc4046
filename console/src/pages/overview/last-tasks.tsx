import type { TaskSummary } from '@carillon/protocol/task-answers.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { Badge, StateBadge } from '../../parts/badges.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Failed } from '../../parts/failed.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { overviewWords } from '../overview.words.ts'
import style from './overview.module.css'

const SHOWN = 6
const REFRESH_MS = 3_000

/** What was sent last. */
export const LastTasks = () => {
  const say = useWords(overviewWords)
  const { formats } = useLanguage()
  const { ask } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: keys.lastTasks,
    queryFn: () => ask<TaskSummary[]>('/push/task/list', { query: { limit: SHOWN } }),
    refetchInterval: REFRESH_MS,
  })
  const columns: Column<TaskSummary>[] = [
    {
      title: say.task,
      cell: ({ task_id, title, dry_run }) => (
        <>
          <Link to="/tasks/$taskId" params={{ taskId: task_id }} className={style.title}>
            {title ?? say.taskNumber(task_id)}
          </Link>{' '}
          {dry_run && <Badge>{say.dryRun}</Badge>}
        </>
      ),
    },
    { title: say.state, cell: ({ state }) => <StateBadge state={state} /> },
    { title: say.when, cell: ({ accepted_at }) => <TimeAgo at={accepted_at} />, wide: true },
    ...(['target', 'sent', 'received'] as const).map((part) => ({
      title: say[part],
      align: 'end' as const,
      wide: true,
      cell: ({ sums }: TaskSummary) => (sums ? formats.number(sums[part]) : '–'),
    })),
  ]
  return (
    <Panel title={say.lastTasks} aside={<Link to="/tasks">{say.allTasks}</Link>} flush={!error || data !== undefined}>
      {error && !data && <Failed error={error} again={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty title={say.noTasks} action={<Link to="/compose">{say.compose}</Link>}>
          {say.nothingSentText}
        </Empty>
      )}
      {!error && data?.length !== 0 && (
        <DataTable label={say.lastTasks} rows={data} columns={columns} rowKey={({ task_id }) => task_id} />
      )}
    </Panel>
  )
}
