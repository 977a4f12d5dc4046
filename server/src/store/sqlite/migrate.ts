import { readFileSync, readdirSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

const folder = new URL('../migrations/', import.meta.url)

/** Brings the schema up to this program's version, in one transaction; two processes at once do it once. */
export const migrate = (db: DatabaseSync): void => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql')).sort()
  db.exec('BEGIN IMMEDIATE')
  try {
    const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    if (version > files.length) throw new Error(`the data folder was made by a newer Carillon (schema ${version}, this one knows ${files.length})`)
    for (const name of files.slice(version)) db.exec(readFileSync(new URL(name, folder), 'utf8'))
    db.exec(`PRAGMA user_version = ${files.length}`)
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}
