import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Carillon, startCarillon } from './carillon.ts'
import { Chance } from './chance.ts'
import { type Crowd, gatherCrowd } from './crowd.ts'
import { type Balance, type Notice, balanceOf } from './ledger.ts'

export interface Siege {
  kills: number
  clients: number
  devices: number
}


const LONGEST_LIFE_MS = 1_500
const MOST_ANSWERS = 300
const STILL_MS = 25_000

/** Kills the server again and again while clients notify and devices listen; then the ledger must say what arrived. */
export const survivesKills = async (t: TestContext, { kills, clients, devices }: Siege): Promise<void> => {
  const chance = new Chance()
  t.diagnostic(`SEED=${chance.seed} repeats the draws`)
  // A short wait for acknowledgements, so that the sweeps for them run under the kills too.
  const carillon = await startCarillon(t, { CARILLON_ACK_SECONDS: '2', CARILLON_LOG_LEVEL: 'error' })
  const crowd = await gatherCrowd(t, carillon, devices, chance)
  const senders = new Senders(carillon, crowd, chance)
  const sending = Array.from({ length: clients }, () => senders.send())

  for (let kill = 0; kill < kills; kill++) {
    // Every second one falls into the moment after an answer: what was just promised is what could be lost.
    if (kill % 2 === 0) await pause(chance.below(LONGEST_LIFE_MS))
    else await senders.answers(1 + chance.below(MOST_ANSWERS))
    await carillon.stop('SIGKILL')
    await carillon.start()
  }
  senders.finish()
  await Promise.all(sending)

  const balance = await untilStill(carillon, crowd, senders.notices)
  const { tasks, deliveries, arrivals } = balance
  t.diagnostic(`${tasks} tasks, ${deliveries} deliveries, ${arrivals} arrivals, ${senders.unanswered} calls unanswered`)
  t.assert.deepEqual(senders.wrong, [], 'what clients were answered')
  t.assert.deepEqual(balance.complaints, [], 'the ledger')
  t.assert.doesNotMatch(carillon.log, /"level":"error"/)
}

/** The ledger when it balances, or when nothing has moved for so long that it never will. */
const untilStill = async (carillon: Carillon, crowd: Crowd, notices: readonly Notice[]): Promise<Balance> => {
  let last = ''
  let movedAt = Date.now()
  for (;;) {
    const balance = await balanceOf(carillon, crowd, notices)
    if (balance.complaints.length === 0) return balance
    const now = `${balance.arrivals} ${JSON.stringify(balance.complaints)}`
    if (now !== last) movedAt = Date.now()
    else if (Date.now() - movedAt > STILL_MS) return balance
    last = now
    await pause(250)
  }
}

/** Back ends that call as a careful one does: an unanswered call with a request_id is made again with the same one. */
class Senders {
  readonly notices: Notice[] = []
  /** Answers that should not have been given. */
  readonly wrong: string[] = []
  unanswered = 0
  readonly #carillon: Carillon
  readonly #crowd: Crowd
  readonly #chance: Chance
  #finished = false
  #answered = 0
  #awaited: { count: number; resolve(): void } | undefined

  constructor(carillon: Carillon, crowd: Crowd, chance: Chance) {
    this.#carillon = carillon
    this.#crowd = crowd
    this.#chance = chance
  }

  finish(): void {
    this.#finished = true
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

  /** True when it was answered. */
  async #call(notice: Notice): Promise<boolean> {
    const { audience, setting, title } = notice
    try {
      const body = { audience, setting, message: { title } }
      const answer = await this.#carillon.call('/push/notify', { token: this.#carillon.admin, body })
      if (answer.code !== 200) {
        this.wrong.push(`${title}: ${answer.code} ${answer.message}`)
        return true
      }
      this.#accepted(notice, answer.data.task_id)
      return true
    } catch {
      this.unanswered++
      return false
    }
  }

  #accepted(notice: Notice, taskId: number): void {
    const first = (notice.taskId ??= taskId)
    if (first !== taskId) this.wrong.push(`${notice.title}: task ${first}, then ${taskId}`)
    this.#answered++
    if (this.#awaited?.count === this.#answered) this.#awaited.resolve()
  }
}
