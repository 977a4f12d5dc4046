import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refused } from '@carillon/protocol/errors.ts'
import { refusalSentences } from '@carillon/protocol/sentences/refusals.ts'
import type { Logger } from 'pino'
import { StoreUnavailable } from '../store/store.ts'
import { failure, RefusedWithData, send } from './envelope.ts'

/** Turns whatever a call threw into its answer and one line in the log. */
export class Refusals {
  readonly #log: Logger
  readonly #alwaysOk: boolean

  constructor(log: Logger, alwaysOk: boolean) {
    this.#log = log
    this.#alwaysOk = alwaysOk
  }

  /**
   * `path` is the route's pattern, not what was asked: paths can hold secrets. `realStatus`: machines that know
   * nothing of envelopes look at this one. Returns the code that was answered.
   */
  answer(request: IncomingMessage, response: ServerResponse, error: unknown, path?: string, realStatus = false): number {
    const refused = this.#asRefused(error, request, path)
    const data = refused instanceof RefusedWithData ? refused.data : null
    const status = this.#alwaysOk && !realStatus ? 200 : refused.http
    const headers = refused.retryAfter === undefined ? undefined : { 'retry-after': String(refused.retryAfter) }
    send(request, response, status, failure(refused.code, refused.message, data), headers)
    return refused.code
  }

  #asRefused(error: unknown, request: IncomingMessage, path: string | undefined): Refused {
    const call = { method: request.method, path }
    if (error instanceof Refused) {
      const { code, message, detail } = error
      this.#log[error.http < 500 ? 'debug' : 'warn']({ ...call, code, detail }, message)
      return error
    }
    if (error instanceof StoreUnavailable) {
      this.#log.error({ ...call, err: error }, 'cannot store')
      return new Refused('cannotStore', undefined, { retryAfter: 1 })
    }
    const id = randomBytes(6).toString('hex')
    this.#log.error({ ...call, id, err: error }, 'a call failed inside')
    return new Refused('fault', refusalSentences.fault({ id }))
  }
}
