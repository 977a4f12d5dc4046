import { setImmediate } from 'node:timers/promises'
import type { PushToDevice as Shown } from '@carillon/protocol/device-answers.ts'
import { groundsOf, reasonOf } from '@carillon/protocol/sentences/reasons.ts'
import { type PushToDevice, pushesToMany, pushesToOne } from '../store/device-detail.ts'
import type { Store } from '../store/store.ts'
import { wordOf } from './look.ts'

const SHOWN = 20
const TASKS_AT_ONCE = 50
const TASKS_LOOKED_THROUGH = 1_000

/**
 * The last pushes that meant a device. What was for it or its user alone is found at once; broadcasts and lists are
 * looked through one by one, so only the newest of them.
 */
export const lastPushes = async (
  store: Store,
  { app, deviceId, userId }: { app: number; deviceId: number; userId: number },
): Promise<{ pushes: Shown[]; complete: boolean }> => {
  const found = await store.read(pushesToOne, { deviceId, userId, limit: SHOWN })
  let next: number | null = Number.MAX_SAFE_INTEGER
  for (let looked = 0; next !== null && looked < TASKS_LOOKED_THROUGH; looked += TASKS_AT_ONCE) {
    const asked = { app, deviceId, before: next, some: TASKS_AT_ONCE }
    const part: Awaited<ReturnType<typeof pushesToMany>> = await store.read(pushesToMany, asked)
    found.push(...part.pushes)
    next = part.next
    found.sort((a, b) => b.task_id - a.task_id)
    // Nothing that could still be found is newer than these.
    if (next !== null && found.length >= SHOWN && found[SHOWN - 1]!.task_id >= next) next = null
    await setImmediate()
  }
  return { pushes: found.slice(0, SHOWN).map(shown), complete: next === null }
}

const shown = ({ task_id, title, accepted_at, channel, reason, byte }: PushToDevice): Shown => {
  const pushed = { task_id, title, at: accepted_at }
  if (channel !== 'held' && channel !== 'none') return { ...pushed, channel, state: wordOf(byte) }
  const grounds = groundsOf(reason)
  const named = reasonOf(grounds)
  return { ...pushed, channel: null, state: grounds.why, ...(named && { reason: named }) }
}
