import type { Delivery } from './ports.ts'

const REMEMBERED = 1024

/**
 * What is in the air between us and one device: written and not acknowledged, and lately settled. A session gets one
 * with its first push and drops it when it has been quiet. A few dozen at most are open, and acknowledgements come
 * in order: arrays are both the smallest and the fastest here.
 */
export class Flight {
  readonly #ids: number[] = []
  readonly #open: Delivery[] = []
  /** Task ids settled on this connection, a ring: the store may still hold them as waiting for a moment. */
  readonly #settled: number[] = []
  #settledAt = 0
  #nextId = 1

  get size(): number {
    return this.#open.length
  }

  get deliveries(): Delivery[] {
    return this.#open
  }

  /** Returns the packet id. */
  add(delivery: Delivery): number {
    while (this.#ids.includes(this.#nextId)) this.#nextId = next(this.#nextId)
    const id = this.#nextId
    this.#nextId = next(id)
    this.#ids.push(id)
    this.#open.push(delivery)
    return id
  }

  /** undefined: nothing of that id is open. */
  acknowledge(id: number): Delivery | undefined {
    return this.#take(this.#ids.indexOf(id))
  }

  /** The same by task, where packets have no ids. */
  acknowledgeTask(taskId: number): Delivery | undefined {
    return this.#take(this.#open.findIndex(({ push }) => push.taskId === taskId))
  }

  #take(place: number): Delivery | undefined {
    if (place < 0) return undefined
    this.#ids.splice(place, 1)
    const [delivery] = this.#open.splice(place, 1)
    this.settle(delivery!.push.taskId)
    return delivery
  }

  settle(taskId: number): void {
    this.#settled[this.#settledAt] = taskId
    this.#settledAt = (this.#settledAt + 1) % REMEMBERED
  }

  forgetSettled(): void {
    this.#settled.length = 0
    this.#settledAt = 0
  }

  isOpen(taskId: number): boolean {
    for (const delivery of this.#open) if (delivery.push.taskId === taskId) return true
    return false
  }

  isSettled(taskId: number): boolean {
    return this.#settled.includes(taskId)
  }
}

const next = (id: number): number => (id === 0xffff ? 1 : id + 1)
