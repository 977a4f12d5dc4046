import { test } from 'node:test'
import { inputOf, nextHour, secondsOf } from './times.ts'

test('a moment goes through the input and comes back the same, seconds included', (t) => {
  for (const seconds of ['1800000000', '1800000017', '0', '4102444800'])
    t.assert.equal(secondsOf(inputOf(seconds)), seconds)
})

test('the input shows local time', (t) => {
  t.assert.equal(inputOf(String(new Date(2027, 0, 15, 8, 5).getTime() / 1000)), '2027-01-15T08:05')
})

test('what is not a whole moment is none', (t) => {
  t.assert.equal(secondsOf(''), '')
  t.assert.equal(secondsOf('2027-01-'), '')
  t.assert.equal(inputOf('tomorrow'), '')
})

test('the hour proposed is a full one and at least a quarter of an hour away', (t) => {
  const now = new Date(2027, 0, 15, 8, 50).getTime()
  t.assert.equal(inputOf(nextHour(now)), '2027-01-15T10:00')
})
