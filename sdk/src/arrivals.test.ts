import { test } from 'node:test'
import type { Push } from './push.ts'
import { seenInMemory } from './seen.ts'
import { settled, startDevice } from './server.fixture.ts'

test('a push is acknowledged after the handler has resolved, not before', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { line } = startDevice({ onPush: () => promise })
  line().welcome()
  line().push(1, 10)
  await settled()
  t.assert.deepEqual(line().acknowledged, [])
  resolve()
  await settled()
  t.assert.deepEqual(line().acknowledged, [10])
})

test('pushes are handed over one after the other, in order', async (t) => {
  const steps: string[] = []
  const onPush = async ({ task_id }: Push) => {
    steps.push(`begin ${task_id}`)
    await settled()
    steps.push(`end ${task_id}`)
  }
  const { line } = startDevice({ onPush })
  line().welcome()
  for (const task of [3, 1, 2]) line().push(task, task)
  for (let i = 0; i < 10; i += 1) await settled()
  t.assert.deepEqual(steps, ['begin 3', 'end 3', 'begin 1', 'end 1', 'begin 2', 'end 2'])
  t.assert.deepEqual(line().acknowledged, [3, 1, 2])
})

test('a push whose handler throws is not acknowledged, holds up no other, and is tried until it works', async (t) => {
  const tried: number[] = []
  const onPush = ({ task_id }: Push) => {
    tried.push(task_id)
    if (task_id === 1 && tried.filter((id) => id === 1).length < 3) throw new Error('disk full')
  }
  const { line, clock, device } = startDevice({ onPush })
  const failures: unknown[] = []
  device.on('failure', ({ kind, taskId, error }) => failures.push([kind, taskId, (error as Error).message]))
  line().welcome()
  line().push(1, 10)
  line().push(2, 11)
  await settled()
  t.assert.deepEqual(line().acknowledged, [11])
  await clock.pass(1_000)
  t.assert.deepEqual(line().acknowledged, [11])
  await clock.pass(2_000)
  t.assert.deepEqual(line().acknowledged, [11, 10])
  t.assert.deepEqual(tried, [1, 2, 1, 1])
  t.assert.deepEqual(failures, new Array(2).fill(['handler', 1, 'disk full']))
})

test('a push that expires while its handler keeps failing is given up and never acknowledged', async (t) => {
  let tries = 0
  const onPush = () => {
    tries += 1
    throw new Error('no')
  }
  const { line, clock } = startDevice({ onPush })
  line().welcome()
  line().push(1, 10, { expirySeconds: 3 })
  await settled()
  await clock.pass(600_000)
  t.assert.equal(tries, 2)
  t.assert.deepEqual(line().acknowledged, [])
})

test('a push that comes again while it is handled is handled once and acknowledged where it came last', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let handled = 0
  const onPush = () => {
    handled += 1
    return promise
  }
  const { line, lines, clock } = startDevice({ onPush })
  line().welcome()
  line().push(1, 10)
  await settled()
  line().cut()
  await clock.pass(1_000)
  line().welcome()
  line().push(1, 77, { dup: true })
  resolve()
  await settled()
  t.assert.equal(handled, 1)
  t.assert.deepEqual(lines[0]!.acknowledged, [])
  t.assert.deepEqual(lines[1]!.acknowledged, [77])
})

test('a task that was handled before is acknowledged and dropped, also one that came over a vendor', async (t) => {
  const seen = seenInMemory()
  await seen.add(5)
  const handled: number[] = []
  const { line } = startDevice({ seen, onPush: ({ task_id }) => void handled.push(task_id) })
  line().welcome()
  line().push(5, 1)
  line().push(6, 2)
  line().push(6, 3, { dup: true })
  await settled()
  line().push(6, 4, { dup: true })
  await settled()
  t.assert.deepEqual(handled, [6])
  t.assert.deepEqual(line().acknowledged, [1, 3, 4])
})

test('a memory that fails costs no push', async (t) => {
  const handled: number[] = []
  const fails = () => Promise.reject(new Error('locked'))
  const onPush = ({ task_id }: Push) => void handled.push(task_id)
  const { line, device } = startDevice({ seen: { has: fails, add: fails }, onPush })
  const kinds: string[] = []
  device.on('failure', ({ kind }) => kinds.push(kind))
  line().welcome()
  line().push(1, 10)
  await settled()
  t.assert.deepEqual([handled, line().acknowledged, kinds], [[1], [10], ['seen', 'seen']])
})

test('what cannot be read as a push is told, and acknowledged so that it does not come for ever', async (t) => {
  const { line, device } = startDevice({ onPush: () => t.assert.fail() })
  const kinds: string[] = []
  device.on('failure', ({ kind }) => kinds.push(kind))
  line().welcome()
  line().push(0, 1, { payload: 'no JSON' })
  line().push(0, 2, { payload: 'null' })
  line().push(0, 3, { payload: '{"task_id":"7"}' })
  await settled()
  t.assert.deepEqual([kinds, line().acknowledged], [['payload', 'payload', 'payload'], [1, 2, 3]])
})

test('the handler gets the payload as it was sent, and whether it was sent before', async (t) => {
  const payload = '{"task_id":1,"channel":"nativepush","type":"cmd","ext":{"big":12345678901234567890}}'
  const arrivals: unknown[] = []
  const { line } = startDevice({ onPush: (_push, arrival) => void arrivals.push(arrival) })
  line().welcome()
  line().push(1, 1, { payload, dup: true })
  await settled()
  t.assert.deepEqual(arrivals, [{ text: payload, again: true }])
})

test('a stopped device hands over nothing more and tries nothing again', async (t) => {
  let handled = 0
  const onPush = () => {
    handled += 1
    throw new Error('no')
  }
  const { line, clock, device } = startDevice({ onPush })
  line().welcome()
  line().push(1, 10)
  await settled()
  line().push(2, 11)
  device.stop()
  await settled()
  t.assert.equal(clock.waiting, 0) // a timer left behind would keep the program from ending
  await clock.pass(600_000)
  t.assert.equal(handled, 1)
})
