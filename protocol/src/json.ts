import { isUtf8 } from 'node:buffer'
import { Refused } from './errors.ts'
import { DEPTH_MAX, parseExactly } from './exact-json.ts'

/**
 * Reads JSON exactly: safe integers become numbers, every other number stays the text it was (JSON.rawJSON, which
 * JSON.stringify writes back unchanged). What stores, vendors and devices would read differently is refused: duplicate
 * keys, NUL, lone surrogates, a byte order mark.
 *
 * JSON.parse is several times faster than our own parser, so it does the work whenever one look over the text shows
 * that it cannot lose anything, and as many keys come out as went in.
 */
export const parseJson = (bytes: Uint8Array): unknown => {
  const text = decode(bytes)
  const keys = countKeysIfPlain(text)
  if (keys === undefined) return parseExactly(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return parseExactly(text) // says what is wrong, and where
  }
  return keys === countKeys(value) ? value : parseExactly(text)
}

const decode = (bytes: Uint8Array): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString()
  if (isUtf8(bytes)) return text
  const readAs = Buffer.from(text)
  const wrong = buffer.findIndex((byte, i) => byte !== readAs[i])
  throw new Refused('badParameter', `body is not the JSON we take: it is not UTF-8 at byte ${wrong + 1}`)
}

const QUOTE = 0x22
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const BRACKET_OPENS = 0x5b
const BACKSLASH = 0x5c
const BRACKET_CLOSES = 0x5d
const LETTER_E = 0x65
const LETTER_U = 0x75
const BRACE_OPENS = 0x7b
const BRACE_CLOSES = 0x7d
/** Below this many digits every whole number is a safe integer. */
const DIGITS_MAX = 15
const LOWER_CASE = 0x20

/** The number of keys in the text, or undefined when JSON.parse might lose something of it. */
const countKeysIfPlain = (text: string): number | undefined => {
  let keys = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at += 1
      for (; at < text.length; at += 1) {
        const inside = text.charCodeAt(at)
        if (inside === QUOTE) break
        if (inside === BACKSLASH) {
          at += 1
          if (text.charCodeAt(at) === LETTER_U) return undefined
        }
      }
    } else if (code === COLON) keys += 1
    else if (code === BRACE_OPENS || code === BRACKET_OPENS) {
      depth += 1
      if (depth > DEPTH_MAX) return undefined
    } else if (code === BRACE_CLOSES || code === BRACKET_CLOSES) depth -= 1
    else if (code === MINUS) {
      if (text.charCodeAt(at + 1) === ZERO) return undefined
    } else if (code >= ZERO && code <= NINE) {
      const from = at
      let next = text.charCodeAt(at + 1)
      while (next >= ZERO && next <= NINE) {
        at += 1
        next = text.charCodeAt(at + 1)
      }
      if (at - from >= DIGITS_MAX || next === DOT || (next | LOWER_CASE) === LETTER_E) return undefined
    }
  }
  return keys
}

const countKeys = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countKeys(item)
    return count
  }
  const keys = Object.keys(value)
  count = keys.length
  for (const key of keys) {
    const item = (value as Record<string, unknown>)[key]
    if (typeof item === 'object') count += countKeys(item)
  }
  return count
}

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

/**
 * The integer a parsed value is, exactly: a bigint where a number would round it. undefined: not written as digits, or
 * beyond int64.
 */
export const int64 = (value: unknown): number | bigint | undefined => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  // Whole numbers of fewer digits have become numbers; -0 stayed behind, and is no integer of ours.
  if (!JSON.isRawJSON(value) || !/^-?[0-9]{16,19}$/.test(value.rawJSON)) return undefined
  const exact = BigInt(value.rawJSON)
  return exact >= INT64_MIN && exact <= INT64_MAX ? exact : undefined
}
