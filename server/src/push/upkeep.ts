import type { Clock } from '../clock.ts'
import { transitions } from '../metrics.ts'
import type { Store } from '../store/store.ts'
import { type Expiry, expireTasks, purgeTasks } from '../store/endings.ts'

const TASKS_A_TURN = 50
const DAY_MS = 86_400_000

/** Ends what has outlived its time. True when there is more to end at once. */
export const expireNext = async (store: Store, clock: Clock): Promise<boolean> =>
  countExpiry(await store.write(expireTasks, { now: clock.now(), tasks: TASKS_A_TURN })).more

export const countExpiry = (expiry: Expiry): Expiry => {
  transitions.expired.value += expiry.expired
  transitions.done.value += expiry.finished
  return expiry
}

/** Drops the content of tasks older than each app keeps them. True when there is more. */
export const purgeNext = async (store: Store, clock: Clock, apps: readonly { id: number; retentionDays: number }[]): Promise<boolean> => {
  let more = false
  for (const { id, retentionDays } of apps) {
    const before = clock.now() - retentionDays * DAY_MS
    const part = await store.write(purgeTasks, { app: id, before, tasks: TASKS_A_TURN })
    more ||= part.more
  }
  return more
}
