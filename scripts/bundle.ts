import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { isFresh, madeFrom, stampOf } from '../cli/bin/made-from.js'
import { vendorNames } from '../protocol/src/names.ts'

// The command in a few files instead of hundreds: finding and reading them was more than half of a start.
// See docs/decisions/0013-a-bundle-for-the-start.md.

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = dirname(madeFrom)

const isOwn = (id: string): boolean => id.startsWith(root) && !id.includes('node_modules')
const chunkOf = (file: string): string => `${basename(dirname(file))}-${basename(file, '.ts')}`

/**
 * What sources say of their own place. Another module by its address is one more file of the bundle, and everything else
 * (migrations, the console) stays where it is, seen from the source. A module by a vendor's name is one of the vendors'.
 */
const places: Plugin = {
  name: 'places',
  transform(code, id) {
    if (!isOwn(id)) return null
    const placed = code
      .replace(/new URL\('([^']+\.ts)', import\.meta\.url\)|import\.meta\.url/g, (_, module?: string) => {
        if (module === undefined) return `new URL('${relative(dist, id)}', import.meta.url).href`
        const file = join(dirname(id), module)
        const name = chunkOf(file)
        this.emitFile({ type: 'chunk', id: file, fileName: `${name}.js` })
        return `new URL('./${name}.js', import.meta.url)`
      })
      .replace(/import\(`\.\/\$\{name\}\.ts`\)/g, () => `({ ${vendorNames.map((name) => `${name}: () => import('./${name}.ts')`).join(', ')} })[name]()`)
    return placed === code ? null : { code: placed, map: null } // no line has moved
  },
}

/**
 * An import of node:http reads all that the module has, and so makes it load a WebSocket client that nobody here uses: 27 ms
 * of each start. Asked for its parts, it gives those.
 */
const httpInParts: Plugin = {
  name: 'http-in-parts',
  transform(code, id) {
    if (!isOwn(id)) return null
    const asked = code.replace(/^import \{ (.*) \} from 'node:http'$/gm, (_, names: string) => {
      const values = names.split(', ').filter((name) => !name.startsWith('type '))
      return values.length === 0 ? '' : `const { ${values.join(', ').replaceAll(' as ', ': ')} } = process.getBuiltinModule('node:http')`
    })
    return asked === code ? null : { code: asked, map: null }
  },
}

/** Makes it anew, if the sources are not those it was made from. */
export const bundle = async (): Promise<void> => {
  if (isFresh()) return
  const made = `${dist}.${process.pid}` // beside it: who starts the command meanwhile finds the old one, or none
  const build = await rolldown({
    input: { main: join(root, 'cli/src/main.ts') }, platform: 'node', external: ['pg-native'], plugins: [places, httpInParts], logLevel: 'warn',
  })
  // Names of operations go from thread to thread: they must be those of the sources.
  const { output } = await build.write({
    dir: made, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', keepNames: true, sourcemap: true,
  })
  await build.close()
  const sources = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])).filter(isOwn)
  writeFileSync(join(made, basename(madeFrom)), JSON.stringify(Object.fromEntries(sources.map((file) => [relative(root, file), stampOf(statSync(file))]))))
  rmSync(dist, { recursive: true, force: true })
  renameSync(made, dist)
}

if (import.meta.main) await bundle()
