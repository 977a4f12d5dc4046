import test from 'node:test'
import { startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'

test('a notification to everybody reaches a connected device and is counted once', async (t) => {
  const carillon = await startCarillon(t)
  const login = await carillon.tokenFor(await carillon.addUser('ann'), 'phone')
  const device = await connectDevice(t, carillon, login)

  const task = await carillon.notify({ audience: 'all', message: { title: 'Hello', body: 'there' } })

  const [push] = await device.has(1)
  t.assert.equal(push!.task_id, task)
  const counters = await carillon.until(() => carillon.counters(task), (row) => row.nativepush_received === 1)
  t.assert.equal(counters.nativepush_target, 1)
  t.assert.equal(counters.nativepush_sent, 1)
})
