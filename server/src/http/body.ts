import type { IncomingMessage } from 'node:http'
import { Refused } from '@carillon/protocol/errors.ts'
import { parseJson } from '@carillon/protocol/json.ts'

/** The largest body of a call. */
export const BODY_LIMIT = 1_048_576
/** How much of a body that is not wanted is read on, so that the answer reaches a client that writes first. */
export const DROP_LIMIT = 4 * BODY_LIMIT

/** The caller went away before its request was complete: nobody is left to answer. */
export class Gone extends Error {}

/** Bytes of bodies that are still being gathered, over all calls of a door: what slow senders can make us hold. */
export class Gathering {
  readonly limit: number
  held = 0

  constructor(limit: number) {
    this.limit = limit
  }
}

/** The body's bytes. Rejects when it is over the limit; the rest then stays unread. */
export const readBody = (request: IncomingMessage, gathering: Gathering, limit = BODY_LIMIT): Promise<Uint8Array> => {
  const declared = request.headers['content-length']
  if (declared !== undefined && Number(declared) > limit) return Promise.reject(new Refused('bodyTooLarge'))
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const chunks: Buffer[] = []
  let size = 0
  let over = false
  const finish = () => {
    over = true
    gathering.held -= size
  }
  const refuse = (why: Refused) => {
    finish()
    request.removeListener('data', take)
    request.pause()
    reject(why)
  }
  const take = (chunk: Buffer) => {
    size += chunk.length
    gathering.held += chunk.length
    chunks.push(chunk)
    if (size > limit) refuse(new Refused('bodyTooLarge'))
    else if (gathering.held > gathering.limit) {
      refuse(new Refused('tooMany', 'too many bodies are being read', { retryAfter: 1 }))
    }
  }
  request.on('data', take)
  request.on('end', () => {
    if (over) return
    finish()
    resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
  })
  request.on('close', () => {
    if (over) return
    finish()
    reject(new Gone())
  })
  return promise
}

/** The body as JSON. No body at all reads as an object without fields, so that what is missing is refused by name. */
export const readJson = async (request: IncomingMessage, gathering: Gathering): Promise<unknown> => {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return {}
  mustBeJson(headers['content-type'], headers['content-encoding'])
  const bytes = await readBody(request, gathering)
  return bytes.length === 0 ? {} : parseJson(bytes)
}

const mustBeJson = (type: string | undefined, encoding: string | undefined): void => {
  if (type !== 'application/json' && !isUtf8Json(type ?? '')) {
    throw new Refused('notJson', 'header content-type must be application/json in UTF-8')
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Refused('notJson', 'header content-encoding must be identity')
  }
}

const isUtf8Json = (type: string): boolean => {
  const [media, ...parameters] = type.toLowerCase().split(';')
  return media!.trim() === 'application/json' && parameters.every(isAcceptable)
}

const isAcceptable = (parameter: string): boolean => {
  const [name, value] = parameter.split('=')
  return name!.trim() !== 'charset' || /^\s*"?utf-?8"?\s*$/.test(value ?? '')
}
