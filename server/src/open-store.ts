import { checkKey, loadKey } from './access/key.ts'
import { Seal } from './access/seal.ts'
import type { Config } from './config.ts'
import { readKeyCheck } from './store/keycheck.ts'
import { openSqlite } from './store/sqlite/sqlite.ts'
import type { Store } from './store/store.ts'

/** The configured store with the key that opens it: for the server and for commands beside it. */
export const openStore = async (
  config: Pick<Config, 'data' | 'keyFile'>,
  options: { checkpoints?: boolean } = {},
): Promise<{ store: Store; seal: Seal }> => {
  const store = await openSqlite(config.data, { ...options, operations: new URL('./operations.ts', import.meta.url) })
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
