import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { after, before, suite, type TestContext } from 'node:test'
import { newEnough } from './hand-over.js'

/** Stands where the command's own main.ts stands, so that every way to end can be asked for. */
const MAIN = `
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']
export const main = async ([what, ...rest]: string[]): Promise<number> => {
  if (what === 'exit') return Number(rest[0])
  if (what === 'say') console.log(process.version, JSON.stringify(rest))
  if (what === 'die') process.kill(process.pid, rest[0] as NodeJS.Signals)
  if (what !== 'serve' && what !== 'stay') return 0
  const open = setInterval(() => {}, 60_000)
  for (const signal of signals) process.on(signal, () => console.log('got', signal))
  const { promise, resolve } = Promise.withResolvers<void>()
  if (what === 'serve') process.on('SIGTERM', resolve)
  console.log('ready')
  await promise
  clearInterval(open)
  return 0
}
`

/** A machine without an old Node still takes the same road, only not through the version check. */
const ALWAYS = `import { handOver } from './hand-over.js'\nhandOver(process.argv.slice(2))\n`

const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((node) => {
    const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    return status === 0 && !newEnough(stdout.trim().slice(1))
  })

test('Node 24.7 is the first that runs the command itself', (t) => {
  t.assert.deepEqual(
    ['18.0.0', '20.20.2', '24.6.9', '24.7.0', '24.10.1', '25.0.0', '26.10.0'].map(newEnough),
    [false, false, false, true, true, true, true],
  )
})

suite('handing over to the pinned Node', { concurrency: true, timeout: 30_000 }, () => {
  let checkout: string

  before(async () => {
    checkout = await mkdtemp(join(tmpdir(), 'carillon-launcher-'))
    await mkdir(join(checkout, 'cli/src'), { recursive: true })
    await mkdir(join(checkout, 'node_modules/node/bin'), { recursive: true })
    await cp(import.meta.dirname, join(checkout, 'cli/bin'), { recursive: true })
    await symlink(process.execPath, join(checkout, 'node_modules/node/bin/node'))
    await writeFile(join(checkout, 'cli/package.json'), '{"type":"module"}')
    await writeFile(join(checkout, 'cli/src/main.ts'), MAIN)
    await writeFile(join(checkout, 'cli/bin/always.js'), ALWAYS)
  })
  after(() => rm(checkout, { recursive: true, force: true }))

  const launch = (t: TestContext, args: string[], from = checkout) => {
    const launcher = oldNode ? 'cli/bin/carillon.js' : 'cli/bin/always.js'
    const started = spawn(oldNode ?? process.execPath, [join(from, launcher), ...args], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => started.kill('SIGKILL'))
    return started
  }

  /** Everything said until the last process that holds stdout has ended; `seen` is told every line. */
  const listen = async (launcher: ChildProcess, seen: (line: string) => void = () => {}): Promise<string[]> => {
    const lines: string[] = []
    for await (const line of createInterface({ input: launcher.stdout! })) {
      lines.push(line)
      seen(line)
    }
    return lines
  }

  /** What it ended with, and what it said. */
  const ended = async (launcher: ChildProcess, seen?: (line: string) => void) => {
    const [lines, [code, signal]] = await Promise.all([listen(launcher, seen), once(launcher, 'exit')])
    return { lines, code, signal }
  }

  test('arguments arrive unchanged, on a Node that is new enough', async (t) => {
    const { lines, code } = await ended(launch(t, ['say', '--json', 'two words', '', "it's"]))
    t.assert.deepEqual(lines, [`${process.version} ["--json","two words","","it's"]`])
    t.assert.equal(code, 0)
  })

  test('the exit code passes', async (t) => {
    const { code } = await ended(launch(t, ['exit', '2']))
    t.assert.equal(code, 2)
  })

  test('death by a signal is mirrored', async (t) => {
    const { code, signal } = await ended(launch(t, ['die', 'SIGKILL']))
    t.assert.deepEqual({ code, signal }, { code: null, signal: 'SIGKILL' })
  })

  for (const asked of ['SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const)
    test(`${asked} passes, then SIGTERM ends it with its own exit code`, async (t) => {
      const launcher = launch(t, ['serve'])
      const { lines, code } = await ended(launcher, (line) => {
        if (line === 'ready') launcher.kill(asked)
        if (line === `got ${asked}`) launcher.kill('SIGTERM')
      })
      t.assert.deepEqual(lines, ['ready', `got ${asked}`, 'got SIGTERM'])
      t.assert.equal(code, 0)
    })

  test('a signal to the whole process group, as Ctrl-C sends it, arrives once', async (t) => {
    const launcher = launch(t, ['serve'])
    const { lines } = await ended(launcher, (line) => {
      if (line === 'ready') process.kill(-launcher.pid!, 'SIGINT')
      if (line === 'got SIGINT') launcher.kill('SIGTERM')
    })
    t.assert.deepEqual(lines, ['ready', 'got SIGINT', 'got SIGTERM'])
  })

  test('when the launcher is killed with -9, the child closes as on SIGTERM', async (t) => {
    const launcher = launch(t, ['serve'])
    const { lines, signal } = await ended(launcher, (line) => {
      if (line === 'ready') launcher.kill('SIGKILL')
    })
    t.assert.equal(signal, 'SIGKILL')
    t.assert.deepEqual(lines, ['ready', 'got SIGTERM'])
  })

  test('a child that does not close after its launcher died is ended all the same', async (t) => {
    const launcher = launch(t, ['stay'])
    // Resolves only once nobody holds stdout any more, the child included.
    const { lines } = await ended(launcher, (line) => {
      if (line === 'ready') launcher.kill('SIGKILL')
    })
    t.assert.deepEqual(lines, ['ready', 'got SIGTERM'])
  })

  test('without the pinned Node one line says what to run', async (t) => {
    const bare = await mkdtemp(join(tmpdir(), 'carillon-launcher-'))
    t.after(() => rm(bare, { recursive: true, force: true }))
    await cp(join(checkout, 'cli'), join(bare, 'cli'), { recursive: true })

    const launcher = launch(t, ['serve'], bare)
    const said = launcher.stderr.setEncoding('utf8').toArray()
    const { code } = await ended(launcher)
    t.assert.equal(code, 1)
    t.assert.match((await said).join(''), new RegExp(`^carillon: [^\n]*run npm ci in ${bare}/\n$`))
  })
})
