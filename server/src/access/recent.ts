import type { Clock } from '../clock.ts'

const KEPT_MS = 1_000 // what is over must be refused everywhere within this, even if nobody told us

/** What was looked up a moment ago. Only what was found is kept: a new app or token counts at once. */
export class Recent<V extends { id: number }> {
  readonly #clock: Clock
  readonly #max: number
  readonly #values = new Map<string, { value: V; until: number }>()
  readonly #keys = new Map<number, string>()

  constructor(clock: Clock, max: number) {
    this.#clock = clock
    this.#max = max
  }

  async get(key: string, find: () => Promise<V | undefined>): Promise<V | undefined> {
    const now = this.#clock.now()
    const kept = this.#values.get(key)
    if (kept && kept.until > now) return kept.value
    const value = await find()
    if (kept) this.drop(kept.value.id)
    if (!value) return undefined
    this.#values.set(key, { value, until: now + KEPT_MS })
    this.#keys.set(value.id, key)
    if (this.#values.size > this.#max) this.#dropOldest()
    return value
  }

  drop(id: number): void {
    const key = this.#keys.get(id)
    if (key === undefined) return
    this.#keys.delete(id)
    this.#values.delete(key)
  }

  clear(): void {
    this.#keys.clear()
    this.#values.clear()
  }

  #dropOldest(): void {
    for (const { value } of this.#values.values()) return this.drop(value.id)
  }
}
