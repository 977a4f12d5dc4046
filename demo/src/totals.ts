import type { Counters, Tally } from '@carillon/protocol/counters.ts'
import { channels, type ChannelName } from '@carillon/protocol/names.ts'
import type { Caller } from '@carillon/sdk/caller.ts'

/** Counters of older tasks hardly rise any more: the last that was seen of them is kept. */
const ASKED = 100
/** How many looks a rate is taken over, and how many are remembered. */
const OVER = 3
const KEPT = 20

const kinds = ['target', 'sent', 'received'] as const

/** The counters of all tasks so far, by channel, and how fast they rise. */
export class Totals {
  readonly #caller: Caller
  readonly #byTask = new Map<number, Counters | undefined>()
  /** What was sent in all at each look, oldest first. */
  readonly #looks: { at: number; sent: Record<ChannelName, number> }[] = []
  #now = this.#sums()

  constructor(caller: Caller) {
    this.#caller = caller
  }

  get tasks(): number {
    return this.#byTask.size
  }

  add(taskId: number): void {
    this.#byTask.set(taskId, undefined)
  }

  /** `at`: milliseconds of any clock that does not jump. */
  async look(at: number): Promise<void> {
    const newest = [...this.#byTask.keys()].slice(-ASKED)
    if (newest.length > 0) for (const row of await this.#caller.counters(newest)) this.#byTask.set(row.task_id, row)
    this.#now = this.#sums()
    const sent = Object.fromEntries(channels.map((channel) => [channel, this.#now[channel].sent])) as Record<ChannelName, number>
    this.#looks.push({ at, sent })
    if (this.#looks.length > KEPT + 1) this.#looks.shift()
  }

  of(channel: ChannelName): Tally {
    return this.#now[channel]
  }

  /** Sent a second, lately. */
  rate(channel: ChannelName): number {
    const [from, to] = [this.#looks.at(-1 - OVER) ?? this.#looks[0], this.#looks.at(-1)]
    return from && to && to.at > from.at ? ((to.sent[channel] - from.sent[channel]) * 1000) / (to.at - from.at) : 0
  }

  /** How many were sent between one look and the next, oldest first. */
  history(channel: ChannelName): number[] {
    return this.#looks.slice(1).map(({ sent }, i) => sent[channel] - this.#looks[i]!.sent[channel])
  }

  #sums(): Record<ChannelName, Tally> {
    const sums = Object.fromEntries(channels.map((channel) => [channel, { target: 0, sent: 0, received: 0 }])) as Record<ChannelName, Tally>
    for (const counters of this.#byTask.values()) {
      if (counters) for (const channel of channels) for (const kind of kinds) sums[channel][kind] += counters[`${channel}_${kind}`]
    }
    return sums
  }
}
