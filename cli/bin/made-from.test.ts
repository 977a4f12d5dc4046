import { spawnSync } from 'node:child_process'
import { appendFile, cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { stampOf } from './made-from.js'

const says = (word: string): string => `export const main = async () => { console.log('${word}'); return 0 }\n`

/** A checkout whose sources and bundle say which of them runs. */
const checkout = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-bundle-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await cp(import.meta.dirname, join(folder, 'cli/bin'), { recursive: true })
  await mkdir(join(folder, 'cli/src'))
  await mkdir(join(folder, 'cli/dist'))
  await writeFile(join(folder, 'cli/package.json'), '{"type":"module"}')
  const source = join(folder, 'cli/src/main.ts')
  await writeFile(source, says('sources'))
  await writeFile(join(folder, 'cli/dist/main.js'), says('bundle'))
  await writeFile(join(folder, 'cli/dist/made-from.json'), JSON.stringify({ 'cli/src/main.ts': stampOf(await stat(source)) }))
  const run = (): string => spawnSync(process.execPath, [join(folder, 'cli/bin/carillon.js')], { encoding: 'utf8' }).stdout.trim()
  return { folder, source, run }
}

test('the bundle runs as long as the sources are those it was made from', async (t: TestContext) => {
  const { source, run } = await checkout(t)
  t.assert.equal(run(), 'bundle')
  await appendFile(source, '// changed')
  t.assert.equal(run(), 'sources')
})

test('the sources run where there is no bundle, or one of a source that is gone', async (t: TestContext) => {
  const { folder, run } = await checkout(t)
  await writeFile(join(folder, 'cli/dist/made-from.json'), '{"cli/src/old.ts":"1 1"}')
  t.assert.equal(run(), 'sources')
  await rm(join(folder, 'cli/dist'), { recursive: true })
  t.assert.equal(run(), 'sources')
})
