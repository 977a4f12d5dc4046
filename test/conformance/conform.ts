import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { type Area, nameOf, rows } from './rows.ts'

export type Keeps = (t: TestContext) => Promise<void>

const LIMIT_MS = 30_000 // what never arrives fails its own test, not the whole file

/**
 * Registers the test of every row of an area, under the row's name. A row without a test fails, and so does a test
 * without a row.
 */
export const conform = (area: Area, tests: Record<string, Keeps>): void => {
  const strays = new Set(Object.keys(tests))
  for (const row of rows.filter((one) => one.area === area)) {
    strays.delete(row.row)
    test(nameOf(row), { timeout: LIMIT_MS }, tests[row.row] ?? (() => assert.fail('this row has no test')))
  }
  for (const stray of strays) test(stray, () => assert.fail('this test has no row in rows.ts'))
}
