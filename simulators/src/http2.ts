import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { Exchange, Serve } from './exchange.ts'
import { repeatedIn, splitTarget } from './request.ts'
import type { Answer, Connection } from './simulator.ts'
import { Tap } from './tap.ts'
import type { Wire } from './wire.ts'

export const serveHttp2 = (wire: Wire, streams: number, serve: Serve): void => {
  const tap = new Tap(wire.socket)
  const session = performServerHandshake(tap, { settings: { maxConcurrentStreams: streams } })
  const line = new Line(wire, tap, session)
  // The end of the socket says all there is to know.
  session.on('error', () => {})
  session.on('stream', (stream, headers, _flags, rawHeaders) => {
    const chunks: Buffer[] = []
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      // Requests of a connection that went silent end when it is closed, long after their senders have asked elsewhere.
      if (line.mute || stream.closed) return
      const request = {
        method: headers[':method'] ?? '',
        ...splitTarget(headers[':path'] ?? ''),
        headers: headers as Record<string, string>,
        repeated: repeatedIn(rawHeaders as unknown as string[]),
        body: chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString(),
        connection: line,
      }
      line.serve(new StreamExchange(request, line, stream), serve)
    })
  })
}

class Line implements Connection {
  readonly protocol = 'h2'
  readonly #wire: Wire
  readonly #tap: Tap
  readonly #session: ServerHttp2Session
  /** The highest stream that is being processed. */
  #begun = 0
  /** After GOAWAY: the last stream that will be. */
  #last: number | undefined
  /** Answers do not get out any more. */
  mute = false

  constructor(wire: Wire, tap: Tap, session: ServerHttp2Session) {
    this.#wire = wire
    this.#tap = tap
    this.#session = session
  }

  get tls(): boolean {
    return this.#wire.tls
  }

  get clientCertificate(): Connection['clientCertificate'] {
    return this.#wire.clientCertificate
  }

  serve(exchange: StreamExchange, serve: Serve): void {
    exchange.late = this.#last !== undefined && exchange.id > this.#last
    serve(exchange)
    if (!exchange.refused) this.#begun = Math.max(this.#begun, exchange.id)
  }

  limitStreams(count: number): void {
    if (!this.#session.destroyed) this.#session.settings({ maxConcurrentStreams: count })
  }

  goAway(code: number, data: string): void {
    if (this.#last !== undefined || this.#session.destroyed) return
    this.#last = this.#begun
    // Node sends "the last stream that arrived" in place of 0: those above #last are refused one by one as well.
    this.#session.goaway(code, this.#last, Buffer.from(data))
    // With an error it is the connection's last word: clients drop what they still wait for.
    if (code === 0) return
    this.mute = true
    setImmediate(() => setImmediate(() => this.#wire.socket.end()))
  }

  reset(): void {
    this.mute = true
    this.#wire.reset()
  }

  freeze(): void {
    this.mute = true
    this.#tap.freeze()
  }
}

class StreamExchange implements Exchange {
  readonly request: Exchange['request']
  readonly #line: Line
  readonly #stream: ServerHttp2Stream
  late = false
  refused = false

  constructor(request: Exchange['request'], line: Line, stream: ServerHttp2Stream) {
    this.request = request
    this.#line = line
    this.#stream = stream
  }

  get id(): number {
    return this.#stream.id ?? 0
  }

  answer({ status, headers, body }: Answer): boolean {
    const stream = this.#stream
    if (this.#line.mute || stream.destroyed || stream.closed) return false
    const endStream = body === ''
    stream.respond({ ':status': status, ...headers }, { endStream })
    if (!endStream) stream.end(body)
    return true
  }

  begin({ status, headers }: Answer): void {
    if (!this.#line.mute && !this.#stream.destroyed) this.#stream.respond({ ':status': status, ...headers })
  }

  refuse(): void {
    this.refused = true
    this.#stream.close(constants.NGHTTP2_REFUSED_STREAM)
  }

  reset(): void {
    this.#line.reset()
  }

  goAway(code: number, data: string): void {
    this.#line.goAway(code, data)
    this.refuse()
  }

  freeze(): void {
    this.#line.freeze()
  }
}
