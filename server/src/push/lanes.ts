import type { VendorName } from '@carillon/protocol/names.ts'
import { placeOfLane } from '../store/batches.ts'
import { nextLane } from '../store/claims.ts'
import type { Deliver } from './deliver.ts'
import type { Path } from './path.ts'

/**
 * What one lane has under way at once: a few full batches, so that while one is settled the next is being sent, or many
 * small ones, so that single pushes do not wait for each other's answers.
 */
const DEVICES_A_LANE = 4_000
const BATCHES_A_LANE = 256
/** What a batch counts for until it is taken: else all who have just sent a small one could take a full one each. */
const UNTAKEN_DEVICES = 1_000

interface Working {
  workers: Set<Promise<void>>
  /** In the batches that are under way or being taken. */
  devices: number
}

/**
 * Keeps every lane of the vendors at work, each for itself: one app at one vendor in one environment. What is slow,
 * paused or broken holds up nobody but itself.
 */
export class Lanes {
  readonly #path: Path
  readonly #deliver: Deliver
  readonly #working = new Map<string, Working>()
  #stopped = false

  constructor(path: Path, deliver: Deliver) {
    this.#path = path
    this.#deliver = deliver
  }

  /** Finds lanes with something to do. False: there is nothing to wait for, the lanes go on by themselves. */
  async look(): Promise<boolean> {
    for (const vendor of this.#path.vendors.names) {
      for (let lane: number | undefined = -1; !this.#stopped; ) {
        lane = await this.#path.store.read(nextLane, { channel: vendor, after: lane })
        if (lane === undefined) break
        this.#begin(vendor, lane)
      }
    }
    return false
  }

  /** Resolves when what is under way is settled. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all([...this.#working.values()].flatMap(({ workers }) => [...workers]))
  }

  /** One more batch at a time, if there is room; each that finds work begins the next. */
  #begin(vendor: VendorName, lane: number): void {
    const { app, environment } = placeOfLane(lane)
    const isOpen = (): boolean => !this.#stopped && this.#path.vendors.isOpen(vendor, app, environment)
    const key = `${vendor} ${lane}`
    const working = this.#working.get(key) ?? { workers: new Set(), devices: 0 }
    const { workers } = working
    const hasRoom = (): boolean => working.devices < DEVICES_A_LANE && isOpen()
    if (workers.size >= BATCHES_A_LANE || !hasRoom()) return
    this.#working.set(key, working)
    const work = async (): Promise<void> => {
      for (let found = true; found && hasRoom(); ) {
        let devices = UNTAKEN_DEVICES
        working.devices += devices
        const taken = (count: number): void => {
          working.devices += count - devices
          devices = count
          this.#begin(vendor, lane)
        }
        try {
          found = await this.#deliver.deliverFromLane(vendor, lane, taken)
        } finally {
          working.devices -= devices
        }
      }
    }
    const worker = work()
      .catch((error: unknown) => this.#path.log.error({ err: error, vendor, app, environment }, 'a lane could not go on; it is looked at again in a moment'))
      .then(() => {
        workers.delete(worker)
        if (workers.size === 0) this.#working.delete(key)
      })
    workers.add(worker)
  }
}
