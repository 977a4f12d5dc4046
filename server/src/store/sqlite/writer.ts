import { dirname } from 'node:path'
import { Worker, parentPort, workerData } from 'node:worker_threads'
import type { Op } from '../store.ts'
import type { Pass } from './checkpoint.ts'
import { Connection } from './connection.ts'
import { isFolderLocked } from './lock.ts'
import { migrate } from './migrate.ts'

interface Call {
  op: string
  args: unknown
}

export type ToWriter =
  | { kind: 'group'; group: number; calls: Call[] }
  | { kind: 'close' }

export type Result = { ok: true; value: unknown } | { ok: false; unavailable: boolean; message: string }

export type FromWriter =
  | { kind: 'ready' }
  | { kind: 'done'; group: number; results: Result[]; seconds: number }
  | { kind: 'foreign-write' }

const FOREIGN_WRITE_POLL_MS = 250
const LOG_LIMIT_PAGES = 16_384 // 64 MiB
// A command that writes much clears the log itself, after its transactions: beside a server before that one has to, and
// alone seldom, since a page that changed often is then copied once.
const CHECKPOINT_PAGES = { beside: 8_192, alone: 65_536 }
const BUSY_MS = 10_000
const SQLITE_BUSY = 5

// https://sqlite.org/rescode.html: BUSY LOCKED NOMEM READONLY IOERR CORRUPT FULL CANTOPEN
const UNAVAILABLE = new Set([5, 6, 7, 8, 10, 11, 13, 14])

const { file, checkpoints, operations } = workerData as { file: string; checkpoints: boolean; operations: string }
const port = parentPort!
const connection = new Connection(file)
migrate(connection.db)
// begin() does the waiting; and a checkpoint that a long reader stands in the way of must not hold up writes.
connection.waitForOthers(0)
const pause = new Int32Array(new SharedArrayBuffer(4))
if (!checkpoints) connection.checkpointAt(CHECKPOINT_PAGES[isFolderLocked(dirname(file)) ? 'beside' : 'alone'])

const byName = (await import(operations)) as Record<string, Op<unknown, unknown>>

const failure = (error: unknown): Result => {
  const { errcode, message } = error as { errcode?: number; message: string }
  return { ok: false, unavailable: errcode !== undefined && UNAVAILABLE.has(errcode & 0xff), message }
}

/**
 * Two processes share the file (an import beside a server), and each waits here for the other's transaction to end.
 * SQLite's own waiting looks ever more rarely, at last each 100 ms: with a neighbour that writes all the time it would
 * miss the moments between its transactions and starve.
 */
const begin = (): void => {
  const until = performance.now() + BUSY_MS
  for (;;) {
    try {
      return connection.exec('BEGIN IMMEDIATE')
    } catch (error) {
      const { errcode = 0 } = error as { errcode?: number }
      if ((errcode & 0xff) !== SQLITE_BUSY || performance.now() > until) throw error
      Atomics.wait(pause, 0, 0, 1)
    }
  }
}

/**
 * One transaction for all calls of the group. A call that fails takes back only its own statements; a group that cannot
 * be committed fails as a whole.
 *
 * Calls hardly ever fail, and a savepoint around each is dear: inside one SQLite keeps a copy of every page a statement
 * changes. So the group is run without; when a call fails, the group is taken back and run again, call by call.
 */
const runGroup = async (calls: Call[]): Promise<Result[]> => {
  try {
    begin()
    const results = (await runTogether(calls)) ?? (await runApart(calls))
    connection.exec('COMMIT')
    return results
  } catch (error) {
    if (connection.db.isTransaction) connection.exec('ROLLBACK')
    const result = { ...failure(error), ok: false, unavailable: true } as Result
    return calls.map(() => result)
  }
}

/** Undefined, and nothing happened, when one of them failed. */
const runTogether = async (calls: Call[]): Promise<Result[] | undefined> => {
  const results: Result[] = []
  try {
    for (const call of calls) results.push({ ok: true, value: await perform(call) })
    return results
  } catch {
    if (connection.db.isTransaction) connection.exec('ROLLBACK')
    begin()
    return undefined
  }
}

const runApart = async (calls: Call[]): Promise<Result[]> => {
  const results: Result[] = []
  for (const call of calls) results.push(await runCall(call))
  return results
}

const perform = ({ op, args }: Call): Promise<unknown> => {
  const operation = byName[op]
  if (!operation) throw new Error('not among the operations')
  return operation(connection, args)
}

const runCall = async (call: Call): Promise<Result> => {
  connection.exec('SAVEPOINT call')
  try {
    const value = await perform(call)
    connection.exec('RELEASE call')
    return { ok: true, value }
  } catch (error) {
    // A full disk may have rolled everything back already: then no neighbour's work is left to commit either.
    if (!connection.db.isTransaction) throw error
    connection.exec('ROLLBACK TO call')
    connection.exec('RELEASE call')
    return failure(error)
  }
}

let turn = Promise.resolve()
port.on('message', (message: ToWriter) => {
  turn = turn.then(async () => {
    if (message.kind === 'close') return close()
    const startedAt = performance.now()
    const results = await runGroup(message.calls)
    const seconds = (performance.now() - startedAt) / 1_000
    port.postMessage({ kind: 'done', group: message.group, results, seconds } satisfies FromWriter)
  })
})

const dataVersion = () => (connection.db.prepare('PRAGMA data_version').get() as { data_version: number }).data_version
let seenVersion = dataVersion()
const foreignWrites = setInterval(() => {
  const version = dataVersion()
  if (version === seenVersion) return
  seenVersion = version
  port.postMessage({ kind: 'foreign-write' } satisfies FromWriter)
}, FOREIGN_WRITE_POLL_MS)

// The checkpointer copies pages while this thread goes on writing, but only a pause of the writer lets the log start
// over. When it has grown large, that pause is taken right after a pass, when nearly all is copied and synced already:
// at any other moment everybody would wait for that (measured: 100 ms). The file keeps its size and is written over.
const checkpointer = checkpoints ? new Worker(new URL('./checkpoint.ts', import.meta.url), { workerData: { file } }) : undefined
checkpointer?.on('message', ({ pages }: Pass) => {
  if (pages < LOG_LIMIT_PAGES) return
  turn = turn.then(() => void connection.db.exec('PRAGMA wal_checkpoint(RESTART)'))
})

const close = async (): Promise<void> => {
  clearInterval(foreignWrites)
  await checkpointer?.terminate()
  connection.close()
  port.close()
}

port.postMessage({ kind: 'ready' } satisfies FromWriter)
