import type { Seal } from '../access/seal.ts'
import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import type { AccessSeat, StoredAccess } from '../store/vendor-access.ts'
import { accessSeat, claimAccess, keepAccess, readAccess, refuseAccess } from '../store/vendor-access.ts'
import type { AccessToken, Verdict } from './vendor.ts'

/** Longer than a vendor may take: 10 s for the connection and 15 for the answer. */
const ASKING_MS = 30_000

/** A token of the shelf. `madeAt` tells it from the one before it. */
export interface ShelvedToken extends AccessToken {
  madeAt: number
}

/** Why the vendor gave no token; nobody asks again before `until`. */
export interface Refusal {
  verdict: Verdict
  until: number
}

/** What all nodes know of one access. */
export interface Shelved {
  /** When the newest token was made; 0: there was none. */
  madeAt: number
  /** Undefined: none, or it is over. */
  token: ShelvedToken | undefined
  /** There is one, and it does not open. */
  isSpoilt: boolean
  refusal: Refusal | undefined
  /** Somebody is asking for a new one now. */
  isAsked: boolean
}

const NOTHING: Shelved = { madeAt: 0, token: undefined, isSpoilt: false, refusal: undefined, isAsked: false }

interface Parts {
  store: Store
  seal: Seal
  clock: Clock
  /** There are no other nodes: whoever is said to be asking has ended. */
  alone: boolean
}

/** Access tokens in the store, sealed: asked for by one node, used by all, and still there after a restart. */
export class AccessShelf {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async look(seat: AccessSeat): Promise<Shelved> {
    const stored = await this.#parts.store.read(readAccess, seat)
    return stored ? this.#open(stored, seat) : NOTHING
  }

  /**
   * True: it is on the caller to ask. `after`: a token that was made later is new. `dropped`: the vendor does not take
   * the one made then. `anew`: also when the vendor gave none lately.
   */
  claim(seat: AccessSeat, wanted: { after: number; dropped: number; anew: boolean }): Promise<boolean> {
    const { store, clock, alone } = this.#parts
    const now = clock.now()
    return store.write(claimAccess, { ...seat, ...wanted, alone, now, until: now + ASKING_MS })
  }

  async keep(seat: AccessSeat, { value, renewAt, endsAt }: AccessToken): Promise<ShelvedToken> {
    const { store, seal, clock } = this.#parts
    const token = seal.seal(value, accessSeat(seat))
    const madeAt = await store.write(keepAccess, { ...seat, token, renewAt, endsAt, now: clock.now() })
    return { value, renewAt, endsAt, madeAt }
  }

  refuse(seat: AccessSeat, { verdict, until }: Refusal): Promise<void> {
    return this.#parts.store.write(refuseAccess, { ...seat, refusal: JSON.stringify(verdict), until })
  }

  #open(stored: StoredAccess, seat: AccessSeat): Shelved {
    const { clock, alone } = this.#parts
    const now = clock.now()
    const { madeAt, token, renewAt, endsAt, askedUntil, refusal, refusedUntil } = stored
    const opened = token && endsAt > now ? this.#unseal(token, { renewAt, endsAt, madeAt }, seat) : undefined
    return {
      madeAt,
      token: opened || undefined,
      isSpoilt: opened === false,
      refusal: refusal && now < refusedUntil ? { verdict: JSON.parse(refusal), until: refusedUntil } : undefined,
      isAsked: !alone && askedUntil > now,
    }
  }

  /** False: it does not open. */
  #unseal(token: Uint8Array, times: Omit<ShelvedToken, 'value'>, seat: AccessSeat): ShelvedToken | false {
    try {
      return { value: this.#parts.seal.open(token, accessSeat(seat)), ...times }
    } catch {
      return false
    }
  }
}
