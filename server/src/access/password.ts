import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { badField, Refused } from '@carillon/protocol/errors.ts'
import { Bcrypt, BCRYPT_BYTES, isBcrypt } from './bcrypt.ts'
import { passwordsRefused } from '../metrics.ts'
import { type Phc, readPhc, writePhc } from './phc.ts'

const strength = { algorithm: 'argon2id', memory: 19_456, passes: 2, parallelism: 1 } as const
const SALT_BYTES = 16
const TAG_BYTES = 32
const PASSWORD_MAX = 256
const HASHES_PER_SECOND = 40 // of one thread, roughly; only says when to come again

/** Computes the tag of a password under the parameters and the salt of a hash. */
export type Derive = (password: string, phc: Omit<Phc, 'tag'>, tagLength: number) => Promise<Buffer>

/** On a thread of the pool: the event loop goes on. */
export const deriveArgon2: Derive = (password, { algorithm, memory, passes, parallelism, salt }, tagLength) => {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const parameters = { message: Buffer.from(password), nonce: salt, memory, passes, parallelism, tagLength }
  argon2(algorithm, parameters, (error, tag) => (error ? reject(error) : resolve(tag)))
  return promise
}

export interface PasswordOptions {
  /** Hashes computed at once. One core stays free: two busy hash threads triple the latency of everything else. */
  concurrency?: number
  /** Hashes that may wait for their turn; more are refused. */
  waiting?: number
  derive?: Derive
}

/** Whether a hash made elsewhere is one we can verify: argon2 as a PHC string, or bcrypt, neither of absurd cost. */
export const isVerifiable = (stored: string): boolean => isBcrypt(stored) || readPhc(stored) !== undefined

/** Hashes and verifies passwords, exact bytes, a bounded number at a time. */
export class Passwords {
  readonly #concurrency: number
  readonly #waitingMax: number
  readonly #derive: Derive
  readonly #waiting: (() => void)[] = []
  readonly #bcrypt = new Bcrypt()
  #running = 0
  /** Verified where there is no hash, so that the time it takes does not tell who exists. No password opens it. */
  readonly #decoy: Phc = { ...strength, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) }

  constructor(options: PasswordOptions = {}) {
    this.#concurrency = options.concurrency ?? Math.max(1, availableParallelism() - 1)
    this.#waitingMax = options.waiting ?? 200
    this.#derive = options.derive ?? deriveArgon2
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** `patient`: waits however long the queue is, for work that comes one at a time (a batch of registrations). */
  async hash(password: string, options: { patient?: boolean } = {}): Promise<string> {
    const parameters = { ...strength, salt: randomBytes(SALT_BYTES) }
    const tag = await this.#inTurn(() => this.#derive(password, parameters, TAG_BYTES), options.patient ?? false)
    return writePhc({ ...parameters, tag })
  }

  /** `stored` null: no such user, or one without a password. */
  async verify(password: string, stored: string | null): Promise<boolean> {
    if (stored !== null && isBcrypt(stored)) {
      return this.#inTurn(() => this.#bcrypt.matches({ password, hash: stored }), false)
    }
    const known = stored === null ? undefined : readPhc(stored)
    const phc = known ?? this.#decoy
    const tag = await this.#inTurn(() => this.#derive(password, phc, phc.tag.length), false)
    return timingSafeEqual(tag, phc.tag) && known !== undefined
  }

  /** A hash of ours to put in the place of one that was just verified; null where that one is as good. */
  async renewed(password: string, verified: string): Promise<string | null> {
    const phc = readPhc(verified)
    const { algorithm, memory, passes } = strength
    if (phc && phc.algorithm === algorithm && phc.memory * phc.passes >= memory * passes) return null
    // bcrypt saw the beginning alone: what follows may be a slip of the fingers, and must not become the password.
    if (!phc && Buffer.byteLength(password) > BCRYPT_BYTES) return null
    return this.hash(password, { patient: true })
  }

  async #inTurn<R>(work: () => Promise<R>, patient: boolean): Promise<R> {
    if (this.#running < this.#concurrency) this.#running += 1
    else if (patient || this.#waiting.length < this.#waitingMax) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else {
      passwordsRefused.value += 1
      const retryAfter = Math.ceil(this.#waiting.length / (HASHES_PER_SECOND * this.#concurrency))
      throw new Refused('tooMany', 'too many passwords are being checked', { retryAfter })
    }
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next() // the place is handed on, not given back
      else this.#running -= 1
    }
  }
}

/** Refuses a password that is too short or too long to be set. Characters are code points. */
export const checkPassword = (password: string, minLength: number): void => {
  const length = Array.from(password).length
  if (length < minLength || length > PASSWORD_MAX) {
    throw badField('password', `must have ${minLength} to ${PASSWORD_MAX} characters`)
  }
}
