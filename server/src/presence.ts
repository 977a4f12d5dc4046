import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from './clock.ts'
import { moveOver } from './store/heart-beats.ts'
import { writePresence } from './store/nodes.ts'
import type { Store } from './store/store.ts'

const RETRY_MS = 1_000
const DEVICES_A_WRITE = 1_000

interface Parts {
  store: Store
  clock: Clock
  log: Logger
  /** This incarnation of the node. */
  node(): number
  /** These nodes were told that sessions of theirs are over. */
  told(nodes: readonly number[]): void
}

interface Group {
  /** Sessions by device. */
  arrived: Map<number, number>
  left: { deviceId: number; session: number }[]
  stored: PromiseWithResolvers<void>
}

const emptyGroup = (): Group => ({ arrived: new Map(), left: [], stored: Promise.withResolvers() })

/**
 * Writes down who is here. One write at a time, so that what came first counts first; whatever comes meanwhile goes
 * together into the next ones: when a node has gone, its devices come by the thousand.
 */
export class Presence {
  readonly #parts: Parts
  #waiting: Group[] = []
  #writing: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Resolves once it is stored. */
  arrived(deviceId: number, session: number): Promise<void> {
    const { arrived, stored } = this.#gather()
    arrived.set(deviceId, session)
    return stored.promise
  }

  left(deviceId: number, session: number): void {
    const { arrived, left } = this.#gather()
    if (arrived.get(deviceId) === session) arrived.delete(deviceId)
    left.push({ deviceId, session })
  }

  /**
   * This node has a new number. What was being written under the old one belongs to nobody until it is moved over, and
   * its devices would not be found: so this comes after it. Resolves when it is done.
   */
  async renewed(before: number): Promise<void> {
    const { store, log } = this.#parts
    for (;;) {
      const writing = this.#writing
      if (writing) await writing
      try {
        return await store.write(moveOver, { before, node: this.#parts.node() })
      } catch (error) {
        log.warn({ err: error }, 'devices could not be moved over to the new number of this node; trying again')
        await wait(RETRY_MS, undefined, { ref: false })
      }
    }
  }

  /** Resolves when all of it is stored, or was tried once more. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  #gather(): Group {
    let group = this.#waiting.at(-1)
    if (!group || group.arrived.size + group.left.length >= DEVICES_A_WRITE) this.#waiting.push((group = emptyGroup()))
    this.#writing ??= this.#write()
    return group
  }

  async #write(): Promise<void> {
    await new Promise(setImmediate)
    const group = this.#waiting.shift()!
    const { store, clock, node, told } = this.#parts
    const arrived = Array.from(group.arrived, ([deviceId, session]) => ({ deviceId, session }))
    try {
      told(await store.write(writePresence, { node: node(), arrived, left: group.left, now: clock.now() }))
      group.stored.resolve()
    } catch (error) {
      group.stored.promise.catch(() => {}) // a group of departures alone has nobody who waits for it
      group.stored.reject(error)
      this.#keep(group.left, error)
    }
    this.#writing = this.#waiting.length > 0 ? this.#write() : undefined
  }

  /** Who arrives tries again by itself; who left does not. */
  #keep(left: Group['left'], error: unknown): void {
    if (left.length === 0) return
    this.#parts.log.warn({ err: error, devices: left.length }, 'departures could not be stored; until they are, pushes to these devices first find them gone')
    setTimeout(() => {
      for (const { deviceId, session } of left) this.left(deviceId, session)
    }, RETRY_MS).unref()
  }
}
