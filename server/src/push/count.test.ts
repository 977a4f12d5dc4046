import test, { type TestContext } from 'node:test'
import { countAudience } from './count.ts'
import { startTrial } from './path.fixture.ts'

test('a count says by which way each device would be reached, and stores nothing', async (t: TestContext) => {
  const trial = await startTrial(t)
  trial.addVendor('xiaomi')
  await trial.addDevice({ online: true })
  await trial.addDevice({ tokens: ['xiaomi'] })
  await trial.addDevice({ tokens: ['huawei'] })
  const quiet = await trial.addDevice()
  const hour = new Date(trial.clock.now()).getUTCHours()
  await trial.quiet(quiet, hour, (hour + 1) % 24)
  const count = (setting: object) => countAudience(trial.path, trial.scope, { audience: 'all', setting })
  const all = { inbox: 0, held: 0, none: {}, reasons: [], devices: 4, complete: true }
  t.assert.deepEqual(await count({}), { ...all, channels: { nativepush: 1, xiaomi: 1 }, inbox: 1, held: 1 })
  t.assert.deepEqual(await count({ distribution_strategy: 'ospush_only', priority: 'high' }), {
    ...all, channels: { xiaomi: 1 }, none: { 'no vendor can reach the device': 3 },
    reasons: [{ reason: { name: 'no_vendor', values: {} }, devices: 3 }],
  })
  t.assert.equal(await trial.notify(), 1)
})

test('it ends after so many devices, or so much work, and says that there are more', async (t: TestContext) => {
  const trial = await startTrial(t)
  for (let i = 0; i < 3; i += 1) await trial.addDevice()
  const count = (most: { workMs: number; devices: number }) =>
    countAudience(trial.path, trial.scope, { audience: 'all' }, most)
  t.assert.equal((await count({ workMs: Infinity, devices: 3 })).complete, false)
  t.assert.equal((await count({ workMs: 0, devices: Infinity })).complete, false)
  const all = await count({ workMs: Infinity, devices: 4 })
  t.assert.deepEqual([all.complete, all.devices], [true, 3])
})
