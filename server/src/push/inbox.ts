import { inboxPushes, inboxReads } from '../metrics.ts'
import { endPlaces, keepInInbox, readInbox } from '../store/inbox.ts'
import type { Path } from './path.ts'
import type { Push } from './channel.ts'
import { pushOf } from './task.ts'
import type { Tasks } from './tasks.ts'

export interface Waiting {
  batchId: number
  index: number
  badge: number | null
  push: Push
  again: boolean
}

/** What waits for a device. */
export class Inbox {
  readonly #path: Path
  readonly #tasks: Tasks
  readonly #limitOf: (app: number) => Promise<number>

  constructor(path: Path, tasks: Tasks, limitOf: (app: number) => Promise<number>) {
    this.#path = path
    this.#tasks = tasks
    this.#limitOf = limitOf
  }

  /** Oldest first, at most `count`, of tasks above `afterTask`. */
  async read(app: number, deviceId: number, afterTask: number, count: number): Promise<Waiting[]> {
    const { store, clock, log } = this.#path
    const limit = await this.#limitOf(app)
    const { items, ended } = await store.read(readInbox, { app, deviceId, afterTask, count, limit, now: clock.now() })
    inboxReads.value += 1
    inboxPushes.value += items.length
    if (ended.length > 0) {
      store.write(endPlaces, { deviceId, places: ended }).catch((error: unknown) => log.warn({ err: error }, 'inbox places could not be ended; the next read does'))
    }
    return Promise.all(
      items.map(async ({ task_id, batch_id, index, badge, again }) => ({
        batchId: batch_id, index, badge, again, push: pushOf(await this.#tasks.get(task_id)),
      })),
    )
  }

  /** A session ended before these were acknowledged: the device finds them when it is back. */
  async keep(deviceId: number, deliveries: readonly { batchId: number; index: number; push: Push }[]): Promise<void> {
    const rows = deliveries.map(({ batchId, index, push }) => ({ deviceId, taskId: push.taskId, batchId, index }))
    for (const node of await this.#path.store.write(keepInInbox, { rows })) this.#path.bus.nudge(`own:${node}`)
  }
}
