import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import { type ErrorName, Refused } from '@carillon/protocol/errors.ts'
import { BODY_LIMIT, DROP_LIMIT } from './body.ts'

/** A refusal that has something to show beside its message. */
export class RefusedWithData extends Refused {
  readonly data: unknown

  constructor(kind: ErrorName, message: string, data: unknown) {
    super(kind, message)
    this.data = data
  }
}

export const success = (data: unknown): string => `{"code":200,"data":${JSON.stringify(data ?? null)},"message":null}`

export const failure = (code: number, message: string, data: unknown = null): string =>
  JSON.stringify({ code, data, message })

const headersOfAll = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** Answers one call. `more`: headers beside those of every answer. */
export const send = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  envelope: string,
  more?: Record<string, string>,
): void => {
  // The other side is gone, or its request broke off and the parser's refusal has answered it.
  if (response.headersSent || response.destroyed) return
  const headers = { ...headersOfAll, 'content-length': Buffer.byteLength(envelope), ...more }
  if (!request.complete && hasLongBody(request)) {
    dropRest(request, response, status, { ...headers, connection: 'close' }, envelope)
    return
  }
  // What is left of a short body is read and dropped by Node, and the connection stays usable.
  response.writeHead(status, headers)
  response.end(envelope)
}

const hasLongBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > BODY_LIMIT

/**
 * Answers while the body is still coming. Closing a socket that has unread input resets the connection, and a client
 * that writes all before it reads would lose the answer: so the answer goes out at once, the rest is read and dropped,
 * and only then, or when it is far too much, the connection ends.
 */
const dropRest = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Record<string, string | number>,
  envelope: string,
): void => {
  response.writeHead(status, headers)
  response.write(envelope)
  let left = DROP_LIMIT
  const finish = () => {
    request.removeAllListeners('data')
    response.end()
  }
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) finish()
  })
  request.once('end', finish)
  request.once('close', finish)
  request.resume()
}

/** The same answer in bytes, for a socket that has no response object: what Node's parser refused. */
export const onTheWire = (status: number, code: number, message: string, more: string[] = []): string => {
  const envelope = failure(code, message)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headersOfAll).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(envelope)}`,
    ...more,
    'connection: close',
    '',
    envelope,
  ].join('\r\n')
}
