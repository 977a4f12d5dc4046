import { writeAudit } from './audit.ts'
import { addChange } from './changes.ts'
import type { AppSettings } from './scope.ts'
import type { Tx } from './store.ts'

/** An app as it is stored: `settings` holds only what differs from the defaults. */
export interface StoredApp {
  id: number
  app_id: string
  name: string
  settings: Partial<AppSettings>
}

type Row = Omit<StoredApp, 'settings'> & { settings: string }

const read = (row: Row): StoredApp => ({ ...row, settings: JSON.parse(row.settings) as Partial<AppSettings> })

/** Two nodes that create the same app at once end with one; the second one is told so. */
export const createApp = async (
  tx: Tx,
  { appId, name, actor, now }: { appId: string; name: string; actor: string; now: number },
): Promise<{ ok: true; id: number } | { ok: false; taken: 'app_id' }> => {
  const made = await tx.get<{ id: number }>(
    'INSERT INTO apps (app_id, name, created_at) VALUES (?1, ?2, ?3) ON CONFLICT (app_id) DO NOTHING RETURNING id',
    appId,
    name,
    now,
  )
  if (!made) return { ok: false, taken: 'app_id' }
  await writeAudit(tx, { app: made.id, at: now, actor, action: 'app.create', detail: { app_id: appId, name } })
  return { ok: true, id: made.id }
}

export const getApp = async (tx: Tx, { appId }: { appId: string }): Promise<StoredApp | undefined> => {
  const row = await tx.get<Row>('SELECT id, app_id, name, settings FROM apps WHERE app_id = ?1', appId)
  return row && read(row)
}

export const getAppById = async (tx: Tx, { id }: { id: number }): Promise<StoredApp | undefined> => {
  const row = await tx.get<Row>('SELECT id, app_id, name, settings FROM apps WHERE id = ?1', id)
  return row && read(row)
}

export const listApps = async (tx: Tx, _: object): Promise<StoredApp[]> =>
  (await tx.all<Row>('SELECT id, app_id, name, settings FROM apps ORDER BY id')).map(read)

/** Merges `change` into the stored settings; null takes a setting back to its default. */
export const setAppSettings = async (
  tx: Tx,
  { app, change, actor, now }: {
    app: number
    change: { [K in keyof AppSettings]?: AppSettings[K] | null }
    actor: string
    now: number
  },
): Promise<Partial<AppSettings>> => {
  // Writing the row first holds it, so that two changes at once do not lose one another.
  const row = await tx.get<{ settings: string }>(
    'UPDATE apps SET settings = settings WHERE id = ?1 RETURNING settings',
    app,
  )
  const merged = { ...(JSON.parse(row?.settings ?? '{}') as object), ...change }
  const settings = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
  await tx.run('UPDATE apps SET settings = ?2 WHERE id = ?1', app, JSON.stringify(settings))
  await addChange(tx, { kind: 'app', key: app, now })
  await writeAudit(tx, { app, at: now, actor, action: 'app.setting', detail: change })
  return settings
}

export const renameApp = async (
  tx: Tx,
  { app, name, actor, now }: { app: number; name: string; actor: string; now: number },
): Promise<void> => {
  await tx.run('UPDATE apps SET name = ?2 WHERE id = ?1', app, name)
  await addChange(tx, { kind: 'app', key: app, now })
  await writeAudit(tx, { app, at: now, actor, action: 'app.rename', detail: { name } })
}
