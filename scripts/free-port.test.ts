import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { freePort } from './free-port.ts'

const MANY = 1_000 // of 2,900: left to chance, a third of what two processes find would be the same

const take = async (): Promise<number[]> => Array.fromAsync({ length: MANY }, freePort)

if (process.send) {
  process.once('disconnect', () => process.exit()) // stays, and keeps what it found, while the test lives
  process.send(await take())
} else {
  test('a port found is nobody else’s until the process that found it ends', async (t) => {
    const other = fork(import.meta.filename)
    t.after(() => other.kill('SIGKILL'))
    const [mine, [theirs]] = (await Promise.all([take(), once(other, 'message')])) as [number[], [number[]]]
    assert.equal(new Set([...mine, ...theirs]).size, 2 * MANY)

    const ended = once(other, 'exit')
    other.kill('SIGKILL')
    await ended
    const theirsOnce = new Set(theirs)
    while (!theirsOnce.has(await freePort()));
  })
}
