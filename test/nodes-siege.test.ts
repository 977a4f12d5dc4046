// Once: it starts six nodes of its own, with a PostgreSQL and a NATS that it breaks.
import test from 'node:test'
import { crashingPostgres, freezingNats, killing, killingNats } from './harness/blows.ts'
import { Chance } from './harness/chance.ts'
import { startCluster } from './harness/cluster.ts'
import { survives } from './harness/crash.ts'

const parts = ['http', 'http', 'gateway', 'gateway', 'worker', 'worker']

test('whatever dies or freezes, nothing accepted is lost, and the counters say what arrived', async (t) => {
  const chance = new Chance()
  const cluster = await startCluster(t, parts, { env: { CARILLON_ACK_SECONDS: '2', CARILLON_LOG_LEVEL: 'error' } })
  const [http, gateway, worker] = ['http', 'gateway', 'worker'].map((part) => cluster.having(part)[0]!)
  const besieged = { doors: cluster.having('http'), gateways: cluster.having('gateway'), get log() { return cluster.log } }
  const blows = [
    killing(gateway!, chance),
    killing(http!, chance),
    killingNats(cluster, chance),
    killing(worker!, chance),
    crashingPostgres(cluster, chance),
    freezingNats(cluster, 4_000),
  ]
  await survives(t, besieged, { blows, clients: 10, devices: 60 }, chance)
})
