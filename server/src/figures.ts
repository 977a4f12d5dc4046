import type { Membership } from './membership.ts'
import type { Pulse } from './push/pulse.ts'
import { writeFigures } from './store/figures.ts'
import type { Store } from './store/store.ts'

interface Parts {
  store: Store
  membership: Pick<Membership, 'node'>
  pulse: Pulse
}

/** What people on any node see of this one, second by second: what happened, and how many devices are connected. */
export class Figures {
  /** Devices connected here, by app; filled in by who holds them. */
  online: ReadonlyMap<number, number> = new Map()
  readonly #parts: Parts
  /** What the others know of `online`, and under which number they know this node. */
  #told = new Map<number, number>()
  #toldAs = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Writes down what is news; an idle node writes nothing. */
  async write(): Promise<void> {
    const { store, membership: { node }, pulse } = this.#parts
    if (node !== this.#toldAs) this.#told = new Map()
    const online = this.#changed()
    const minutes = pulse.take()
    if (online.length === 0 && minutes.length === 0) return
    try {
      await store.write(writeFigures, { node, minutes, online })
    } catch (error) {
      pulse.giveBack(minutes)
      throw error
    }
    this.#toldAs = node
    for (const { app, online: count } of online) this.#told.set(app, count)
  }

  #changed(): { app: number; online: number }[] {
    const changed = [...this.online].filter(([app, count]) => count !== (this.#told.get(app) ?? 0))
    return changed.map(([app, online]) => ({ app, online }))
  }
}
