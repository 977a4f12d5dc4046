import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from './api.ts'
import type { Chance } from './chance.ts'
import type { Crowd } from './crowd.ts'
import type { Notice } from './ledger.ts'

/** A call that went wrong: it was refused with this code, nobody took its connection, or it was dropped unanswered. */
export interface Trouble {
  door: Api
  code: number | 'nobody there' | 'dropped'
}

/** Who says for which troubles there is a reason. */
interface Excuse {
  name: string
  excuses(trouble: Trouble): boolean
}

/** How long errors may last after what was broken is back. */
const EXCUSED_MS = 5_000

/**
 * Back ends that call as a careful one does: an unanswered call goes to the next node, and with the same request_id if it
 * has one.
 */
export class Senders {
  readonly notices: Notice[] = []
  /** Answers that should not have been given. */
  readonly wrong: string[] = []
  /** Troubles for which there was a reason, by their code. */
  readonly excused = new Map<Trouble['code'], number>()
  readonly #doors: readonly Api[]
  readonly #crowd: Crowd
  readonly #chance: Chance
  readonly #excuses = new Map<Excuse, number>()
  #turn = 0
  #finished = false
  #gaveUp = false
  #answered = 0
  #awaited: { count: number; resolve(): void } | undefined

  constructor(doors: readonly Api[], crowd: Crowd, chance: Chance) {
    this.#doors = doors
    this.#crowd = crowd
    this.#chance = chance
  }

  finish(): void {
    this.#finished = true
  }

  /** Also what was not accepted yet is let be. */
  giveUp(): void {
    this.#finished = true
    this.#gaveUp = true
  }

  begin(excuse: Excuse): void {
    this.#excuses.set(excuse, Infinity)
  }

  end(excuse: Excuse): void {
    this.#excuses.set(excuse, performance.now() + EXCUSED_MS)
  }

  /** Resolves with the answer that is so many answers away, in the very turn that brings it. */
  answers(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#awaited = { count: this.#answered + count, resolve }
    return promise
  }

  async send(): Promise<void> {
    while (!this.#finished) {
      const notice = this.#draw()
      this.notices.push(notice)
      while (!(await this.#call(notice))) {
        await pause(100)
        if (this.#gaveUp) return
        if (notice.setting.request_id === undefined) break // whether it was taken nobody can tell: it is let be
      }
      if (notice.setting.request_id !== undefined && this.#chance.below(10) === 0) await this.#call(notice) // once more
      await pause(this.#chance.below(40))
    }
  }

  #draw(): Notice {
    const title = `notice ${this.notices.length}`
    const { audience, meant } = this.#crowd.draw(this.#chance)
    return { title, audience, meant, setting: this.#chance.below(2) === 0 ? { request_id: title } : {} }
  }

  /** True when it was accepted. */
  async #call(notice: Notice): Promise<boolean> {
    const { audience, setting, title } = notice
    const door = this.#doors[(this.#turn = (this.#turn + 1) % this.#doors.length)]!
    try {
      const answer = await door.call('/push/notify', { token: door.admin, body: { audience, setting, message: { title } } })
      if (answer.code === 200) this.#accepted(notice, answer.data.task_id)
      else this.#failed(title, { door, code: answer.code }, answer.message)
      return answer.code === 200
    } catch (error) {
      const cause = (error as { cause?: NodeJS.ErrnoException }).cause
      this.#failed(title, { door, code: cause?.code === 'ECONNREFUSED' ? 'nobody there' : 'dropped' }, String(cause ?? error))
      return false
    }
  }

  #failed(title: string, trouble: Trouble, why: string | null): void {
    const now = performance.now()
    const isExcused = [...this.#excuses].some(([excuse, until]) => until > now && excuse.excuses(trouble))
    if (isExcused) this.excused.set(trouble.code, (this.excused.get(trouble.code) ?? 0) + 1)
    else this.wrong.push(`${title}: ${trouble.code} by node ${this.#doors.indexOf(trouble.door)}: ${why}; ${this.#lately(now)}`)
  }

  #lately(now: number): string {
    const [name, until] = [...this.#excuses].map(([excuse, at]) => [excuse.name, at] as const).at(-1) ?? ['nothing', Infinity]
    return until === Infinity ? `during ${name}` : `${Math.round(now - until + EXCUSED_MS)} ms after ${name}`
  }

  #accepted(notice: Notice, taskId: number): void {
    const first = (notice.taskId ??= taskId)
    if (first !== taskId) this.wrong.push(`${notice.title}: task ${first}, then ${taskId}`)
    this.#answered++
    if (this.#awaited?.count === this.#answered) this.#awaited.resolve()
  }
}
