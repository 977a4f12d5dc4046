import { setTimeout as pause } from 'node:timers/promises'
import type { WriteStream } from 'node:tty'
import type { Counters } from '@carillon/protocol/counters.ts'
import { type TaskState, channels } from '@carillon/protocol/names.ts'
import { Unreachable, callServer } from './server-call.ts'

const LOOK_MS = 250
const PATIENCE_MS = 30_000 // a server that restarts is back within this

/** What GET /push/task/{task_id} tells, as far as it is shown. */
export interface WatchedTask {
  task_id: number
  state: TaskState
  waiting: number
  counters: Counters
  reasons: Record<string, number>
}

const ended: readonly TaskState[] = ['done', 'cancelled', 'expired']

/** Looks at a task until it has ended: a table drawn in place on a terminal, a line for every change elsewhere. */
export const watchTask = async (
  { url, headers, taskId, out }: {
    url: string
    headers: Record<string, string>
    taskId: number
    /** Where it is shown; undefined: nowhere. */
    out: WriteStream | undefined
  },
): Promise<WatchedTask> => {
  const show = out === undefined ? () => {} : out.isTTY ? drawTable(out) : writeLines(out)
  let heardAt = performance.now()
  for (;;) {
    try {
      const task = (await callServer(url, `/push/task/${taskId}`, { headers })) as WatchedTask
      heardAt = performance.now()
      show(task)
      if (ended.includes(task.state)) return task
    } catch (error) {
      if (!(error instanceof Unreachable) || performance.now() - heardAt > PATIENCE_MS) throw error
    }
    await pause(LOOK_MS)
  }
}

const columns = ['target', 'sent', 'received'] as const
const HEAD = `${'channel'.padEnd(12)}${columns.map((name) => name.padStart(10)).join('')}`

/** The counters of the channels that have any. */
export const counterTable = (counters: Counters): string[] => [
  HEAD,
  ...channels
    .filter((channel) => counters[`${channel}_target`] > 0)
    .map((channel) => {
      const counts = columns.map((name) => String(counters[`${channel}_${name}`]).padStart(10))
      return `${channel.padEnd(12)}${counts.join('')}`
    }),
]

export const finalLines = ({ task_id, state, waiting, counters }: WatchedTask): string[] => [
  `task ${task_id}: ${state}${waiting > 0 ? `, ${waiting} waiting in inboxes` : ''}`,
  ...counterTable(counters),
]

const drawTable = (out: WriteStream) => {
  let height = 0
  return (task: WatchedTask): void => {
    const lines = finalLines(task)
    // Up over what was drawn, then each line anew; what is left of a longer one is wiped.
    out.write(`${height > 0 ? `\x1b[${height}A` : ''}${lines.map((line) => `\r${line}\x1b[K\n`).join('')}\x1b[J`)
    height = lines.length
  }
}

const writeLines = (out: WriteStream) => {
  let last = ''
  return ({ state, waiting, counters }: WatchedTask): void => {
    const told = channels
      .filter((channel) => counters[`${channel}_target`] > 0)
      .map((channel) => `${channel} ${columns.map((name) => counters[`${channel}_${name}`]).join('/')}`)
    const line = [state, ...told, ...(waiting > 0 ? [`${waiting} waiting`] : [])].join('  ')
    if (line !== last) out.write(`${line}\n`)
    last = line
  }
}
