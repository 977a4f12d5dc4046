import { parseJson } from '@carillon/protocol/json.ts'

/** JSON that we wrote ourselves, read exactly. One that does not read is our fault, not a caller's wrong body. */
export const readStored = (text: string): unknown => {
  try {
    return parseJson(Buffer.from(text))
  } catch (error) {
    throw new Error('what was stored does not read', { cause: error })
  }
}
