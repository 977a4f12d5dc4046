// Once: it looks at the tests themselves and starts nothing.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { renderMap } from './map.ts'
import { areas, nameOf, rows } from './rows.ts'

const here = import.meta.dirname
const page = join(here, '../../docs/conformance.md')

test('docs/conformance.md is what the rows say (node --test --test-update-snapshots writes it)', (t) => {
  t.assert.fileSnapshot(renderMap(), page, { serializers: [String] })
})

test('no two rows of the interface share a name', (t) => {
  t.assert.deepEqual(rows.map(nameOf).filter((name, i, all) => all.indexOf(name) !== i), [])
  t.assert.deepEqual(rows.map(({ row }) => row).filter((row, i, all) => all.indexOf(row) !== i), [])
})

test('every area of the interface has its test file, and there is no other', async (t) => {
  const files = (await readdir(here)).filter((file) => file.endsWith('.test.ts') && file !== 'map.test.ts')
  t.assert.deepEqual(files.sort(), areas.map((area) => `${area}.test.ts`).sort())
})

// `conform` registers exactly one test for each row of its area and fails what is missing or left over.
for (const area of areas) {
  test(`the tests of ${area} are its rows of the map and nothing else`, async (t) => {
    const source = await readFile(join(here, `${area}.test.ts`), 'utf8')
    t.assert.deepEqual(source.match(/\bconform\('[^']*'/g), [`conform('${area}'`])
    t.assert.doesNotMatch(source, /\b(test|it|suite|describe)(\.\w+)?\(/)
  })
}

test('docs/conformance.md maps every row to its test', async (t) => {
  const lines = (await readFile(page, 'utf8')).split('\n')
  const mapped = lines.filter((line) => line.startsWith('| **')).map((line) => line.split(' | ').slice(1).join(' | '))
  t.assert.deepEqual(mapped, rows.map((row) => `${nameOf(row)} | ${row.area}.test.ts |`))
})
