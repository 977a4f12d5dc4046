// Once: what a page looks like does not depend on how many nodes serve it.
import { test } from 'node:test'
import { lookAround } from './harness/views.ts'

test('every page in Chinese, light and dark, on a laptop and a phone, can be used by everybody', async (t) => {
  const openers = { request: 'JSON 与 curl', newUser: '新建用户', setUpFcm: '设置 FCM', erase: '删除', remove: '移除' }
  t.assert.deepEqual(await lookAround(t, 'zh-CN', openers), [])
})
