import type { Logger } from 'pino'
import type { ChannelName, ReceiptEvent } from '@carillon/protocol/names.ts'
import type { Clock } from '../clock.ts'
import { receiptsGathered, transitions } from '../metrics.ts'
import { type BatchMarks, type Told, markDeliveries } from '../store/marks.ts'
import { CLICKED, DISMISSED, type Mark, RECEIVED, SENT, SHOWN, joinMarks, markOf } from '../store/ledger.ts'
import type { Store } from '../store/store.ts'
import { findDeliveries, findDelivery } from '../store/trace.ts'
import type { Pulse } from './pulse.ts'

// Long enough that a push and its acknowledgement are one write, short enough that nobody waits for a counter.
const GATHER_MS = 20
const RETRY_MS = 1_000
const MARKS_A_WRITE = 20_000

const seenBy: Record<ReceiptEvent, number> = { received: 0, shown: SHOWN, dismissed: DISMISSED, clicked: CLICKED }

/** Where a delivery's byte stands. */
export interface Place {
  app: number
  channel: ChannelName
  taskId: number
  batchId: number
  index: number
}

/** Marks of one batch that are to be written. */
interface Gathered extends Omit<Place, 'batchId' | 'index'> {
  marks: Map<number, Mark>
  told: Told[]
}

/** What a device or a vendor says of one task. `at`: when it happened, in Unix milliseconds, if it says so. */
export interface Report {
  app: number
  deviceId: number
  taskId: number
  event: ReceiptEvent
  channel?: string
  at?: number
}

/**
 * What is said of deliveries after they were handed over. It comes in floods: it is gathered for a moment, then written
 * batch by batch. Marks only rise, so gathering them in any order and repeating them changes nothing.
 */
export class Receipts {
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Logger
  readonly #pulse: Pulse
  /** By batch. */
  #gathered = new Map<number, Gathered>()
  #count = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  /** Those who wait until what they reported is stored. */
  #waiting: PromiseWithResolvers<void> | undefined

  constructor(store: Store, clock: Clock, log: Logger, pulse: Pulse) {
    this.#store = store
    this.#clock = clock
    this.#log = log
    this.#pulse = pulse
  }

  /** Written to a connection. `final`: no acknowledgement will come. */
  sent(place: Place, final: boolean): void {
    receiptsGathered.sent.value += 1
    this.#mark(place, markOf(SENT, final))
  }

  received(place: Place): void {
    receiptsGathered.received.value += 1
    this.#mark(place, markOf(RECEIVED, true))
  }

  /**
   * What a device or a vendor reports of one task. A task, device or channel that does not belong together changes
   * nothing and is not told apart. True once it is stored.
   */
  async report(report: Report): Promise<boolean> {
    return (await this.reportAll([report]))[0]!
  }

  /** The same for many that were reported together. */
  async reportAll(reports: readonly Report[]): Promise<boolean[]> {
    await this.#writing
    const asked = reports.map(({ app, deviceId, taskId, channel = null }) => ({ app, deviceId, taskId, channel }))
    const places = await this.#store.read(findDeliveries, { asked })
    const now = this.#clock.now()
    places.forEach((place, i) => {
      if (!place) return
      const { app, taskId, event, at = now } = reports[i]!
      receiptsGathered[event].value += 1
      this.#mark({ app, taskId, ...place }, markOf(RECEIVED, true, seenBy[event]), { index: place.index, event, at: Math.min(now, at) })
    })
    if (places.some(Boolean)) {
      this.#waiting ??= Promise.withResolvers()
      await this.#waiting.promise
    }
    return places.map(Boolean)
  }

  /** When the task was accepted; undefined where it did not mean this device on this channel. */
  async acceptedAt({ app, deviceId, taskId, channel }: { app: number; deviceId: number; taskId: number; channel: string }): Promise<number | undefined> {
    return (await this.#store.read(findDelivery, { app, deviceId, taskId, channel }))?.acceptedAt
  }

  #mark({ app, channel, taskId, batchId, index }: Place, mark: Mark, told?: Told): void {
    let batch = this.#gathered.get(batchId)
    if (!batch) this.#gathered.set(batchId, (batch = { app, channel, taskId, marks: new Map(), told: [] }))
    if (told) batch.told.push(told)
    const known = batch.marks.get(index)
    batch.marks.set(index, known === undefined ? mark : joinMarks(known, mark))
    if (known === undefined) this.#count++
    if (this.#count >= MARKS_A_WRITE) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS)
  }

  /** Writes what was gathered; resolves when it, and whatever was being written before, is stored. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const gathered = this.#gathered
    if (gathered.size > 0) {
      this.#gathered = new Map()
      this.#count = 0
      const batches: BatchMarks[] = [...gathered].map(([batchId, { taskId, marks, told }]) => ({
        batchId,
        taskId,
        told,
        places: Uint32Array.from(marks.keys()),
        marks: Uint8Array.from(marks.values()),
      }))
      const write = this.#write(gathered, batches, this.#waiting)
      this.#waiting = undefined
      this.#writing = Promise.all([this.#writing, write]).then(() => {})
    }
    return this.#writing
  }

  async #write(gathered: ReadonlyMap<number, Gathered>, batches: BatchMarks[], waiting: PromiseWithResolvers<void> | undefined): Promise<void> {
    try {
      const { finished, moved } = await this.#store.write(markDeliveries, { batches, now: this.#clock.now() })
      transitions.done.value += finished
      for (const { batchId, ...counts } of moved) {
        const { app, channel } = gathered.get(batchId)!
        this.#pulse.moved(app, channel, counts)
      }
      waiting?.resolve()
    } catch (error) {
      // Kept, and tried again with what comes meanwhile; if this process dies first, the devices are sent them again.
      this.#log.warn({ err: error, batches: batches.length }, 'receipts could not be stored; trying again')
      for (const [batchId, { marks, told, ...place }] of gathered) {
        for (const [index, mark] of marks) this.#mark({ ...place, batchId, index }, mark, told.find((one) => one.index === index))
      }
      if (waiting) {
        this.#waiting ??= Promise.withResolvers()
        waiting.resolve(this.#waiting.promise)
      }
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => void this.flush(), RETRY_MS)
    }
  }
}
