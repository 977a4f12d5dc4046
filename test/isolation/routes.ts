import { glob, readFile } from 'node:fs/promises'

const folder = new URL('../../server/src/http/', import.meta.url)
const declared = /\bmethod: (\[[^\]]*\]|'[A-Z]+'),\s+path: '([^']+)'/g

/**
 * Every call of the program as `METHOD path`, read out of the doors' own text: a route that is added is here the same
 * day, whether or not anybody thought of its tests.
 */
export const routesOfProgram = async (): Promise<string[]> => {
  const routes: string[] = []
  for await (const file of glob('*.ts', { cwd: folder })) {
    if (file.endsWith('.test.ts')) continue
    const source = await readFile(new URL(file, folder), 'utf8')
    const found = [...source.matchAll(declared)]
    const paths = source.match(/\bpath: '\//g) ?? []
    if (paths.length !== found.length) throw new Error(
      `${file} declares ${paths.length} paths, of which ${found.length} can be read`,
    )
    for (const [, methods, path] of found) {
      for (const [method] of methods!.matchAll(/[A-Z]+/g)) routes.push(`${method} ${path}`)
    }
  }
  return routes.sort()
}
