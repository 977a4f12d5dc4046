import { readFileSync, readdirSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

const folder = new URL('../migrations/', import.meta.url)

const migrations = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.sql')).sort()

const versionOf = (db: DatabaseSync): number =>
  (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version

/** The schema's version, and the one this program would bring it to. */
export const schemaVersion = (db: DatabaseSync): { is: number; known: number } => ({
  is: versionOf(db),
  known: migrations().length,
})

/** Brings the schema up to this program's version, in one transaction; two processes at once do it once. */
export const migrate = (db: DatabaseSync): void => {
  const files = migrations()
  db.exec('BEGIN IMMEDIATE')
  try {
    const version = versionOf(db)
    if (version > files.length) throw new Error(`the data folder was made by a newer Carillon (schema ${version}, this one knows ${files.length})`)
    for (const name of files.slice(version)) db.exec(readFileSync(new URL(name, folder), 'utf8'))
    db.exec(`PRAGMA user_version = ${files.length}`)
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}
