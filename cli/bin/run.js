import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Half of a start is reading and compiling the same sources again. Where the folder cannot be written, nothing is kept.
const { directory } = enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/carillon', import.meta.url)))
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory // threads read it when they start

const { main } = await import('../src/main.ts')
process.exitCode = await main(process.argv.slice(2))
