import test, { type TestContext } from 'node:test'
import { readLines } from './lines.ts'

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const linesOf = async (bytes: Buffer, size: number): Promise<(string | undefined)[]> => {
  const lines: (string | undefined)[] = []
  let numbers = 0
  for await (const piece of readLines(inPieces(bytes, size))) {
    for (const { number, bytes: line } of piece.lines) {
      if (number !== ++numbers) throw new Error(`line ${number} comes as the ${numbers}th`)
      lines.push(line?.toString())
    }
  }
  return lines
}

test('lines are the same however the bytes come in', async (t: TestContext) => {
  const bytes = Buffer.from('\uFEFFone\n\nthe bell 🔔\r\nlast')
  for (const size of [3, 4, 7, 11, 1000]) t.assert.deepEqual(await linesOf(bytes, size), ['one', '', 'the bell 🔔\r', 'last'], `${size} at a time`)
  t.assert.deepEqual(await linesOf(Buffer.from('one\n'), 10), ['one'])
  t.assert.deepEqual(await linesOf(Buffer.alloc(0), 10), [])
})

test('a line of more than 1 MiB comes without its text, and its neighbours with theirs', async (t: TestContext) => {
  const mebibyte = 1024 * 1024
  const bytes = Buffer.from(`a\n${'x'.repeat(mebibyte)}\n${'y'.repeat(mebibyte + 1)}\nb\n${'z'.repeat(5 * mebibyte)}`)
  const lines = await linesOf(bytes, 100_000)
  t.assert.deepEqual(lines.map((line) => line?.length), [1, mebibyte, undefined, 1, undefined])
})
