import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import { drawRandom } from './random.ts'

const FORM = 1 // first byte; another cipher would be another number
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Secrets at rest: AES-256-GCM, bound to the row they belong to, so that a sealed value copied into another row does
 * not open there. Layout: form, nonce, ciphertext, tag.
 */
export class Seal {
  readonly #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  seal(plain: string, row: string): Uint8Array {
    const nonce = drawRandom(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(row))
    const text = cipher.update(plain, 'utf8')
    const last = cipher.final()
    return new Uint8Array(Buffer.concat([Buffer.of(FORM), nonce, text, last, cipher.getAuthTag()]))
  }

  /** What only holders of the key can compute, the same on every node. */
  mark(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest()
  }

  /** Throws when the value was sealed with another key or for another row, or is damaged. */
  open(sealed: Uint8Array, row: string): string {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
    if (bytes[0] !== FORM || bytes.length < 1 + NONCE_BYTES + TAG_BYTES) throw new Error(`not a sealed value: ${row}`)
    const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(row))
      .setAuthTag(bytes.subarray(-TAG_BYTES))
    const text = decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  }
}
