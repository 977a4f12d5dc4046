// Once: the demo starts a server of its own, on SQLite.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { channels } from '@carillon/protocol/names.ts'

const program = fileURLToPath(new URL('../demo/src/main.ts', import.meta.url))

/** Runs the demo with a folder of its own for whatever is temporary. */
const demo = async (t: test.TestContext, args: string[]) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-test-'))
  const env = { ...process.env, TMPDIR: folder }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(async () => {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  return { child, complaints: text(child.stderr), ended: once(child, 'close'), folder }
}

test('the demo shows all nine channels at work, and ends by itself', { timeout: 90_000 }, async (t) => {
  const { child, complaints, ended, folder } = await demo(t, ['--seconds', '4', '--devices', '1000'])
  const printed = await text(child.stdout)
  t.assert.deepEqual([await complaints, (await ended)[0]], ['', 0])
  t.assert.match(printed, /^admin token {2}ca_\S+$/m)
  for (const what of ['API', 'reference', 'metrics', 'simulators']) {
    t.assert.match(printed, new RegExp(`^${what} +http://\\S+`, 'm'))
  }
  const table = printed.slice(printed.lastIndexOf('channel '))
  for (const channel of channels) {
    const row = table.split('\n').find((line) => line.startsWith(`${channel} `)) ?? ''
    const counts = row.split(/ +/).slice(1).map((digits) => Number(digits.replaceAll(',', '')))
    t.assert.equal(counts.length, 4, `${channel} has a row`)
    const [devices, target, sent, received] = counts as [number, number, number, number]
    t.assert.deepEqual([devices > 0, sent > 0, target >= sent, sent >= received], [true, true, true, true], row)
  }
  t.assert.deepEqual(await readdir(folder), [])
})

test('the demo ended by Ctrl-C leaves nothing behind', { timeout: 90_000 }, async (t) => {
  const { child, complaints, ended, folder } = await demo(t, ['--devices', '100'])
  let url = ''
  for await (const line of createInterface({ input: child.stdout })) {
    url ||= /^API +(\S+)$/.exec(line)?.[1] ?? ''
    if (/ task /.test(line)) child.kill('SIGINT')
  }
  t.assert.deepEqual([await complaints, (await ended)[0]], ['', 0])
  await t.assert.rejects(fetch(url), 'its server has ended')
  t.assert.deepEqual(await readdir(folder), [])
})

test('the demo says what it cannot do', { timeout: 30_000 }, async (t) => {
  const { complaints, ended } = await demo(t, ['--devices', 'many'])
  t.assert.equal((await ended)[0], 2)
  t.assert.match(await complaints, /^demo: --devices must be a whole number[^\n]*\n$/)
})
