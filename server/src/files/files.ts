import type { Readable } from 'node:stream'

/** Where attachments are kept: a folder, or a store that speaks S3. Keys are ours: short, plain, never reused. */
export interface Files {
  /** Takes a finished file from the local disk, whose SHA-256 is known; the file may be moved away. */
  put(key: string, from: { path: string; size: number; sha256: string; type: string }): Promise<void>
  /** The bytes from `start` to `end`, both included. Undefined: it is not there. */
  get(key: string, range: { start: number; end: number }): Promise<Readable | undefined>
  /** One that is not there is gone already. */
  remove(key: string): Promise<void>
}
