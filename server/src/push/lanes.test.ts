import test, { type TestContext } from 'node:test'
import type { VendorName } from '@carillon/protocol/names.ts'
import type { Notify } from '@carillon/protocol/notify.ts'
import { pino } from 'pino'
import { createApp } from '../store/apps.ts'
import { HOLD_MS } from '../store/claims.ts'
import { touchNode } from '../store/nodes.ts'
import { accept } from './accept.ts'
import type { Channel, Handing, Outcome } from './channel.ts'
import { Deliver } from './deliver.ts'
import { Lanes } from './lanes.ts'
import { startTrial } from './path.fixture.ts'
import { planNext } from './plan.ts'
import { Tasks } from './tasks.ts'

const timeout = 30_000
const FULL = 1_000

/** One handing over that is under way until the test ends it. */
interface Handed {
  app: number
  task: number
  devices: number[]
  handing: Handing
  end(outcome?: Outcome): void
  fail(): void
}

/** A vendor that answers when it is told to. */
class SlowChannel implements Channel {
  readonly name: VendorName
  readonly handed: Handed[] = []
  #came = Promise.withResolvers<void>()

  constructor(name: VendorName) {
    this.name = name
  }

  hand: Channel['hand'] = (push, handing, targets) => {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome[]>()
    this.handed.push({
      app: push.appId, task: push.taskId, devices: targets.map(({ deviceId }) => deviceId), handing,
      end: (outcome = { kind: 'sent' }) => resolve(targets.map(() => outcome)),
      fail: () => reject(new Error('a surprise')),
    })
    this.#came.resolve()
    this.#came = Promise.withResolvers()
    return promise
  }

  /** Resolves when so many were handed over in all. */
  async until(count: number): Promise<void> {
    while (this.handed.length < count) await this.#came.promise
  }
}

/** Lanes on a real store. What is accepted waits until they look. */
const startLanes = async (t: TestContext, ...names: VendorName[]) => {
  const trial = await startTrial(t)
  const { store } = trial
  const slow = new Map(names.map((name) => [name, new SlowChannel(name)]))
  const paused = new Set<string>()
  const logged: string[] = []
  const path = {
    ...trial.path,
    log: pino({ base: undefined }, { write: (line: string) => void logged.push(JSON.parse(line).msg) }),
    vendors: {
      names,
      roads: async () => names.map((vendor) => ({ vendor, environment: 1 })),
      channel: (name: VendorName) => slow.get(name),
      isOpen: (name: VendorName, app: number) => !paused.has(`${name} ${app}`),
    },
  }
  const tasks = new Tasks(store, async () => trial.rules)
  const deliver = new Deliver(path, trial.own, tasks, trial.receipts, () => 0)
  const lanes = new Lanes(path, deliver)
  const channel = (name: VendorName): SlowChannel => slow.get(name)!
  const push = (audience: Notify['audience'], more: Partial<Notify['setting']> = {}): Promise<number> =>
    accept(path, trial.scope, { audience, message: { title: 'Hello' }, setting: { distribution_strategy: 'ospush_only', ...more } })
  const userOf = (device: number): Promise<number> =>
    store.read(async (tx) => (await tx.get<{ user_id: number }>('SELECT user_id FROM devices WHERE id = ?', device))!.user_id, {})
  const plan = async (): Promise<void> => {
    while (await planNext(path, async () => trial.rules));
  }
  return { trial, store, lanes, channel, push, plan, userOf, paused, logged }
}

test('a vendor that never answers for one app holds up neither another vendor nor another app', { timeout }, async (t: TestContext) => {
  const { trial, store, lanes, channel, push, userOf } = await startLanes(t, 'xiaomi', 'huawei')
  const [xiaomi, huawei] = [channel('xiaomi'), channel('huawei')]
  const stuck = await userOf(await trial.addDevice({ tokens: ['xiaomi'] }))
  const well = await userOf(await trial.addDevice({ tokens: ['huawei'] }))
  for (let task = 0; task < 5; task += 1) await push({ user_id: [stuck] })
  await lanes.look()
  await xiaomi.until(5)
  for (let task = 1; task <= 10; task += 1) {
    await push({ user_id: [well] })
    await lanes.look()
    await huawei.until(task)
    huawei.handed.at(-1)!.end()
  }
  trial.app = ((await store.write(createApp, { appId: 'other', name: 'Other', actor: 'test', now: trial.clock.now() })) as { id: number }).id
  const other = await userOf(await trial.addDevice({ tokens: ['xiaomi'] }))
  await push({ user_id: [other] })
  await lanes.look()
  await xiaomi.until(6)
  t.assert.equal(xiaomi.handed[5]!.app, trial.app)
  for (const handed of xiaomi.handed) handed.end()
  await lanes.stop()
})

test('a lane has a few full batches under way, each that ends makes room for the next, and none is taken twice', { timeout }, async (t: TestContext) => {
  const { trial, lanes, channel, push, plan } = await startLanes(t, 'xiaomi')
  const xiaomi = channel('xiaomi')
  await Promise.all(Array.from({ length: FULL }, () => trial.addDevice({ tokens: ['xiaomi'] })))
  const tasks: number[] = []
  for (let task = 0; task < 7; task += 1) tasks.push(await push('all'))
  await plan()
  await Promise.all([lanes.look(), lanes.look(), lanes.look()])
  await xiaomi.until(4)
  await lanes.look()
  await trial.store.write(touchNode, { node: trial.node }) // by now everybody has taken what they could
  t.assert.equal(xiaomi.handed.length, 4)
  for (let ended = 0; ended < 7; ended += 1) {
    await xiaomi.until(Math.min(7, 4 + ended))
    xiaomi.handed[ended]!.end()
  }
  await lanes.stop()
  await trial.receipts.flush()
  t.assert.deepEqual(xiaomi.handed.map(({ task }) => task).sort((a, b) => a - b), tasks)
  for (const task of tasks) t.assert.deepEqual(await trial.tally(task), { xiaomi_target: FULL, xiaomi_sent: FULL })
})

test('many single pushes are under way at once, and when they end together a broadcast does not come all at once', { timeout }, async (t: TestContext) => {
  const { trial, lanes, channel, push, plan, userOf } = await startLanes(t, 'xiaomi')
  const xiaomi = channel('xiaomi')
  const [first] = await Promise.all(Array.from({ length: FULL }, () => trial.addDevice({ tokens: ['xiaomi'] })))
  const user = await userOf(first!)
  await Promise.all(Array.from({ length: 100 }, () => push({ user_id: [user] })))
  await lanes.look()
  await xiaomi.until(100)
  await Promise.all(Array.from({ length: 20 }, () => push('all')))
  await plan()
  for (const handed of xiaomi.handed) handed.end()
  for (let ended = 100; ended < 120; ended += 1) {
    await xiaomi.until(ended + 1)
    await trial.store.write(touchNode, { node: trial.node })
    t.assert.ok(xiaomi.handed.length - ended <= 5, `${xiaomi.handed.length - ended} full batches are under way`)
    xiaomi.handed[ended]!.end()
  }
  await lanes.stop()
})

test('a lane that is paused takes nothing, and goes on when it is looked at after that', { timeout }, async (t: TestContext) => {
  const { trial, lanes, channel, push, userOf, paused } = await startLanes(t, 'xiaomi', 'huawei')
  const devices = [await trial.addDevice({ tokens: ['xiaomi'] }), await trial.addDevice({ tokens: ['huawei'] })]
  paused.add(`xiaomi ${trial.app}`)
  await push({ user_id: await Promise.all(devices.map(userOf)) })
  await lanes.look()
  await channel('huawei').until(1)
  t.assert.equal(channel('xiaomi').handed.length, 0)
  paused.clear()
  await lanes.look()
  await channel('xiaomi').until(1)
  channel('xiaomi').handed[0]!.end()
  channel('huawei').handed[0]!.end()
  await lanes.stop()
})

test('in a lane a push to a list goes before a broadcast that was there first', { timeout }, async (t: TestContext) => {
  const { trial, lanes, channel, push, plan, userOf, paused } = await startLanes(t, 'xiaomi')
  const user = await userOf(await trial.addDevice({ tokens: ['xiaomi'] }))
  paused.add(`xiaomi ${trial.app}`)
  const broadcast = await push('all')
  await plan()
  const single = await push({ user_id: [user] })
  paused.clear()
  await lanes.look()
  await channel('xiaomi').until(2)
  t.assert.deepEqual(channel('xiaomi').handed.map(({ task }) => task), [single, broadcast])
  for (const handed of channel('xiaomi').handed) handed.end()
  await lanes.stop()
})

test('stopping waits for what is under way until it is settled, and begins nothing more', { timeout }, async (t: TestContext) => {
  const { trial, lanes, channel, push, userOf } = await startLanes(t, 'xiaomi')
  const xiaomi = channel('xiaomi')
  const user = await userOf(await trial.addDevice({ tokens: ['xiaomi'] }))
  const before = [await push({ user_id: [user] }), await push({ user_id: [user] })]
  await lanes.look()
  await xiaomi.until(2)
  let isStopped = false
  const stopping = lanes.stop().then(() => (isStopped = true))
  const after = await push({ user_id: [user] })
  await lanes.look()
  xiaomi.handed[0]!.end()
  await trial.store.write(touchNode, { node: trial.node }) // what it has settled is written before this
  t.assert.equal(isStopped, false)
  xiaomi.handed[1]!.end()
  await stopping
  t.assert.equal(xiaomi.handed.length, 2)
  t.assert.deepEqual(await Promise.all([...before, after].map((task) => trial.state(task))), ['done', 'done', 'sending'])
})

test('a surprise in one batch is logged, its lane goes on, and the batch is taken up again when its hold has ended', { timeout }, async (t: TestContext) => {
  const { trial, lanes, channel, push, userOf, logged } = await startLanes(t, 'xiaomi')
  const xiaomi = channel('xiaomi')
  const user = await userOf(await trial.addDevice({ tokens: ['xiaomi'] }))
  const first = await push({ user_id: [user] })
  await lanes.look()
  await xiaomi.until(1)
  xiaomi.handed[0]!.fail()
  const second = await push({ user_id: [user] })
  await lanes.look()
  await xiaomi.until(2)
  t.assert.equal(xiaomi.handed[1]!.task, second)
  xiaomi.handed[1]!.end()
  t.assert.ok(logged.some((words) => words.startsWith('delivering failed')))
  trial.clock.at += HOLD_MS
  await lanes.look()
  await xiaomi.until(3)
  t.assert.equal(xiaomi.handed[2]!.task, first)
  xiaomi.handed[2]!.end()
  await lanes.stop()
})

test('nothing is begun so late that its answer could come after the hold, nor after the message has expired', { timeout }, async (t: TestContext) => {
  const { trial, lanes, channel, push, userOf } = await startLanes(t, 'xiaomi')
  const slowestMs = 15_000 + 10_000 + 15_000 // its turn, a connection, the answer
  const user = await userOf(await trial.addDevice({ tokens: ['xiaomi'] }))
  await push({ user_id: [user] })
  await push({ user_id: [user] }, { time_to_live: 5 })
  await lanes.look()
  await channel('xiaomi').until(2)
  const [long, short] = channel('xiaomi').handed.map(({ handing }) => handing.until - trial.clock.now())
  t.assert.ok(long! > 0 && long! + slowestMs < HOLD_MS)
  t.assert.equal(short, 5_000)
  for (const handed of channel('xiaomi').handed) handed.end()
  await lanes.stop()
})

test('a batch that a crashed node was handing over is written down as lost, and sent again to those nobody is sure of', { timeout }, async (t: TestContext) => {
  const { trial, lanes, channel, push, userOf } = await startLanes(t, 'xiaomi')
  const xiaomi = channel('xiaomi')
  const devices = [await trial.addDevice({ tokens: ['xiaomi'] }), await trial.addDevice({ tokens: ['xiaomi'] })]
  const task = await push({ user_id: await Promise.all(devices.map(userOf)) })
  await lanes.look()
  await xiaomi.until(1)
  xiaomi.handed[0]!.handing.sent(0)
  await trial.receipts.flush()
  await trial.startNode()
  await lanes.look()
  await xiaomi.until(2)
  t.assert.deepEqual(xiaomi.handed[1]!.devices, [devices[1]])
  xiaomi.handed[1]!.end()
  xiaomi.handed[0]!.end({ kind: 'refused', why: 'what the node before had heard' })
  await lanes.stop()
  await trial.receipts.flush()
  t.assert.deepEqual(await trial.tally(task), { xiaomi_target: 2, xiaomi_sent: 2 })
  t.assert.ok((await trial.trace(task, devices[1]!)).some((words) => words.includes('the node ended while it was handing over')))
  t.assert.equal(await trial.state(task), 'done')
})
