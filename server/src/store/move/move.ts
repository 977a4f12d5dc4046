import { type Compared, compare } from './compare.ts'
import type { Source } from './source.ts'
import type { Target } from './target.ts'
import type { Table } from './tables.ts'

const BYTES_A_CHUNK = 128 * 1024
const BYTES_A_COPY = 16 * 1024 * 1024 // what is repeated at most after an interruption, with a commit each

/** Who is told how far it is. */
export interface Watcher {
  copied(rows: number, of: number): void
  indexing(): void
  checked(rows: number, of: number): void
}

/**
 * Copies every table, from where an interrupted move stopped, then compares both sides, table by table. Memory holds a
 * few chunks, however large the tables are.
 */
export const move = async (source: Source, target: Target, watcher: Watcher): Promise<Compared[]> => {
  const total = source.tables.reduce((sum, table) => sum + source.count(table), 0)
  let copied = 0
  for (const table of source.tables) {
    copied += await target.count(table)
    for await (const rows of copyTable(source, target, table)) watcher.copied((copied += rows), total)
  }
  await target.raiseIds(source.highestIds())
  watcher.indexing()
  await target.index(source.tables)
  return compare(source, target, (rows) => watcher.checked(rows, total))
}

/** How many rows, each time some of them are there for good. */
async function* copyTable(source: Source, target: Target, table: Table): AsyncIterable<number> {
  const lines = source.lines(table, await target.lastKey(table))[Symbol.iterator]()
  for (let next = lines.next(); !next.done; ) {
    let rows = 0
    const part = function* (): Iterable<Uint8Array> {
      for (let bytes = 0; !next.done && bytes < BYTES_A_COPY; next = lines.next()) {
        rows += 1
        bytes += next.value.length
        yield next.value
      }
    }
    await target.add(table, chunks(part()))
    yield rows
  }
}

/** Lines joined into pieces worth sending. */
function* chunks(lines: Iterable<Uint8Array>): Iterable<Uint8Array> {
  let gathered: Uint8Array[] = []
  let bytes = 0
  for (const line of lines) {
    gathered.push(line)
    bytes += line.length
    if (bytes < BYTES_A_CHUNK) continue
    yield Buffer.concat(gathered, bytes)
    gathered = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(gathered, bytes)
}
