// Once: it starts nodes of its own.
import { after, suite, test, type TestContext } from 'node:test'
import type { Login } from './harness/api.ts'
import { type Cluster, type Member, startCluster } from './harness/cluster.ts'
import { connectDevice } from './harness/device.ts'
import { gatherLeanCrowd } from './harness/lean-crowd.ts'
import { type Relay, startRelay } from './harness/relay.ts'
import { openStream } from './harness/stream.ts'

const TAKEN_OVER = 0x8e
/** More than a connection may have unacknowledged. */
const MORE_THAN_A_WINDOW = 40
const DEVICES = 300

let toNats: Relay | undefined
/** Only the first node goes to NATS by a way that can be cut. */
const cluster: Cluster = await startCluster({ after }, ['http,gateway', 'gateway,worker', 'http,worker'], {
  env: { CARILLON_ACK_SECONDS: '1' },
  envOf: async (place, nats) => {
    if (place > 0) return {}
    toNats = await startRelay({ after }, nats.port)
    return { CARILLON_NATS_URL: `nats://127.0.0.1:${toNats.port}` }
  },
})
const [here, there, third] = cluster.members as [Member, Member, Member]

const newDevice = async (): Promise<{ login: Login; send(at: Member): Promise<number> }> => {
  const user = await cluster.addUser(`user ${Math.random()}`)
  const login = await cluster.tokenFor(user, `device of ${user}`)
  return { login, send: (at) => at.notify({ audience: { user_id: [user] }, message: { title: 'Hello' } }) }
}

const acknowledge = (at: Member, { token }: Login, taskIds: number[]) =>
  at.ok('/push/receipt', { token, body: { list: taskIds.map((task_id) => ({ task_id, event: 'received' })) } })

const countsOf = async (task: number): Promise<number[]> => {
  const { nativepush_target: target, nativepush_sent: sent, nativepush_received: received } = await third.counters(task)
  return [target!, sent!, received!]
}
const isCounted = (task: number) => cluster.until(() => countsOf(task), ([, , received]) => received === 1)

const busOf = async (member: Member): Promise<{ degraded?: boolean }> =>
  (await member.ok('/health/ready')).parts.find(({ name }: { name: string }) => name === 'bus')
const busIs = (member: Member, degraded: boolean) => cluster.until(() => busOf(member), (bus) => (bus.degraded ?? false) === degraded)

/** What holds whoever reaches NATS: it only makes things faster. */
const promises = (): void => {
  test('a device gets what was posted at another node, once, and it counts once', async (t: TestContext) => {
    for (const [holder, poster] of [[there, here], [here, third]] as const) {
      const { login, send } = await newDevice()
      const device = await connectDevice(t, holder, login)
      const task = await send(poster)
      await device.has(1)
      t.assert.deepEqual(await isCounted(task), [1, 1, 1])
      t.assert.deepEqual(device.tasks, [task])
    }
  })

  test('a device that connects to another node takes over there, and its old connection is told so', async (t: TestContext) => {
    const { login, send } = await newDevice()
    const old = await connectDevice(t, here, login, { protocolVersion: 5 })
    const first = await send(third)
    await old.has(1)
    const device = await connectDevice(t, there, login, { protocolVersion: 5 })
    t.assert.equal(await old.closed, TAKEN_OVER)
    const second = await send(here)
    await device.has(1)
    for (const task of [first, second]) t.assert.deepEqual(await isCounted(task), [1, 1, 1])
    t.assert.deepEqual([old.tasks, device.tasks], [[first], [second]])
  })

  test('a push that is acknowledged at one node and reported at another counts once', async (t: TestContext) => {
    const { login, send } = await newDevice()
    const device = await connectDevice(t, there, login)
    const task = await send(here)
    await device.has(1)
    await Promise.all([here, third].map((at) => acknowledge(at, login, [task])))
    t.assert.deepEqual(await isCounted(task), [1, 1, 1])
  })

  test('a stream whose pushes are acknowledged at another node gets all there is, each once', async (t: TestContext) => {
    const { login, send } = await newDevice()
    const stream = await openStream(t, there, login)
    const tasks: number[] = []
    for (let i = 0; i < MORE_THAN_A_WINDOW; i += 1) tasks.push(await send(third))
    for (let seen = 0; seen < MORE_THAN_A_WINDOW; ) {
      const news = (await stream.has(seen + 1)).slice(seen)
      await acknowledge(here, login, news)
      seen += news.length
    }
    t.assert.deepEqual(stream.tasks.toSorted((a, b) => a - b), tasks)
    for (const task of tasks) t.assert.deepEqual(await isCounted(task), [1, 1, 1])
  })

  test('a stream that was too slow to acknowledge gets pushes again once it has, at another node', async (t: TestContext) => {
    const { login, send } = await newDevice()
    const stream = await openStream(t, there, login)
    const isOnline = async (): Promise<boolean> => (await third.ok('/user/device/list', { token: login.token }))[0].online
    await cluster.until(isOnline, (online) => online)
    const late = await send(third)
    await stream.has(1)
    await cluster.until(isOnline, (online) => !online)
    await acknowledge(third, login, [late])
    await cluster.until(isOnline, (online) => online)
    const task = await send(here)
    t.assert.deepEqual(await stream.has(2), [late, task])
  })
}

const together = { concurrency: true, timeout: 60_000 }
suite('with NATS', together, promises)

test('a node that alone cannot reach NATS says so', async () => {
  toNats!.cut()
  await busIs(here, true)
  await busIs(there, false)
})
suite('when one node cannot reach NATS', together, promises)

test('when NATS is dead every node says so, and it is heard again once it is back', async () => {
  await cluster.nats.kill()
  for (const member of [here, there, third]) await busIs(member, true)
})
suite('when NATS is dead', together, promises)

test('once NATS is back, the nodes find it by themselves', async () => {
  toNats!.mend()
  await cluster.nats.restart()
  for (const member of [here, there, third]) await busIs(member, false)
})

test('a broadcast to devices at two gateways is counted exactly; one is killed, and they are back at the other with nothing missed', async (t: TestContext) => {
  const crowd = await gatherLeanCrowd(t, cluster, { size: DEVICES, ports: [here, there].map(({ node }) => node.mqttPort) })
  await crowd.until(({ online }) => online === DEVICES)
  const toAll = { audience: { user_id: crowd.userIds }, message: { title: 'to all of them' } }
  const tasks = [await third.notify(toAll)]
  await crowd.until((status) => status.tasks[tasks[0]!]?.devices === DEVICES)
  tasks.push(await third.notify(toAll))
  await there.kill()
  tasks.push(await third.notify(toAll))
  await crowd.until(({ online }) => online === DEVICES)
  tasks.push(await third.notify(toAll))
  await crowd.until((status) => tasks.every((task) => status.tasks[task]?.devices === DEVICES))
  for (const task of tasks) {
    t.assert.deepEqual(await cluster.until(() => countsOf(task), ([, , received]) => received === DEVICES), [DEVICES, DEVICES, DEVICES])
  }
})
