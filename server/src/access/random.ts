import { randomBytes } from 'node:crypto'

const BLOCK = 16_384

let block = Buffer.alloc(0)
let used = 0

/**
 * Random bytes for a secret, each handed out once. They are drawn in blocks, because a call for 32 bytes costs as much
 * as one for thousands (some 6 µs), and importing a device takes two of them.
 */
export const drawRandom = (length: number): Buffer => {
  if (used + length > block.length) {
    block = randomBytes(BLOCK)
    used = 0
  }
  used += length
  return block.subarray(used - length, used)
}
