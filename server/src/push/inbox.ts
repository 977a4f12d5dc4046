import { inboxPushes, inboxReads } from '../metrics.ts'
import { type InboxPage, type InboxReader, endPlaces, keepInInbox, readInboxes } from '../store/inbox.ts'
import { Together } from '../store/together.ts'
import type { Path } from './path.ts'
import type { Push } from './channel.ts'
import { type AppRules, pushOf } from './task.ts'
import type { Tasks } from './tasks.ts'

export interface Waiting {
  batchId: number
  index: number
  badge: number | null
  push: Push
  again: boolean
}

type Reader = Omit<InboxReader, 'limit'>

// An inbox may hold a thousand places, and all of a group are in memory at once.
const READERS_AT_ONCE = 64

/** What waits for a device. */
export class Inbox {
  readonly #path: Path
  readonly #tasks: Tasks
  readonly #rulesOf: (app: number) => Promise<AppRules>
  readonly #pages = new Together<Reader, InboxPage>(READERS_AT_ONCE, (readers) => this.#readPages(readers))

  constructor(path: Path, tasks: Tasks, rulesOf: (app: number) => Promise<AppRules>) {
    this.#path = path
    this.#tasks = tasks
    this.#rulesOf = rulesOf
  }

  /** Oldest first, at most `count`, of tasks above `afterTask`. */
  async read(app: number, deviceId: number, afterTask: number, count: number): Promise<Waiting[]> {
    const { store, log } = this.#path
    const { items, ended } = await this.#pages.ask({ app, deviceId, afterTask, count })
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

  async #readPages(readers: readonly Reader[]): Promise<InboxPage[]> {
    const { store, clock } = this.#path
    const limits = new Map<number, number>()
    for (const { app } of readers) if (!limits.has(app)) limits.set(app, (await this.#rulesOf(app)).inboxLimit)
    return store.read(readInboxes, { readers: readers.map((reader) => ({ ...reader, limit: limits.get(reader.app)! })), now: clock.now() })
  }
}
