import type { VendorName } from '@carillon/protocol/names.ts'
import type { ReceiptSent } from './inspection.ts'
import type { ReceiptCall } from './simulator.ts'

/** Posts receipts to the sender's own server, beside the work. */
export class Receipts {
  readonly #note: (receipt: ReceiptSent) => void
  readonly #now: () => number
  readonly #closing = new AbortController()

  constructor(note: (receipt: ReceiptSent) => void, now: () => number) {
    this.#note = note
    this.#now = now
  }

  send(vendor: VendorName, call: ReceiptCall): void {
    // After the answer of the push it is about, which is written in this turn.
    setImmediate(() => void this.#post(vendor, call))
  }

  close(): void {
    this.#closing.abort()
  }

  async #post(vendor: VendorName, { url, headers, body }: ReceiptCall): Promise<void> {
    const { signal } = this.#closing
    const result = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' }).then(
      async (response) => {
        await response.body?.cancel()
        return response.status
      },
      (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message),
    )
    if (!signal.aborted) this.#note({ at: this.#now(), vendor, url, body, result })
  }
}
