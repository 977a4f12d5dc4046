import { badField } from '@carillon/protocol/errors.ts'

const NOBODY = 0 // ids begin at 1

/** An id as a caller wrote it. One beyond 2^53 is understood, and matches nothing. */
export const idOf = (id: number | bigint): number => (typeof id === 'bigint' ? NOBODY : id)

const INT64_MAX = 2n ** 63n - 1n
const INT64_MIN = -(2n ** 63n)

/** The same from a header's text. */
export const headerId = (name: string, text: string): number => {
  const id = /^(?:0|-?[1-9][0-9]{0,18})$/.test(text) ? BigInt(text) : undefined
  if (id === undefined || id > INT64_MAX || id < INT64_MIN) throw badField(`header ${name}`, 'must be an integer')
  return Number.isSafeInteger(Number(id)) ? Number(id) : NOBODY
}
