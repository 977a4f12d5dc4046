import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { countPage, transitions } from '../metrics.ts'
import { type AudienceDevice, type AudienceQuestion, nextCandidate, readWindow } from '../store/audience.ts'
import { type TaskPlace, type WrittenBatch, insertBatches } from '../store/batches.ts'
import type { Tx } from '../store/store.ts'
import { PLAN_HOLD_MS, type TaskRow, claimTask, endPlanning, moveCursor, releaseTask } from '../store/tasks.ts'
import { type Here, batchesOf, tokensFor } from './page.ts'
import type { Path } from './path.ts'
import type { Plan } from './route.ts'
import { type AppRules, placeOfTask, planOf, taskOf } from './task.ts'

/** How many devices are planned at once. */
export const PAGE = 1_000
const WIDEST = 4_000_000
const GIVE_BACK_MS = 1_000
// In a group's scope every device of the window is looked at, whoever owns it: so a window is one moment's work.
const WIDEST_OF_GROUP = 20_000

interface Page {
  question: AudienceQuestion
  place: TaskPlace
  plan: Plan
  /** Devices up to this id are planned. */
  from: number
  /** How many ids to look at. */
  width: number
  here: Here
}

interface Planned {
  /** `lost`: the task is no longer ours to plan (cancelled, expired, held by another node). */
  outcome: 'page' | 'end' | 'lost'
  to: number
  width: number
  batches: WrittenBatch[]
  ended: { sending: number; finished: number }
}

const NOT_ENDED = { sending: 0, finished: 0 }

/**
 * The next devices of an audience after an id, no more than a page of them; undefined at the end. The window of ids is
 * halved while it holds more than that, and doubled for the next one when it was nearly empty.
 */
export const nextPage = async (
  tx: Tx,
  { question, from, width }: Pick<Page, 'question' | 'from' | 'width'>,
): Promise<{ devices: AudienceDevice[]; to: number; width: number } | undefined> => {
  const next = await nextCandidate(tx, { question, from })
  if (next === undefined) return undefined
  const widest = question.scopeKind === 'group' ? WIDEST_OF_GROUP : WIDEST
  for (let size = width; ; size = Math.max(1, Math.floor(size / 2))) {
    const to = next - 1 + size
    const devices = await readWindow(tx, { question, from: next - 1, to, most: PAGE })
    if (devices) return { devices, to, width: devices.length < PAGE / 2 ? Math.min(size * 2, widest) : size }
  }
}

/** The transaction of one page: its batches and the cursor move together, so a crash repeats a page and never half of one. */
export const planPage = async (tx: Tx, { question, place, plan, from, width, here }: Page): Promise<Planned> => {
  const page = await nextPage(tx, { question, from, width })
  if (!page) {
    const ended = await endPlanning(tx, { taskId: place.id, node: here.node, now: here.now })
    return { outcome: 'end', to: from, width, batches: [], ended }
  }
  const { devices, to } = page
  if (!(await moveCursor(tx, { taskId: place.id, node: here.node, from, to, now: here.now }))) return { outcome: 'lost', to, width, batches: [], ended: NOT_ENDED }
  const batches = await insertBatches(tx, place, batchesOf(plan, to, devices, await tokensFor(tx, plan, devices), here))
  return { outcome: 'page', to, width: page.width, batches, ended: NOT_ENDED }
}

/**
 * Plans one due task, page by page. Ids only rise, so nothing is planned twice whatever changes meanwhile. False when no
 * task was due.
 */
export const planNext = async (path: Path, rulesOf: (app: number) => Promise<AppRules>): Promise<boolean> => {
  const { store, clock } = path
  const { node } = path.here()
  const row = await store.write(claimTask, { node, now: clock.now() })
  if (!row) return false
  try {
    await planTask(path, row, rulesOf)
    return true
  } catch (error) {
    void giveBack(path, row.id, node)
    throw error
  }
}

const planTask = async (path: Path, row: TaskRow, rulesOf: (app: number) => Promise<AppRules>): Promise<void> => {
  const { store } = path
  if (row.plan_cursor === 0) transitions.planning.value += 1
  const task = taskOf(row, await rulesOf(row.app))
  const page = {
    question: { app: task.app, scopeKind: task.scopeKind, scopeId: task.scopeId, audience: task.audience },
    place: placeOfTask(task),
    plan: await planOf(task, path.vendors),
  }
  const plan = (from: number, width: number): Promise<Planned> => store.write(planPage, { ...page, from, width, here: path.here() })
  let planning = plan(row.plan_cursor, PAGE)
  for (;;) {
    const planned = await planning
    transitions.sending.value += planned.ended.sending
    transitions.done.value += planned.ended.finished
    if (planned.outcome !== 'page') return
    countPage(planned.batches)
    path.pulse.targeted(task.app, planned.batches)
    // The next page is planned at the writer while this one is handed over here: else the two threads take turns.
    planning = plan(planned.to, planned.width)
    planning.catch(() => {}) // it is awaited above, after the handing over
    await setImmediate()
    await path.onWritten(task, planned.batches)
  }
}

/** What could not be planned is there for whoever looks next, as soon as the store takes that; else it is held for long. */
const giveBack = async ({ store }: Path, taskId: number, node: number): Promise<void> => {
  for (let tries = PLAN_HOLD_MS / GIVE_BACK_MS; tries > 0; tries -= 1) {
    await wait(GIVE_BACK_MS, undefined, { ref: false })
    const isBack = await store.write(releaseTask, { taskId, node }).then(() => true, () => false)
    if (isBack) return
  }
}
