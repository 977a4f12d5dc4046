import type { PeerCertificate } from 'node:tls'
import type { VendorName } from '@carillon/protocol/names.ts'

/** The contract of one simulator: a vendor's server, as strict as the vendor, that keeps what it was sent. */

/** One client's connection. Simulators that bind something to it keep that in a WeakMap with this object as the key. */
export interface Connection {
  protocol: 'h1' | 'h2'
  tls: boolean
  /** What the client showed in the TLS handshake; not verified by the frame. */
  clientCertificate: PeerCertificate | undefined
  /** Announces a new limit of streams at once; nothing on HTTP/1.1. */
  limitStreams(count: number): void
}

/** One request, whole. */
export interface SimulatorRequest {
  method: string
  /** Without its query. */
  path: string
  query: URLSearchParams
  /** Names in lower case; a repeated one is joined by ', '. */
  headers: Readonly<Record<string, string>>
  /** Names of headers that came more than once. */
  repeated: readonly string[]
  body: string
  connection: Connection
}

export interface Answer {
  status: number
  headers?: Record<string, string>
  body: string
}

/** What became of a request that was processed. */
export interface Handled extends Answer {
  /** Present when the request was meant as a push, also when it was turned down. */
  push?: {
    /** Every vendor token it names. */
    tokens: readonly string[]
    /** Those the vendor took it for: these phones would show it. */
    taken: readonly string[]
    /** What was understood of it, for people and tests: no secrets. */
    fields: unknown
  }
}

/** A call to the sender's own server that reports what became of a push. */
export interface ReceiptCall {
  url: string
  headers: Record<string, string>
  body: string
}

/** Settings that change while it runs. */
export type Options = Record<string, string | number | boolean>

/** What surrounds a running simulator. */
export interface World<Account, O extends Options = Options> {
  /** Unix milliseconds. */
  now(): number
  /** 'any': every well-formed credential is taken, since there is nothing to verify it against. */
  accounts: readonly Account[] | 'any'
  /** As they are at this moment: read them at each request. */
  options: Readonly<O>
  /** How a push to this token must end: as ordered, else by the token's beginning; undefined means well. */
  outcomeOf(token: string): string | undefined
  /** Where this vendor's console was told to send receipts. */
  receiptUrl: string | undefined
  /** Posts it beside the work; failures are kept for inspection, not repeated. */
  sendReceipt(call: ReceiptCall): void
}

/** The vendor's own words for troubles that can be ordered. None of them processes the request. */
export interface Troubles {
  /** Too fast. The frame adds Retry-After where the order has one. */
  limited(request: SimulatorRequest): Answer
  /** A 5xx. */
  down(status: number, request: SimulatorRequest): Answer
  /** The access token ran out; left out where the vendor has none. */
  expired?(request: SimulatorRequest): Answer
}

export interface RunningSimulator {
  /** The vendor tokens a push names, without processing it; empty for everything else, malformed pushes included. */
  tokensOf(request: SimulatorRequest): readonly string[]
  handle(request: SimulatorRequest): Handled | Promise<Handled>
  troubles: Troubles
}

/** An account to try with. */
export interface Sample<Account> {
  /** As the vendor knows it. */
  account: Account
  /** As its console shows it, in the fields of a certificate. */
  certificate: Record<string, string>
}

/** The accounts each vendor knows, which every simulator adds to; a vendor left out takes every well-formed credential. */
export interface Accounts {}

export interface Simulator<Account, O extends Options = Options> {
  name: VendorName
  /** What people call the service. */
  title: string
  /** Whether it answers HTTP/1.1 beside HTTP/2. */
  http1: boolean
  /** How many streams a new HTTP/2 connection may open. */
  streams: number
  /** The same for a client that showed a certificate, where that differs. */
  streamsWithCertificate?: number
  /**
   * How a push can end for one token: the word that orders it, and what tokens begin with that end so without an order;
   * '' for none.
   */
  outcomes: Readonly<Record<string, string>>
  /** The one of them that says a token is gone for good. */
  dead: string
  /** Every setting, with its value at the start. */
  options: O
  /** Its secrets are new at every call. */
  sample(): Sample<Account>
  /** A vendor token of the usual shape. */
  sampleToken(beginning: string): string
  /** Each start has a memory of its own. */
  start(world: World<Account, O>): RunningSimulator
}

export const defineSimulator = <Account, O extends Options>(
  simulator: Simulator<Account, O>,
): Simulator<Account, O> => simulator
