import type { Exchange, Serve } from './exchange.ts'
import type { Fates, FateName } from './fates.ts'
import type { Inspection } from './inspection.ts'
import type { Misbehaviour, Misfortune } from './misbehave.ts'
import type { Answer, Handled, RunningSimulator } from './simulator.ts'
import type { VendorName } from '@carillon/protocol/names.ts'

/** One vendor's desk: what it takes to attend to its requests. */
export interface Desk {
  vendor: VendorName
  running: RunningSimulator
  misbehaviour: Misbehaviour
  fates: Fates
  inspection: Inspection
  now(): number
  /** Runs it later, unless everything has closed by then. */
  later(ms: number, run: () => void): void
  /** Pushes to this vendor token end as a dead one's from now on. */
  kill(token: string): void
}

const GARBAGE = '\u0000<<<{"code":'
const fine: Misfortune = { delayMs: 0, fault: undefined }

export const serveFrom =
  (desk: Desk): Serve =>
  (exchange) => {
    const { misbehaviour, running, vendor } = desk
    try {
      const attendance = new Attendance(desk, exchange)
      if (exchange.late) return attendance.refuseWith(() => exchange.refuse())
      const misfortune = misbehaviour.idle ? fine : misbehaviour.befall(vendor, running.tokensOf(exchange.request))
      attend(attendance, misfortune)
    } catch (error) {
      failed(exchange, error as Error)
    }
  }

/** A simulator that trips over a request says so to whoever sent it, and goes on. */
const failed = (exchange: Exchange, error: Error): void => {
  const body = `The simulator failed: ${error.stack}`
  exchange.answer({ status: 500, headers: { 'content-type': 'text/plain; charset=utf-8' }, body })
}

const attend = (attendance: Attendance, { delayMs, fault }: Misfortune): void => {
  const { exchange, desk } = attendance
  const { troubles } = desk.running
  const { request } = exchange
  /** Nothing comes back, whether it was processed or not. */
  const vanish = (processed: boolean | undefined, how: () => void): void =>
    processed ? attendance.process(0, () => (how(), null)) : attendance.refuseWith(how)

  switch (fault?.fault) {
    case undefined:
      return attendance.process(delayMs, 'whole')
    case 'dead':
      for (const token of desk.running.tokensOf(request)) desk.kill(token)
      return attendance.process(delayMs, 'whole')
    case 'hang':
      return attendance.process(0, (answer) => (exchange.begin(answer), null))
    case 'garbage':
      return attendance.process(delayMs, () => ({ status: 200, body: GARBAGE }))
    case 'limited':
      return attendance.refuse(delayMs, retryAfter(fault.retryAfterSeconds, troubles.limited(request)))
    case 'expired':
      return attendance.refuse(delayMs, troubles.expired!(request))
    case 'status': {
      const answer = retryAfter(fault.retryAfterSeconds, troubles.down(fault.status, request))
      return fault.processed ? attendance.process(delayMs, () => answer) : attendance.refuse(delayMs, answer)
    }
    case 'reset':
      return vanish(fault.processed, () => exchange.reset())
    case 'half-open':
      return vanish(fault.processed, () => exchange.freeze())
    case 'silent':
      return vanish(fault.processed, () => {})
    case 'refused':
      return attendance.refuseWith(() => exchange.refuse())
    case 'goaway':
      return attendance.refuseWith(() => exchange.goAway(fault.code ?? 0, fault.data ?? ''))
  }
}

const retryAfter = (seconds: number | undefined, answer: Answer): Answer =>
  seconds === undefined ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } }

/** One request and the book that is kept of it. */
class Attendance {
  readonly desk: Desk
  readonly exchange: Exchange
  readonly #at: number
  /** Counted from before the answer left: who has it may use it before this process goes on. */
  #answeredAt = 0

  constructor(desk: Desk, exchange: Exchange) {
    this.desk = desk
    this.exchange = exchange
    this.#at = desk.now()
  }

  /** 'whole' hands the answer over as it is; otherwise what to hand over in its place, null for nothing. */
  process(delayMs: number, spoilt: 'whole' | ((answer: Answer) => Answer | null)): void {
    const finish = (handled: Handled): void =>
      this.#after(delayMs, () => {
        const answer = spoilt === 'whole' ? handled : spoilt(handled)
        const arrived = answer !== null && this.#answer(answer)
        this.#note(arrived && spoilt === 'whole' ? 'answered' : 'ambiguous', handled.push, arrived ? answer : null)
      })
    const handled = this.desk.running.handle(this.exchange.request)
    if (handled instanceof Promise) void handled.then(finish).catch((error: Error) => failed(this.exchange, error))
    else finish(handled)
  }

  refuse(delayMs: number, answer: Answer): void {
    this.#after(delayMs, () => {
      const arrived = this.#answer(answer)
      this.#noteRefusal(arrived ? answer : null) // whom no answer reaches, nobody has told to wait
    })
  }

  /** Without an answer. */
  refuseWith(how: () => void): void {
    this.#noteRefusal(null)
    how()
  }

  #answer(answer: Answer): boolean {
    this.#answeredAt = this.desk.now()
    return this.exchange.answer(answer)
  }

  #after(delayMs: number, run: () => void): void {
    if (delayMs > 0) this.desk.later(delayMs, run)
    else run()
  }

  #noteRefusal(answer: Answer | null): void {
    const tokens = this.desk.running.tokensOf(this.exchange.request)
    if (tokens.length > 0) this.#note('refused', { tokens, taken: [], fields: null }, answer)
  }

  #note(fate: FateName, push: Handled['push'], answer: Answer | null): void {
    if (push === undefined) return
    const { vendor, fates, inspection } = this.desk
    fates.note(push.tokens, push.taken, fate, this.#at)
    const seconds = Number(answer?.headers?.['retry-after'])
    if (seconds > 0) fates.mustWait(push.tokens, this.#answeredAt + seconds * 1000)
    inspection.addPush({ at: this.#at, vendor, request: this.exchange.request, ...push, fate, answer })
  }
}
