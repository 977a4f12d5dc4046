import { readFileSync, readdirSync } from 'node:fs'

const folder = new URL('./migrations/', import.meta.url)

/** The schema before badges had a row each, and counters as it kept them: blocks of 256, Int32 each. */
export const blocksBefore = () => {
  const migrations = readdirSync(folder).sort().filter((name) => name < '0005').map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const known = new Map([[1, 7], [255, 2_147_483_647], [256, 19_088_743], [300, 0], [25_600, 160]])
  const blocks = [...new Set([...known.keys()].map((id) => Math.floor(id / 256)))].map((block) => {
    const bytes = Buffer.alloc(1_024)
    for (const [id, count] of known) if (Math.floor(id / 256) === block) bytes.writeInt32LE(count, (id % 256) * 4)
    return { block, bytes }
  })
  return { migrations, blocks, ids: [...known.keys(), 77], counts: [...known.values(), 0] }
}
