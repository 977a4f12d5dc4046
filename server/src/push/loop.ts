import type { Logger } from 'pino'
import type { Cell } from '../metrics-kinds.ts'
import { loopErrors } from '../metrics.ts'

const ERROR_PAUSE_MS = 1_000

/**
 * Does work whenever there is some: while `work` says it did something it is called again; then the loop rests until it
 * is nudged or `restMs` have passed, because a nudge may be lost.
 */
export class Loop {
  readonly #name: string
  readonly #work: () => Promise<boolean>
  readonly #restMs: number
  readonly #log: Logger
  readonly #errors: Cell
  #stopped = false
  #nudged = false
  #rest: { timer: NodeJS.Timeout; wake: () => void } | undefined
  #running: Promise<void> | undefined

  constructor(name: string, work: () => Promise<boolean>, restMs: number, log: Logger) {
    this.#name = name
    this.#work = work
    this.#restMs = restMs
    this.#log = log
    this.#errors = loopErrors.of(name)
  }

  start(): void {
    this.#running = this.#run()
  }

  readonly nudge = (): void => {
    this.#nudged = true
    this.#rest?.wake()
  }

  /** Resolves when the work under way is finished. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#rest?.wake()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      let restMs = this.#restMs
      try {
        this.#nudged = false
        if (await this.#work()) continue
      } catch (error) {
        this.#errors.value += 1
        this.#log.error({ err: error, loop: this.#name }, `${this.#name} failed; it goes on in a moment`)
        restMs = ERROR_PAUSE_MS
      }
      if (!this.#nudged && !this.#stopped) await this.#sleep(restMs)
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(this.#rest?.timer)
        this.#rest = undefined
        resolve()
      }
      this.#rest = { timer: setTimeout(wake, ms), wake }
    })
  }
}
