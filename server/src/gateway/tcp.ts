import { createServer, type AddressInfo, Socket } from 'node:net'
import { TLSSocket, type SecureContext } from 'node:tls'
import type { Connection } from './connection.ts'
import type { Gateway } from './gateway.ts'

export interface TcpOptions {
  gateway: Gateway
  host: string
  /** 0: any free one. */
  port: number
  /** Asked for at every connection, so that a renewed certificate counts at once; absent: plain TCP. */
  secureContext?: () => SecureContext
}

export interface Listener {
  port: number
  /** Stops accepting. Connections stay: they are the gateway's. */
  close(): Promise<void>
}

/** Finds connections dead that promised no keep-alive of their own. */
const TCP_KEEP_ALIVE_MS = 60_000

/** Listeners are shared functions that find their connection here: a closure each would cost memory 10,000 times. */
interface DeviceSocket extends Socket {
  connection?: Connection
}

/**
 * In place of the stream's own `push`: bytes go straight to the connection, without the stream's buffer, its 'data' event
 * and a "read more" in the next tick for every acknowledgement.
 */
function onBytes(this: DeviceSocket, chunk: Buffer | null): boolean {
  if (chunk === null) return Socket.prototype.push.call(this, null)
  this.connection!.bytes(chunk)
  return !this.isPaused()
}

/** The stream believes that it is reading, since its `push` never told it otherwise: reading has to be asked for. */
function onResume(this: DeviceSocket): DeviceSocket {
  Socket.prototype.resume.call(this)
  this._read(0)
  return this
}

function onDrain(this: DeviceSocket): void {
  this.connection!.drained()
}

function onClose(this: DeviceSocket): void {
  this.connection!.closed()
}

function onError(): void {
  // 'close' follows and says all there is to do.
}

export const listenTcp = async ({ gateway, host, port, secureContext }: TcpOptions): Promise<Listener> => {
  const server = createServer(
    { noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS },
    (raw: Socket) => {
      raw.on('error', onError)
      const address = raw.remoteAddress ?? ''
      const socket: DeviceSocket = secureContext
        ? new TLSSocket(raw, { isServer: true, secureContext: secureContext() })
        : raw
      const connection = gateway.accept(socket, address)
      if (connection === undefined) {
        raw.destroy()
        return
      }
      socket.connection = connection
      if (socket !== raw) socket.on('error', onError)
      socket.push = onBytes
      socket.resume = onResume
      socket.resume()
      socket.on('drain', onDrain).on('close', onClose)
    },
  )
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, host, resolve)
  await promise
  server.off('error', reject).on('error', (error) => gateway.log.warn({ error }, 'MQTT listener'))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close()
    },
  }
}
