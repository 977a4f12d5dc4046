import type { VendorName } from '@carillon/protocol/names.ts'

/**
 * What can be ordered to go wrong. `processed`: the push is taken all the same, and the sender cannot know.
 * latency     it is processed at once and answered later
 * limited     too fast, in the vendor's words, with Retry-After
 * status      a 5xx, in the vendor's words
 * reset       the TCP connection breaks
 * silent      this request is never answered
 * half-open   neither this request nor anything else on its connection is answered or heard any more
 * refused     HTTP/2: REFUSED_STREAM; HTTP/1.1: the connection closes
 * goaway      HTTP/2: GOAWAY, this request and later ones on the connection are not processed; HTTP/1.1: as refused
 * hang        processed, and the answer begins but never ends
 * garbage     processed, and answered 200 with a body that is none
 * dead        its vendor tokens are gone for good from now on
 * expired     the access token ran out, in the vendor's words
 */
export type Fault =
  | { fault: 'latency'; ms: number; spreadMs?: number }
  | { fault: 'limited'; retryAfterSeconds?: number }
  | { fault: 'status'; status: number; retryAfterSeconds?: number; processed?: boolean }
  | { fault: 'reset' | 'silent' | 'half-open'; processed?: boolean }
  | { fault: 'goaway'; code?: number; data?: string }
  | { fault: 'refused' | 'hang' | 'garbage' | 'dead' | 'expired' }

export type FaultOrder = Fault & {
  /** Left out: every vendor. */
  vendor?: VendorName
  /** Which requests: those that push, the standard, or all others, such as the fetching of an access token. */
  on?: 'push' | 'access'
  /** Only requests that name this vendor token. */
  token?: string
  /** How many requests it hits; left out: every one until cleared. */
  times?: number
  /** The share of requests it hits, 0 … 1; left out: all. */
  chance?: number
}

export interface Misfortune {
  delayMs: number
  fault: Exclude<Fault, { fault: 'latency' }> | undefined
}

/** Orders of misbehaviour, oldest first. The same seed and the same requests give the same misfortunes. */
export class Misbehaviour {
  readonly #random: () => number
  #orders: { order: FaultOrder; left: number }[] = []

  constructor(seed: number) {
    this.#random = chanceFrom(seed)
  }

  get idle(): boolean {
    return this.#orders.length === 0
  }

  get orders(): FaultOrder[] {
    return this.#orders.map(({ order, left }) => (Number.isFinite(left) ? { ...order, times: left } : order))
  }

  order(order: FaultOrder): void {
    this.#orders.push({ order, left: order.times ?? Infinity })
  }

  clear(): void {
    this.#orders = []
  }

  /** What befalls one request. Latencies add up; of the rest, the oldest order that hits. */
  befall(vendor: VendorName, tokens: readonly string[]): Misfortune {
    const misfortune: Misfortune = { delayMs: 0, fault: undefined }
    for (const entry of this.#orders) {
      const { order } = entry
      if (order.vendor !== undefined && order.vendor !== vendor) continue
      if ((order.on ?? 'push') !== (tokens.length > 0 ? 'push' : 'access')) continue
      if (order.token !== undefined && !tokens.includes(order.token)) continue
      if (order.fault !== 'latency' && misfortune.fault !== undefined) continue
      if (order.chance !== undefined && this.#random() >= order.chance) continue
      entry.left -= 1
      if (order.fault === 'latency') misfortune.delayMs += order.ms + this.#random() * (order.spreadMs ?? 0)
      else misfortune.fault = order
    }
    if (this.#orders.some(({ left }) => left <= 0)) this.#orders = this.#orders.filter(({ left }) => left > 0)
    return misfortune
  }
}

/** Mulberry32: small, even, and the same everywhere. */
const chanceFrom = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
