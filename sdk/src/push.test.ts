import { test } from 'node:test'
import { presentAt, presentInTime, type Push } from './push.ts'
import { seenInMemory, seenInStorage, type TextStorage } from './seen.ts'
import { HandClock } from './server.fixture.ts'

const push: Push = { task_id: 1, channel: 'nativepush', type: 'text', title: 'hello', sent_at: 0 }

test('a push is shown now, when its time begins, or not at all', (t) => {
  const now = 50_000
  t.assert.equal(presentAt(push, now), now)
  t.assert.equal(presentAt({ ...push, show_begin_time: 40 }, now), now)
  t.assert.equal(presentAt({ ...push, show_begin_time: 60 }, now), 60_000)
  t.assert.equal(presentAt({ ...push, show_begin_time: 40, show_end_time: 51 }, now), now)
  t.assert.equal(presentAt({ ...push, show_end_time: 50 }, now), undefined)
  t.assert.equal(presentAt({ ...push, type: 'cmd' }, now), undefined)
})

test('presenting waits for the time to begin, can be taken back, and never comes too late', async (t) => {
  const clock = new HandClock()
  const seconds = clock.now() / 1000
  const shown: number[] = []
  const present = (task_id: number, times: Partial<Push>) =>
    presentInTime({ ...push, task_id, ...times }, (it) => shown.push(it.task_id), clock)
  present(1, {})
  present(2, { show_begin_time: seconds + 60 })
  present(3, { show_begin_time: seconds + 50, show_end_time: seconds + 70 })
  present(4, { show_end_time: seconds })
  const takeBack = present(5, { show_begin_time: seconds + 30 })
  t.assert.deepEqual(shown, [1])
  takeBack()
  await clock.pass(60_000)
  t.assert.deepEqual(shown, [1, 3, 2])
})

test('a machine that slept past the end does not show it', (t) => {
  let now = 1_000_000
  let wake = (): void => t.assert.fail()
  const clock = { now: () => now, after: (_ms: number, work: () => void) => ((wake = work), () => {}) }
  presentInTime({ ...push, show_begin_time: 1_010, show_end_time: 1_020 }, () => t.assert.fail('too late'), clock)
  now = 1_030_000
  wake()
})

test('memory of what was handled is bounded: the oldest are forgotten', async (t) => {
  const stored = new Map<string, string>()
  const storage: TextStorage = {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
  }
  for (const seen of [seenInMemory(3), seenInStorage(storage, 'seen', 3)]) {
    for (const id of [1, 2, 3, 4]) await seen.add(id)
    t.assert.deepEqual([1, 2, 3, 4].map((id) => seen.has(id)), [false, true, true, true])
  }
  t.assert.equal(await seenInStorage(storage, 'seen').has(4), true)
  stored.set('seen', 'something else')
  t.assert.equal(await seenInStorage(storage, 'seen').has(4), false)
})
