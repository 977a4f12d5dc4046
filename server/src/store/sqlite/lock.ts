import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Another server is at work in this data folder. */
export class FolderLocked extends Error {}

/**
 * One server a data folder. The lock is SQLite's own on an empty database: the kernel drops it when the process dies,
 * however it dies (a pid file would lie after a kill -9, and Node has no flock).
 */
export const lockFolder = (folder: string): (() => void) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(join(folder, 'server.lock'), { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch {
    db.close()
    throw new FolderLocked(`another Carillon server is running on the data folder ${folder}`)
  }
  return () => db.close()
}

/** Whether a server is at work in this data folder. Looks, and makes nothing. */
export const isFolderLocked = (folder: string): boolean => {
  const file = join(folder, 'server.lock')
  if (!existsSync(file)) return false
  const db = new DatabaseSync(file, { readOnly: true, timeout: 0 })
  try {
    db.prepare('SELECT name FROM sqlite_schema').all()
    return false
  } catch {
    return true
  } finally {
    db.close()
  }
}
