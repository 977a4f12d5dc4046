import type { Clock } from './clock.ts'
import { decode } from './mqtt-bytes.ts'
import { pauseMs, type Pauses } from './pauses.ts'
import type { Push } from './push.ts'
import type { Seen } from './seen.ts'
import type { Publish } from './session.ts'

/** How a push came. */
export interface Arrival {
  /** The payload as it was sent: numbers in `ext` that JavaScript would round are exact here. */
  text: string
  /** The server has sent it before; it may or may not have arrived then. */
  again: boolean
}

export type OnPush = (push: Push, arrival: Arrival) => void | Promise<void>

/** Something of the app, or of what arrived, failed; the device goes on. */
export interface Failure {
  kind: 'handler' | 'seen' | 'payload' | 'receipt'
  error: unknown
  /** Which push it was about, where that is known. */
  taskId?: number
}

export interface ArrivalsOptions {
  onPush: OnPush
  seen: Seen
  clock: Clock
  chance: () => number
  pauses: Pauses
  failed(failure: Failure): void
}

interface Held {
  push: Push
  arrival: Arrival
  failures: number
  expiresAt: number
  /** On the newest connection that brought it. */
  acknowledge(): void
}

/**
 * Pushes between their arrival and their acknowledgement: handed to the app one after the other, in order, and
 * acknowledged when the app has them. One that fails is tried again later and holds up none of the others.
 */
export class Arrivals {
  readonly #options: ArrivalsOptions
  readonly #held = new Map<number, Held>()
  readonly #retries = new Set<() => void>()
  #queue: Held[] = []
  #isWorking = false
  #isClosed = false

  constructor(options: ArrivalsOptions) {
    this.#options = options
  }

  take({ payload, dup, expirySeconds = Infinity }: Publish, acknowledge: () => void): void {
    const found = read(payload)
    if (found instanceof Error) {
      this.#options.failed({ kind: 'payload', error: found })
      return acknowledge() // it would not be better the next time
    }
    const { push, text } = found
    const held = this.#held.get(push.task_id)
    if (held) {
      held.acknowledge = acknowledge
      return
    }
    const expiresAt = this.#options.clock.now() + expirySeconds * 1000
    const arrived = { push, arrival: { text, again: dup }, failures: 0, expiresAt, acknowledge }
    this.#held.set(push.task_id, arrived)
    this.#enqueue(arrived)
  }

  /** Nothing is handed over from now on; what was not acknowledged comes again on another connection. */
  close(): void {
    this.#isClosed = true
    this.#queue = []
    for (const cancel of this.#retries) cancel()
  }

  #enqueue(held: Held): void {
    this.#queue.push(held)
    if (!this.#isWorking) void this.#work()
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    for (let held = this.#queue.shift(); held !== undefined; held = this.#queue.shift()) await this.#handle(held)
    this.#isWorking = false
  }

  async #handle(held: Held): Promise<void> {
    const { onPush, failed } = this.#options
    const { push, arrival } = held
    const isRepeat = await this.#isSeen(push.task_id)
    if (this.#isClosed) return
    if (!isRepeat) {
      try {
        await onPush(push, arrival)
      } catch (error) {
        failed({ kind: 'handler', error, taskId: push.task_id })
        return this.#tryLater(held)
      }
      await this.#remember(push.task_id)
    }
    this.#held.delete(push.task_id)
    held.acknowledge()
  }

  #tryLater(held: Held): void {
    const { clock, chance, pauses } = this.#options
    held.failures += 1
    if (this.#isClosed) return
    const cancel = clock.after(pauseMs(pauses, held.failures, chance), () => {
      this.#retries.delete(cancel)
      if (clock.now() < held.expiresAt) this.#enqueue(held)
      else this.#held.delete(held.push.task_id) // the server has given it up as well
    })
    this.#retries.add(cancel)
  }

  /** A memory that fails must not cost a push: handled twice is better than never. */
  async #isSeen(taskId: number): Promise<boolean> {
    try {
      return await this.#options.seen.has(taskId)
    } catch (error) {
      this.#options.failed({ kind: 'seen', error, taskId })
      return false
    }
  }

  async #remember(taskId: number): Promise<void> {
    try {
      await this.#options.seen.add(taskId)
    } catch (error) {
      this.#options.failed({ kind: 'seen', error, taskId })
    }
  }
}

const read = (payload: Uint8Array): { push: Push; text: string } | Error => {
  try {
    const text = decode(payload)
    const push = JSON.parse(text) as Push
    return Number.isSafeInteger(push?.task_id) ? { push, text } : new Error('a push without a task_id')
  } catch (error) {
    return error as Error
  }
}
