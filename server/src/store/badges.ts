import { list, type Tx } from './store.ts'

const HIGHEST = 2_147_483_647

type Change = { add: number } | { set: number }

interface BadgeRow {
  device_id: number
  count: number
}

/** The badges of these devices, in their order; a device that was never counted has 0. */
export const readBadges = async (tx: Tx, { ids }: { ids: readonly number[] }): Promise<Int32Array> => {
  const rows = await tx.all<BadgeRow>('SELECT device_id, count FROM badges WHERE device_id any_int(?1)', list(ids))
  const counts = new Map(rows.map(({ device_id, count }) => [device_id, count]))
  return Int32Array.from(ids, (id) => counts.get(id) ?? 0)
}

/**
 * Raises or sets the badges of these devices (distinct, ids ascending) and gives the new numbers in their order. One
 * statement that reads and writes: two raises at once cannot lose one another, and no others wait for them.
 */
export const raiseBadges = async (tx: Tx, { ids, by }: { ids: readonly number[]; by: Change }): Promise<Int32Array> => {
  const first = within('set' in by ? by.set : by.add)
  const [change, values] = 'set' in by ? ['excluded.count', [first]] : [RAISED, [first, by.add]]
  const upsert = `ON CONFLICT (device_id) DO UPDATE /*at once*/ SET count = ${change} RETURNING device_id, count`
  if (ids.length === 1) {
    const row = await tx.get<BadgeRow>(`INSERT INTO badges (device_id, count) VALUES (?1, ?2) ${upsert}`, ids[0]!, ...values)
    return Int32Array.of(row!.count)
  }
  const rows = await tx.all<BadgeRow>(
    `INSERT INTO badges (device_id, count) SELECT w.value, CAST(?2 AS BIGINT) FROM each_int(?1) w WHERE true ${upsert}`,
    list(ids), ...values,
  )
  return Int32Array.from(rows.sort((a, b) => a.device_id - b.device_id), ({ count }) => count)
}

const RAISED = `CASE WHEN badges.count + ?3 > ${HIGHEST} THEN ${HIGHEST} WHEN badges.count + ?3 < 0 THEN 0 ELSE badges.count + ?3 END`

const within = (count: number): number => Math.min(Math.max(count, 0), HIGHEST)
