import type { IncomingMessage, Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { errors, type ErrorName } from '@carillon/protocol/errors.ts'
import { WebSocketServer, type WebSocket } from 'ws'
import { WRITE_LIMIT, type Connection, type Wire } from './connection.ts'
import type { Gateway } from './gateway.ts'
import { Greeting, GREETING_LIMIT } from './greeting.ts'
import { PACKET_LIMIT } from './session.ts'
import { reason } from './reason.ts'

const PATH = '/mqtt'
const SUB_PROTOCOL = 'mqtt'
const UNSUPPORTED_DATA = 1003
const KEEP_ALIVE_MS = 60_000
/** Frames around a greeting's 16 KiB, however small they are cut. */
const FRAMES = 4 * 1024

/** A WebSocket as a wire. Frames mean nothing: packets may be split over several, or several may share one. */
class WebSocketWire implements Wire {
  readonly #webSocket: WebSocket
  readonly #socket: Duplex

  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket
    this.#socket = socket
  }

  get writableLength(): number {
    return this.#webSocket.bufferedAmount
  }

  write(bytes: Buffer): void {
    this.#webSocket.send(bytes)
  }

  cork(): void {
    this.#socket.cork()
  }

  uncork(): void {
    this.#socket.uncork()
  }

  pause(): void {
    this.#webSocket.pause()
  }

  resume(): void {
    this.#webSocket.resume()
  }

  end(): void {
    this.#webSocket.close()
  }

  destroy(): void {
    this.#webSocket.terminate()
  }
}

interface DeviceWebSocket extends WebSocket {
  connection?: Connection
}

interface UpgradedSocket extends Socket {
  connection?: Connection
  /** What it may have sent, all in all, before its CONNECT is accepted. */
  greetingEnd?: number
}

function onMessage(this: DeviceWebSocket, data: Buffer, isBinary: boolean): void {
  if (isBinary) return this.connection!.bytes(data)
  this.close(UNSUPPORTED_DATA)
  this.connection!.stage?.violated(reason.malformed, 'a text frame')
}

/** Pongs are written without our doing: who sends pings and reads nothing is let go. */
function onPing(this: DeviceWebSocket): void {
  if (this.bufferedAmount > WRITE_LIMIT) this.terminate()
}

function onClose(this: DeviceWebSocket): void {
  this.connection!.closed()
}

function onError(): void {
  // 'close' follows and says all there is to do.
}

function onDrain(this: UpgradedSocket): void {
  this.connection!.drained()
}

/** A message is put together before we see it, so what comes before a CONNECT is counted on the socket itself. */
function onRawData(this: UpgradedSocket): void {
  if (this.connection!.stage instanceof Greeting && this.bytesRead > this.greetingEnd!) this.destroy()
}

export interface WebSocketOptions {
  gateway: Gateway
  /** The source address, proxies accounted for; the socket's own by default. */
  addressOf?(request: IncomingMessage): string
}

const socketAddress = (request: IncomingMessage): string => request.socket.remoteAddress ?? ''

/** MQTT over WebSocket on a server that also does other things. Every other upgrade is refused. */
export const attachWebSocket = (
  server: Server | SecureServer,
  { gateway, addressOf = socketAddress }: WebSocketOptions,
): void => {
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: PACKET_LIMIT,
    skipUTF8Validation: true, // text is refused anyway
    handleProtocols: () => SUB_PROTOCOL,
  })
  webSockets.on('wsClientError', (error, socket) => refuse(socket, 'badParameter', error.message))

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', onError)
    if (request.url?.split('?', 1)[0] !== PATH) return refuse(socket, 'pathUnknown')
    const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim())
    if (!offered?.includes(SUB_PROTOCOL)) return refuse(socket, 'badParameter', 'the sub-protocol mqtt is required')
    const address = addressOf(request)
    if (!gateway.admits(address)) return refuse(socket, 'tooMany')
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      enter(gateway, webSocket, socket as Socket, address)
    })
  })
}

const enter = (gateway: Gateway, webSocket: DeviceWebSocket, socket: UpgradedSocket, address: string): void => {
  const connection = gateway.accept(new WebSocketWire(webSocket, socket), address)
  if (connection === undefined) return webSocket.terminate()
  webSocket.connection = connection
  webSocket.on('message', onMessage).on('ping', onPing).on('close', onClose).on('error', onError)
  socket.connection = connection
  socket.greetingEnd = socket.bytesRead + GREETING_LIMIT + FRAMES
  socket.setKeepAlive(true, KEEP_ALIVE_MS)
  socket.on('drain', onDrain).on('data', onRawData)
}

const refuse = (socket: Duplex, kind: ErrorName, message: string = errors[kind].says): void => {
  const { code, http } = errors[kind]
  const body = JSON.stringify({ code, data: null, message })
  socket.end(
    `HTTP/1.1 ${http} Refused\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
