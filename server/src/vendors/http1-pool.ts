import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { placeOf, tlsRules, wordsOf } from './connect.ts'
import type { Exchanged, Ground, Pool, Sending } from './exchange.ts'
import { type CallPlace, Http1Call } from './http1-call.ts'
import type { TlsIdentity, VendorRequest } from './vendor.ts'

const MOST_CONNECTIONS = 64
// Many servers drop what is idle for 5 s: a request sent at that moment is lost, and may not be repeated blindly.
const IDLE_MS = 4_000

/** Kept HTTP/1.1 connections, one request at a time on each. */
export class Http1Pool implements Pool {
  readonly protocol = 'h1'
  readonly origin: string
  readonly #ground: Ground
  readonly #calls = new Set<Http1Call>()
  readonly #ready = new WeakSet<Socket>()
  #place: CallPlace | undefined
  #closing: PromiseWithResolvers<void> | undefined

  constructor(ground: Ground, origin: string) {
    this.#ground = ground
    this.origin = origin
  }

  get isEmpty(): boolean {
    return this.#calls.size === 0 && Object.keys(this.#place?.agent.freeSockets ?? {}).length === 0
  }

  exchange(request: VendorRequest, { identity, timeoutMs }: Sending): Promise<Exchanged> {
    if (this.#closing) return Promise.resolve({ kind: 'unsent', why: 'the sender is closing' })
    return new Promise((resolve) => {
      try {
        const call: Http1Call = new Http1Call(this.#at(identity), request, timeoutMs, (exchanged) => {
          this.#calls.delete(call)
          if (this.#calls.size === 0) this.#closing?.resolve()
          resolve(exchanged)
        })
        this.#calls.add(call)
      } catch (error) {
        // Node refuses some requests, and TLS some keys, before anything is sent.
        resolve({ kind: 'unsent', why: wordsOf(error) })
      }
    })
  }

  retire(over?: number): void {
    if (this.#place === undefined || (over !== undefined && this.#place.over !== over)) return
    const { agent } = this.#place
    this.#place = undefined
    // Busy connections find no place when they come back, and close.
    agent.maxFreeSockets = 0
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }

  look(now: number): void {
    for (const call of this.#calls) call.look(now)
  }

  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers()
    this.retire()
    if (this.#calls.size === 0) this.#closing.resolve()
    return this.#closing.promise
  }

  destroy(): void {
    for (const call of this.#calls) call.end('the sender is closing')
  }

  #at(identity: TlsIdentity | undefined): CallPlace {
    if (this.#place) return this.#place
    const { clock, number } = this.#ground
    const place = placeOf(new URL(this.origin))
    const options = { keepAlive: true, maxSockets: MOST_CONNECTIONS, timeout: IDLE_MS }
    const agent = place.isSecure ? new HttpsAgent({ ...options, ...tlsRules(identity) }) : new HttpAgent(options)
    this.#place = { ...place, agent, over: number(), ready: this.#ready, now: () => clock.now() }
    return this.#place
  }
}
