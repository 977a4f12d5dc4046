import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { checkKey, KeyError, loadKey } from './key.ts'
import { Seal } from './seal.ts'
import { openStore } from './trial.ts'

const folderFor = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-key-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

test('a missing key is made for an empty store, readable by its owner alone, and read again', async (t) => {
  const folder = await folderFor(t)
  const file = join(folder, 'key')
  const key = loadKey(file, true)
  t.assert.equal(key.length, 32)
  t.assert.equal((await stat(file)).mode & 0o777, 0o600)
  t.assert.deepEqual(loadKey(file, false), key)
  t.assert.deepEqual(await readdir(folder), ['key'])
})

test('a missing key is not made anew when the store holds something', async (t) => {
  const file = join(await folderFor(t), 'key')
  t.assert.throws(() => loadKey(file, false), KeyError)
  await t.assert.rejects(stat(file))
})

test('a malformed or unreadable key is refused in one line', async (t) => {
  const folder = await folderFor(t)
  const file = join(folder, 'key')
  const [short, long] = [31, 33].map((bytes) => randomBytes(bytes).toString('base64')) as [string, string]
  for (const text of ['', 'hello', short, long, '*'.repeat(44)]) {
    await writeFile(file, text)
    t.assert.throws(() => loadKey(file, true), (error) => error instanceof KeyError && !error.message.includes('\n'))
  }
  t.assert.throws(() => loadKey(folder, true), KeyError)
  t.assert.throws(() => loadKey(join(folder, 'no', 'such', 'folder'), true), KeyError)
})

test('processes that start at once on an empty store end with one key', async (t) => {
  const file = join(await folderFor(t), 'key')
  const url = new URL('./key.ts', import.meta.url).href
  // Each waits for a word on stdin, so that they race for the file and not for their start.
  const program = `
    const { loadKey } = await import(${JSON.stringify(url)})
    process.stdout.write('ready ')
    process.stdin.once('data', () => {
      process.stdout.write(loadKey(${JSON.stringify(file)}, true).toString('hex'), () => process.exit(0))
    })`
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const outputs = children.map(async (child) => {
    let text = ''
    for await (const chunk of child.stdout) text += String(chunk)
    return text
  })
  await Promise.all(children.map((child) => once(child.stdout, 'readable')))
  for (const child of children) child.stdin.write('go')
  const keys = await Promise.all(outputs)
  t.assert.equal(new Set(keys).size, 1)
  t.assert.equal(keys[0], `ready ${loadKey(file, false).toString('hex')}`)
})

test('a store accepts the first key it saw and refuses another one', async (t) => {
  const store = await openStore(t)
  const first = new Seal(randomBytes(32))
  await Promise.all([checkKey(store, first), checkKey(store, first)])
  await checkKey(store, first)
  await t.assert.rejects(checkKey(store, new Seal(randomBytes(32))), KeyError)
})
