import { Refused } from './errors.ts'

/** A number kept as the text it was written in; JSON.stringify writes that text back. */
export interface RawJson {
  readonly rawJSON: string
}

declare global {
  interface JSON {
    rawJSON(text: string): RawJson
    isRawJSON(value: unknown): value is RawJson
  }
}

/** Deeper than anything a caller has to say, and far from what recursion can bear. */
export const DEPTH_MAX = 64

/** The caller's text is never repeated: it may hold a password. */
export const notJson = (what: string, at: number): Refused =>
  new Refused('badParameter', `body is not the JSON we take: ${what} at character ${at + 1}`)

const TAB = 0x09
const LINE_FEED = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const BRACKET_OPENS = 0x5b
const BACKSLASH = 0x5c
const BRACKET_CLOSES = 0x5d
const BRACE_OPENS = 0x7b
const BRACE_CLOSES = 0x7d

const plainEscapes: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/**
 * JSON without loss or doubt: a number that a double might change is kept as the text it was; two keys of one name,
 * NUL and lone surrogates are refused. Every character is looked at once. At the end of the text charCodeAt gives NaN,
 * which equals nothing that is asked for.
 */
export const parseExactly = (text: string): unknown => new ExactParser(text).whole()

class ExactParser {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  whole(): unknown {
    this.skipSpace()
    const value = this.value(1)
    this.skipSpace()
    if (this.at < this.text.length) throw this.unexpected('something after the end of the value')
    return value
  }

  private value(depth: number): unknown {
    const code = this.text.charCodeAt(this.at)
    if (code === QUOTE) return this.string()
    if (code === BRACE_OPENS) return this.object(depth)
    if (code === BRACKET_OPENS) return this.array(depth)
    if (code === MINUS || isDigit(code)) return this.number()
    if (this.takeWord('true')) return true
    if (this.takeWord('false')) return false
    if (this.takeWord('null')) return null
    throw this.unexpected('a value is missing')
  }

  private object(depth: number): Record<string, unknown> {
    this.open(depth)
    const object: Record<string, unknown> = {}
    if (this.take(BRACE_CLOSES)) return object
    do {
      this.skipSpace()
      if (this.text.charCodeAt(this.at) !== QUOTE) throw this.unexpected('a key in quotes is missing')
      const keyAt = this.at
      const key = this.string()
      if (Object.hasOwn(object, key)) throw notJson('a key that its object already has', keyAt)
      this.skipSpace()
      if (!this.take(COLON)) throw this.unexpected('a colon is missing')
      this.skipSpace()
      put(object, key, this.value(depth + 1))
      this.skipSpace()
    } while (this.take(COMMA))
    if (!this.take(BRACE_CLOSES)) throw this.unexpected('a comma or } is missing')
    return object
  }

  private array(depth: number): unknown[] {
    this.open(depth)
    const array: unknown[] = []
    if (this.take(BRACKET_CLOSES)) return array
    do {
      this.skipSpace()
      array.push(this.value(depth + 1))
      this.skipSpace()
    } while (this.take(COMMA))
    if (!this.take(BRACKET_CLOSES)) throw this.unexpected('a comma or ] is missing')
    return array
  }

  private open(depth: number): void {
    if (depth > DEPTH_MAX) throw notJson(`nesting deeper than ${DEPTH_MAX} levels`, this.at)
    this.at += 1
    this.skipSpace()
  }

  private string(): string {
    const { text } = this
    const parts: string[] = []
    let from = (this.at += 1)
    for (;;) {
      const code = text.charCodeAt(this.at)
      if (code === QUOTE) break
      if (code === BACKSLASH) {
        parts.push(text.slice(from, this.at), this.escape())
        from = this.at
      } else if (code === 0) throw notJson('a NUL character', this.at)
      else if (code < SPACE) throw notJson('a control character inside a string', this.at)
      else if (this.at >= text.length) throw this.unexpected('a closing quote is missing')
      else this.at += 1
    }
    const last = text.slice(from, this.at)
    this.at += 1
    if (parts.length === 0) return last
    parts.push(last)
    return parts.join('')
  }

  private escape(): string {
    const from = this.at
    const letter = this.text.charAt(from + 1)
    this.at += 2
    if (letter !== 'u') {
      const plain = plainEscapes[letter]
      if (plain === undefined) throw notJson('an escape that JSON does not have', from)
      return plain
    }
    const unit = this.hex(from)
    if (unit === 0) throw notJson('a NUL character', from)
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit)
    // The text itself is well-formed, so the other half can only be an escape too.
    if (unit > 0xdbff || !this.takeWord('\\u')) throw notJson('half of a surrogate pair', from)
    const low = this.hex(from)
    if (low < 0xdc00 || low > 0xdfff) throw notJson('half of a surrogate pair', from)
    return String.fromCharCode(unit, low)
  }

  private hex(from: number): number {
    const digits = this.text.slice(this.at, this.at + 4)
    if (!/^[0-9A-Fa-f]{4}$/.test(digits)) throw notJson('\\u without four hexadecimal digits', from)
    this.at += 4
    return Number.parseInt(digits, 16)
  }

  private number(): unknown {
    const from = this.at
    const negative = this.take(MINUS)
    const zero = this.text.charCodeAt(this.at) === ZERO
    if (zero) this.at += 1
    else this.digits()
    let whole = true
    if (this.take(DOT)) {
      whole = false
      this.digits()
    }
    if (this.takeWord('e') || this.takeWord('E')) {
      whole = false
      if (!this.take(PLUS)) this.take(MINUS)
      this.digits()
    }
    const written = this.text.slice(from, this.at)
    if (whole && !(zero && negative) && written.length < 18) {
      const number = Number(written)
      if (Number.isSafeInteger(number)) return number
    }
    return JSON.rawJSON(written)
  }

  private digits(): void {
    const from = this.at
    while (isDigit(this.text.charCodeAt(this.at))) this.at += 1
    if (this.at === from) throw this.unexpected('a digit is missing')
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== SPACE && code !== LINE_FEED && code !== RETURN && code !== TAB) return
      this.at += 1
    }
  }

  private take(code: number): boolean {
    if (this.text.charCodeAt(this.at) !== code) return false
    this.at += 1
    return true
  }

  private takeWord(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false
    this.at += word.length
    return true
  }

  private unexpected(what: string): Refused {
    return notJson(this.at < this.text.length ? what : 'it ends too early', this.at)
  }
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE

const put = (object: Record<string, unknown>, key: string, value: unknown): void => {
  // Assigning to __proto__ would set the prototype instead of a property.
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else object[key] = value
}
