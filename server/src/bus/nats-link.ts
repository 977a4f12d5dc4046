import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Lines } from './nats-lines.ts'
import type { NatsServer } from '../config-nats.ts'

const OPEN_MS = 2_000
const UNANSWERED_PINGS = 3
const WAITING_BYTES = 64 * 1024 // some 2,000 nudges that the server does not take; the next ones are dropped
const GOODBYE_MS = 500

export interface Subscription {
  id: number
  subject: string
}

export interface LinkOptions {
  server: NatsServer
  /** What is subscribed from the beginning; asked for once the server has greeted us. */
  subscriptions(): Iterable<Subscription>
  heard(subject: string): void
  /** How often the server must show that it lives; the third time it did not, the link has ended. */
  pingMs: number
}

/**
 * One connection to a NATS server, from its first packet to its end; it does not come back. The protocol is lines:
 * INFO from the server; CONNECT, our subscriptions and PING from us; and with its PONG all of those are in force.
 */
export class Link {
  /** Whether it got as far as being heard. */
  readonly opened: Promise<boolean>
  /** Why it ended, in words for an operator. */
  readonly ended: Promise<string>
  readonly #options: LinkOptions
  readonly #lines = new Lines()
  readonly #pongs: (() => void)[] = []
  readonly #tellEnded: (why: string) => void
  readonly #deadline: NodeJS.Timeout
  #socket: Socket
  #greeted = false
  #pings: NodeJS.Timeout | undefined
  #unanswered = 0

  constructor(options: LinkOptions) {
    this.#options = options
    const ended = Promise.withResolvers<string>()
    const open = Promise.withResolvers<boolean>()
    this.ended = ended.promise
    this.opened = Promise.race([open.promise, ended.promise.then(() => false)])
    this.#tellEnded = ended.resolve
    this.#deadline = setTimeout(() => this.#end(`no answer within ${OPEN_MS / 1000} s`), OPEN_MS)
    this.#pongs.push(() => {
      clearTimeout(this.#deadline)
      this.#pings = setInterval(() => this.#ping(), options.pingMs)
      open.resolve(true)
    })
    const { host, port } = options.server
    this.#socket = this.#follow(connect({ host, port, noDelay: true }))
  }

  subscribe({ id, subject }: Subscription): void {
    if (this.#greeted) this.#socket.write(`SUB ${subject} ${id}\r\n`)
  }

  unsubscribe({ id }: Subscription): void {
    if (this.#greeted) this.#socket.write(`UNSUB ${id}\r\n`)
  }

  /** False: it was dropped, because the server takes nothing. */
  publish(subject: string): boolean {
    if (!this.#socket.writable || this.#socket.writableLength > WAITING_BYTES) return false
    this.#socket.write(`PUB ${subject} 0\r\n\r\n`)
    return true
  }

  /** Resolves when the server has done all it was asked before, or when the link has ended. */
  async flush(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#pongs.push(resolve)
    this.#socket.write('PING\r\n')
    await Promise.race([promise, this.ended])
  }

  /** What was published still goes out, if the server takes it soon. */
  async close(): Promise<void> {
    if (!this.#greeted) this.#end('closed')
    const limit = setTimeout(() => this.#end('closed'), GOODBYE_MS)
    this.#socket.end()
    await this.ended
    clearTimeout(limit)
  }

  #follow(socket: Socket): Socket {
    return socket
      .on('data', (chunk: Buffer) => this.#read(chunk))
      .on('error', (error: NodeJS.ErrnoException) => this.#end(error.message || (error.code ?? 'the connection failed')))
      .on('close', () => this.#end('the server closed the connection'))
  }

  #end(why: string): void {
    clearTimeout(this.#deadline)
    clearInterval(this.#pings)
    this.#socket.destroy()
    this.#tellEnded(why)
  }

  /** By pings without an answer, not by the clock: a process that was itself asleep finds the answers waiting for it. */
  #ping(): void {
    if (this.#unanswered === UNANSWERED_PINGS) return this.#end('the server does not answer')
    this.#unanswered += 1
    this.#pongs.push(() => {})
    this.#socket.write('PING\r\n')
  }

  #read(chunk: Buffer): void {
    this.#unanswered = 0
    try {
      this.#lines.cut(chunk, (line) => this.#take(line))
    } catch (error) {
      this.#end((error as Error).message)
    }
  }

  #take(line: string): void {
    const [verb, subject] = line.split(' ', 2)
    if (verb === 'MSG') this.#options.heard(subject!)
    else if (verb === 'PONG') this.#pongs.shift()?.()
    else if (verb === 'PING') this.#socket.write('PONG\r\n')
    else if (verb === '-ERR') this.#end(`the server says ${line.slice(5)}`)
    else if (verb === 'INFO' && !this.#greeted) this.#greet(JSON.parse(line.slice(5)) as { tls_required?: boolean; tls_available?: boolean })
    else if (!this.#greeted) throw new Error('what answers there is not NATS')
  }

  #greet(info: { tls_required?: boolean; tls_available?: boolean }): void {
    const { server, subscriptions } = this.#options
    const { user, pass, token: auth_token } = server
    const secret = server.tls || info.tls_required === true
    if (secret && !info.tls_required && !info.tls_available) throw new Error('the server does not offer TLS')
    if (secret) this.#socket = this.#secure(this.#socket)
    this.#greeted = true
    // No echo: what this node says it has heard already.
    const us = { lang: 'carillon', version: '1', name: 'carillon', protocol: 1, verbose: false, pedantic: false, echo: false, tls_required: secret }
    this.#socket.write(`CONNECT ${JSON.stringify({ ...us, user, pass, auth_token })}\r\n`)
    for (const subscription of subscriptions()) this.subscribe(subscription)
    this.#socket.write('PING\r\n')
  }

  #secure(plain: Socket): Socket {
    const { host } = this.#options.server
    plain.removeAllListeners('data')
    return this.#follow(connectTls({ socket: plain, host, ...(isIP(host) ? {} : { servername: host }) }))
  }
}
