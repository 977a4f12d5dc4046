import { test } from 'node:test'
import { emptyDraft, withAudience, withValue } from './draft.ts'
import { requestOf } from './request.ts'
import { trialOf } from './trial.ts'

test('a trial is the same message to one device, at once, under an id of its own', (t) => {
  const draft = [
    ['message.title', 'Hello'],
    ['setting.send_time', '1800000000'],
    ['setting.dry_run', 'true'],
    ['setting.priority', 'high'],
    ['setting.request_id', 'the real one'],
  ].reduce((rest, [path, value]) => withValue(rest, path as 'message.title', value!), withAudience(emptyDraft, 'all'))
  t.assert.deepEqual(requestOf(trialOf(draft, { kind: 'alias', item: 'my phone' }, 'a trial')), {
    audience: { alias: ['my phone'] },
    message: { title: 'Hello' },
    setting: { priority: 'high', request_id: 'a trial' },
  })
})
