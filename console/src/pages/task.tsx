import { Button, Skeleton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { TaskDescription } from '@carillon/protocol/task-answers.ts'
import { keys } from '../api/keys.ts'
import { useLive, useLiveTask } from '../api/live.ts'
import { useSession } from '../api/session.tsx'
import { Page } from '../frame/page.tsx'
import { Badge, StateBadge } from '../parts/badges.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Failed } from '../parts/failed.tsx'
import { Icon } from '../parts/icon.tsx'
import { toastDone } from '../parts/toasts.ts'
import { useWords } from '../words/language.tsx'
import { Content } from './task/content.tsx'
import { Facts } from './task/facts.tsx'
import { Figures } from './task/figures.tsx'
import { Trace } from './task/trace.tsx'
import { tasksWords } from './tasks.words.ts'

const route = getRouteApi('/tasks/$taskId')

/** One task: what was sent, and what became of it, as it happens. */
export const TaskPage = () => {
  const say = useWords(tasksWords)
  const { ask } = useSession()
  const { taskId } = route.useParams()
  const hears = useLive(taskId)
  const live = useLiveTask(taskId)
  const { data, error, refetch } = useQuery({ queryKey: keys.task(taskId), queryFn: () => ask<TaskDescription>(`/push/task/${taskId}`) })
  const task = data && { ...data, ...live }
  const back = (
    <Link to="/tasks">
      <Icon name="back" size={14} /> {say.back}
    </Link>
  )
  return (
    <Page
      before={back}
      title={titleOf(task) ?? say.number(String(taskId))}
      lead={
        task && (
          <>
            <StateBadge state={task.state} /> {task.dry_run && <Badge>{say.dryRun}</Badge>}{' '}
            {hears && (
              <Badge tone="good" dot>
                {say.live}
              </Badge>
            )}
          </>
        )
      }
      actions={task && <Actions task={task} />}
    >
      {error && !task && <Failed error={error} again={() => void refetch()} />}
      {!error && !task && <Skeleton height={420} radius={12} />}
      {task && (
        <>
          <Facts task={task} />
          <Figures task={task} />
          <Trace taskId={taskId} />
          <Content task={task} />
        </>
      )}
    </Page>
  )
}

const titleOf = (task: TaskDescription | undefined): string | undefined => {
  const message = task?.message as { title?: string; body?: string } | null | undefined
  return message?.title ?? message?.body
}

const Actions = ({ task: { task_id, state } }: { task: TaskDescription }) => {
  const say = useWords(tasksWords)
  const { caller } = useSession()
  const queries = useQueryClient()
  const [asks, question] = useDisclosure(false)
  const cancelling = useMutation({
    mutationFn: () => caller.cancel(task_id),
    onSuccess: async () => {
      question.close()
      toastDone(say.cancelled)
      queries.removeQueries({ queryKey: keys.liveTask(task_id) })
      await queries.invalidateQueries({ queryKey: keys.task(task_id) })
    },
  })
  const isOpen = state === 'accepted' || state === 'planning' || state === 'sending'
  return (
    <>
      {isOpen && (
        <Button variant="default" onClick={question.open}>
          {say.cancel}
        </Button>
      )}
      <Button variant="default" renderRoot={(props) => <Link to="/compose" search={{ task: task_id }} {...props} />}>
        {say.again}
      </Button>
      <ConfirmDialog opened={asks} title={say.cancelTitle} action={say.cancel} pending={cancelling.isPending} onConfirm={() => cancelling.mutate()} onClose={question.close}>
        {say.cancelText}
      </ConfirmDialog>
    </>
  )
}
