import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Serve } from './exchange.ts'
import { http1Server } from './http1.ts'
import { serveHttp2 } from './http2.ts'
import { wireOf } from './wire.ts'

export interface ListenOptions {
  host: string
  /** 0: any free one. */
  port: number
  /** PEM texts; without them TLS is not spoken. */
  tls: { cert: string; key: string } | undefined
  http1: boolean
  /** How many streams a new HTTP/2 connection may open. */
  streams: number
  /** The same for a client that showed a certificate. */
  streamsWithCertificate: number
  serve: Serve
}

export interface Listener {
  port: number
  /** Ends every connection too. */
  close(): Promise<void>
}

/** The first byte of a TLS connection: a handshake record. */
const TLS_HANDSHAKE = 0x16
/** What an HTTP/2 client says first; no method of HTTP/1.1 begins so. */
const PREFACE = 'PRI'

/** One TCP port for everything a vendor's clients speak, told apart by their first bytes: ALPN is not needed. */
export const listen = async ({ host, port, tls, http1, serve, ...limits }: ListenOptions): Promise<Listener> => {
  const toHttp1 = http1Server(serve)

  const greet = (socket: Socket, tcp: Socket): void =>
    peek(socket, PREFACE.length, (start) => {
      const wire = wireOf(socket, tcp)
      const streams = wire.clientCertificate ? limits.streamsWithCertificate : limits.streams
      if (start.toString('latin1') === PREFACE) serveHttp2(wire, streams, serve)
      else if (http1) toHttp1(wire)
      else socket.destroy()
    })

  // Where certificates are asked for, a session is resumed only within a named context: without a name it fails.
  const secureContext = tls && createSecureContext({ ...tls, sessionIdContext: 'carillon-simulators' })
  // A client without a certificate is as welcome as one with it: which of them may push is the simulator's matter.
  const secured = (tcp: Socket): Socket =>
    new TLSSocket(tcp, { isServer: true, secureContext, requestCert: true, rejectUnauthorized: false, ALPNProtocols })
  const ALPNProtocols = http1 ? ['h2', 'http/1.1'] : ['h2']

  const open = new Set<Socket>()
  const server = createServer({ noDelay: true }, (tcp) => {
    open.add(tcp)
    tcp.on('error', () => {})
    tcp.on('close', () => open.delete(tcp))
    peek(tcp, 1, (start) => {
      if (secureContext === undefined || start[0] !== TLS_HANDSHAKE) return greet(tcp, tcp)
      const socket = secured(tcp)
      socket.on('error', () => tcp.destroy())
      greet(socket, tcp)
    })
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, host, resolve)
  await promise
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      const { promise: closed, resolve: done } = Promise.withResolvers<void>()
      server.close(() => done())
      for (const socket of open) socket.destroy()
      return closed
    },
  }
}

/** Looks at the first bytes and puts them back. A connection that ends before is nobody's. */
const peek = (socket: Socket, count: number, look: (start: Buffer) => void): void => {
  const attempt = (): void => {
    const start = socket.read(count) as Buffer | null
    if (start === null) {
      if (!socket.readableEnded) socket.once('readable', attempt)
      return
    }
    if (start.length < count) return void socket.destroy()
    socket.unshift(start)
    look(start)
  }
  attempt()
}
