import type { Bus } from '../bus/bus.ts'
import { type ChangeKind, lastChange, readChanges } from '../store/changes.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { Heard } from './heard.ts'

const LOOK_MS = 500 // a revoked token is refused everywhere within a second, also when the bus loses the nudge
const PAGE = 500

/** Follows what other operations, nodes and the command line have changed, so that nobody acts on what is over. */
export class Changes {
  readonly #store: Store
  readonly #bus: Bus
  readonly #listeners = new Map<ChangeKind, ((key: number) => void)[]>()
  #heard: Heard | undefined
  #current: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #stop: () => void = () => {}

  constructor(store: Store, bus: Bus) {
    this.#store = store
    this.#bus = bus
  }

  /** The last change that was heard of. */
  get newest(): number {
    return this.#heard?.newest ?? 0
  }

  on(kind: ChangeKind, listener: (key: number) => void): void {
    this.#listeners.set(kind, [...(this.#listeners.get(kind) ?? []), listener])
  }

  /** Begins at the newest change: whoever starts has nothing to forget. */
  async start(): Promise<void> {
    const newest = await this.#store.read(lastChange, {})
    const after = Heard.before(newest)
    const last = await this.#store.read(readChanges, { after, limit: newest - after })
    this.#heard = new Heard(newest, last.map(({ id }) => id), performance.now())
    const off = this.#bus.on('changes', () => void this.look())
    this.#store.onForeignWrite(() => void this.look())
    const timer = setInterval(() => void this.look(), LOOK_MS)
    this.#stop = () => {
      off()
      clearInterval(timer)
    }
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#next
    await this.#current
    this.#heard = undefined
  }

  /** After a write that ends something: tells the other nodes, and resolves when this one knows. */
  async announce(): Promise<void> {
    this.#bus.nudge('changes')
    await this.look()
  }

  /** A read under way may have begun before the change somebody has just made, so that one is followed by another. */
  look(): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      this.#current = this.#read()
      return this.#current
    })
    return this.#next
  }

  async #read(): Promise<void> {
    for (let heard; (heard = this.#heard) !== undefined; ) {
      const changes = await this.#page(heard)
      for (const { id, kind, key } of changes) {
        if (!heard.hear(id, performance.now())) continue
        for (const listener of this.#listeners.get(kind) ?? []) listener(key)
      }
      if (changes.length < PAGE) return
    }
  }

  async #page(heard: Heard) {
    try {
      return await this.#store.read(readChanges, { ...heard.wanted(performance.now()), limit: PAGE })
    } catch (error) {
      if (error instanceof StoreUnavailable) return [] // the next look reads them
      throw error
    }
  }
}
