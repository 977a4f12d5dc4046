// One node: it starts its own nodes.
import test from 'node:test'
import { crashingPostgres, freezing, freezingNats, killing, killingNats, restarting } from './harness/blows.ts'
import { Chance } from './harness/chance.ts'
import { startCluster } from './harness/cluster.ts'
import { survives } from './harness/crash.ts'

/** A node of each kind that is broken, and one that does everything, so that there is always somebody. */
const parts = ['http', 'gateway', 'worker', 'http,gateway,worker']
// A short wait for acknowledgements, so that the sweeps for them run meanwhile.
const env = { CARILLON_ACK_SECONDS: '2', CARILLON_LOG_LEVEL: 'warn' }
const TAKEN_FOR_DEAD = /took this one for dead/

test('whatever dies, freezes or restarts, nothing accepted is lost, and the counters say what arrived', async (t) => {
  const chance = new Chance()
  const cluster = await startCluster(t, parts, { env })
  const [http, gateway, worker] = cluster.members as [(typeof cluster.members)[0], (typeof cluster.members)[0], (typeof cluster.members)[0]]
  const besieged = { doors: cluster.having('http'), gateways: cluster.having('gateway'), get log() { return cluster.log } }
  const blows = [
    ...[http, gateway, worker].map((member) => killing(member, chance)),
    killingNats(cluster, chance),
    freezingNats(cluster, 4_000),
    ...[http, gateway, worker].map(restarting),
    crashingPostgres(cluster, 8_000),
    freezing(gateway, 8_000),
  ]
  await survives(t, besieged, { blows, clients: 8, devices: 48 }, chance)
  const renewed = cluster.members.filter(({ log }) => TAKEN_FOR_DEAD.test(log))
  t.assert.deepEqual(renewed, [gateway], 'only who was frozen came back under a new number')
})
