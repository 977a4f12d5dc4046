import type { ServerResponse } from 'node:http'

/** An answer that writes itself, and may go on for long. What it throws before it has begun is answered as usual. */
export class Written {
  readonly write: (response: ServerResponse) => Promise<void>

  constructor(write: (response: ServerResponse) => Promise<void>) {
    this.write = write
  }
}
