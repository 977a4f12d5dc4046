import { setImmediate } from 'node:timers/promises'
import type { PushToDevice as Shown } from '@carillon/protocol/device-answers.ts'
import { groundsOf, reasonOf } from '@carillon/protocol/sentences/reasons.ts'
import { type PushToDevice, pushesToMany, pushesToOne } from '../store/device-detail.ts'
import type { Store } from '../store/store.ts'
import { wordOf } from './look.ts'

const SHOWN = 20
// Of 4,096 tasks each. One that was pushed to a moment ago is found in the first.
const BLOCKS_AT_ONCE = 128
const BLOCKS_LOOKED_THROUGH = 4_096
const TASKS_AT_ONCE = 50
const TASKS_LOOKED_THROUGH = 1_000

/** Whose last pushes are looked for. */
interface Asked {
  app: number
  deviceId: number
  userId: number
}

/** What was found, newest first, and before which task nobody has looked: null if that would change nothing. */
interface Look {
  found: PushToDevice[]
  next: number | null
}

/**
 * The last pushes that meant a device. What was for it or its user alone has an index; broadcasts and lists are looked
 * through one by one, so only the newest of them.
 */
export const lastPushes = async (store: Store, asked: Asked): Promise<{ pushes: Shown[]; complete: boolean }> => {
  const alone = await lookAtOne(store, asked)
  const { found, next } = await lookAtMany(store, asked, alone.found)
  return { pushes: found.slice(0, SHOWN).map(shown), complete: alone.next === null && next === null }
}

const lookAtOne = async (store: Store, { deviceId, userId }: Asked): Promise<Look> => {
  const found: PushToDevice[] = []
  let next: number | null = Number.MAX_SAFE_INTEGER
  let blocks = 1
  for (let looked = 0; next !== null && looked < BLOCKS_LOOKED_THROUGH; looked += blocks, blocks = Math.min(2 * blocks, BLOCKS_AT_ONCE)) {
    const asked = { deviceId, userId, before: next, blocks, limit: SHOWN }
    const part: Awaited<ReturnType<typeof pushesToOne>> = await store.read(pushesToOne, asked)
    found.push(...part.pushes)
    next = found.length >= SHOWN ? null : part.next
    await setImmediate()
  }
  return { found, next }
}

const lookAtMany = async (store: Store, { app, deviceId }: Asked, alone: readonly PushToDevice[]): Promise<Look> => {
  const found = [...alone]
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
  return { found, next }
}

const shown = ({ task_id, title, accepted_at, channel, reason, byte }: PushToDevice): Shown => {
  const pushed = { task_id, title, at: accepted_at }
  if (channel !== 'held' && channel !== 'none') return { ...pushed, channel, state: wordOf(byte) }
  const grounds = groundsOf(reason)
  const named = reasonOf(grounds)
  return { ...pushed, channel: null, state: grounds.why, ...(named && { reason: named }) }
}
