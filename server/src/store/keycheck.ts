import type { Tx } from './store.ts'

/** The sealed word that tells whether a key is this store's key; undefined while the store has never had one. */
export const readKeyCheck = async (tx: Tx, _: object): Promise<Uint8Array | undefined> =>
  (await tx.get<{ value: Uint8Array }>(`SELECT value FROM meta WHERE key = 'key_check'`))?.value

/** The first node to come writes it; everyone gets what stands there. */
export const claimKeyCheck = async (tx: Tx, { sealed }: { sealed: Uint8Array }): Promise<Uint8Array> => {
  await tx.run(`INSERT INTO meta (key, value) VALUES ('key_check', ?1) ON CONFLICT (key) DO NOTHING`, sealed)
  return (await tx.get<{ value: Uint8Array }>(`SELECT value FROM meta WHERE key = 'key_check'`))!.value
}
