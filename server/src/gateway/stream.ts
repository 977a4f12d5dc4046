import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Refused } from '@carillon/protocol/errors.ts'
import type { Wire } from './connection.ts'
import type { Gateway } from './gateway.ts'

const KEEP_ALIVE_MS = 60_000

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no', // nginx would gather events until its buffer is full
}

/** The answer to a call as a wire; it goes down only. */
class StreamWire implements Wire {
  readonly #response: ServerResponse
  readonly #socket: Socket

  constructor(response: ServerResponse, socket: Socket) {
    this.#response = response
    this.#socket = socket
  }

  get writableLength(): number {
    return this.#response.writableLength
  }

  write(bytes: Buffer): void {
    this.#response.write(bytes)
  }

  cork(): void {
    this.#socket.cork()
  }

  uncork(): void {
    this.#socket.uncork()
  }

  pause(): void {}

  resume(): void {}

  end(): void {
    this.#response.end()
  }

  destroy(): void {
    this.#response.destroy()
  }
}

export interface StreamCredentials {
  pushToken: string
  accessToken: string
  qos: 0 | 1
}

/** Makes a session of an answer that has not begun. Throws Refused while it still can be answered otherwise. */
export const openStream = async (
  gateway: Gateway,
  { pushToken, accessToken, qos }: StreamCredentials,
  response: ServerResponse,
): Promise<void> => {
  const caller = await gateway.sessions.authenticate(pushToken, accessToken)
  if (response.destroyed) return // it has gone meanwhile
  if (caller === undefined) throw new Refused('notFound', 'header push-token is not of a device of this user')
  const { method, socket } = response.req
  if (method === 'HEAD') {
    response.writeHead(200, headers).end()
    return
  }
  if (gateway.closing) throw new Refused('tooMany', 'this node is stopping: connect again', { retryAfter: 1 })
  response.writeHead(200, headers)
  socket.setKeepAlive(true, KEEP_ALIVE_MS)
  const connection = gateway.stream(new StreamWire(response, socket), caller, qos)
  const drained = (): void => connection.drained()
  socket.on('drain', drained)
  response.on('close', () => {
    socket.off('drain', drained)
    connection.closed()
  })
}
