import test, { type TestContext } from 'node:test'
import { summed } from './series.ts'

test('channels are added up, moment by moment, from nothing', (t: TestContext) => {
  const points = [
    { at: 2, channel: 'apns', sent: 5, received: 0 },
    { at: 1, channel: 'nativepush', sent: 3, received: 1 },
    { at: 2, channel: 'nativepush', sent: 0, received: 2 },
  ]
  t.assert.deepEqual(summed(0, points), [{ at: 0, values: [0, 0] }, { at: 1, values: [3, 1] }, { at: 2, values: [8, 3] }])
  t.assert.deepEqual(summed(0, []), [])
})
