import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Outcome, Push, Target } from '../push/channel.ts'
import type { EncodedPush } from './encode.ts'
import { NOW, RecordingPorts, pushOf, targetOf } from './gateway.fixture.ts'
import type { Live } from './live.ts'
import { PageWriter } from './page-writer.ts'
import { Sessions } from './sessions.ts'

/** A house whose devices remember what they were handed, and which of it came in one write. */
class Devices {
  /** Tasks by device, one list a write, in the order of the writes. */
  readonly writes: { deviceId: number; tasks: number[] }[] = []
  readonly sessions = new Sessions(new RecordingPorts(), { now: () => NOW })
  readonly pages = new PageWriter(this.sessions)

  constructor(count: number) {
    for (let deviceId = 1; deviceId <= count; deviceId += 1) this.sessions.enter(this.#device(deviceId) as unknown as Live)
  }

  #device(deviceId: number) {
    let corked: number[] | undefined
    const wire = {
      cork: () => (corked = []),
      uncork: () => {
        if (corked!.length > 0) this.writes.push({ deviceId, tasks: corked! })
        corked = undefined
      },
    }
    const hand = (_encoded: EncodedPush, { taskId }: Push, _batchId: number, _target: Target): Outcome => {
      if (taskId === BROKEN) throw new Error('broken')
      corked!.push(taskId)
      return { kind: 'written' }
    }
    return { caller: { deviceId }, protocol: 'test', connection: { wire }, hand }
  }

  /** What a task has for these devices. */
  write(taskId: number, from: number, to: number): Promise<Outcome[]> {
    const targets = Array.from({ length: to - from + 1 }, (_, i) => targetOf(from + i))
    return this.pages.write(pushOf(taskId), taskId * 10, targets)
  }

  /** Turns of the event loop, until nothing more is written; how many writes and pushes each had. */
  async turns(): Promise<{ writes: number; pushes: number }[]> {
    const turns = []
    for (let idle = 0, seen = 0; idle < 2; ) {
      await setImmediate()
      const some = this.writes.slice(seen)
      idle = some.length === 0 ? idle + 1 : 0
      seen = this.writes.length
      if (some.length > 0) turns.push({ writes: some.length, pushes: some.flatMap(({ tasks }) => tasks).length })
    }
    return turns
  }
}

const BROKEN = 1_000

test('a page is written in turns, and has one outcome per target in their order', async (t: TestContext) => {
  const devices = new Devices(1_000)
  const written = devices.write(1, 501, 1_500)
  const turns = await devices.turns()
  t.assert.deepEqual(turns.map(({ writes }) => writes), [125, 125, 125, 125])
  const outcomes = await written
  t.assert.deepEqual(outcomes.map(({ kind }) => kind), [...Array(500).fill('written'), ...Array(500).fill('away')])
  t.assert.deepEqual(devices.writes.map(({ deviceId }) => deviceId), Array.from({ length: 500 }, (_, i) => 501 + i))
})

test('pages for the same devices go side by side: a device gets what they have for it in one write, in their order', async (t: TestContext) => {
  const devices = new Devices(300)
  const written = Promise.all([devices.write(1, 1, 300), devices.write(2, 101, 300), devices.write(3, 1, 200)])
  await devices.turns()
  const outcomes = await written
  t.assert.deepEqual(outcomes.map(({ length }) => length), [300, 200, 200])
  t.assert.deepEqual(devices.writes.map(({ deviceId }) => deviceId), Array.from({ length: 300 }, (_, i) => i + 1))
  t.assert.deepEqual([1, 150, 250].map((id) => devices.writes[id - 1]!.tasks), [[1, 3], [1, 2, 3], [1, 2]])
})

test('many pages at once make no turn longer', async (t: TestContext) => {
  const devices = new Devices(1_000)
  const written = Promise.all(Array.from({ length: 20 }, (_, i) => devices.write(i + 1, 1 + i * 10, 800 + i * 10)))
  const turns = await devices.turns()
  t.assert.ok(turns.every(({ writes, pushes }) => writes * 3 + pushes <= 511), JSON.stringify(turns))
  t.assert.ok((await written).every((outcomes) => outcomes.every(({ kind }) => kind === 'written')))
})

test('a page that is ahead waits until the others have caught up, and then goes with them', async (t: TestContext) => {
  const devices = new Devices(2_000)
  const ahead = devices.write(1, 1_001, 2_000)
  const behind = devices.write(2, 1, 1_000).then(() => devices.write(2, 1_001, 2_000))
  await devices.turns()
  await Promise.all([ahead, behind])
  const together = devices.writes.filter(({ tasks }) => tasks.length === 2)
  t.assert.equal(together.length, 1_000)
})

test('a page does not wait for ever while others come in before it, nor for one that is far behind', async (t: TestContext) => {
  const devices = new Devices(20_100)
  let isOver = false
  const far = devices.write(1, 20_001, 20_100)
  const last = devices.write(2, 10_000, 10_100).then(() => (isOver = true))
  const flood = async (taskId: number): Promise<void> => {
    for (let times = 0; times < 50 && !isOver; times += 1) await devices.write(taskId, 1, 900)
  }
  await Promise.all([far, last, flood(3)])
  const firstOf = (task: number) => devices.writes.findIndex(({ tasks }) => tasks.includes(task))
  t.assert.equal(firstOf(1), 0)
  t.assert.ok(firstOf(2) > 1_000 && firstOf(2) < 10_000)
})

test('what fails fails alone, and the pages after it are written', async (t: TestContext) => {
  const devices = new Devices(100)
  const broken = devices.write(BROKEN, 1, 50)
  const next = devices.write(1, 51, 100)
  await t.assert.rejects(broken, /broken/)
  t.assert.equal((await next).length, 50)
})
