import { type AudienceQuestion, nextCandidate, readWindow } from '../store/audience.ts'
import { endPlanning, claimTask, writePage } from '../store/tasks.ts'
import { plannedDevices, plannedPages, transitions } from '../metrics.ts'
import { batchesOf } from './page.ts'
import type { Path } from './path.ts'
import { roadsFor } from './roads.ts'
import { type Task, placeOfTask, taskOf } from './task.ts'

const PAGE = 1_000
const WIDEST = 4_000_000
// In a group's scope every device of the window is looked at, whoever owns it: so a window is one moment's work.
const WIDEST_OF_GROUP = 20_000

/**
 * Plans one due task: walks device ids in ascending windows whose width follows how many of them are meant. Ids only
 * rise, so nothing is planned twice whatever changes meanwhile. False when no task was due.
 */
export const planNext = async (path: Path, inboxLimitOf: (app: number) => Promise<number>): Promise<boolean> => {
  const { store, clock } = path
  const { node } = path.planning
  const row = await store.write(claimTask, { node, now: clock.now() })
  if (!row) return false
  if (row.plan_cursor === 0) transitions.planning.value += 1
  const task = taskOf(row, await inboxLimitOf(row.app))
  const question: AudienceQuestion = { app: task.app, scopeKind: task.scopeKind, scopeId: task.scopeId, audience: task.audience }
  let from = row.plan_cursor
  let width = PAGE
  for (;;) {
    const next = await store.read(nextCandidate, { question, from })
    if (next === undefined) break
    const page = await readPage(path, question, next, width)
    width = page.width
    if (!(await planPage(path, task, from, page.to, page.devices))) return true
    from = page.to
    await new Promise(setImmediate) // pages are many; what else this node does goes on between them
  }
  const { sending, finished } = await store.write(endPlanning, { taskId: task.id, node, now: clock.now() })
  transitions.sending.value += sending
  transitions.done.value += finished
  return true
}

type Devices = NonNullable<Awaited<ReturnType<typeof readWindow>>>

/** A window that starts at the next device meant: halved while it holds more than a page, doubled when nearly empty. */
const readPage = async (path: Path, question: AudienceQuestion, next: number, width: number): Promise<{ devices: Devices; to: number; width: number }> => {
  for (;;) {
    const to = next - 1 + width
    const devices = await path.store.read(readWindow, { question, from: next - 1, to, most: PAGE })
    if (devices) return { devices, to, width: devices.length < PAGE / 2 ? Math.min(width * 2, question.scopeKind === 'group' ? WIDEST_OF_GROUP : WIDEST) : width }
    width = Math.max(1, Math.floor(width / 2))
  }
}

/** False when the task is no longer ours to plan. */
const planPage = async (path: Path, task: Task, from: number, to: number, devices: Devices): Promise<boolean> => {
  const { store, clock } = path
  const { roads, tokens } = await roadsFor(store, path.vendors, task, devices)
  const now = clock.now()
  const batches = batchesOf(task, to, devices, tokens, { ...path.planning, roads, now })
  const { badge, urgent, inboxLimit } = placeOfTask(task)
  const written = await store.write(writePage, { taskId: task.id, node: path.planning.node, from, to, badge, urgent, inboxLimit, batches, now })
  if (!written) return false
  plannedPages.value += 1
  plannedDevices.value += devices.length
  path.onWritten(task, batches, written)
  return true
}
