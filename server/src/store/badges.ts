import { list, type Tx } from './store.ts'

/** Counters a row holds: a broadcast rewrites few rows, a single push one small one. */
const BLOCK = 256
const HIGHEST = 2_147_483_647

const blockOf = (deviceId: number): number => Math.floor(deviceId / BLOCK)

type Blocks = Map<number, Int32Array>

/** The badges of these devices, in their order; a device that was never counted has 0. */
export const readBadges = async (tx: Tx, { ids }: { ids: readonly number[] }): Promise<Int32Array> => {
  const blocks = await blocksOf(tx, [...new Set(ids.map(blockOf))])
  return Int32Array.from(ids, (id) => blocks.get(blockOf(id))?.[id % BLOCK] ?? 0)
}

/**
 * Raises or sets the badges of these devices (ids ascending) and gives the new numbers in their order. One read for all
 * blocks and one write for each.
 */
export const raiseBadges = async (
  tx: Tx,
  { ids, by }: { ids: readonly number[]; by: { add: number } | { set: number } },
): Promise<Int32Array> => {
  const result = new Int32Array(ids.length)
  const numbers = distinctBlocks(ids)
  const blocks = await heldBlocks(tx, numbers)
  let i = 0
  for (const number of numbers) {
    const counts = blocks.get(number)!
    const end = (number + 1) * BLOCK
    for (; i < ids.length && ids[i]! < end; i += 1) {
      const place = ids[i]! % BLOCK
      const count = 'set' in by ? by.set : counts[place]! + by.add
      result[i] = counts[place] = Math.min(Math.max(count, 0), HIGHEST)
    }
    await tx.run('UPDATE badges SET counts = ?2 WHERE block = ?1', number, new Uint8Array(counts.buffer))
  }
  return result
}

const distinctBlocks = (ascending: readonly number[]): number[] => {
  const numbers: number[] = []
  for (const id of ascending) if (numbers.at(-1) !== blockOf(id)) numbers.push(blockOf(id))
  return numbers
}

const blocksOf = async (tx: Tx, numbers: readonly number[], hold = ''): Promise<Blocks> => {
  const [among, value] = numbers.length === 1 ? ['= ?1', numbers[0]!] : ['any_int(?1)', list(numbers)]
  const rows = await tx.all<{ block: number; counts: Uint8Array }>(
    `SELECT block, counts FROM badges WHERE block ${among} ORDER BY block${hold}`, value,
  )
  // A copy, because a driver may hand out a window into a larger buffer that does not begin at a multiple of 4.
  return new Map(rows.map(({ block, counts }) => [block, new Int32Array(counts.slice().buffer)]))
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
