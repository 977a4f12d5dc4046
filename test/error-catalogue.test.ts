// Once: it holds a page against a list and starts nothing.
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { errors } from '@carillon/protocol/errors.ts'

const page = await readFile(new URL('../docs/api/errors.md', import.meta.url), 'utf8')

const rows = page
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()))

test('the page on errors lists the codes of the catalogue, in its order, with their HTTP status', (t) => {
  t.assert.deepEqual(
    rows.map(([code, http]) => [Number(code), Number(http)]),
    Object.values(errors).map(({ code, http }) => [code, http]),
  )
})

test('the page on errors says of every code when it comes and what to do', (t) => {
  for (const cells of rows) {
    t.assert.equal(cells.length, 4)
    for (const text of cells.slice(2)) t.assert.match(text, /^[A-Z].{5,}[.]$/)
  }
})

test('no two errors share a code', (t) => {
  const codes = Object.values(errors).map(({ code }) => code)
  t.assert.equal(new Set(codes).size, codes.length)
})
