import { hashToken } from '@carillon/server/access/token.ts'
import { systemClock } from '@carillon/server/clock.ts'
import { describeTask, traceTask } from '@carillon/server/push/look.ts'
import { type TaskRow, type Viewer, visibleTask } from '@carillon/server/store/tasks.ts'
import { deviceInScope } from '@carillon/server/store/trace.ts'
import { type Call, type Command, Failed, appNamed, wholeNumber } from './command.ts'
import { counterTable } from './watch.ts'

const find = async (call: Call): Promise<{ viewer: Viewer; task: TaskRow }> => {
  const [appId, taskId] = call.positionals
  const app = await appNamed(call, appId!)
  const viewer: Viewer = { app: app.id, scopeKind: 'app', scopeId: 0 }
  const task = await call.store.read(visibleTask, { viewer, id: wholeNumber(taskId!, 'TASK_ID') })
  if (!task) throw new Failed(`app ${app.app_id} has no task ${taskId}`)
  return { viewer, task }
}

const time = (at: number | null): string => (at === null ? ''.padEnd(24) : new Date(at).toISOString())

export const taskCommands: Command[] = [
  {
    name: 'task',
    usage: 'task APP_ID TASK_ID',
    help: 'What became of a task: its state, the counters of every channel, and how many deliveries ended how.',
    examples: ['carillon task shop 17', 'carillon task shop 17 --json'],
    takes: 2,
    run: async (call) => {
      const { viewer, task } = await find(call)
      const told = await describeTask(call.store, viewer, task, systemClock.now())
      const lines = [
        `task ${told.task_id}: ${told.state}, accepted ${time(told.accepted_at)}, expires ${time(told.expires_at)}`,
        ...counterTable(told.counters!),
        ...Object.entries(told.reasons).map(([reason, count]) => `${String(count).padStart(10)}  ${reason}`),
      ]
      call.print(told, lines.join('\n'))
    },
  },
  {
    name: 'trace',
    usage: 'trace APP_ID TASK_ID PUSH_TOKEN',
    help: 'Why did this device get it, or not? Every step of one delivery, in words.',
    examples: ['carillon trace shop 17 cp_…   # the push token is in /user/device/list'],
    takes: 3,
    run: async (call) => {
      const { viewer, task } = await find(call)
      const deviceId = await call.store.read(deviceInScope, { ...viewer, pushTokenHash: hashToken(call.positionals[2]!) })
      if (deviceId === undefined) throw new Failed('there is no device with this push token in the app')
      const steps = await traceTask(call.store, task, deviceId)
      call.print({ task_id: task.id, state: task.state, steps }, steps.map(({ at, text }) => `${time(at)}  ${text}`).join('\n'))
    },
  },
]
