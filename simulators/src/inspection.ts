import type { VendorName } from '@carillon/protocol/names.ts'
import type { FateName } from './fates.ts'
import type { Answer, SimulatorRequest } from './simulator.ts'

/** One push as it arrived. */
export interface Received {
  /** Unix milliseconds. */
  at: number
  vendor: VendorName
  path: string
  protocol: 'h1' | 'h2'
  /** Without secrets. */
  headers: Record<string, string>
  tokens: readonly string[]
  /** The tokens it was taken for. */
  taken: readonly string[]
  /** What the vendor understood of it; null when it was refused unprocessed. */
  fields: unknown
  fate: FateName
  /** Null when none was given. */
  answer: { status: number; body: string } | null
}

/** One report sent to the sender's own server. */
export interface ReceiptSent {
  at: number
  vendor: VendorName
  url: string
  body: string
  /** Its HTTP status, or why there is none. */
  result: number | string
}

export type Event = { received: Received } | { receipt: ReceiptSent }

/** A push before anyone asked to see it: turned into a Received only when read, for pushes come in floods. */
export interface Entry extends Omit<Received, 'path' | 'protocol' | 'headers' | 'answer'> {
  request: SimulatorRequest
  answer: Answer | null
}

const secretHeaders = /^(authorization|access[-_]?token|auth[-_]?token|cookie)$/

const shown = ({ request, answer, ...entry }: Entry): Received => ({
  ...entry,
  path: request.path,
  protocol: request.connection.protocol,
  headers: Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !name.startsWith(':') && !secretHeaders.test(name)),
  ),
  answer: answer && { status: answer.status, body: answer.body },
})

/** The newest of what happened, and those who watch it happen. */
export class Inspection {
  readonly #keep: number
  #entries: Entry[] = []
  #receipts: ReceiptSent[] = []
  readonly #watchers = new Set<(event: Event) => void>()

  constructor(keep: number) {
    this.#keep = keep
  }

  received(vendor?: VendorName): Received[] {
    const asked = this.#entries.filter((entry) => vendor === undefined || entry.vendor === vendor)
    return asked.slice(-this.#keep).map(shown)
  }

  receipts(vendor?: VendorName): ReceiptSent[] {
    return this.#receipts.filter((receipt) => vendor === undefined || receipt.vendor === vendor).slice(-this.#keep)
  }

  /** Calls back at every push and receipt until the answer is called. */
  watch(watcher: (event: Event) => void): () => void {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  addPush(entry: Entry): void {
    this.#entries = added(this.#entries, entry, this.#keep)
    if (this.#watchers.size > 0) this.#tell({ received: shown(entry) })
  }

  addReceipt(receipt: ReceiptSent): void {
    this.#receipts = added(this.#receipts, receipt, this.#keep)
    this.#tell({ receipt })
  }

  clear(): void {
    this.#entries = []
    this.#receipts = []
  }

  #tell(event: Event): void {
    for (const watcher of this.#watchers) watcher(event)
  }
}

/** Cut back only when it is twice as long as needed, so that adding costs nothing. */
const added = <T>(list: T[], item: T, keep: number): T[] => {
  list.push(item)
  return list.length >= keep * 2 ? list.slice(-keep) : list
}
