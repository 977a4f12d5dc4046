import { rename, rm } from 'node:fs/promises'
import { statSync } from 'node:fs'
import { DatabaseSync, backup } from 'node:sqlite'
import { databaseFile } from './sqlite.ts'

const PAGES_A_STEP = 2_000

/** The copy does not hold what the store holds; nothing was put in its place. */
export class BackupFailed extends Error {}

/**
 * A consistent copy of the store, also while a server writes to it: one snapshot is held from the first page to the
 * last, so that nothing written meanwhile makes SQLite begin again. The copy stands under its name only once it is
 * whole and has been checked.
 */
export const backUp = async (
  { folder, file, progress }: { folder: string; file: string; progress(copied: number, pages: number): void },
): Promise<{ bytes: number }> => {
  const draft = `${file}.part`
  const source = new DatabaseSync(databaseFile(folder), { readOnly: true, timeout: 10_000 })
  try {
    source.exec('BEGIN')
    source.prepare('SELECT COUNT(*) FROM sqlite_schema').get() // the snapshot is taken with the first read
    await rm(draft, { force: true })
    await backup(source, draft, {
      rate: PAGES_A_STEP,
      progress: ({ totalPages, remainingPages }) => progress(totalPages - remainingPages, totalPages),
    })
    checkCopy(draft)
    await rename(draft, file)
    return { bytes: statSync(file).size }
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    source.close()
  }
}

/** Opens the copy by itself and looks through all of it. A journal beside it would be a second file to keep. */
const checkCopy = (file: string): void => {
  const copy = new DatabaseSync(file)
  try {
    copy.exec('PRAGMA journal_mode = DELETE')
    const problems = copy.prepare('PRAGMA quick_check').all() as { quick_check: string }[]
    if (problems[0]?.quick_check === 'ok') return
    throw new BackupFailed(`the copy is damaged: ${problems.map((row) => row.quick_check).join('; ')}`)
  } finally {
    copy.close()
  }
}
