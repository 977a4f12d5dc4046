import type { ServerResponse } from 'node:http'

/**
 * An answer that writes itself, and may go on for long: until `closing`, when the door closes. What it throws before it has
 * begun is answered as usual.
 */
export class Written {
  readonly write: (response: ServerResponse, closing: AbortSignal) => Promise<void>

  constructor(write: (response: ServerResponse, closing: AbortSignal) => Promise<void>) {
    this.write = write
  }
}
