import type { Api } from './api.ts'
import type { Crowd } from './crowd.ts'

/** A notification as its sender remembers it. The title is its own, so that whatever arrives can be led back to it. */
export interface Notice {
  title: string
  audience: unknown
  setting: { request_id?: string }
  /** Who is meant, by the place in the crowd. */
  meant: ReadonlySet<number>
  /** Set by the answer. */
  taskId?: number
}

export interface Balance {
  tasks: number
  /** What should have arrived. */
  deliveries: number
  /** What did, repetitions included. */
  arrivals: number
  /** Where what is counted, what was promised and what arrived differ. */
  complaints: string[]
}

interface Task {
  task_id: number
  state: string
  title: string
  request_id: string | undefined
}

const PAGE = 500

/** Holds what is stored and counted against what clients were answered and what devices got. */
export const balanceOf = async (api: Api, crowd: Crowd, notices: readonly Notice[], origins: Origins): Promise<Balance> => {
  const complaints: string[] = []
  const told = new Map(notices.map((notice) => [notice.title, notice]))
  const tasks = await storedTasks(api, origins)
  const stored = new Map(tasks.map((task) => [task.task_id, task]))

  for (const { taskId, title } of notices) {
    if (taskId === undefined || stored.get(taskId)?.title === title) continue
    complaints.push(`${title} was answered with task ${taskId}, which is not stored`)
  }
  const requests = new Map<string, number>()
  for (const { task_id, request_id } of tasks) {
    if (request_id === undefined) continue
    const other = requests.get(request_id)
    if (other !== undefined) complaints.push(`${request_id} made task ${other} and task ${task_id}`)
    requests.set(request_id, task_id)
  }

  const got = new Map<number, Set<number>>(tasks.map(({ task_id }) => [task_id, new Set()]))
  let arrivals = 0
  crowd.members.forEach(({ device }, place) => {
    for (const { task_id, title } of device.received) {
      arrivals++
      got.get(task_id)?.add(place)
      if (stored.get(task_id)?.title === title) continue
      complaints.push(`device ${place} got "${title}" as task ${task_id}, which is not stored so`)
    }
  })

  const counters = await allCounters(api, tasks)
  let deliveries = 0
  for (const { task_id, state, title } of tasks) {
    const meant = told.get(title)?.meant ?? new Set<number>()
    const arrived = got.get(task_id)!
    deliveries += meant.size
    if (state !== 'done') complaints.push(`task ${task_id} is ${state}`)
    for (const place of meant.difference(arrived)) complaints.push(`device ${place} did not get task ${task_id}`)
    for (const place of arrived.difference(meant)) complaints.push(`device ${place} got task ${task_id} of others`)
    const { task_id: _, nativepush_target: target, nativepush_sent: sent, ...rest } = counters.get(task_id)!
    const { nativepush_received: received, ...vendors } = rest
    const right = target === meant.size && received === arrived.size && sent! >= received! && target >= sent!
    const counts = `task ${task_id} counts ${target}, ${sent}, ${received}`
    if (!right) complaints.push(`${counts}; ${meant.size} were meant and ${arrived.size} reached`)
    for (const [name, count] of Object.entries(vendors)) {
      if (count !== 0) complaints.push(`${counts}, and ${name} ${count}`)
    }
  }
  return { tasks: tasks.length, deliveries, arrivals, complaints }
}

/** What a task was made from: it never changes, so it is read once. */
export type Origins = Map<number, { title: string; request_id: string | undefined }>

const READS_AT_ONCE = 8

/** Every task of the app, as the admin can read them. */
const storedTasks = async (api: Api, origins: Origins): Promise<Task[]> => {
  const token = api.admin
  const rows: { task_id: number; state: string }[] = []
  for (let before = Number.MAX_SAFE_INTEGER; before > 0; before = rows.at(-1)!.task_id) {
    const page: typeof rows = await api.ok(`/push/task/list?limit=${PAGE}&before=${before}`, { token })
    rows.push(...page)
    if (page.length < PAGE) break
  }
  const unread = rows.filter(({ task_id }) => !origins.has(task_id)).values()
  const read = async (): Promise<void> => {
    for (const { task_id } of unread) {
      const { message, setting } = await api.ok(`/push/task/${task_id}`, { token })
      origins.set(task_id, { title: message.title, request_id: setting.request_id })
    }
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, read))
  return rows.map(({ task_id, state }) => ({ task_id, state, ...origins.get(task_id)! }))
}

type Counters = Record<string, number>

const allCounters = async (api: Api, tasks: readonly Task[]): Promise<Map<number, Counters>> => {
  const counters = new Map<number, Counters>()
  for (let at = 0; at < tasks.length; at += PAGE) {
    const list = tasks.slice(at, at + PAGE).map(({ task_id }) => task_id)
    const rows: Counters[] = await api.ok('/push/task/detail', { token: api.admin, body: { list } })
    for (const row of rows) counters.set(row.task_id!, row)
  }
  return counters
}
