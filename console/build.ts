import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { build } from 'vite'

// The files of the page, each beside its compressed forms: the server sends them as they are.
const folder = join(import.meta.dirname, 'dist')
await build({ root: import.meta.dirname, logLevel: 'warn' })

const compress = async (file: string): Promise<void> => {
  const bytes = await readFile(file)
  const forms = { br: await promisify(brotliCompress)(bytes), gz: await promisify(gzip)(bytes, { level: 9 }) }
  for (const [ending, small] of Object.entries(forms)) {
    if (small.length < bytes.length) await writeFile(`${file}.${ending}`, small)
  }
}
const assets = join(folder, 'assets')
await Promise.all((await readdir(assets)).map((name) => compress(join(assets, name))))
