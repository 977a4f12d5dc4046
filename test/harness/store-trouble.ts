import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { query } from '../../scripts/throwaway-postgres.ts'
import type { Carillon } from './carillon.ts'
import { isOfThree } from './installation.ts'

const databaseOf = async (carillon: Carillon): Promise<URL> => new URL((await carillon.settings()).CARILLON_DATABASE_URL!)

/** Bytes as the store's SQL writes them. */
export const sqlBytes = (hex: string): string => (isOfThree ? `'\\x${hex}'` : `x'${hex}'`)

/** Changes one row behind the program's back. */
export const damage = async (carillon: Carillon, sql: string): Promise<void> => {
  const count = isOfThree ? await changeShared(carillon, sql) : changeEmbedded(carillon, sql)
  if (count !== 1) throw new Error(`${count} rows were damaged`)
}

const changeShared = async (carillon: Carillon, sql: string): Promise<number> =>
  (await query((await databaseOf(carillon)).href, `${sql} RETURNING 1`)).trim().split('\n').length

const changeEmbedded = ({ data }: Carillon, sql: string): number => {
  const db = new DatabaseSync(join(data, 'carillon.sqlite'), { timeout: 10_000 })
  const { changes } = db.prepare(sql).run()
  db.close()
  return Number(changes)
}

/** From now on the store takes nothing: the disk of one node is full, or PostgreSQL lets the three in no more. */
export const closeStore = (carillon: Carillon): Promise<void> => (isOfThree ? letIn(carillon, false) : diskTakes(carillon, '1'))

export const reopenStore = (carillon: Carillon): Promise<void> => (isOfThree ? letIn(carillon, true) : diskTakes(carillon, 'unlimited'))

const letIn = async (carillon: Carillon, open: boolean): Promise<void> => {
  const url = await databaseOf(carillon)
  const name = url.pathname.slice(1)
  url.pathname = 'postgres'
  await query(url.href, `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${open}`)
  if (!open) await query(url.href, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
}

/** The size a file of this process may have: beyond it writing fails, as on a full disk. */
const diskTakes = async ({ pid }: Carillon, size: string): Promise<void> => {
  await promisify(execFile)('prlimit', ['--pid', String(pid), `--fsize=${size}:unlimited`])
}
