import { test } from 'node:test'
import { isItem, settleItems } from './items.ts'

test('a pasted list counts each item once, without its blanks', (t) => {
  t.assert.deepEqual(settleItems([' vip', 'vip ', '', 'VIP', 'beta users']), {
    items: ['vip', 'VIP', 'beta users'],
    over: 0,
  })
})

test('what goes beyond 500 is left out and counted', (t) => {
  const { items, over } = settleItems(Array.from({ length: 620 }, (_, i) => String(i)))
  t.assert.equal(items.length, 500)
  t.assert.equal(over, 120)
})

test('an id is digits within 64 bits', (t) => {
  t.assert.deepEqual(
    ['7', '9223372036854775807', '9223372036854775808', '-1', '1.5', 'alice'].map((item) => isItem('user_id', item)),
    [true, true, false, false, false, false],
  )
})
