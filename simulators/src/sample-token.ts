import { randomBytes } from 'node:crypto'

/** What all dead ones begin with, at the vendors whose tokens may be any text. */
export const DEAD = 'dead'

/** A hexadecimal one. Where no fate is asked for it has none by chance either: one in 65,536 would be born dead. */
export const hexToken = (beginning: string, bytes: number, random = randomBytes): string => {
  const hex = random(bytes).toString('hex')
  return beginning === '' && hex.startsWith(DEAD) ? hexToken(beginning, bytes, random) : beginning + hex
}
