import type { Socket } from 'node:net'
import { TLSSocket, type PeerCertificate } from 'node:tls'

/** A connection that has found its protocol: its first bytes are looked at but not read. */
export interface Wire {
  /** What to talk through: the TCP socket itself, or the TLS that runs over it. */
  socket: Socket
  tls: boolean
  clientCertificate: PeerCertificate | undefined
  reset(): void
}

export const wireOf = (socket: Socket, tcp: Socket): Wire => ({
  socket,
  tls: socket instanceof TLSSocket,
  clientCertificate: certificateOf(socket),
  // Not at once: answers given in this turn are written at its end, and a reset would swallow them.
  reset: () => void setImmediate(() => setImmediate(() => tcp.resetAndDestroy())),
})

const certificateOf = (socket: Socket): PeerCertificate | undefined => {
  if (!(socket instanceof TLSSocket)) return undefined
  const certificate = socket.getPeerCertificate()
  return Object.keys(certificate).length > 0 ? certificate : undefined
}
