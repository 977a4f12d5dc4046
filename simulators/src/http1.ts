import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Exchange, Serve } from './exchange.ts'
import { repeatedIn, splitTarget } from './request.ts'
import type { Answer, Connection } from './simulator.ts'
import type { Wire } from './wire.ts'

/** Serves HTTP/1.1 on any number of connections. */
export const http1Server = (serve: Serve): ((wire: Wire) => void) => {
  const wires = new WeakMap<object, { wire: Wire; connection: Connection }>()
  const server = createServer({ keepAliveTimeout: 0 }, (message, response) => {
    const { wire, connection } = wires.get(message.socket)!
    const chunks: Buffer[] = []
    message.on('data', (chunk: Buffer) => chunks.push(chunk))
    message.on('end', () => {
      const request = {
        method: message.method ?? '',
        ...splitTarget(message.url ?? ''),
        headers: headersOf(message),
        repeated: repeatedIn(message.rawHeaders),
        body: Buffer.concat(chunks).toString(),
        connection,
      }
      serve(new MessageExchange(request, wire, response))
    })
  })
  return (wire) => {
    const { tls, clientCertificate } = wire
    wires.set(wire.socket, { wire, connection: { protocol: 'h1', tls, clientCertificate, limitStreams() {} } })
    server.emit('connection', wire.socket)
  }
}

const headersOf = (message: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(message.headersDistinct).map(([name, values]) => [name, values!.join(', ')]))

class MessageExchange implements Exchange {
  readonly request: Exchange['request']
  readonly late = false
  readonly #wire: Wire
  readonly #response: ServerResponse

  constructor(request: Exchange['request'], wire: Wire, response: ServerResponse) {
    this.request = request
    this.#wire = wire
    this.#response = response
  }

  answer({ status, headers, body }: Answer): boolean {
    if (this.#response.destroyed) return false
    this.#response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body)
    return true
  }

  begin({ status, headers, body }: Answer): void {
    if (this.#response.destroyed) return
    this.#response.writeHead(status, { 'content-length': Buffer.byteLength(body) + 1, ...headers }).flushHeaders()
  }

  refuse(): void {
    this.#wire.socket.destroy()
  }

  reset(): void {
    this.#wire.reset()
  }

  goAway(): void {
    this.refuse()
  }

  freeze(): void {
    // HTTP/1.1 has no pings, and the next request waits for this answer: silence is all there is.
  }
}
