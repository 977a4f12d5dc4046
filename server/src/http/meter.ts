import type { Cell, Histogram } from '../metrics-kinds.ts'
import { requests, requestSeconds } from '../metrics.ts'

/** Counts the answers of one route. */
export class Meter {
  readonly #route: string
  #succeeded: Cell | undefined
  #seconds: Histogram | undefined

  constructor(route: string) {
    this.#route = route
  }

  answered(code: number, startedAt: number): void {
    this.#seconds ??= requestSeconds.of(this.#route)
    this.#seconds.observe((performance.now() - startedAt) / 1_000)
    if (code === 200) (this.#succeeded ??= requests.of(this.#route, '200')).value += 1
    else requests.of(this.#route, String(code)).value += 1
  }
}

/** What no route answered: unknown paths and methods, and what is not HTTP. */
export const countUnrouted = (code: number): void => {
  requests.of('none', String(code)).value += 1
}
