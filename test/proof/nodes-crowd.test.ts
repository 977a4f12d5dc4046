// Once: it starts its own nodes.
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import { startCluster } from '../harness/cluster.ts'
import { gatherLeanCrowd } from '../harness/lean-crowd.ts'

const DEVICES = 20_000
const BACK_MS = 60_000
/** What a process opens beside the connections of devices. */
const OTHER_FILES = 1_000

/** Where one process may not open so many files that a single gateway could hold all of them, a third one helps. */
const openFiles = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim().replace('unlimited', 'Infinity'))
const gatewayCount = openFiles >= DEVICES + OTHER_FILES ? 2 : 3

test('20,000 devices get a broadcast, counted exactly; a gateway dies, and all are back within a minute with nothing missed', async (t) => {
  const parts = ['http,worker', ...Array.from({ length: gatewayCount }, () => 'gateway')]
  // All of them come from one address.
  const cluster = await startCluster(t, parts, { env: { CARILLON_GREETINGS_PER_ADDRESS: String(DEVICES) } })
  const gateways = cluster.having('gateway')
  const crowd = await gatherLeanCrowd(t, cluster, { size: DEVICES, ports: gateways.map(({ node }) => node.mqttPort) })
  await crowd.until(({ online }) => online === DEVICES)

  const notify = (title: string) => cluster.notify({ audience: 'all', message: { title } })
  const tasks = [await notify('to all of them')]
  await crowd.until((status) => status.tasks[tasks[0]!]?.devices === DEVICES)
  tasks.push(await notify('while one gateway dies'))
  await gateways[0]!.kill()
  const diedAt = performance.now()
  tasks.push(await notify('while they come back'))
  await crowd.until(({ online }) => online === DEVICES)
  const backMs = performance.now() - diedAt
  t.diagnostic(`all were back after ${Math.round(backMs)} ms`)
  t.assert.equal(backMs < BACK_MS, true, `all were back after ${Math.round(backMs)} ms`)
  tasks.push(await notify('when they are back'))
  const { tasks: got } = await crowd.until((status) => tasks.every((task) => status.tasks[task]?.devices === DEVICES))
  t.diagnostic(`arrivals: ${tasks.map((task) => got[task]!.arrivals).join(', ')}`)

  for (const task of tasks) {
    const counts = await cluster.until(() => cluster.counters(task), ({ nativepush_received }) => nativepush_received === DEVICES)
    const { nativepush_target: target, nativepush_sent: sent, nativepush_received: received } = counts
    t.assert.deepEqual([target, sent, received], [DEVICES, DEVICES, DEVICES])
  }
})
