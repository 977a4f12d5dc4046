// Once: what a page looks like does not depend on how many nodes serve it.
import { test } from 'node:test'
import { lookAround } from './harness/views.ts'

test('every page in English, light and dark, on a laptop and a phone, can be used by everybody', async (t) => {
  const openers = { request: 'JSON and curl', newUser: 'New user', setUpFcm: 'Set up FCM', erase: 'Erase', remove: 'Remove' }
  t.assert.deepEqual(await lookAround(t, 'en-GB', openers), [])
})
