import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** An answer that is no envelope: a page for a browser, a file for a tool. The same text has the same tag. */
export class Document {
  readonly #text: string
  readonly #headers: Record<string, string | number>
  readonly #etag: string

  constructor(type: string, text: string, headers: Record<string, string> = {}) {
    this.#text = text
    this.#etag = `"${createHash('sha256').update(text).digest('base64url')}"`
    this.#headers = {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      // Kept, and asked about each time: the next release may say something else.
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      etag: this.#etag,
      ...headers,
    }
  }

  send(request: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': _, ...headers } = this.#headers
    if (this.#isKnown(request.headers['if-none-match'])) {
      response.writeHead(304, headers)
      response.end()
      return
    }
    response.writeHead(200, this.#headers)
    response.end(this.#text)
  }

  /** Weak comparison, as RFC 9110 13.1.2 has it: a proxy that compressed it made the tag weak. */
  #isKnown(asked: string | undefined): boolean {
    if (asked === undefined) return false
    return asked.trim() === '*' || asked.split(',').some((tag) => tag.trim().replace(/^W\//, '') === this.#etag)
  }
}
