import { CounterList, TaskDescription, TaskEnd, TaskSeries, TaskSummaries, TaskTrace } from '@carillon/protocol/task-answers.ts'
import { TaskDetail, TaskList, TaskRef, TraceQuery } from '@carillon/protocol/bodies.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import { refusalSentences } from '@carillon/protocol/sentences/refusals.ts'
import type { Clock } from '../clock.ts'
import { describeTask, pageOfTasks, readCounters, traceTask } from '../push/look.ts'
import { seriesOf } from '../push/series.ts'
import { transitions } from '../metrics.ts'
import { cancelTask } from '../store/endings.ts'
import type { Scope } from '../store/scope.ts'
import type { Store } from '../store/store.ts'
import { type TaskRow, type Viewer, visibleTask } from '../store/tasks.ts'
import { counters, some, taskSummary } from './examples.ts'
import { type Route, route } from './route.ts'

export interface TaskParts {
  store: Store
  clock: Clock
  /** The device behind a push token, if the caller's scope reaches it. */
  deviceOf(scope: Scope, pushToken: string): Promise<number | undefined>
}

/** Who looks: what a call sees of tasks. */
export const viewerOf = ({ app, kind, id }: Scope): Viewer => ({ app: app.id, scopeKind: kind, scopeId: id })

export const taskRoutes = ({ store, clock, deviceOf }: TaskParts): Route[] => {
  const find = async (scope: Scope, id: number | bigint): Promise<TaskRow> => {
    const task = typeof id === 'number' ? await store.read(visibleTask, { viewer: viewerOf(scope), id }) : undefined
    if (!task) throw new Refused('notFound', refusalSentences.no_task())
    return task
  }

  return [
    route({
      method: 'POST',
      path: '/push/task/detail',
      who: 'any',
      noun: 'tasks',
      summary: 'Statistics of tasks: per channel how many were targeted, sent and received.',
      body: TaskDetail,
      answer: CounterList,
      example: { body: { list: [some.task_id] }, answer: [counters] },
      handle: ({ scope, body }) => readCounters(store, viewerOf(scope), body.list.filter((id) => typeof id === 'number')),
    }),
    route({
      method: 'POST',
      path: '/push/task/cancel',
      who: 'any',
      noun: 'tasks',
      summary: 'Stops a task: what is not yet handed over is not sent.',
      body: TaskRef,
      answer: TaskEnd,
      refuses: ['notFound'],
      example: { body: { task_id: some.task_id }, answer: { task_id: some.task_id, state: 'cancelled' } },
      handle: async ({ scope, body }) => {
        const { id } = await find(scope, body.task_id)
        let part: { more: boolean; cancelled: number }
        do {
          part = await store.write(cancelTask, { taskId: id, now: clock.now() })
          transitions.cancelled.value += part.cancelled
        } while (part.more)
        const { state } = await find(scope, id)
        return { task_id: id, state }
      },
    }),
    route({
      method: 'GET',
      path: '/push/task/list',
      who: 'admin',
      noun: 'tasks',
      summary: 'Tasks of the app, newest first, paged by id; all of them, or what filters leave.',
      query: TaskList,
      answer: TaskSummaries,
      example: {
        query: { limit: 50 },
        answer: [{ ...taskSummary, title: 'Hello', audience_kind: 'user_id', sums: { target: 2, sent: 2, received: 1 } }],
      },
      handle: async ({ app, query: { before, limit, state = null, audience_kind = null, from = null, to = null, request_id = null } }) => {
        const newest = typeof before === 'number' ? before : Number.MAX_SAFE_INTEGER
        return pageOfTasks(store, { app: app.id, before: newest, limit, state, audienceKind: audience_kind, from, to, requestId: request_id })
      },
    }),
    route({
      method: 'GET',
      path: '/push/task/:task_id',
      who: 'any',
      noun: 'tasks',
      summary: 'One task: message, audience, state, times, counts by reason.',
      params: TaskRef,
      answer: TaskDescription,
      refuses: ['notFound'],
      example: {
        params: { task_id: some.task_id },
        answer: {
          ...taskSummary,
          audience: { user_id: [some.user_id] },
          setting: { time_to_live: 3600 },
          message: { title: 'Hello', body: 'there', ext: { order: 7 } },
          counters,
          waiting: 1,
          reasons: { 'nativepush: received': 1, 'nativepush: waiting': 1 },
          fates: [
            { channel: 'nativepush', state: 'received', deliveries: 1 },
            { channel: 'nativepush', state: 'waiting', deliveries: 1 },
          ],
        },
      },
      handle: async ({ scope, params }) => describeTask(store, viewerOf(scope), await find(scope, params.task_id), clock.now()),
    }),
    route({
      method: 'GET',
      path: '/push/task/:task_id/series',
      who: 'any',
      noun: 'tasks',
      summary:
        'When pushes of a task were handed over and received, channel by channel: at most 200 points, each of what happened ' +
        'from its time on. Receipts that trickle in count at the beginning of their run.',
      params: TaskRef,
      answer: TaskSeries,
      refuses: ['notFound'],
      example: {
        params: { task_id: some.task_id },
        answer: [{ at: some.at, channel: 'nativepush', sent: 2, received: 1 }],
      },
      handle: async ({ scope, params }) => seriesOf(store, (await find(scope, params.task_id)).id),
    }),
    route({
      method: 'GET',
      path: '/push/task/:task_id/trace',
      who: 'any',
      noun: 'tasks',
      summary: 'Every step of one delivery, in words.',
      params: TaskRef,
      query: TraceQuery,
      answer: TaskTrace,
      refuses: ['notFound'],
      example: {
        params: { task_id: some.task_id },
        query: { push_token: some.push_token },
        answer: {
          task_id: some.task_id,
          state: 'done',
          steps: [
            { at: some.at, what: 'accepted', text: 'the task was accepted' },
            { at: null, what: 'chosen', channel: 'nativepush', text: 'nativepush was chosen' },
            { at: some.at + 20, what: 'sent', channel: 'nativepush', text: 'nativepush: handed over' },
            { at: some.at + 180, what: 'received', channel: 'nativepush', text: 'nativepush: acknowledged' },
          ],
        },
      },
      handle: async ({ scope, params, query }) => {
        const task = await find(scope, params.task_id)
        const deviceId = await deviceOf(scope, query.push_token)
        if (deviceId === undefined) throw new Refused('notFound', refusalSentences.no_device())
        return { task_id: task.id, state: task.state, steps: await traceTask(store, task, deviceId) }
      },
    }),
  ]
}
