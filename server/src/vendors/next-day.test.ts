import test, { type TestContext } from 'node:test'
import { nextDay } from './next-day.ts'

test("an allowance of the day comes back a minute after midnight in China", (t: TestContext) => {
  const at = (text: string): number => Date.parse(`${text}+08:00`)
  t.assert.equal(nextDay(at('2026-11-15T00:00:00')), at('2026-11-16T00:01:00'))
  t.assert.equal(nextDay(at('2026-11-15T23:59:59.999')), at('2026-11-16T00:01:00'))
  t.assert.equal(nextDay(at('2026-12-31T12:00:00')), at('2027-01-01T00:01:00'))
  t.assert.equal(nextDay(at('2026-11-16T00:00:30')), at('2026-11-17T00:01:00'))
})
