import type { Carillon } from './carillon.ts'
import type { Notice } from './crash.ts'
import type { Crowd } from './crowd.ts'

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
export const balanceOf = async (carillon: Carillon, crowd: Crowd, notices: readonly Notice[]): Promise<Balance> => {
  const complaints: string[] = []
  const told = new Map(notices.map((notice) => [notice.title, notice]))
  const tasks = await storedTasks(carillon)
  const stored = new Map(tasks.map((task) => [task.task_id, task]))

  for (const { taskId, title } of notices) {
    if (taskId !== undefined && stored.get(taskId)?.title !== title) complaints.push(`${title} was answered with task ${taskId}, which is not stored`)
  }
  const requests = new Map<string, number>()
  for (const { task_id, request_id } of tasks) {
    if (request_id === undefined) continue
    if (requests.has(request_id)) complaints.push(`${request_id} made task ${requests.get(request_id)} and task ${task_id}`)
    requests.set(request_id, task_id)
  }

  const got = new Map<number, Set<number>>(tasks.map(({ task_id }) => [task_id, new Set()]))
  let arrivals = 0
  crowd.members.forEach(({ device }, place) => {
    for (const { task_id, title } of device.received) {
      arrivals++
      if (stored.get(task_id)?.title !== title) complaints.push(`device ${place} got "${title}" as task ${task_id}, which is not stored so`)
      got.get(task_id)?.add(place)
    }
  })

  const counters = await allCounters(carillon, tasks)
  let deliveries = 0
  for (const { task_id, state, title } of tasks) {
    const meant = told.get(title)?.meant ?? new Set()
    const arrived = got.get(task_id)!
    deliveries += meant.size
    if (state !== 'done') complaints.push(`task ${task_id} is ${state}`)
    for (const place of meant) if (!arrived.has(place)) complaints.push(`device ${place} did not get task ${task_id}`)
    for (const place of arrived) if (!meant.has(place)) complaints.push(`device ${place} got task ${task_id}, which was for others`)
    const { nativepush_target: target, nativepush_sent: sent, nativepush_received: received, ...others } = counters.get(task_id)!
    const right = target === meant.size && received === arrived.size && sent! >= received! && target >= sent!
    if (!right) complaints.push(`task ${task_id} counts ${target}, ${sent}, ${received}; ${meant.size} were meant and ${arrived.size} reached`)
    const other = Object.entries(others).find(([name, count]) => name !== 'task_id' && count !== 0)
    if (other) complaints.push(`task ${task_id} counts ${other[1]} ${other[0]}`)
  }
  return { tasks: tasks.length, deliveries, arrivals, complaints }
}

/** Every task of the app, as the admin can read them. */
const storedTasks = async (carillon: Carillon): Promise<Task[]> => {
  const token = carillon.admin
  const tasks: Task[] = []
  for (let before = Number.MAX_SAFE_INTEGER; ; before = tasks.at(-1)!.task_id) {
    const page: { task_id: number }[] = await carillon.ok(`/push/task/list?limit=${PAGE}&before=${before}`, { token })
    for (const { task_id } of page) {
      const { state, message, setting } = await carillon.ok(`/push/task/${task_id}`, { token })
      tasks.push({ task_id, state, title: message.title, request_id: setting.request_id })
    }
    if (page.length < PAGE) return tasks
  }
}

const allCounters = async (carillon: Carillon, tasks: readonly Task[]): Promise<Map<number, Record<string, number>>> => {
  const counters = new Map<number, Record<string, number>>()
  for (let at = 0; at < tasks.length; at += PAGE) {
    const list = tasks.slice(at, at + PAGE).map(({ task_id }) => task_id)
    const rows: Record<string, number>[] = await carillon.ok('/push/task/detail', { token: carillon.admin, body: { list } })
    for (const row of rows) counters.set(row.task_id!, row)
  }
  return counters
}
