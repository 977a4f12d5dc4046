import { list, rows, type Tx } from './store.ts'

/** Counters a row of `badges` holds. */
const BLOCK = 256
/** From so many devices on, a raise is a page's. */
const PAGE = 64
const HIGHEST = 2_147_483_647
/** A counter in a block stays below this, so that it can be raised without overflowing. */
const ROOM = 1_000_000_000

/**
 * A badge is the sum of two counters. Pages of a broadcast count in blocks of many devices: few rows to rewrite. Pushes to
 * a few count in a row of each device's own: on PostgreSQL a push holds the row it counts in until it is on the disk, and
 * pushes to different devices must not wait for one another. There a broadcast and a single push that are accepted in the
 * same moment may show the same number; both are counted.
 */
export interface Badges {
  ids: readonly number[]
  by: { add: number } | { set: number }
}

const blockOf = (deviceId: number): number => Math.floor(deviceId / BLOCK)
const shown = (count: number): number => Math.min(Math.max(count, 0), HIGHEST)

/** The badges of these devices, in their order; a device that was never counted has 0. */
export const readBadges = async (tx: Tx, { ids }: { ids: readonly number[] }): Promise<Int32Array> => {
  const blocks = await blocksOf(tx, [...new Set(ids.map(blockOf))])
  const own = await ownOf(tx, 'device_id any_int(?1)', list(ids))
  return Int32Array.from(ids, (id) => shown((blocks.get(blockOf(id))?.[id % BLOCK] ?? 0) + (own.get(id) ?? 0)))
}

/** Raises or sets the badges of these devices (distinct, ids ascending) and gives the new numbers in their order. */
export const raiseBadges = async (tx: Tx, { ids, by }: Badges): Promise<Int32Array> => {
  if (ids.length >= PAGE) return raisePage(tx, { ids, by })
  return 'set' in by ? setEach(tx, ids, by.set) : raiseEach(tx, ids, by.add)
}

const BASE = `(SELECT substr(b.counts, CAST(device_badges.device_id % ${BLOCK} * 4 + 1 AS INTEGER), 4) FROM badges b
               WHERE b.block = device_badges.device_id / ${BLOCK})`

/** One statement that reads and writes. */
const raiseEach = async (tx: Tx, ids: readonly number[], add: number): Promise<Int32Array> => {
  const upsert = `ON CONFLICT (device_id) DO UPDATE /*at once*/ SET count = device_badges.count + ?2 RETURNING device_id, count, ${BASE} AS base`
  const raised = ids.length === 1
    ? await tx.all<RaisedRow>(`INSERT INTO device_badges (device_id, count) VALUES (?1, ?2) ${upsert}`, ids[0]!, add)
    : await tx.all<RaisedRow>(
        `INSERT INTO device_badges (device_id, count) SELECT w.value, CAST(?2 AS BIGINT) FROM each_int(?1) w WHERE true ${upsert}`, list(ids), add,
      )
  raised.sort((a, b) => a.device_id - b.device_id)
  return Int32Array.from(raised, ({ count, base }) => shown(count + (base ? Buffer.from(base).readInt32LE() : 0)))
}

interface RaisedRow {
  device_id: number
  count: number
  /** The four bytes of its counter in a block. */
  base: Uint8Array | null
}

const setEach = async (tx: Tx, ids: readonly number[], count: number): Promise<Int32Array> => {
  const blocks = await blocksOf(tx, distinctBlocks(ids))
  await putOwn(tx, ids.map((id) => [id, count - (blocks.get(blockOf(id))?.[id % BLOCK] ?? 0)]))
  return new Int32Array(ids.length).fill(count)
}

/** One read for all blocks and one write for each. */
const raisePage = async (tx: Tx, { ids, by }: Badges): Promise<Int32Array> => {
  const result = new Int32Array(ids.length)
  const numbers = distinctBlocks(ids)
  const blocks = await heldBlocks(tx, numbers)
  if ('set' in by) await tx.run('DELETE FROM device_badges WHERE device_id any_int(?1)', list(ids))
  const own = 'set' in by ? new Map<number, number>() : await ownOfPage(tx, ids)
  const full: [id: number, count: number][] = []
  let i = 0
  for (const number of numbers) {
    const counts = blocks.get(number)!
    const end = (number + 1) * BLOCK
    for (; i < ids.length && ids[i]! < end; i += 1) {
      const [id, place] = [ids[i]!, ids[i]! % BLOCK]
      const count = 'set' in by ? by.set : counts[place]! + by.add
      const sum = count + (own.get(id) ?? 0)
      result[i] = shown(sum)
      counts[place] = count < ROOM ? count : 0
      if (count >= ROOM) full.push([id, sum])
    }
    await tx.run('UPDATE badges SET counts = ?2 WHERE block = ?1', number, new Uint8Array(counts.buffer))
  }
  if (full.length > 0) await putOwn(tx, full)
  return result
}

const ownOf = async (tx: Tx, where: string, ...values: (string | number)[]): Promise<Map<number, number>> => {
  const found = await tx.all<{ device_id: number; count: number }>(`SELECT device_id, count FROM device_badges WHERE ${where}`, ...values)
  return new Map(found.map(({ device_id, count }) => [device_id, count]))
}

/** Neighbours are read in a row; those that are far between one by one. */
const ownOfPage = (tx: Tx, ids: readonly number[]): Promise<Map<number, number>> => {
  const [first, last] = [ids[0]!, ids.at(-1)!]
  return last - first < 4 * ids.length ? ownOf(tx, 'device_id BETWEEN ?1 AND ?2', first, last) : ownOf(tx, 'device_id any_int(?1)', list(ids))
}

const putOwn = async (tx: Tx, counts: [id: number, count: number][]): Promise<void> => {
  await tx.run(
    `INSERT INTO device_badges (device_id, count) SELECT w.id, w.count FROM each_row(?1) w (id int, count int) WHERE true
     ON CONFLICT (device_id) DO UPDATE SET count = excluded.count`,
    rows(counts),
  )
}

const distinctBlocks = (ascending: readonly number[]): number[] => {
  const numbers: number[] = []
  for (const id of ascending) if (numbers.at(-1) !== blockOf(id)) numbers.push(blockOf(id))
  return numbers
}

type Blocks = Map<number, Int32Array>

const blocksOf = async (tx: Tx, numbers: readonly number[], hold = ''): Promise<Blocks> => {
  const found = await tx.all<{ block: number; counts: Uint8Array }>(
    `SELECT block, counts FROM badges WHERE block any_int(?1) ORDER BY block${hold}`, list(numbers),
  )
  // A copy, because a driver may hand out a window into a larger buffer that does not begin at a multiple of 4.
  return new Map(found.map(({ block, counts }) => [block, new Int32Array(counts.slice().buffer)]))
}

/** The blocks, all there and held until the transaction ends: two raises at once must not lose one another. */
const heldBlocks = async (tx: Tx, numbers: readonly number[]): Promise<Blocks> => {
  const found = await blocksOf(tx, numbers, ' for update')
  if (found.size === numbers.length) return found
  const zeros = new Uint8Array(BLOCK * Int32Array.BYTES_PER_ELEMENT)
  for (const number of numbers) {
    if (!found.has(number)) {
      await tx.run('INSERT INTO badges (block, counts) VALUES (?1, ?2) ON CONFLICT (block) DO NOTHING', number, zeros)
    }
  }
  return blocksOf(tx, numbers, ' for update')
}
