import { test } from 'node:test'
import { openedWith } from './opened-with.ts'

test('an address may name a task or whom to send to, and nothing else', (t) => {
  t.assert.deepEqual(openedWith({ task: 12 }), { task: 12 })
  t.assert.deepEqual(openedWith({ push_token: 'pt_1', colour: 'red' }), { push_token: 'pt_1' })
  t.assert.deepEqual(openedWith({ alias: 7 }), { alias: '7' })
  t.assert.deepEqual(openedWith({ task: 'x', tag: ['a'], user_id: {} }), {})
})
