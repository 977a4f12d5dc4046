import type { ChannelName } from '@carillon/protocol/names.ts'
import type { Clock } from '../clock.ts'
import type { NewBatch } from '../store/batches.ts'
import type { Minute } from '../store/figures.ts'

const MINUTE_MS = 60_000

/** The minute a moment lies in: Unix time / 60 s. */
export const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS)

/** What happens on this node, minute by minute, gathered until it is written down. Dry runs are no push. */
export class Pulse {
  readonly #clock: Clock
  #gathered = new Map<string, Minute>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  accepted(app: number): void {
    this.#of(app, '').accepted += 1
  }

  /** Channels were chosen for devices. */
  targeted(app: number, batches: readonly Pick<NewBatch, 'channel' | 'state' | 'devices'>[]): void {
    for (const { channel, state, devices } of batches) {
      if (channel === 'held' || channel === 'none' || state === 'planned') continue
      this.#of(app, channel).target += devices.length
    }
  }

  /** So many more were handed over, and received. */
  moved(app: number, channel: ChannelName, { sent, received }: { sent: number; received: number }): void {
    if (sent === 0 && received === 0) return
    const minute = this.#of(app, channel)
    minute.sent += sent
    minute.received += received
  }

  /** All of it, to be written down. */
  take(): Minute[] {
    const gathered = [...this.#gathered.values()]
    this.#gathered = new Map()
    return gathered
  }

  /** It could not be written down: it is taken again with what came meanwhile. */
  giveBack(minutes: readonly Minute[]): void {
    for (const { app, channel, minute, ...counts } of minutes) {
      const kept = this.#of(app, channel, minute)
      for (const name of ['accepted', 'target', 'sent', 'received'] as const) kept[name] += counts[name]
    }
  }

  #of(app: number, channel: Minute['channel'], minute = minuteOf(this.#clock.now())): Minute {
    const key = `${app} ${minute} ${channel}`
    let found = this.#gathered.get(key)
    if (!found) {
      found = { app, minute, channel, accepted: 0, target: 0, sent: 0, received: 0 }
      this.#gathered.set(key, found)
    }
    return found
  }
}
