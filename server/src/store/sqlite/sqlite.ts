import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { storeCommitSeconds, storeGroupCalls, storeGroups, storeUnavailable } from '../../metrics.ts'
import { type Op, type Store, StoreUnavailable } from '../store.ts'
import { Connection } from './connection.ts'
import { refuseMoved } from './moved.ts'
import type { FromWriter, Result, ToWriter } from './writer.ts'

export const databaseFile = (folder: string): string => join(folder, 'carillon.sqlite')

// One group being synced, others waiting at the writer's door: the thread never idles between commits.
const GROUPS_UNDER_WAY = 3
const CALLS_PER_GROUP = 2_000
// So many calls go at once, without waiting for the turn of the event loop to end: while the rest of the turn's requests
// are read here, the writer is at work there. Else the two threads take turns (measured: 2,500 notifications a second
// with turns, 3,200 side by side). Fewer than that wait while a group is under way, and gather: the writer could not begin
// them sooner, and each commit costs as much as several calls.
const CALLS_WORTH_A_GROUP = 24

interface Waiting {
  op: string
  args: unknown
  resolve(value: unknown): void
  reject(error: Error): void
}

/**
 * The embedded store: one writer thread that commits in groups, and a read-only connection on this thread (a point read
 * costs 8 µs here, a round trip to another thread 60). A write is answered after its group is synced.
 */
export class SqliteStore implements Store {
  readonly #reader: Connection
  readonly #writer: Worker
  readonly #waiting: Waiting[] = []
  readonly #underWay = new Map<number, Waiting[]>()
  #groups = 0
  #flushing = false
  #broken: StoreUnavailable | undefined
  #foreignWrite: () => void = () => {}
  #onIdle: (() => void) | undefined

  constructor(reader: Connection, writer: Worker) {
    this.#reader = reader
    this.#writer = writer
    writer.on('message', (message: FromWriter) => {
      if (message.kind === 'done') this.#settle(message.group, message.results, message.seconds)
      else if (message.kind === 'foreign-write') this.#foreignWrite()
    })
    writer.on('error', (error) => this.#break(error))
  }

  /** How many writes wait to be taken by the writer. */
  get backlog(): number {
    return this.#waiting.length
  }

  async read<A, R>(op: Op<A, R>, args: A): Promise<R> {
    return op(this.#reader, args)
  }

  write<A, R>(op: Op<A, R>, args: A): Promise<R> {
    if (this.#broken) {
      storeUnavailable.value += 1
      return Promise.reject(this.#broken)
    }
    return new Promise<R>((resolve, reject) => {
      this.#waiting.push({ op: op.name, args, resolve: resolve as (value: unknown) => void, reject })
      if (this.#waiting.length >= CALLS_WORTH_A_GROUP) this.#flush()
      else this.#flushSoon()
    })
  }

  onForeignWrite(listener: () => void): void {
    this.#foreignWrite = listener
  }

  async close(): Promise<void> {
    if (this.#waiting.length > 0 || this.#underWay.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
    this.#reader.close()
    const exited = new Promise((resolve) => this.#writer.once('exit', resolve))
    this.#writer.postMessage({ kind: 'close' } satisfies ToWriter)
    await exited
  }

  #flushSoon(): void {
    if (this.#flushing || this.#underWay.size > 0) return
    this.#flushing = true
    setImmediate(() => {
      this.#flushing = false
      this.#flush()
    })
  }

  #flush(): void {
    const room = this.#waiting.length >= CALLS_WORTH_A_GROUP ? GROUPS_UNDER_WAY : 1
    if (this.#waiting.length === 0 || this.#underWay.size >= room) return
    const calls = this.#waiting.splice(0, CALLS_PER_GROUP)
    const group = ++this.#groups
    this.#underWay.set(group, calls)
    this.#writer.postMessage({ kind: 'group', group, calls: calls.map(({ op, args }) => ({ op, args })) } satisfies ToWriter)
  }

  #settle(group: number, results: Result[], seconds: number): void {
    const calls = this.#underWay.get(group) ?? []
    storeGroups.value += 1
    storeGroupCalls.observe(calls.length)
    storeCommitSeconds.observe(seconds)
    this.#underWay.delete(group)
    this.#flush()
    calls.forEach((call, i) => {
      const result = results[i]
      if (result?.ok) call.resolve(result.value)
      else if (result?.unavailable) {
        storeUnavailable.value += 1
        call.reject(new StoreUnavailable(result.message))
      } else call.reject(new Error(`${call.op}: ${result?.message ?? 'no result'}`))
    })
    if (this.#waiting.length > 0) this.#flushSoon()
    else if (this.#underWay.size === 0) this.#onIdle?.()
  }

  #break(error: unknown): void {
    this.#broken = new StoreUnavailable(`the writer thread ended: ${error instanceof Error ? error.message : String(error)}`)
    for (const call of [...[...this.#underWay.values()].flat(), ...this.#waiting.splice(0)]) call.reject(this.#broken)
    this.#underWay.clear()
    this.#onIdle?.()
  }
}

export interface SqliteOptions {
  /** The server also checkpoints; a command leaves that to it. */
  checkpoints?: boolean
  /** The module with every operation that will be asked for, by name; default: this folder's own. */
  operations?: URL
}

/** Opens (and, the first time, makes) the store in a data folder. */
export const openSqlite = async (folder: string, options: SqliteOptions = {}): Promise<SqliteStore> => {
  refuseMoved(folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { checkpoints = false, operations = new URL('../operations.ts', import.meta.url) } = options
  const workerData = { file: databaseFile(folder), checkpoints, operations: operations.href }
  const writer = new Worker(new URL('./writer.ts', import.meta.url), { workerData })
  await new Promise<void>((resolve, reject) => {
    writer.once('message', () => resolve())
    writer.once('error', reject)
  })
  writer.removeAllListeners('error')
  return new SqliteStore(new Connection(databaseFile(folder), { readOnly: true }), writer)
}
