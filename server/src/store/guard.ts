import { alarmSentences } from '@carillon/protocol/sentences/alarms.ts'

const WINDOW_S = 60
const ENOUGH = 50
const TOO_MANY = 0.2

/** What is taken back when there are too many dead tokens: all that was quarantined in the guard's minute. */
export const GUARD_MS = WINDOW_S * 1_000

/** What operators are told then. */
export const TOKENS_DYING = alarmSentences.tokens_dying()

/** Whether so many dead tokens among so many answers cannot be right. */
export const areTooMany = (dead: number, answers: number): boolean => answers >= ENOUGH && dead > answers * TOO_MANY

/** What a guard says of an answer. `tripped`: from now on dead tokens are not believed; this minute's were none. */
export type Judged = 'believed' | 'tripped' | 'doubted'

/** A guard in a form that can be stored. A second is left out where nothing was answered. */
export interface GuardState {
  minute?: [second: number, answers: number, dead: number][]
  heard?: number
  heardDead?: number
}

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

  constructor({ minute = [], heard = 0, heardDead = 0 }: GuardState = {}, since?: number) {
    for (const [second, answers, dead] of minute) this.#add(second, answers, dead)
    this.#since = since
    this.#heard = heard
    this.#heardDead = heardDead
  }

  get since(): number | undefined {
    return this.#since
  }

  get state(): GuardState {
    const minute: GuardState['minute'] = []
    for (let second = this.#second - WINDOW_S + 1; second <= this.#second; second += 1) {
      const place = second % WINDOW_S
      if (this.#answers[place]! > 0) minute.push([second, this.#answers[place]!, this.#dead[place]!])
    }
    return { minute, heard: this.#heard, heardDead: this.#heardDead }
  }

  /** All that was answered within the last minute. */
  minute(now: number): { answers: number; dead: number } {
    this.#turn(Math.floor(now / 1000))
    return { answers: this.#allAnswers, dead: this.#allDead }
  }

  /** Counts what one reply said. */
  count(now: number, answers: number, dead: number): Judged {
    this.#add(Math.floor(now / 1000), answers, dead)
    if (areTooMany(this.#allDead, this.#allAnswers)) {
      this.#hearAnew()
      if (this.#since !== undefined) return 'doubted'
      this.#since = now
      return 'tripped'
    }
    if (this.#since === undefined) return 'believed'
    // Believed again after as many good answers as it takes to doubt, however long that is: small apps have few a minute.
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

  #add(second: number, answers: number, dead: number): void {
    this.#turn(second)
    const place = this.#second % WINDOW_S
    this.#answers[place]! += answers
    this.#dead[place]! += dead
    this.#allAnswers += answers
    this.#allDead += dead
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
