import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Exchanged, Ground, Pool, Sending } from './exchange.ts'
import { Http1Pool } from './http1-pool.ts'
import { Http2Pool } from './http2-pool.ts'
import type { VendorRequest } from './vendor.ts'

export type { Exchanged, Sending } from './exchange.ts'

const LOOK_MS = 500
const CLOSE_MS = 5_000
const monotonic: Clock = { now: () => performance.now() }

export interface SenderOptions {
  log: Logger
  /** Must never go back. */
  clock?: Clock
  random?(): number
  /** How often deadlines are looked at. */
  lookMs?: number
}

/**
 * Makes single HTTP exchanges for all vendors. It never follows a redirect, never reads more than 64 KiB, always checks
 * certificates, and repeats only what was certainly not processed.
 */
export class Sender {
  readonly #ground: Ground
  readonly #pools = new Map<string, Pool[]>()
  readonly #timer: NodeJS.Timeout
  #isClosed = false

  constructor({ log, clock = monotonic, random = Math.random, lookMs = LOOK_MS }: SenderOptions) {
    let last = 0
    this.#ground = { log, clock, random, number: () => ++last }
    // What had arrived by then is read before it is judged: where this process was held up, the answer may be here already.
    const look = (): void => {
      const now = clock.now()
      setImmediate(() => this.#look(now))
    }
    this.#timer = setInterval(look, lookMs).unref()
  }

  exchange(request: VendorRequest, sending: Sending, mayBegin?: () => boolean): Promise<Exchanged> {
    if (this.#isClosed) return Promise.resolve({ kind: 'unsent', why: 'the sender is closed' })
    return this.#poolFor(sending.key, sending.protocol, sending.replaced ?? request.origin).exchange(request, sending, mayBegin)
  }

  /**
   * The connection that a reply came over, or every connection of the key, gets no new requests and closes when those
   * under way have ended. The next request opens a new one.
   */
  retire(key: string, over?: number): void {
    for (const pool of this.#pools.get(key) ?? []) pool.retire(over)
  }

  /** Takes nothing more, and gives what is under way a moment to end. */
  async close(): Promise<void> {
    this.#isClosed = true
    const pools = [...this.#pools.values()].flat()
    const cut = setTimeout(() => pools.forEach((pool) => pool.destroy()), CLOSE_MS)
    await Promise.all(pools.map((pool) => pool.close()))
    clearTimeout(cut)
    clearInterval(this.#timer)
  }

  #poolFor(key: string, protocol: 'h1' | 'h2', origin: string): Pool {
    let pools = this.#pools.get(key)
    if (pools === undefined) this.#pools.set(key, (pools = []))
    let pool = pools.find((one) => one.protocol === protocol && one.origin === origin)
    if (pool === undefined) {
      pool = protocol === 'h2' ? new Http2Pool(this.#ground, origin) : new Http1Pool(this.#ground, origin)
      pools.push(pool)
    }
    return pool
  }

  #look(now: number): void {
    for (const [key, pools] of this.#pools) {
      for (const pool of pools) pool.look(now)
      const used = pools.filter((pool) => !pool.isEmpty)
      if (used.length === 0) this.#pools.delete(key)
      else if (used.length < pools.length) this.#pools.set(key, used)
    }
  }
}
