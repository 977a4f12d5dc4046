/** The server sent what MQTT 5 does not allow, or what a device cannot have asked for. */
export class Malformed extends Error {}

/** Strictly UTF-8: a replacement character would change what the caller wrote. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads the parts of one packet in order; a part that is cut short is an error, never a shorter part. */
export class Cursor {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  take(length: number): Uint8Array {
    if (length > this.left) throw new Malformed('a packet is cut short')
    const part = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return part
  }

  byte(): number {
    return this.take(1)[0]!
  }

  word(): number {
    const [high, low] = this.take(2)
    return (high! << 8) | low!
  }

  long(): number {
    return this.word() * 0x10000 + this.word()
  }

  /** MQTT's variable byte integer: seven bits a byte, four bytes at most. */
  variable(): number {
    let value = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new Malformed('a length of more than four bytes')
  }

  binary(): Uint8Array {
    return this.take(this.word())
  }

  text(): string {
    return decode(this.binary())
  }
}

export const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Malformed('text that is not UTF-8')
  }
}

const encoder = new TextEncoder()

export const bytesOf = (text: string): Uint8Array => encoder.encode(text)

export const join = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

export const word = (value: number): Uint8Array => Uint8Array.of(value >> 8, value & 0xff)

export const variable = (value: number): Uint8Array => {
  const bytes: number[] = []
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return Uint8Array.from([...bytes, left])
    bytes.push((left & 0x7f) | 0x80)
  }
}

export const lengthFirst = (bytes: Uint8Array): Uint8Array => {
  if (bytes.length > 0xffff) throw new RangeError('MQTT text has at most 65535 bytes')
  return join([word(bytes.length), bytes])
}
