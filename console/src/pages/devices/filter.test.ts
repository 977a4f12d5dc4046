import test, { type TestContext } from 'node:test'
import { deviceFilter } from './filter.ts'

test('what an address asks for is taken where it means something', (t: TestContext) => {
  t.assert.deepEqual(deviceFilter({ search: 1007, by: 'user', online: false, vendor: 'xiaomi' }), {
    search: '1007', by: 'user', online: false, vendor: 'xiaomi',
  })
  t.assert.deepEqual(deviceFilter({ search: '  ', by: 'user', online: 'yes', vendor: 'nativepush', page: 3 }), {})
})

test('a search is no longer than the server takes, and is never cut inside a character', (t: TestContext) => {
  t.assert.equal(deviceFilter({ search: '🔔'.repeat(600) }).search, '🔔'.repeat(512))
})

test('how a search is meant means nothing without a search', (t: TestContext) => {
  t.assert.deepEqual(deviceFilter({ by: 'alias' }), {})
})
