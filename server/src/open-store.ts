import { mkdirSync } from 'node:fs'
import type { Logger } from 'pino'
import { checkKey, loadKey } from './access/key.ts'
import { Seal } from './access/seal.ts'
import type { Config } from './config.ts'
import { readKeyCheck } from './store/keycheck.ts'
import { openPostgres } from './store/postgres/postgres.ts'
import { openSqlite } from './store/sqlite/sqlite.ts'
import type { Store } from './store/store.ts'

type Where = Pick<Config, 'data' | 'keyFile' | 'databaseUrl' | 'databaseConnections'>

/** The configured store with the key that opens it: for the server and for commands beside it. */
export const openStore = async (config: Where, options: { checkpoints?: boolean; log?: Logger } = {}): Promise<{ store: Store; seal: Seal }> => {
  const store = await open(config, options)
  try {
    const isEmpty = (await store.read(readKeyCheck, {})) === undefined
    const seal = new Seal(loadKey(config.keyFile, isEmpty))
    await checkKey(store, seal)
    return { store, seal }
  } catch (error) {
    await store.close()
    throw error
  }
}

const open = ({ data, databaseUrl, databaseConnections }: Where, { checkpoints, log }: { checkpoints?: boolean; log?: Logger }): Promise<Store> => {
  if (databaseUrl === '') return openSqlite(data, { checkpoints, operations: new URL('./operations.ts', import.meta.url) })
  mkdirSync(data, { recursive: true, mode: 0o700 }) // for the key and for attachments
  const readers = Math.max(1, Math.floor(databaseConnections / 3))
  return openPostgres(databaseUrl, { log, readers, writers: databaseConnections - readers })
}
