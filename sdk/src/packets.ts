import { join, Malformed } from './mqtt-bytes.ts'
import { type Packet, readPacket } from './mqtt-read.ts'
import { PACKET_MAXIMUM } from './mqtt-write.ts'

/** Bytes in, packets out: a packet may come in pieces, or several of them at once. */
export class Packets {
  #kept: Uint8Array[] = []
  #length = 0
  /** No packet can be whole before this many bytes are there. */
  #wanted = 2

  /** Hands over the packets that these bytes complete. Throws `Malformed`; nothing more can be read after that. */
  read(chunk: Uint8Array, take: (packet: Packet) => void): void {
    this.#kept.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#wanted) return // large packets in small pieces are put together once, not once a piece
    const bytes = this.#kept.length === 1 ? chunk : join(this.#kept)
    let at = 0
    for (let head = readHead(bytes, at); ; head = readHead(bytes, at)) {
      const end = at + head.size
      if (!head.whole || end > bytes.length) {
        this.#wanted = head.size
        break
      }
      take(readPacket(bytes[at]!, bytes.subarray(at + head.bodyAt, end)))
      at = end
    }
    this.#kept = at === bytes.length ? [] : [bytes.slice(at)]
    this.#length = bytes.length - at
  }
}

/** How long the packet at `at` is in all, as far as that can be seen already. */
const readHead = (bytes: Uint8Array, at: number): { whole: boolean; size: number; bodyAt: number } => {
  let length = 0
  for (let i = 1; i <= 4; i += 1) {
    const byte = bytes[at + i]
    if (byte === undefined) return { whole: false, size: i + 1, bodyAt: 0 }
    length |= (byte & 0x7f) << (7 * (i - 1))
    if (byte < 0x80) {
      const size = 1 + i + length
      if (size > PACKET_MAXIMUM) throw new Malformed(`a packet of ${size} bytes`)
      return { whole: true, size, bodyAt: 1 + i }
    }
  }
  throw new Malformed('a packet length of more than four bytes')
}
