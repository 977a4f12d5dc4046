// Once: what a page looks like does not depend on how many nodes serve it.
import { test } from 'node:test'
import { lookAround } from './harness/views.ts'

test('every page in Chinese, light and dark, on a laptop and a phone, can be used by everybody', async (t) => {
  t.assert.deepEqual(await lookAround(t, 'zh-CN'), [])
})
