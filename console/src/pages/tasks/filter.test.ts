import test, { type TestContext } from 'node:test'
import { taskFilter } from './filter.ts'

test('what an address asks for is taken where it means something', (t: TestContext) => {
  t.assert.deepEqual(taskFilter({ state: 'done', audience_kind: 'tag', request_id: 7, from: 1_800_000_000_000, to: 0 }), {
    state: 'done', audience_kind: 'tag', request_id: '7', from: 1_800_000_000_000,
  })
  t.assert.deepEqual(taskFilter({ state: 'gone', audience_kind: ['all'], request_id: '', from: 'yesterday', other: 1 }), {})
})
