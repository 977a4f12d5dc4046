import type { Tx } from './store.ts'

interface Sizes {
  users: number
  devices: number
}

/** So many more users or devices, or fewer. Part of the transaction that makes it so. */
export const addSize = async (tx: Tx, app: number, { users = 0, devices = 0 }: Partial<Sizes>): Promise<void> => {
  if (users === 0 && devices === 0) return
  await tx.run('INSERT INTO sizes (app, users, devices) VALUES (?1, ?2, ?3)', app, users, devices)
}

/** How many users and devices an app has. */
export const readSizes = async (tx: Tx, { app }: { app: number }): Promise<Sizes> =>
  (await tx.get<Sizes>(
    'SELECT COALESCE(sum(users), 0) AS users, COALESCE(sum(devices), 0) AS devices FROM sizes WHERE app = ?1', app,
  ))!

/** Makes one change of many, for every app that has more than one. Any number of nodes may do so at once. */
export const foldSizes = async (tx: Tx, _: object): Promise<void> => {
  const apps = await tx.all<{ app: number }>('SELECT app FROM sizes GROUP BY app HAVING count(*) > 1 ORDER BY app')
  for (const { app } of apps) {
    const folded = await tx.all<Sizes>('DELETE FROM sizes WHERE app = ?1 RETURNING users, devices', app)
    const sum = (name: keyof Sizes): number => folded.reduce((all, one) => all + one[name], 0)
    await addSize(tx, app, { users: sum('users'), devices: sum('devices') })
  }
}
