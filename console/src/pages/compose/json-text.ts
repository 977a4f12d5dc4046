import { Refused } from '@carillon/protocol/errors.ts'
import { parseExactly } from '@carillon/protocol/exact-json.ts'

/** What a JSON text holds; or where it is wrong, and how. */
export type Parsed = { value: unknown } | { line: number; column: number; what: string }

const hasRaw = typeof JSON.rawJSON === 'function'

/** Reads JSON by the server's own rules: big numbers stay exact, a key given twice is a mistake. */
export const parseText = (text: string): Parsed => {
  try {
    // A browser that cannot keep a number as written rounds it, as browsers do.
    return { value: hasRaw ? parseExactly(text) : (JSON.parse(text) as unknown) }
  } catch (error) {
    if (!(error instanceof Refused || error instanceof SyntaxError)) throw error
    const [, what, character] = /^(?:.*?: )?(.*?)(?: at (?:character|position) (\d+).*)?$/s.exec(error.message)!
    const before = text.slice(0, character === undefined ? text.length : Number(character) - 1)
    const lines = before.split('\n')
    return { line: lines.length, column: lines.at(-1)!.length + 1, what: what! }
  }
}

const exact = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'bigint') return value
  return hasRaw ? JSON.rawJSON(String(value)) : Number(value)
}

/** JSON for people to read and change. */
export const writeText = (value: unknown): string => JSON.stringify(value, exact, 2) ?? ''

/** The bytes it takes on the wire. */
export const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value, exact)).length

/** Whether it nests deeper than so many levels. */
export const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null || (hasRaw && JSON.isRawJSON(value))) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

/** An object as JSON has them: no list, no number kept as its text. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(hasRaw && JSON.isRawJSON(value))
