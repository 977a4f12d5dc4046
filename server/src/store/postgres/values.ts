/** Ids and times are below 2^53 and are numbers everywhere; one that is not must not be rounded onto another. */
const exact = (text: string): number => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new Error(`${text} is not an exact number`)
  return number
}

/** Memory of its own that begins at 0: operations write into it and look at it as numbers. */
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(2), 'hex'))

const asItIs = (text: string): string => text

// int8, int2, int4, numeric (a sum of int8), bytea: https://www.postgresql.org/docs/current/catalog-pg-type.html
const readers = new Map<number, (text: string) => unknown>([[20, exact], [21, exact], [23, exact], [1700, exact], [17, bytes]])

/** How results are read: as SQLite would give them. */
export const types = { getTypeParser: (oid: number) => readers.get(oid) ?? asItIs }
