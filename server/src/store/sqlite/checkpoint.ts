import { workerData } from 'node:worker_threads'
import { Connection } from './connection.ts'

// Copies what is committed from the log into the database, beside the writer, so that no commit waits for it.
const CHECKPOINT_MS = 1_000

const connection = new Connection((workerData as { file: string }).file)
setInterval(() => connection.db.exec('PRAGMA wal_checkpoint(PASSIVE)'), CHECKPOINT_MS)
