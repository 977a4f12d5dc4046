import { parentPort, workerData } from 'node:worker_threads'
import { Connection } from './connection.ts'

// Copies what is committed from the log into the database, beside the writer, so that no commit waits for it.
const CHECKPOINT_MS = 1_000

/** How many pages the log held at the end of a pass. */
export interface Pass {
  pages: number
}

const connection = new Connection((workerData as { file: string }).file)
setInterval(() => {
  const { log } = connection.db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as { log: number }
  parentPort!.postMessage({ pages: log } satisfies Pass)
}, CHECKPOINT_MS)
