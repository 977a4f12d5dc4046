import test, { type TestContext } from 'node:test'
import type { Bus, Topic } from './bus.ts'

const limit = { timeout: 30_000 }

/** Counts what a bus says on a topic, and resolves at the next of it. */
export const listen = (bus: Bus, topic: Topic) => {
  let next = Promise.withResolvers<void>()
  const ear = {
    count: 0,
    heard: () => next.promise,
    off: bus.on(topic, () => {
      ear.count += 1
      next.resolve()
      next = Promise.withResolvers<void>()
    }),
  }
  return ear
}

/** A nudge of another topic has come all the way round: what was on its way before it has arrived. */
export const allArrived = async (from: Bus, to: Bus, topic: Topic): Promise<void> => {
  const ear = listen(to, topic)
  const heard = ear.heard()
  from.nudge(topic)
  await heard
  ear.off()
}

/** What every bus keeps to, whichever way it goes. */
export const keepsTheContract = (open: (t: TestContext) => Promise<Bus>): void => {
  test('a nudge reaches every listener of its topic, and no other', limit, async (t: TestContext) => {
    const bus = await open(t)
    const [first, second, other] = [listen(bus, 'tasks'), listen(bus, 'tasks'), listen(bus, 'own:12')]
    const heard = Promise.all([first.heard(), second.heard()])
    bus.nudge('tasks')
    await heard
    await allArrived(bus, bus, 'changes')
    t.assert.deepEqual([first.count, second.count, other.count], [1, 1, 0])
  })

  test('listeners run after the code that nudges', limit, async (t: TestContext) => {
    const bus = await open(t)
    const ear = listen(bus, 'tasks')
    const heard = ear.heard()
    bus.nudge('tasks')
    t.assert.equal(ear.count, 0)
    await heard
    t.assert.equal(ear.count, 1)
  })

  test('a topic nudged many times in a moment is heard once', limit, async (t: TestContext) => {
    const bus = await open(t)
    const ear = listen(bus, 'tasks')
    for (let i = 0; i < 1_000; i += 1) bus.nudge('tasks')
    await allArrived(bus, bus, 'changes')
    t.assert.equal(ear.count, 1)
  })

  test('a listener that nudges its own topic is heard again', limit, async (t: TestContext) => {
    const bus = await open(t)
    const { promise, resolve } = Promise.withResolvers<void>()
    let count = 0
    bus.on('tasks', () => {
      count += 1
      if (count === 3) resolve()
      else bus.nudge('tasks')
    })
    bus.nudge('tasks')
    await promise
    await allArrived(bus, bus, 'changes')
    t.assert.equal(count, 3)
  })

  test('a removed listener hears nothing more, and the others do; removing twice changes nothing', limit, async (t: TestContext) => {
    const bus = await open(t)
    let count = 0
    const same = (): void => void (count += 1)
    const [stop] = [bus.on('tasks', same), bus.on('tasks', same)]
    stop()
    stop()
    await allArrived(bus, bus, 'tasks')
    t.assert.equal(count, 1)
  })

  test('it says that it is connected', limit, async (t: TestContext) => {
    const before = Date.now()
    const state = (await open(t)).state()
    t.assert.equal(state.connected, true)
    t.assert.equal(state.since >= before && state.since <= Date.now(), true)
  })

  test('after it is closed nobody hears anything, nothing throws, and closing again is nothing', limit, async (t: TestContext) => {
    const bus = await open(t)
    const ear = listen(bus, 'tasks')
    bus.nudge('tasks')
    await bus.close()
    const { count } = ear
    bus.nudge('tasks')
    const late = listen(bus, 'tasks')
    bus.nudge('tasks')
    await new Promise((resolve) => setImmediate(resolve))
    t.assert.deepEqual([ear.count, late.count], [count, 0])
    ear.off()
    late.off()
    await bus.close()
  })
}
