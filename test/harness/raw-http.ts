import { connect } from 'node:net'
import type { Envelope } from './carillon.ts'

/** An answer as it stood on the wire. */
export interface WireAnswer {
  status: number
  /** Names in lower case; of a repeated one the last. */
  headers: Record<string, string>
  body: string
}

/** Bytes of a request; Content-Length is added where there is a body and nobody said otherwise. */
export const requestBytes = (
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[],
  body?: string | Buffer,
): Buffer => {
  const bytes = Buffer.from(body ?? '')
  const framed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: carillon',
    'connection: close',
    ...headers.map((pair) => pair.join(': ')),
  ]
  if (body !== undefined && !framed) lines.push(`content-length: ${bytes.length}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes])
}

/**
 * Writes bytes as they are, and gives all that came back until the other side closed. `unfinished` hangs up on our side
 * after the last byte, for a request that never becomes whole and would be waited for.
 */
export const exchange = (port: number, bytes: Buffer, { unfinished = false } = {}): Promise<string> =>
  new Promise((resolve) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => (text += String(chunk)))
    socket.on('end', () => socket.end())
    socket.on('error', () => {}) // what arrived before a reset is looked at all the same
    socket.on('close', () => resolve(text))
    if (unfinished) socket.end(bytes)
    else socket.write(bytes)
  })

/**
 * Cuts what came back into answers; throws where it is not HTTP. `bodiless`: it answers a HEAD, and has a body only if
 * that was refused before anybody knew that it was one.
 */
export const readAnswers = (text: string, { bodiless = false } = {}): WireAnswer[] => {
  const answers: WireAnswer[] = []
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`not the head of an answer: ${JSON.stringify(rest.toString().slice(0, 200))}`)
    const [line = '', ...lines] = rest.toString('utf8', 0, end).split('\r\n')
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]
    if (status === undefined) throw new Error(`not a status line: ${line}`)
    const headers = Object.fromEntries(
      lines.map((pair) => [pair.split(':', 1)[0]!.toLowerCase(), pair.replace(/^[^:]*:\s*/, '')]),
    )
    const nothing = bodiless && rest.length === end + 4
    const length = status === '100' || nothing ? 0 : Number(headers['content-length'])
    const body = rest.subarray(end + 4, end + 4 + length)
    if (body.length !== length) throw new Error(`an answer says ${length} bytes and has ${body.length}`)
    if (status !== '100') answers.push({ status: Number(status), headers, body: body.toString() })
    rest = rest.subarray(end + 4 + length)
  }
  return answers
}

/** One request, one answer. */
export const ask = async (port: number, bytes: Buffer): Promise<WireAnswer & Envelope> => {
  const answers = readAnswers(await exchange(port, bytes))
  if (answers.length !== 1) throw new Error(`${answers.length} answers came to one request`)
  return { ...answers[0]!, ...(JSON.parse(answers[0]!.body) as Envelope) }
}
