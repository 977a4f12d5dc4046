import { setImmediate } from 'node:timers/promises'
import { type Counters, type Tally, emptyCounters } from '@carillon/protocol/counters.ts'
import { type ChannelName, type DeliveryWord, channels } from '@carillon/protocol/names.ts'
import { groundsOf, reasonOf } from '@carillon/protocol/sentences/reasons.ts'
import type { Fate } from '@carillon/protocol/task-answers.ts'
import type { StoredAudience } from '../store/audience.ts'
import { levelOf, stateOf } from '../store/ledger.ts'
import type { Store } from '../store/store.ts'
import { readStored } from '../store/stored-json.ts'
import { type TaskQuestion, listTasks } from '../store/task-list.ts'
import { type SeenBatch, type TaskSum, addSum, lookAtBatches, sumPart, sumTasks } from '../store/task-look.ts'
import { type TaskRow, type Viewer, readTallies } from '../store/tasks.ts'
import { traceDelivery } from '../store/trace.ts'
import { type Step, traceInWords } from './trace.ts'

/** Statistics of the tasks a viewer may see, in the order asked; ids of others are left out. */
export const readCounters = async (store: Store, viewer: Viewer, ids: readonly number[]): Promise<Counters[]> => {
  const { visible, tallies } = await store.read(readTallies, { viewer, ids: [...ids] })
  const counters = new Map(visible.map((id) => [id, emptyCounters(id)]))
  for (const tally of tallies) {
    if (isCounted(tally.channel)) addTally(counters.get(tally.task_id)!, tally.channel, tally)
  }
  return ids.flatMap((id) => counters.get(id) ?? [])
}

const isCounted = (channel: string): channel is ChannelName => channels.includes(channel as ChannelName)

const addTally = (sum: Counters, channel: ChannelName, tally: Tally): void => {
  for (const count of ['target', 'sent', 'received'] as const) sum[`${channel}_${count}`] += tally[count]
}

type Summarized = Omit<TaskRow, 'app' | 'audience' | 'setting' | 'message' | 'collapse_id' | 'plan_cursor'>

const summaryOf = (task: Summarized, purged: boolean) => ({
  task_id: task.id,
  state: task.state,
  scope: task.scope_kind === 'app' ? 'app' : `${task.scope_kind} ${task.scope_id}`,
  dry_run: task.dry_run === 1,
  accepted_at: task.accepted_at,
  planned_for: task.plan_at,
  expires_at: task.expires_at,
  finished_at: task.finished_at,
  purged,
})

const BATCHES_SUMMED_AT_ONCE = 500
const BATCHES_SUMMED = 20_000

/** A page of an app's tasks, each with its sums; of broadcasts, as far as they are added up within a moment. */
export const pageOfTasks = async (store: Store, question: TaskQuestion) => {
  const tasks = await store.read(listTasks, question)
  const sums = await store.read(sumTasks, { ids: tasks.map(({ id }) => id) })
  for (let i = 0, left = BATCHES_SUMMED; i < tasks.length && left > 0; i += 1) {
    if (sums[i]) continue
    const { sum, parts } = await sumOf(store, tasks[i]!.id, Math.ceil(left / BATCHES_SUMMED_AT_ONCE))
    sums[i] = sum
    left -= parts * BATCHES_SUMMED_AT_ONCE
  }
  return tasks.map((task, i) => ({
    ...summaryOf(task, task.purged === 1), title: task.title, audience_kind: task.audience_kind, sums: sums[i]!,
  }))
}

/** Null: it has more than so many parts. */
const sumOf = async (store: Store, taskId: number, most: number): Promise<{ sum: TaskSum | null; parts: number }> => {
  let all: TaskSum = { target: 0, sent: 0, received: 0 }
  let after = -1
  for (let parts = 1; parts <= most; parts += 1) {
    const { sum, next } = await store.read(sumPart, { taskId, after, some: BATCHES_SUMMED_AT_ONCE })
    if (next === null) return { sum: all, parts }
    all = addSum(all, sum)
    after = next
    await setImmediate()
  }
  return { sum: null, parts: most }
}

/** All there is to say of one task. */
export const describeTask = async (store: Store, viewer: Viewer, task: TaskRow, now: number) => ({
  ...summaryOf(task, task.message === null),
  audience: audienceOf(task),
  setting: stored(task.setting),
  message: stored(task.message),
  ...(await lookAtTask(store, viewer, task, now)),
})

/** What became of a task so far. */
export interface TaskLook {
  counters: Counters
  /** Deliveries that wait in inboxes. */
  waiting: number
  /** How many deliveries stand, or ended, in which way. */
  reasons: Record<string, number>
  /** The same, for programs. */
  fates: Fate[]
}

const BATCHES_AT_ONCE = 100

/** Read part by part, so that a broadcast's thousand batches keep nobody waiting. */
export const lookAtTask = async (store: Store, viewer: Viewer, task: TaskRow, now: number): Promise<TaskLook> => {
  const fates = new Fates(task.expires_at <= now)
  const counters = emptyCounters(task.id)
  for (let after: number | null = -1; after !== null; ) {
    const { batches, next }: Awaited<ReturnType<typeof lookAtBatches>> =
      await store.read(lookAtBatches, { taskId: task.id, after, some: BATCHES_AT_ONCE })
    for (const batch of batches) {
      fates.add(batch)
      if (isCounted(batch.channel)) addTally(counters, batch.channel, batch)
    }
    after = next
    if (batches.length >= BATCHES_AT_ONCE) await setImmediate()
  }
  // Of one whose content is purged the tallies alone are left.
  const purged = task.message === null ? (await readCounters(store, viewer, [task.id]))[0]! : undefined
  return { counters: purged ?? counters, ...fates.told() }
}

export const traceTask = async (store: Store, task: TaskRow, deviceId: number): Promise<Step[]> =>
  traceInWords(task, await store.read(traceDelivery, { taskId: task.id, deviceId }))

const stored = (text: string | null): unknown => (text === null ? null : readStored(text))

/**
 * As the caller put it; push tokens are not kept, only how many there were and how many the app knows. The latter is
 * for its admin alone: to a group or a user it would tell of devices beyond their reach.
 */
const audienceOf = (task: TaskRow): unknown => {
  const audience = stored(task.audience) as StoredAudience | null
  if (!audience) return null
  if ('all' in audience) return 'all'
  if ('device_id' in audience) {
    const asked = audience.push_tokens
    return { push_token: task.scope_kind === 'app' ? { asked, known: audience.device_id.length } : { asked } }
  }
  return audience
}

/** Deliveries by what became of them on each channel, and the reasons of those without a channel. */
class Fates {
  readonly #expired: boolean
  /** How often each byte stands there. A million of them are counted in a moment, and put into words once. */
  readonly #bytes = new Map<string, { channel: string; reason: string | null; counts: Uint32Array }>()

  /** `expired`: its time is over, though nobody has written that down yet. */
  constructor(expired: boolean) {
    this.#expired = expired
  }

  add({ channel, reason, bytes }: Pick<SeenBatch, 'channel' | 'reason' | 'bytes'>): void {
    const key = `${channel} ${reason}`
    let seen = this.#bytes.get(key)
    if (!seen) this.#bytes.set(key, (seen = { channel, reason, counts: new Uint32Array(256) }))
    for (const byte of bytes) seen.counts[byte]! += 1
  }

  told(): Pick<TaskLook, 'waiting' | 'reasons' | 'fates'> {
    const reasons: Record<string, number> = {}
    const fates = new Map<string, Fate>()
    let waiting = 0
    for (const { channel, reason, counts } of this.#bytes.values()) {
      counts.forEach((count, byte) => {
        if (count === 0) return
        if (stateOf(byte) === 'waiting' && !this.#expired) waiting += count
        const state = this.#word(byte)
        const key = `${channel}: ${channel === 'none' ? groundsOf(reason).why : state}`
        reasons[key] = (reasons[key] ?? 0) + count
        const fate = fates.get(`${key} ${state}`) ?? fateOf(channel, state, reason)
        fate.deliveries += count
        fates.set(`${key} ${state}`, fate)
      })
    }
    return { waiting, reasons, fates: [...fates.values()] }
  }

  #word(byte: number): DeliveryWord {
    return this.#expired && stateOf(byte) === 'waiting' ? 'expired' : wordOf(byte)
  }
}

const fateOf = (channel: string, state: DeliveryWord, stored: string | null): Fate => {
  if (isCounted(channel)) return { channel, state, deliveries: 0 }
  const grounds = groundsOf(stored)
  const reason = reasonOf(grounds)
  return { channel: null, state, ...(reason && { reason }), why: grounds.why, deliveries: 0 }
}

const done = ['done', 'sent', 'received'] as const

/** Where a delivery stands, in a word. */
export const wordOf = (byte: number): DeliveryWord => {
  const state = stateOf(byte)
  return state === 'done' ? done[levelOf(byte)] : state
}
