import { randomBytes } from 'node:crypto'
import { hashToken, pushTokenOf } from './token.ts'

// The first block is small, so that a short import does not wait for a long one's.
const FIRST_BLOCK = 2 ** 10
const LAST_BLOCK = 2 ** 17
const BYTES = 32 // of a token, and of its hash

/**
 * New push tokens for an import, a block at a time, in the order of their hashes: the index of hashes then grows page
 * by page instead of everywhere at once, and a commit writes fewer of its pages.
 */
export class PushTokens {
  #tokens = Buffer.alloc(0)
  #hashes = Buffer.alloc(0)
  #order = new Float64Array(0)
  #next = 0

  next(): { token: string; hash: Uint8Array } {
    if (this.#next === this.#order.length) this.#draw(Math.min(Math.max(FIRST_BLOCK, this.#order.length * 2), LAST_BLOCK))
    const place = this.#order[this.#next++]! % LAST_BLOCK
    return { token: this.#token(place), hash: this.#hashes.subarray(place * BYTES, (place + 1) * BYTES) }
  }

  #token(place: number): string {
    return pushTokenOf(this.#tokens.subarray(place * BYTES, (place + 1) * BYTES))
  }

  #draw(count: number): void {
    this.#tokens = randomBytes(count * BYTES)
    this.#hashes = Buffer.alloc(count * BYTES)
    this.#order = new Float64Array(count)
    this.#next = 0
    for (let place = 0; place < count; place++) {
      this.#hashes.set(hashToken(this.#token(place)), place * BYTES)
      // One number: the first 32 bits of the hash above the 17 of the place itself, which a double holds exactly.
      this.#order[place] = this.#hashes.readUInt32BE(place * BYTES) * LAST_BLOCK + place
    }
    this.#order.sort()
  }
}
