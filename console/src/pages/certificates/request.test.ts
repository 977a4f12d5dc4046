import test, { type TestContext } from 'node:test'
import { certificateOf } from './request.ts'

const field = (name: string, more: object = {}) => ({
  name, title: name, help: '', zh: { title: name, help: '' }, required: false, secret: false, multiline: false,
  kind: 'text' as const, values: [], ...more,
})

test('blanks are left out, choices keep their kind, options stand together', (t: TestContext) => {
  const fields = [
    field('app_id'), field('app_key'), field('name'), field('options.level', { kind: 'choice', values: [1, 2, 16] }),
    field('options.old', { kind: 'switch' }), field('options.category'),
  ]
  t.assert.deepEqual(
    certificateOf(fields, { app_id: 'x', app_key: ' ', name: 'mine', 'options level': '16', 'options old': true, 'options category': '' }),
    { app_id: 'x', name: 'mine', options: { level: 16, old: true } },
  )
  t.assert.deepEqual(certificateOf(fields, { app_id: 'x', name: 'mine' }), { app_id: 'x', name: 'mine' })
})
