import test from 'node:test'
import { formatsOf } from './formats.ts'

const now = Date.UTC(2026, 10, 15, 8, 45)

test('a distance in time is told in the largest unit that fits', (t) => {
  const { ago } = formatsOf('en')
  t.assert.equal(ago(now - 3_000, now), '3 seconds ago')
  t.assert.equal(ago(now - 150_000, now), '2 minutes ago')
  t.assert.equal(ago(now + 7_200_000, now), 'in 2 hours')
  t.assert.equal(ago(now - 86_400_000, now), 'yesterday')
  t.assert.equal(ago(now - 400 * 86_400_000, now), 'last year')
})

test('each language writes numbers and times its own way', (t) => {
  t.assert.equal(formatsOf('zh').ago(now - 150_000, now), '2分钟前')
  t.assert.equal(formatsOf('zh').short(12_000), '1.2万')
  t.assert.equal(formatsOf('en').number(1_002_318), '1,002,318')
  t.assert.equal(formatsOf('en').percent(0.2543), '25.4%')
})

test('sizes are told in the unit that reads best', (t) => {
  const { bytes } = formatsOf('en')
  t.assert.match(bytes(512), /^512 byte/)
  t.assert.equal(bytes(1_468_006), '1.4 MB')
})
