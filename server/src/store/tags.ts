import { type DeviceOfUser, findDevice, touchDevice } from './devices.ts'
import { list, type Tx } from './store.ts'

export type Tagged = { ok: true; tags: string[] } | { ok: false; why: 'device' | 'full' }

const tagsOf = async (tx: Tx, deviceId: number): Promise<string[]> => {
  const rows = await tx.all<{ tag: string }>('SELECT tag FROM device_tags WHERE device_id = ?1 ORDER BY tag', deviceId)
  return rows.map(({ tag }) => tag)
}

export const readTags = async (tx: Tx, { device }: { device: DeviceOfUser }): Promise<Tagged> => {
  const id = await findDevice(tx, device)
  return id === undefined ? { ok: false, why: 'device' } : { ok: true, tags: await tagsOf(tx, id) }
}

/** Adds tags, all of them or, if that would be more than `max`, none. */
export const addTags = async (
  tx: Tx,
  { device, tags, max, now }: { device: DeviceOfUser; tags: string[]; max: number; now: number },
): Promise<Tagged> => {
  const id = await touchDevice(tx, device, now)
  if (id === undefined) return { ok: false, why: 'device' }
  const had = new Set(await tagsOf(tx, id))
  const added = tags.filter((tag) => !had.has(tag))
  if (had.size + added.length > max) return { ok: false, why: 'full' }
  for (const tag of added) {
    await tx.run(
      'INSERT INTO device_tags (app, tag, device_id) VALUES (?1, ?2, ?3) ON CONFLICT (app, tag, device_id) DO NOTHING',
      device.app,
      tag,
      id,
    )
  }
  return { ok: true, tags: await tagsOf(tx, id) }
}

/** Takes these tags away; null: all of them. */
export const removeTags = async (
  tx: Tx,
  { device, tags, now }: { device: DeviceOfUser; tags: string[] | null; now: number },
): Promise<Tagged> => {
  const id = await touchDevice(tx, device, now)
  if (id === undefined) return { ok: false, why: 'device' }
  if (tags) await tx.run('DELETE FROM device_tags WHERE device_id = ?1 AND tag any_text(?2)', id, list(tags))
  else await tx.run('DELETE FROM device_tags WHERE device_id = ?1', id)
  return { ok: true, tags: await tagsOf(tx, id) }
}
