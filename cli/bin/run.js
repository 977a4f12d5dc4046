import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isFresh } from './made-from.js'

// Much of a start is compiling the same code again. Where the folder cannot be written, nothing is kept.
const { directory } = enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/carillon', import.meta.url)))
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory // threads read it when they start

// Who has changed a source runs the sources, as they are.
const bundle = new URL('../dist/main.js', import.meta.url)
const { main } = isFresh() ? await import(bundle.href) : await import('../src/main.ts')
process.exitCode = await main(process.argv.slice(2))
