import test, { type TestContext } from 'node:test'
import { understood } from './address.ts'
import { deviceFilter } from './pages/devices/filter.ts'

test('what a page does not understand of an address never reaches it', (t: TestContext) => {
  const typed = { search: 7, online: 'yes', vendor: ['fcm'], other: 1 }
  const laidOver = { ...typed, ...understood(deviceFilter)(typed) } // as the router does
  t.assert.deepEqual(laidOver, { search: '7', online: undefined, vendor: undefined, other: undefined })
})
