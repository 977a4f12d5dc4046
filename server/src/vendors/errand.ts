import type { Exchanged, Sending } from './exchange.ts'
import type { VendorRequest } from './vendor.ts'

/** One request from the asking to its end, over as many streams as it takes. */
export class Errand {
  readonly request: VendorRequest
  readonly timeoutMs: number
  readonly askedAt: number
  /** When it was put on its present stream. */
  sentAt = 0
  /** How often a stream was taken from it before it was processed. */
  repeats = 0
  /** It was told once to come over another connection. */
  misdirected = false
  finished = false
  /** Asked when it has its turn. */
  readonly mayBegin: (() => boolean) | undefined
  readonly #resolve: (exchanged: Exchanged) => void

  constructor(request: VendorRequest, { timeoutMs }: Sending, now: number, resolve: (exchanged: Exchanged) => void, mayBegin?: () => boolean) {
    this.mayBegin = mayBegin
    this.request = request
    this.timeoutMs = timeoutMs
    this.askedAt = now
    this.#resolve = resolve
  }

  finish(exchanged: Exchanged): void {
    if (this.finished) return
    this.finished = true
    this.#resolve(exchanged)
  }
}
