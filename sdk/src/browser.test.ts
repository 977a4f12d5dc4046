import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'

const folder = new URL('.', import.meta.url)
const isSource = (name: string): boolean => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name)

test('a page can load everything but tcp.ts: nothing else of Node, and the protocol for its types alone', async (t) => {
  const names = (await readdir(folder)).filter(isSource)
  const loads: string[] = []
  for (const name of names) {
    const source = await readFile(new URL(name, folder), 'utf8')
    const imports = source.matchAll(/^(?:import|export) (?!type )[^;']*? from '([^.][^']*)'/gm)
    for (const [, what] of imports) loads.push(`${name} ${what}`)
    if (name !== 'tcp.ts') t.assert.doesNotMatch(source, /'node:/)
  }
  t.assert.deepEqual(loads, ['tcp.ts node:net', 'tcp.ts node:tls'])
})
