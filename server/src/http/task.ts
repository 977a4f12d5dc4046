import { Type } from 'typebox'
import { TaskDetail, TaskRef } from '@carillon/protocol/bodies.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import { taskStates } from '@carillon/protocol/names.ts'
import { Default, Int, Int64, OneOf, Text } from '@carillon/protocol/types.ts'
import type { Clock } from '../clock.ts'
import { describeTask, readCounters, summaryOf, traceTask } from '../push/look.ts'
import { cancelTask } from '../store/endings.ts'
import type { Scope } from '../store/scope.ts'
import type { Store } from '../store/store.ts'
import { type TaskRow, type Viewer, listTasks, visibleTask } from '../store/tasks.ts'
import { type Route, route } from './route.ts'

export interface TaskParts {
  store: Store
  clock: Clock
  /** The device behind a push token, if the caller's scope reaches it. */
  deviceOf(scope: Scope, pushToken: string): Promise<number | undefined>
}

const viewerOf = ({ app, kind, id }: Scope): Viewer => ({ app: app.id, scopeKind: kind, scopeId: id })

const TaskParams = Type.Object({ task_id: Int64() })
const TaskList = Type.Object({
  before: Type.Optional(Int64()),
  limit: Default(Int(1, 500), 50),
  state: Type.Optional(OneOf(taskStates)),
})

export const taskRoutes = ({ store, clock, deviceOf }: TaskParts): Route[] => {
  const find = async (scope: Scope, id: number | bigint): Promise<TaskRow> => {
    const task = typeof id === 'number' ? await store.read(visibleTask, { viewer: viewerOf(scope), id }) : undefined
    if (!task) throw new Refused('notFound', 'no such task')
    return task
  }

  return [
    route({
      method: 'POST',
      path: '/push/task/detail',
      who: 'any',
      summary: 'Statistics of tasks: per channel how many were targeted, sent and received.',
      body: TaskDetail,
      handle: ({ scope, body }) => readCounters(store, viewerOf(scope), body.list.filter((id) => typeof id === 'number')),
    }),
    route({
      method: 'POST',
      path: '/push/task/cancel',
      who: 'any',
      summary: 'Stops a task: what is not yet handed over is not sent.',
      body: TaskRef,
      handle: async ({ scope, body }) => {
        const { id } = await find(scope, body.task_id)
        while ((await store.write(cancelTask, { taskId: id, now: clock.now() })).more);
        const { state } = await find(scope, id)
        return { task_id: id, state }
      },
    }),
    route({
      method: 'GET',
      path: '/push/task/list',
      who: 'admin',
      summary: 'Tasks of the app, newest first, paged by id.',
      query: TaskList,
      handle: async ({ scope, query: { before, limit, state = null } }) => {
        const newest = typeof before === 'number' ? before : Number.MAX_SAFE_INTEGER
        return (await store.read(listTasks, { viewer: viewerOf(scope), before: newest, limit, state })).map(summaryOf)
      },
    }),
    route({
      method: 'GET',
      path: '/push/task/:task_id',
      who: 'any',
      summary: 'One task: message, audience, state, times, counts by reason.',
      params: TaskParams,
      handle: async ({ scope, params }) => describeTask(store, viewerOf(scope), await find(scope, params.task_id), clock.now()),
    }),
    route({
      method: 'GET',
      path: '/push/task/:task_id/trace',
      who: 'any',
      summary: 'Every step of one delivery, in words.',
      params: TaskParams,
      query: Type.Object({ push_token: Text(512) }),
      handle: async ({ scope, params, query }) => {
        const task = await find(scope, params.task_id)
        const deviceId = await deviceOf(scope, query.push_token)
        if (deviceId === undefined) throw new Refused('notFound', 'no such device')
        return { task_id: task.id, state: task.state, steps: await traceTask(store, task, deviceId) }
      },
    }),
  ]
}
