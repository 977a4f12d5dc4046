import type { Outcome, Push, Target } from '../push/channel.ts'
import type { Page, Sessions } from './sessions.ts'

// Some 3 ms: between turns, acknowledgements and everybody else's calls are read.
const COST_OF_A_TURN = 500
const PAGES_A_TURN = 8

// The oldest page waits for others that are a little behind it, so that they go side by side from there on.
const BEHIND_IDS = 10_000
const BEHIND_TURNS = 64

interface Waiting extends Page {
  /** Turns it has waited for others while it was the oldest. */
  passed: number
  written: (outcomes: Outcome[]) => void
  failed: (error: unknown) => void
}

/**
 * Pages are written a little in each turn of the event loop, however many there are. Those for the same devices go
 * side by side, and a device gets what they have for it in one write: most of a delivery's cost is the kernel's, by the
 * write, here and at the device, whose acknowledgements come back together.
 */
export class PageWriter {
  readonly #sessions: Sessions
  readonly #waiting: Waiting[] = []

  constructor(sessions: Sessions) {
    this.#sessions = sessions
  }

  write(push: Push, batchId: number, targets: readonly Target[]): Promise<Outcome[]> {
    if (this.#waiting.length === 0) setImmediate(this.#turn)
    return new Promise((written, failed) => this.#waiting.push({ push, batchId, targets, outcomes: [], passed: 0, written, failed }))
  }

  readonly #turn = (): void => {
    const first = this.#first()
    const pages = this.#waiting.filter((page) => isBeside(page, first)).slice(0, PAGES_A_TURN)
    try {
      this.#sessions.handPages(pages, COST_OF_A_TURN)
    } catch (error) {
      for (const page of pages) this.#leave(page).failed(error)
    }
    for (const page of pages) if (isWritten(page)) this.#leave(page).written(page.outcomes)
    if (this.#waiting.length > 0) setImmediate(this.#turn)
  }

  #first(): Waiting {
    const oldest = this.#waiting[0]!
    if (oldest.passed >= BEHIND_TURNS) return oldest
    const near = begin(oldest) - BEHIND_IDS
    const first = this.#waiting.reduce((lowest, page) => (begin(page) >= near && begin(page) < begin(lowest) ? page : lowest))
    if (first !== oldest) oldest.passed += 1
    return first
  }

  #leave(page: Waiting): Waiting {
    const place = this.#waiting.indexOf(page)
    if (place >= 0) this.#waiting.splice(place, 1)
    return page
  }
}

const isWritten = ({ targets, outcomes }: Page): boolean => outcomes.length === targets.length

/** What is left of them reaches over the same stretch of device ids. */
const isBeside = (page: Page, other: Page): boolean => begin(page) <= end(other) && begin(other) <= end(page)

const begin = ({ targets, outcomes }: Page): number => targets[outcomes.length]!.deviceId

const end = ({ targets }: Page): number => targets.at(-1)!.deviceId
