import { setTimeout as timer } from 'node:timers/promises'
import { type ChannelName, vendorOfProvider } from '@carillon/protocol/names.ts'
import { call } from '@carillon/sdk/call.ts'
import type { Mishap } from './mishaps.ts'
import type { LaneSeen, Scene } from './picture.ts'
import { type Act, opening, programme } from './programme.ts'
import type { Screen } from './screen.ts'
import type { Stage } from './stage.ts'
import { Totals } from './totals.ts'

const LOOK_MS = 1_000
const OPENING_LOOK_MS = 100
const ACT_MS = 3_500 // faster, and Meizu shows a device no more than five of one app in a minute

/** Sends, lets vendors misbehave, and shows what comes of it, until the signal. */
export class Show {
  readonly #stage: Stage
  readonly #screen: Screen
  readonly #signal: AbortSignal
  readonly #totals: Totals
  #lanes = new Map<ChannelName, LaneSeen>()

  constructor(stage: Stage, screen: Screen, signal: AbortSignal) {
    this.#stage = stage
    this.#screen = screen
    this.#signal = signal
    this.#totals = new Totals(stage.caller)
  }

  /** One notification to everybody; resolves when it has gone its way over every channel. */
  async begin(): Promise<void> {
    const task = await this.#perform(opening)
    while (!this.#signal.aborted && (await this.#stage.caller.task(task)).state !== 'done') {
      await this.look()
      await this.#pause(OPENING_LOOK_MS)
    }
  }

  async goOn(): Promise<void> {
    await Promise.all([this.#act(), this.#watch()])
  }

  get scene(): Scene {
    const { devices, connected } = this.#stage
    const online = connected.filter(({ state }) => state.kind === 'online').length
    return { totals: this.#totals, devices, connected: online, lanes: this.#lanes, now: Date.now() }
  }

  async look(): Promise<void> {
    const lanes = call<(LaneSeen & { provider: number })[]>(this.#stage.admin, '/push/lane/list')
    await this.#totals.look(performance.now())
    this.#lanes = new Map((await lanes).map((lane) => [vendorOfProvider[lane.provider]!, lane]))
    this.#screen.show(this.scene)
  }

  async #act(): Promise<void> {
    for (const act of programme(this.#stage.userIds, Date.now)) {
      await this.#pause(ACT_MS)
      if (this.#signal.aborted) return
      await this.#perform(act)
    }
  }

  async #perform({ words, notify, mishap }: Act): Promise<number> {
    if (mishap) void this.#misbehave(mishap)
    const { task_id } = await this.#stage.caller.notify(notify)
    this.#totals.add(task_id)
    this.#screen.happened('task', `${task_id}: ${words}`)
    return task_id
  }

  async #misbehave({ words, order, seconds }: Mishap): Promise<void> {
    const { simulators } = this.#stage
    this.#screen.happened('mishap', `${words}, for ${seconds} s`)
    simulators.order(order)
    await this.#pause(seconds * 1000)
    simulators.forgetOrders()
  }

  async #watch(): Promise<void> {
    while (!this.#signal.aborted) {
      await this.look()
      await this.#pause(LOOK_MS)
    }
  }

  /** Ends early when the show does. */
  async #pause(ms: number): Promise<void> {
    await timer(ms, undefined, { signal: this.#signal }).catch(() => {})
  }
}
