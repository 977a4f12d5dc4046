import test, { type TestContext } from 'node:test'
import { quietForm, setPushOf } from './quiet.ts'

const none = { enabled: true, no_push_start_hour: null, no_push_end_hour: null, time_zone: null }

test('a user without hours of their own keeps the app’s', (t: TestContext) => {
  const form = quietForm(none, 'Asia/Shanghai')
  t.assert.equal(form.kind, 'app')
  t.assert.deepEqual(setPushOf({ ...form, enabled: false }), { enabled: false })
})

test('a user’s own hours come back as they were', (t: TestContext) => {
  const own = { enabled: true, no_push_start_hour: 23, no_push_end_hour: 7, time_zone: 'Europe/Berlin' }
  t.assert.deepEqual(setPushOf(quietForm(own, 'UTC')), own)
})

test('never quiet is said by equal hours, which the app’s hours do not replace', (t: TestContext) => {
  const sent = setPushOf({ ...quietForm(none, 'UTC'), kind: 'never' })
  t.assert.equal(sent.no_push_start_hour, sent.no_push_end_hour)
  t.assert.equal(quietForm({ ...none, no_push_start_hour: 0, no_push_end_hour: 0, time_zone: 'UTC' }, 'UTC').kind, 'never')
})
