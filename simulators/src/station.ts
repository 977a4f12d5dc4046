import { Fates } from './fates.ts'
import type { Orderable } from './order.ts'
import type { Options, RunningSimulator, Simulator, World } from './simulator.ts'

/** One vendor, started: its simulator, what was ordered of it, and the fates of its vendor tokens. */
export class Station {
  readonly simulator: Simulator<unknown>
  readonly running: RunningSimulator
  readonly fates = new Fates()
  readonly #options: Options
  readonly #outcomes = new Map<string, string>()
  readonly #beginnings: readonly [string, string][]

  constructor(simulator: Simulator<unknown>, world: Omit<World<unknown>, 'options' | 'outcomeOf'>) {
    this.simulator = simulator
    this.#options = { ...simulator.options }
    this.#beginnings = Object.entries(simulator.outcomes).filter(([, beginning]) => beginning !== '')
    this.running = simulator.start({ ...world, options: this.#options, outcomeOf: (token) => this.#outcomeOf(token) })
  }

  get orderable(): Orderable {
    const { outcomes, options } = this.simulator
    return { outcomes, options, hasAccessTokens: this.running.troubles.expired !== undefined }
  }

  setOptions(options: Options): void {
    Object.assign(this.#options, options)
  }

  setOutcome(token: string, outcome: string | null): void {
    if (outcome === null) this.#outcomes.delete(token)
    else this.#outcomes.set(token, outcome)
  }

  kill(token: string): void {
    this.setOutcome(token, this.simulator.dead)
  }

  forgetOrders(): void {
    this.#outcomes.clear()
    Object.assign(this.#options, this.simulator.options)
  }

  #outcomeOf(token: string): string | undefined {
    return this.#outcomes.get(token) ?? this.#beginnings.find(([, beginning]) => token.startsWith(beginning))?.[0]
  }
}
