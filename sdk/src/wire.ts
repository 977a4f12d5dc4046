import type { Bytes } from './mqtt-write.ts'

/** What carries bytes to the server and back. */
export interface Wire {
  send(bytes: Bytes): void
  /** Sends what is still to be sent, then closes. */
  close(): void
}

/** What a wire tells; never before `dial` has returned, and nothing after `closed`. */
export interface WireEvents {
  opened(): void
  bytes(chunk: Uint8Array): void
  closed(why: string): void
}

/** Opens a wire. A URL of a scheme it cannot speak is an error of the program and throws at once. */
export interface Dial {
  schemes: readonly string[]
  (url: URL, events: WireEvents): Wire
}
