import { wordsOf } from './connect.ts'
import { Errand } from './errand.ts'
import type { Exchanged, Ground, Pool, Sending } from './exchange.ts'
import { type ConnectionKeeper, Http2Connection } from './http2-connection.ts'
import { Reconnect } from './reconnect.ts'
import type { TlsIdentity, VendorRequest } from './vendor.ts'

const MOST_CONNECTIONS = 4
// A stream refused more often than this is refused for a reason of its own.
const MOST_REPEATS = 5

/** A few long-lived HTTP/2 connections: another one is opened only when all streams of the others are in use. */
export class Http2Pool implements Pool, ConnectionKeeper {
  readonly protocol = 'h2'
  readonly origin: string
  readonly #ground: Ground
  readonly #reconnect = new Reconnect()
  readonly #connections = new Set<Http2Connection>()
  /**
   * Errands in the order they came, from #head on. Those whose stream was taken from them go first, the last one
   * foremost: taking turns, each would be refused again and again.
   */
  #queue: Errand[] = []
  #head = 0
  readonly #again: Errand[] = []
  #identity: TlsIdentity | undefined
  #closing: PromiseWithResolvers<void> | undefined

  constructor(ground: Ground, origin: string) {
    this.#ground = ground
    this.origin = origin
  }

  get isEmpty(): boolean {
    if (this.#connections.size > 0 || this.#waiting > 0) return false
    return this.#reconnect.pause(this.#ground.clock.now()) === undefined
  }

  exchange(request: VendorRequest, sending: Sending, mayBegin?: () => boolean): Promise<Exchanged> {
    this.#identity = sending.identity
    return new Promise((resolve) => {
      this.#queue.push(new Errand(request, sending, this.#ground.clock.now(), resolve, mayBegin))
      this.#pump()
    })
  }

  retire(over?: number): void {
    for (const connection of this.#connections) {
      if (over === undefined || connection.number === over) connection.retire('retired')
    }
    // With other credentials the next connection may well work.
    if (over === undefined) this.#reconnect.worked()
    this.#pump()
  }

  look(now: number): void {
    for (const connection of this.#connections) connection.look(now)
    for (let i = this.#head; i < this.#queue.length; i++) this.#expire(this.#queue[i]!, now)
    for (const errand of this.#again) this.#expire(errand, now)
    this.#pump()
  }

  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers()
    this.#failWaiting('the sender is closing')
    for (const connection of this.#connections) connection.retire('closing')
    if (this.#connections.size === 0) this.#closing.resolve()
    return this.#closing.promise
  }

  destroy(): void {
    for (const connection of this.#connections) connection.destroy('the sender is closing')
  }

  worked(): void {
    this.#reconnect.worked()
  }

  changed(): void {
    this.#pump()
  }

  unprocessed(errand: Errand, why: string): void {
    errand.repeats += 1
    if (errand.repeats > MOST_REPEATS || this.#closing !== undefined) errand.finish({ kind: 'unsent', why })
    else this.#again.push(errand)
  }

  gone(connection: Http2Connection): void {
    this.#connections.delete(connection)
    if (connection.hasFailed) this.#failed(connection.why)
    if (this.#connections.size === 0) this.#closing?.resolve()
    this.#pump()
  }

  get #waiting(): number {
    return this.#queue.length - this.#head + this.#again.length
  }

  #pump(): void {
    while (this.#waiting > 0) {
      const connection = this.#choose()
      if (connection === undefined) return
      const errand = this.#next()
      if (errand.finished) continue
      if (errand.mayBegin?.() ?? true) connection.send(errand)
      else errand.finish({ kind: 'unsent', why: 'it was held back' })
    }
  }

  /** Where the next errand goes; undefined while it has to wait, or when there is nothing left to wait for. */
  #choose(): Http2Connection | undefined {
    let live = 0
    let isWorthWaiting = false
    for (const connection of this.#connections) {
      const standing = connection.standing()
      if (standing === 'room') return connection
      if (standing !== 'leaving') live += 1
      if (standing === 'soon') isWorthWaiting = true
    }
    if (!isWorthWaiting && live < MOST_CONNECTIONS) this.#open(live)
    return undefined
  }

  #open(live: number): void {
    const pause = this.#closing ? 'the sender is closing' : this.#reconnect.pause(this.#ground.clock.now())
    if (pause !== undefined) {
      if (live === 0) this.#failWaiting(pause)
      return
    }
    try {
      this.#connections.add(new Http2Connection(this.#ground, this, this.origin, this.#identity))
    } catch (error) {
      // TLS refuses a key or certificate that it cannot read.
      this.#failed(wordsOf(error))
      if (live === 0) this.#failWaiting(wordsOf(error))
    }
  }

  #failed(why: string): void {
    const { clock, log, random } = this.#ground
    this.#reconnect.failed(why, clock.now(), random())
    log.warn({ origin: this.origin, why }, 'a connection to a vendor came to nothing')
  }

  #next(): Errand {
    const again = this.#again.pop()
    if (again !== undefined) return again
    const errand = this.#queue[this.#head]!
    this.#head += 1
    // Taking from the front of a long list moves all of it: done now and then, it costs nothing.
    if (this.#head === this.#queue.length || this.#head >= 1_024) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    return errand
  }

  #expire(errand: Errand, now: number): void {
    if (now - errand.askedAt < errand.timeoutMs) return
    errand.finish({ kind: 'unsent', why: `no free stream at ${this.origin}` })
  }

  #failWaiting(why: string): void {
    while (this.#waiting > 0) this.#next().finish({ kind: 'unsent', why: `no connection to ${this.origin}: ${why}` })
  }
}
