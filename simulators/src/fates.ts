/**
 * How requests for one vendor token went. Of n pushes meant for it, `taken` is at least n when none was lost, and
 * exceeds n by at most `ambiguous` when none was doubled without excuse.
 */
export interface Fate {
  /** The phone would have shown it so often. */
  taken: number
  /** Requests processed, and the answer handed over. */
  answered: number
  /** Requests processed whose answer was withheld, broken, or came after the client had left. */
  ambiguous: number
  /** Requests turned away unprocessed. */
  refused: number
  /** Requests that came before the Retry-After of an earlier one was over. */
  early: number
}

export type FateName = 'answered' | 'ambiguous' | 'refused'

/** One row a token, however many pushes: tests send hundreds of thousands. */
export class Fates {
  readonly #byToken = new Map<string, Fate>()
  readonly #waitUntil = new Map<string, number>()

  get byToken(): ReadonlyMap<string, Fate> {
    return this.#byToken
  }

  note(tokens: readonly string[], taken: readonly string[], name: FateName, cameAt: number): void {
    for (const token of tokens) {
      const fate = this.#of(token)
      fate[name] += 1
      if (this.#waitUntil.size > 0 && cameAt < (this.#waitUntil.get(token) ?? 0)) fate.early += 1
    }
    for (const token of taken) this.#of(token).taken += 1
  }

  /** These were told to come back at that time. */
  mustWait(tokens: readonly string[], until: number): void {
    for (const token of tokens) this.#waitUntil.set(token, Math.max(until, this.#waitUntil.get(token) ?? 0))
  }

  clear(): void {
    this.#byToken.clear()
    this.#waitUntil.clear()
  }

  #of(token: string): Fate {
    const known = this.#byToken.get(token)
    if (known) return known
    const fate = { taken: 0, answered: 0, ambiguous: 0, refused: 0, early: 0 }
    this.#byToken.set(token, fate)
    return fate
  }
}
