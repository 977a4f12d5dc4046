import { X509Certificate } from 'node:crypto'
import { type Stats, readFileSync, statSync, statfsSync } from 'node:fs'
import { checkKeyWord, loadKey } from '@carillon/server/access/key.ts'
import { Seal } from '@carillon/server/access/seal.ts'
import type { Config } from '@carillon/server/config.ts'
import { expiringCertificates, overdueTasks } from '@carillon/server/store/checkup.ts'
import { readKeyCheck } from '@carillon/server/store/keycheck.ts'
import type { Connection } from '@carillon/server/store/sqlite/connection.ts'
import { schemaVersion } from '@carillon/server/store/sqlite/migrate.ts'
import type { Store } from '@carillon/server/store/store.ts'
import { callServer } from './server-call.ts'

/** One finding. `warn` will become wrong, or may be meant; `wrong` keeps something from working. */
export interface Finding {
  name: string
  state: 'ok' | 'warn' | 'wrong'
  text: string
  /** What to do about it. */
  hint?: string
}

export const ok = (name: string, text: string): Finding => ({ name, state: 'ok', text })
export const warn = (name: string, text: string, hint: string): Finding => ({ name, state: 'warn', text, hint })
export const wrong = (name: string, text: string, hint: string): Finding => ({ name, state: 'wrong', text, hint })

/** A store that is only looked at. */
export type Reads = Pick<Store, 'read'>

const DAY_MS = 86_400_000
const EXPIRY_DAYS = 30
const LATE_MS = 5 * 60_000
const FREE_LEAST = 200 * 1024 * 1024
const FREE_FINE = 2 * 1024 * 1024 * 1024
const FILES_FINE = 10_000

const OTHERS = 0o077
const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
const mode = (stat: Stats): string => (stat.mode & 0o777).toString(8).padStart(3, '0')
const found = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false })

export const checkFolder = ({ data, databaseUrl }: Pick<Config, 'data' | 'databaseUrl'>): Finding => {
  const name = 'data folder'
  const stat = found(data)
  if (!stat && databaseUrl !== '') return ok(name, `${data} is not there; a server that starts here makes it`)
  if (!stat) return wrong(name, `${data} is not there`, 'start the server once to make it, or say where it is with --data')
  if (!stat.isDirectory()) return wrong(name, `${data} is not a folder`, 'say where it is with --data')
  if (stat.mode & OTHERS) return warn(name, `${data} is open to other users (mode ${mode(stat)})`, `chmod 700 ${data}`)
  return ok(name, data)
}

export const checkKeyMode = ({ keyFile }: Pick<Config, 'keyFile'>): Finding => {
  const name = 'key file'
  const stat = found(keyFile)
  if (!stat) return wrong(name, `${keyFile} is not there`, 'put it back: what it sealed cannot be opened without it')
  if (stat.mode & OTHERS) {
    return wrong(name, `${keyFile} can be read by other users (mode ${mode(stat)})`, `chmod 600 ${keyFile}`)
  }
  return ok(name, `${keyFile}, mode ${mode(stat)}`)
}

export const checkKeyOpens = async ({ keyFile }: Pick<Config, 'keyFile'>, store: Reads): Promise<Finding> => {
  const name = 'key'
  const word = await store.read(readKeyCheck, {})
  if (!word) return ok(name, 'the store has none yet; the first start takes this one')
  try {
    checkKeyWord(word, new Seal(loadKey(keyFile, false)))
    return ok(name, 'opens the store')
  } catch (error) {
    return wrong(name, (error as Error).message, 'say which file it is with --key-file, or put the right one back')
  }
}

export const checkDisk = ({ data, databaseUrl }: Pick<Config, 'data' | 'databaseUrl'>): Finding => {
  const name = 'disk'
  const { bavail, bsize } = statfsSync(data)
  const free = bavail * bsize
  const text = `${(free / 1024 ** 3).toFixed(1)} GiB free`
  const what = databaseUrl === '' ? 'notification' : 'attachment'
  if (free < FREE_LEAST) return wrong(name, text, `a full disk refuses every ${what}: make room`)
  if (free < FREE_FINE) return warn(name, text, `make room before it is full: then every ${what} is refused`)
  return ok(name, text)
}

export const checkSchema = ({ is, known }: ReturnType<typeof schemaVersion>): Finding => {
  if (is > known) {
    return wrong('schema', `version ${is} was made by a newer Carillon; this one knows ${known}`, 'run the newer one')
  }
  return ok('schema', is === known ? `version ${is}` : `version ${is}; the next start brings it to ${known}`)
}

export const checkPages = ({ db }: Connection): Finding => {
  const rows = db.prepare('PRAGMA quick_check(5)').all() as { quick_check: string }[]
  if (rows[0]?.quick_check === 'ok') return ok('store', 'every page reads well')
  const hint = 'stop the server, keep this folder, and restore the newest backup into another'
  return wrong('store', rows.map((row) => row.quick_check).join('; '), hint)
}

export const checkServer = async (running: boolean, url: string): Promise<Finding> => {
  const name = 'server'
  if (!running) return ok(name, 'none runs on this folder')
  try {
    await callServer(url, '/health/ready')
    return ok(name, `ready at ${url}`)
  } catch (error) {
    const hint = 'if it listens elsewhere, say where with --url; else look into its log'
    return wrong(name, `it should run, but ${(error as Error).message}`, hint)
  }
}

export const checkFiles = (): Finding => {
  const name = 'open files'
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
  const soft = userLimits?.open_files?.soft
  if (typeof soft !== 'number' || soft >= FILES_FINE) return ok(name, `up to ${soft ?? 'as many as wanted'}`)
  return warn(name, `up to ${soft}`, 'every connected device takes one: raise the limit (ulimit -n, LimitNOFILE)')
}

export const checkCertificates = async (store: Reads, now: number): Promise<Finding[]> => {
  const rows = await store.read(expiringCertificates, { before: now + EXPIRY_DAYS * DAY_MS })
  if (rows.length === 0) return [ok('certificates', `none ends within ${EXPIRY_DAYS} days`)]
  return rows.map(({ app_id, vendor, environment, expires_at }) => {
    const which = `${vendor} of app ${app_id}${environment === 1 ? '' : ' (development)'}`
    const hint = `carillon cert set --app ${app_id} --provider ${vendor} --environment ${environment} …`
    return expires_at <= now
      ? wrong('certificates', `${which} ended on ${day(expires_at)}`, hint)
      : warn('certificates', `${which} ends on ${day(expires_at)}`, hint)
  })
}

export const checkTls = ({ tlsCert }: Pick<Config, 'tlsCert'>, now: number): Finding => {
  const name = 'TLS certificate'
  const hint = 'renew it, then send the server SIGHUP'
  try {
    const until = new X509Certificate(readFileSync(tlsCert)).validToDate.getTime()
    if (until <= now) return wrong(name, `ended on ${day(until)}`, hint)
    if (until < now + EXPIRY_DAYS * DAY_MS) return warn(name, `ends on ${day(until)}`, hint)
    return ok(name, `good until ${day(until)}`)
  } catch (error) {
    return wrong(name, `${tlsCert}: ${(error as Error).message}`, 'CARILLON_TLS_CERT must name a certificate in PEM')
  }
}

export const checkTasks = async (store: Reads, running: boolean, now: number): Promise<Finding> => {
  const { count, oldest } = await store.read(overdueTasks, { before: now - LATE_MS })
  if (count === 0) return ok('tasks', 'none is late')
  const text = `${count} should have gone on before ${new Date(oldest!).toISOString()}`
  if (running) return wrong('tasks', text, 'the server runs and does not get to them: look into its log')
  return warn('tasks', text, 'no server runs: they go on, or expire, when one does')
}
