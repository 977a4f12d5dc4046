/** An argon2 hash with all that is needed to compute it again: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`. */
export interface Phc {
  algorithm: 'argon2d' | 'argon2i' | 'argon2id'
  /** KiB */
  memory: number
  passes: number
  parallelism: number
  salt: Buffer
  tag: Buffer
}

// A hash may come from elsewhere (imports). Beyond these a single login would take the machine.
const MEMORY_MAX = 256 * 1024
const PASSES_MAX = 16
const PARALLELISM_MAX = 16

const head = /^\$(argon2(?:id|i|d))\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,9})/
const tail = /\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/
const form = new RegExp(head.source + tail.source)

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

export const writePhc = ({ algorithm, memory, passes, parallelism, salt, tag }: Phc): string =>
  `$${algorithm}$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`

/** undefined: not a hash we can or want to compute. */
export const readPhc = (text: string): Phc | undefined => {
  const match = form.exec(text)
  if (!match) return undefined
  const [, algorithm, m, t, p, salt, tag] = match
  const [memory, passes, parallelism] = [Number(m), Number(t), Number(p)]
  if (memory > MEMORY_MAX || passes > PASSES_MAX || parallelism > PARALLELISM_MAX) return undefined
  if (memory < 8 * parallelism) return undefined // argon2's own limit
  return {
    algorithm: algorithm as Phc['algorithm'],
    memory,
    passes,
    parallelism,
    salt: Buffer.from(salt!, 'base64'),
    tag: Buffer.from(tag!, 'base64'),
  }
}
