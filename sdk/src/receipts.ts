import type { ReceiptItem } from '@carillon/protocol/bodies.ts'
import { bytesOf } from './mqtt-bytes.ts'
import { writePublish, type Bytes } from './mqtt-write.ts'
import type { Puback } from './session.ts'

const RECEIPT_TOPIC = 'receipt'
/** Kept while there is no connection; beyond it the oldest are let go. */
const KEPT = 1_000
const LAST_ID = 0xffff

/**
 * taken    the server has it
 * refused  the server will not have it, now or later
 * dropped  given up: the device was stopped first, or too many were waiting
 */
export type ReceiptOutcome = 'taken' | 'refused' | 'dropped'

interface Waiting {
  payload: Uint8Array
  resolve(outcome: ReceiptOutcome): void
}

/** Receipts on their way up, sent again on the next connection until the server has them: repeats change nothing. */
export class Receipts {
  readonly #refused: (why: string) => void
  #queue: Waiting[] = []
  readonly #inFlight = new Map<number, Waiting>()
  #send: ((bytes: Bytes) => void) | undefined
  #room = 0
  #lastId = 0
  #isClosed = false

  constructor(refused: (why: string) => void) {
    this.#refused = refused
  }

  report(item: ReceiptItem): Promise<ReceiptOutcome> {
    if (this.#isClosed) return Promise.resolve('dropped')
    const { promise, resolve } = Promise.withResolvers<ReceiptOutcome>()
    this.#queue.push({ payload: bytesOf(JSON.stringify(item)), resolve })
    if (this.#queue.length > KEPT) this.#queue.shift()!.resolve('dropped')
    this.#flush()
    return promise
  }

  online(send: (bytes: Bytes) => void, receiveMaximum: number): void {
    this.#send = send
    this.#room = receiveMaximum
    this.#flush()
  }

  /** What was not answered goes first on the next connection, in its order. */
  offline(): void {
    this.#send = undefined
    this.#queue = [...this.#inFlight.values(), ...this.#queue]
    this.#inFlight.clear()
  }

  answered({ id, code, why }: Puback): void {
    const waiting = this.#inFlight.get(id)
    if (waiting === undefined) return
    this.#inFlight.delete(id)
    const isRefused = code >= 0x80
    if (isRefused) this.#refused(why || `the server refused it with 0x${code.toString(16)}`)
    waiting.resolve(isRefused ? 'refused' : 'taken')
    this.#flush()
  }

  close(): void {
    this.#isClosed = true
    this.offline()
    for (const { resolve } of this.#queue.splice(0)) resolve('dropped')
  }

  #flush(): void {
    while (this.#send !== undefined && this.#queue.length > 0 && this.#inFlight.size < this.#room) {
      const waiting = this.#queue.shift()!
      const id = this.#nextId()
      this.#inFlight.set(id, waiting)
      this.#send(writePublish(id, RECEIPT_TOPIC, waiting.payload))
    }
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId % LAST_ID) + 1
    while (this.#inFlight.has(this.#lastId))
    return this.#lastId
  }
}
