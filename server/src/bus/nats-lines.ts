// A server's longest line is its INFO, which names all servers of a cluster.
const LINE_BYTES = 64 * 1024

/** Cuts what a NATS server says into lines. Payloads are skipped unread and never gathered: a nudge has none. */
export class Lines {
  #rest = ''
  #skip = 0

  cut(chunk: Buffer, take: (line: string) => void): void {
    let text = this.#rest + chunk.toString('latin1')
    for (;;) {
      const skipped = Math.min(this.#skip, text.length)
      this.#skip -= skipped
      text = text.slice(skipped)
      const end = text.indexOf('\r\n')
      if (end < 0) break
      const line = text.slice(0, end)
      text = text.slice(end + 2)
      if (line.startsWith('MSG ')) this.#skip = payloadBytes(line) + 2
      take(line)
    }
    if (text.length > LINE_BYTES) throw new Error('the server sends a line without an end')
    this.#rest = text
  }
}

const payloadBytes = (line: string): number => {
  const bytes = Number(/ (\d{1,9})$/.exec(line)?.[1])
  if (Number.isNaN(bytes)) throw new Error('the server sends a message without a length')
  return bytes
}
