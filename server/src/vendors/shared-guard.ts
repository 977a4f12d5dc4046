import { type Judged, areTooMany } from '../store/guard.ts'
import type { LaneState } from '../store/lane-states.ts'

/**
 * One node's part of a lane's guard. The minute is kept in the store, where all nodes' answers are counted, and judged
 * there; until they have been told, this node's own latest are counted on top of what was last heard.
 */
export class SharedGuard {
  #since: number | undefined
  #minute = { answers: 0, dead: 0 }
  /** Not told yet. */
  #answers = 0
  #dead = 0

  get since(): number | undefined {
    return this.#since
  }

  /** Counts what one reply said. After `tripped` the others are to be told at once: the store has the last word. */
  count(now: number, answers: number, dead: number): Judged {
    this.#answers += answers
    this.#dead += dead
    if (this.#since !== undefined) return 'doubted'
    if (!areTooMany(this.#minute.dead + this.#dead, this.#minute.answers + this.#answers)) return 'believed'
    this.#since = now
    return 'tripped'
  }

  /** What was answered since it was last told; it counts as told. */
  tell(): { answers: number; dead: number } {
    const told = { answers: this.#answers, dead: this.#dead }
    this.#answers = 0
    this.#dead = 0
    return told
  }

  /** It could not be told after all. */
  takeBack({ answers, dead }: { answers: number; dead: number }): void {
    this.#answers += answers
    this.#dead += dead
  }

  learn({ doubtedAt, minute }: LaneState): void {
    this.#since = doubtedAt ?? undefined
    this.#minute = minute
  }
}
