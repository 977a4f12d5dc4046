/**
 * Who sends next. One at a time in a turn of the event loop, whatever the lane: between two of them, answers and
 * everybody else's calls are read.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []

  take(): Promise<void> {
    if (this.#waiting.length === 0) setImmediate(this.#next)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  readonly #next = (): void => {
    this.#waiting.shift()!()
    if (this.#waiting.length > 0) setImmediate(this.#next)
  }
}
