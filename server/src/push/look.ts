import { type CounterName, type Counters, emptyCounters } from '@carillon/protocol/counters.ts'
import { type ChannelName, channels } from '@carillon/protocol/names.ts'
import type { StoredAudience } from '../store/audience.ts'
import { levelOf, stateOf } from '../store/ledger.ts'
import type { Store } from '../store/store.ts'
import { readStored } from '../store/stored-json.ts'
import { type TaskRow, type Viewer, readTallies } from '../store/tasks.ts'
import { readReasons, traceDelivery } from '../store/trace.ts'
import { type Step, traceInWords } from './trace.ts'

/** Statistics of the tasks a viewer may see, in the order asked; ids of others are left out. */
export const readCounters = async (store: Store, viewer: Viewer, ids: readonly number[]): Promise<Counters[]> => {
  const { visible, tallies } = await store.read(readTallies, { viewer, ids: [...ids] })
  const counters = new Map(visible.map((id) => [id, emptyCounters(id)]))
  for (const tally of tallies) {
    if (!channels.includes(tally.channel as ChannelName)) continue
    const sum = counters.get(tally.task_id)!
    for (const count of ['target', 'sent', 'received'] as const) sum[`${tally.channel}_${count}` as CounterName] += tally[count]
  }
  return ids.flatMap((id) => counters.get(id) ?? [])
}

/** What a list shows of a task. */
export const summaryOf = (task: TaskRow) => ({
  task_id: task.id,
  state: task.state,
  scope: task.scope_kind === 'app' ? 'app' : `${task.scope_kind} ${task.scope_id}`,
  dry_run: task.dry_run === 1,
  accepted_at: task.accepted_at,
  planned_for: task.plan_at,
  expires_at: task.expires_at,
  finished_at: task.finished_at,
  purged: task.message === null,
})

/** All there is to say of one task. */
export const describeTask = async (store: Store, viewer: Viewer, task: TaskRow, now: number) => {
  const [counters] = await readCounters(store, viewer, [task.id])
  const deliveries = await store.read(readReasons, { taskId: task.id })
  return {
    ...summaryOf(task),
    audience: audienceOf(task),
    setting: stored(task.setting),
    message: stored(task.message),
    counters: counters!,
    ...countReasons(deliveries, task.expires_at <= now),
  }
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
const countReasons = (deliveries: readonly { channel: string; reason: string | null; bytes: Uint8Array }[], expired: boolean) => {
  const reasons: Record<string, number> = {}
  let waiting = 0
  for (const { channel, reason, bytes } of deliveries) {
    for (const byte of bytes) {
      const state = stateOf(byte)
      if (state === 'waiting' && !expired) waiting++
      const word = state === 'waiting' && expired ? 'expired' : state === 'done' ? ['done', 'sent', 'received'][levelOf(byte)]! : state
      const key = channel === 'none' ? `none: ${reason ?? 'no channel'}` : `${channel}: ${word}`
      reasons[key] = (reasons[key] ?? 0) + 1
    }
  }
  return { waiting, reasons }
}
