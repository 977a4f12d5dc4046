import { type ReasonName, plainly } from '@carillon/protocol/sentences/reasons.ts'
import { fold } from './ledger.ts'
import type { Tx } from './store.ts'

export interface LogEntry {
  at: number
  what: string
  /** How many deliveries it speaks of. */
  count: number
  /** Which ones, by their place in the batch, where it is not all of them. */
  places?: number[]
  why?: string
  reason?: ReasonName
  /** What is quoted in it. */
  said?: string
}

const LOG_ENTRIES = 24 // the first attempts and the latest ones tell the story; the middle of a long one does not

export const extendLog = (log: string, entries: readonly LogEntry[]): string => {
  const all = JSON.parse(log) as LogEntry[]
  for (const entry of entries) {
    const last = all.at(-1)
    // Receipts trickle in: one line for a run of them.
    if (last && last.what === entry.what && last.why === entry.why && !entry.places && !last.places) last.count += entry.count
    else all.push(entry)
  }
  return JSON.stringify(all.length > LOG_ENTRIES ? [...all.slice(0, LOG_ENTRIES / 2), ...all.slice(-LOG_ENTRIES / 2)] : all)
}

/** A batch whose holder died with it: what it had handed over, nobody knows. */
export const freeBatch = async (tx: Tx, id: number, now: number): Promise<void> => {
  const row = await tx.get<{ log: string; bytes: Uint8Array }>('SELECT log, bytes FROM batch_states WHERE batch_id = ? for update', id)
  const entry = { at: now, what: 'lost', count: fold(row!.bytes).pending, ...plainly('node_ended') }
  await tx.run('UPDATE batch_states SET log = ?2 WHERE batch_id = ?1', id, extendLog(row!.log, [entry]))
  await tx.run('UPDATE batches SET held_until = 0 WHERE id = ?', id)
}
