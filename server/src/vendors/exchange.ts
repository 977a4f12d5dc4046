import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Reply, TlsIdentity, VendorRequest } from './vendor.ts'

/**
 * What became of one request.
 * reply   the whole answer, whatever its status. `retryAfterMs`: how long it asks to wait. `over`: the connection it
 *         came over, for `retire`
 * unsent  certainly not processed: it may be repeated freely
 * lost    it may have been processed: no answer came that can be read. It may have asked to wait all the same
 */
export type Exchanged =
  | { kind: 'reply'; reply: Reply; retryAfterMs?: number; over: number }
  | { kind: 'unsent' | 'lost'; why: string; retryAfterMs?: number }

/** How one request is to be sent. */
export interface Sending {
  protocol: 'h1' | 'h2'
  /** Requests of one key share connections; those of two keys never do. */
  key: string
  /** Shown in the TLS handshake by connections opened from now on. */
  identity?: TlsIdentity
  /** How long the answer may take, and before that how long it may wait for its turn. */
  timeoutMs: number
  /** The operator's origin that takes the place of the request's; the path stays. */
  replaced?: string
}

/** What pools stand on. */
export interface Ground {
  log: Logger
  /** Any clock that never goes back: only differences count. */
  clock: Clock
  /** 0 … 1. */
  random(): number
  /** Numbers connections. */
  number(): number
}

/** The connections to one origin for one key. */
export interface Pool {
  readonly protocol: 'h1' | 'h2'
  readonly origin: string
  /** Holds nothing that would be missed. */
  readonly isEmpty: boolean
  /** `mayBegin` is asked when a request that had to wait has its turn; where it says no, the request was not sent. */
  exchange(request: VendorRequest, sending: Sending, mayBegin?: () => boolean): Promise<Exchanged>
  /** No new requests over this connection, or over any that is open now; what is under way ends in peace. */
  retire(over?: number): void
  /** Called about twice a second: deadlines, idle times and ages, as they stood at that time. */
  look(now: number): void
  /** Takes nothing more; answers when all that was under way has ended. */
  close(): Promise<void>
  /** Ends what is left, at once. */
  destroy(): void
}

export const CONNECT_MS = 10_000
export const REPLY_BYTES = 64 * 1024
export const TOO_LARGE = 'the reply is larger than 64 KiB'

export const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`
