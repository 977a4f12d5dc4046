import test, { type TestContext } from 'node:test'
import { startTrial } from './path.fixture.ts'
import { gathered, seriesOf } from './series.ts'

test('a series tells when pushes were handed over and received; its sums are the counters', async (t: TestContext) => {
  const trial = await startTrial(t)
  for (let i = 0; i < 3; i += 1) await trial.addDevice({ online: true })
  const task = await trial.notify()
  await trial.receipts.flush()
  const sentAt = trial.clock.now()
  await trial.advance(5_000)
  await trial.acknowledge()
  const second = (at: number) => at - (at % 1000)
  t.assert.deepEqual(await seriesOf(trial.store, task), [
    { at: second(sentAt), channel: 'nativepush', sent: 3, received: 0 },
    { at: second(sentAt + 5_000), channel: 'nativepush', sent: 0, received: 3 },
  ])
  t.assert.deepEqual(await seriesOf(trial.store, task + 1), [])
})

test('however long a task takes, a series has at most 200 points, in order, and loses nothing', (t: TestContext) => {
  const channels = ['apns', 'fcm', 'nativepush'] as const
  const points = channels.flatMap((channel) =>
    Array.from(
      { length: 5_000 }, (_, i) => ({ at: 1_800_000_000_000 + i * 37_000, channel, sent: 1, received: i % 2 }),
    ),
  )
  const few = gathered(points)
  t.assert.equal(few.length <= 200 && few.length > 20, true, String(few.length))
  t.assert.equal(few.reduce((sum, { sent }) => sum + sent, 0), 15_000)
  t.assert.equal(few.reduce((sum, { received }) => sum + received, 0), 7_500)
  t.assert.deepEqual(few.map(({ at }) => at), few.map(({ at }) => at).sort((a, b) => a - b))
  t.assert.equal(
    gathered(
      [
        { at: 0, channel: 'fcm', sent: 1, received: 0 },
        { at: 253_402_300_799_000, channel: 'fcm', sent: 1, received: 0 },
      ],
    ).length, 2,
  )
})
