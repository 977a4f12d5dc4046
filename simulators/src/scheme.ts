const FRAME_HEAD = 9
const HEADERS = 1
const PREFACE = 24

/** The value `https:` as HPACK writes it: its length with the mark for Huffman code, then five bytes. */
const withColon = Buffer.from('859d29ad173f', 'hex')
/** `https` in as many bytes: its length without the mark, then five letters. */
const without = Buffer.from('056874747073', 'hex')
/** The two entries `:scheme` has in the static table. */
const schemeNames = [6, 7]

/**
 * Google's own server library writes `:scheme: https:`, with the colon, and Google takes it; Node refuses the stream
 * before anyone sees it. This mends the value on the way in. Both sides' header tables stay in step: an entry that is a
 * byte shorter here only leaves this side's table later.
 */
export class SchemeMender {
  #skip = PREFACE
  #held: Buffer[] = []

  /** The same bytes, except for that value. Header frames wait until they are whole; all else passes at once. */
  through(chunk: Buffer): Buffer[] {
    const out: Buffer[] = []
    let bytes = this.#held.length > 0 ? Buffer.concat([...this.#held, chunk]) : chunk
    this.#held = []
    while (bytes.length > 0) {
      const passing = Math.min(this.#skip, bytes.length)
      if (passing > 0) {
        out.push(bytes.subarray(0, passing))
        bytes = bytes.subarray(passing)
        this.#skip -= passing
        continue
      }
      const whole = bytes.length < FRAME_HEAD ? FRAME_HEAD : FRAME_HEAD + bytes.readUIntBE(0, 3)
      const isHeaders = bytes[3] === HEADERS
      if (bytes.length < FRAME_HEAD || (isHeaders && bytes.length < whole)) {
        this.#held = [bytes]
        break
      }
      if (isHeaders) mend(bytes.subarray(0, whole))
      this.#skip = whole
    }
    return out
  }
}

const mend = (frame: Buffer): void => {
  const at = frame.indexOf(withColon, FRAME_HEAD)
  if (at > FRAME_HEAD && schemeNames.includes(frame[at - 1]! & 0x0f)) without.copy(frame, at)
}
