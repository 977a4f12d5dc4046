import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { wordsOf } from './connect.ts'
import { CONNECT_MS, type Exchanged, REPLY_BYTES, seconds, TOO_LARGE } from './exchange.ts'
import { readReply } from './reply.ts'
import type { VendorRequest } from './vendor.ts'

export interface CallPlace {
  isSecure: boolean
  host: string
  port: number
  agent: Agent
  /** Numbers the connections this one comes from. */
  over: number
  /** Sockets whose handshake is done. */
  ready: WeakSet<Socket>
  now(): number
}

/**
 * One request over HTTP/1.1.
 * waiting     all connections are in use
 * connecting  it has one, whose handshake is not done: nothing of the request has left
 * written     it may have been processed
 */
export class Http1Call {
  readonly #place: CallPlace
  readonly #timeoutMs: number
  readonly #asking: ClientRequest
  readonly #resolve: (exchanged: Exchanged) => void
  #stage: 'waiting' | 'connecting' | 'written' = 'waiting'
  #since: number
  #isFinished = false

  constructor(place: CallPlace, request: VendorRequest, timeoutMs: number, resolve: (exchanged: Exchanged) => void) {
    const { method, path, headers, body } = request
    this.#place = place
    this.#timeoutMs = timeoutMs
    this.#resolve = resolve
    this.#since = place.now()
    const { isSecure, host, port, agent } = place
    const lines: Record<string, string | number> = { ...headers, 'accept-encoding': 'identity' }
    if (method !== 'GET' || body !== '') lines['content-length'] = Buffer.byteLength(body)
    this.#asking = (isSecure ? requestHttps : requestHttp)({ host, port, agent, method, path, headers: lines })
    this.#asking.on('socket', (socket) => this.#given(socket))
    this.#asking.on('response', (response) => this.#answered(response))
    this.#asking.on('error', (error) => this.end(wordsOf(error)))
    this.#asking.on('close', () => this.end('the connection ended before the reply'))
    this.#asking.end(body)
  }

  look(now: number): void {
    const waited = now - this.#since
    if (this.#stage === 'connecting') {
      if (waited >= CONNECT_MS) this.end(`no connection within ${seconds(CONNECT_MS)}`)
    } else if (waited >= this.#timeoutMs) {
      this.end(this.#stage === 'waiting' ? 'no free connection' : `no answer within ${seconds(this.#timeoutMs)}`)
    }
  }

  /** Ends it without a reply; does nothing when it has ended. */
  end(why: string): void {
    if (this.#isFinished) return
    this.#finish({ kind: this.#stage === 'written' ? 'lost' : 'unsent', why })
    this.#asking.destroy()
  }

  #given(socket: Socket): void {
    const { ready, isSecure } = this.#place
    if (ready.has(socket)) return this.#move('written')
    this.#move('connecting')
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      ready.add(socket)
      this.#move('written')
    })
  }

  #move(stage: 'connecting' | 'written'): void {
    this.#stage = stage
    this.#since = this.#place.now()
  }

  #answered(response: IncomingMessage): void {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > REPLY_BYTES) this.end(TOO_LARGE)
      else chunks.push(chunk)
    })
    response.on('error', (error) => this.end(wordsOf(error)))
    response.on('end', () => {
      if (!response.complete) return this.end('the connection ended before the whole reply')
      this.#finish(readReply(response.statusCode!, response.headers, size > 0 ? chunks : undefined, this.#place.over))
    })
  }

  #finish(exchanged: Exchanged): void {
    if (this.#isFinished) return
    this.#isFinished = true
    this.#resolve(exchanged)
  }
}
