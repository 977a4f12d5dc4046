import type { Op, Store } from '../store.ts'

/** What a store answered, call by call, in a form that can be compared. */
export class Book {
  readonly entries: { call: string; answer: unknown }[] = []
  readonly store: Store

  constructor(store: Store) {
    this.store = store
  }

  read<A, R>(op: Op<A, R>, args: A): Promise<R> {
    return this.#note(op.name, this.store.read(op, args))
  }

  write<A, R>(op: Op<A, R>, args: A): Promise<R> {
    return this.#note(op.name, this.store.write(op, args))
  }

  get operations(): Set<string> {
    return new Set(this.entries.map(({ call }) => call))
  }

  async #note<R>(call: string, answer: Promise<R>): Promise<R> {
    const value = await answer
    this.entries.push({ call, answer: plain(value, UNORDERED.has(call)) })
    return value
  }
}

/** Their callers make sets and maps of it; nobody relies on an order. */
const UNORDERED = new Set(['addressesOf', 'usableTokens', 'readTallies', 'knownNames', 'expiredTokens', 'filesToRemove', 'claimEvents', 'claimBatches'])

/** Without prototypes, and bytes as what they are made of and how wide they are. */
const plain = (value: unknown, unordered: boolean): unknown => {
  if (value === undefined) return 'nothing'
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} ${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
  if (Array.isArray(value)) {
    const items = value.map((item) => plain(item, false))
    return unordered ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item, unordered)]))
}
