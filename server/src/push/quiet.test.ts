import test, { type TestContext } from 'node:test'
import { quietUntil } from './quiet.ts'

const at = (text: string): number => Date.parse(text)
const until = (now: string, start: number, end: number, zone: string): string | undefined => {
  const end_ = quietUntil(at(now), start, end, zone)
  return end_ === undefined ? undefined : new Date(end_).toISOString()
}

test('quiet hours hold from their start to just before their end', (t: TestContext) => {
  t.assert.equal(until('2026-03-01T12:59:59Z', 13, 15, 'UTC'), undefined)
  t.assert.equal(until('2026-03-01T13:00:00Z', 13, 15, 'UTC'), '2026-03-01T15:00:00.000Z')
  t.assert.equal(until('2026-03-01T14:59:59.999Z', 13, 15, 'UTC'), '2026-03-01T15:00:00.000Z')
  t.assert.equal(until('2026-03-01T15:00:00Z', 13, 15, 'UTC'), undefined)
})

test('quiet hours run over midnight when the end is the smaller hour', (t: TestContext) => {
  t.assert.equal(until('2026-03-01T23:30:00Z', 22, 7, 'UTC'), '2026-03-02T07:00:00.000Z')
  t.assert.equal(until('2026-03-02T06:59:00Z', 22, 7, 'UTC'), '2026-03-02T07:00:00.000Z')
  t.assert.equal(until('2026-03-02T21:59:00Z', 22, 7, 'UTC'), undefined)
})

test('the hours are those of the person’s time zone, half-hour zones included', (t: TestContext) => {
  t.assert.equal(until('2026-03-01T15:10:00Z', 23, 7, 'Asia/Shanghai'), '2026-03-01T23:00:00.000Z')
  t.assert.equal(until('2026-03-01T18:00:00Z', 23, 7, 'Asia/Kolkata'), '2026-03-02T01:30:00.000Z')
})

test('a clock change in the night does not move the end from the wanted hour', (t: TestContext) => {
  // Berlin: 02:00 becomes 03:00 on 2026-03-29, and 03:00 becomes 02:00 on 2026-10-25.
  t.assert.equal(until('2026-03-28T23:30:00Z', 22, 7, 'Europe/Berlin'), '2026-03-29T05:00:00.000Z')
  t.assert.equal(until('2026-10-24T22:30:00Z', 22, 7, 'Europe/Berlin'), '2026-10-25T06:00:00.000Z')
})

test('equal hours mean no quiet hours', (t: TestContext) => {
  t.assert.equal(until('2026-03-01T08:00:00Z', 8, 8, 'UTC'), undefined)
})
