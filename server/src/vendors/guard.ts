const WINDOW_S = 60
const ENOUGH = 50
const TOO_MANY = 0.2

/**
 * Counts the answers of one lane over the last minute and says when too many of them call a token dead: then it is not
 * the tokens, but a wrong environment, a wrong project or a vendor's slip, and nobody may lose a device by it.
 */
export class Guard {
  readonly #answers = new Int32Array(WINDOW_S)
  readonly #dead = new Int32Array(WINDOW_S)
  #second = 0
  /** Of the whole window. */
  #allAnswers = 0
  #allDead = 0
  /** Since when dead tokens are not believed. */
  #since: number | undefined
  /** Answers since then, or since the last time there were too many dead among them. */
  #heard = 0
  #heardDead = 0

  get since(): number | undefined {
    return this.#since
  }

  /** Counts what one reply said. `tripped`: from now on dead tokens are not believed, and this minute's were none. */
  count(now: number, answers: number, dead: number): 'believed' | 'tripped' | 'doubted' {
    this.#turn(Math.floor(now / 1000))
    const place = this.#second % WINDOW_S
    this.#answers[place]! += answers
    this.#dead[place]! += dead
    this.#allAnswers += answers
    this.#allDead += dead
    if (areTooMany(this.#allDead, this.#allAnswers)) {
      this.#hearAnew()
      if (this.#since !== undefined) return 'doubted'
      this.#since = now
      return 'tripped'
    }
    if (this.#since === undefined) return 'believed'
    // Believed again after as many good answers as it takes to doubt, however long they take: a small app has few a minute.
    this.#heard += answers
    this.#heardDead += dead
    if (Math.max(this.#allAnswers, this.#heard) < ENOUGH) return 'doubted'
    const isGood = !areTooMany(this.#heardDead, this.#heard)
    this.#hearAnew()
    if (isGood) this.#since = undefined
    return isGood ? 'believed' : 'doubted'
  }

  #hearAnew(): void {
    this.#heard = 0
    this.#heardDead = 0
  }

  #turn(second: number): void {
    const passed = Math.min(WINDOW_S, second - this.#second)
    for (let i = 1; i <= passed; i += 1) {
      const place = (second - passed + i) % WINDOW_S
      this.#allAnswers -= this.#answers[place]!
      this.#allDead -= this.#dead[place]!
      this.#answers[place] = 0
      this.#dead[place] = 0
    }
    this.#second = Math.max(second, this.#second)
  }
}

const areTooMany = (dead: number, answers: number): boolean => answers >= ENOUGH && dead > answers * TOO_MANY
