import type { TestContext } from 'node:test'
import { crashingPostgres, freezing, freezingNats, freezingPostgres, killing, killingAll, killingNats, restarting } from './blows.ts'
import { Chance } from './chance.ts'
import { type Member, startCluster } from './cluster.ts'
import { type Blow, survives } from './crash.ts'

/** A node of each kind that is broken, and one that does everything, so that there is always somebody. */
const parts = ['http', 'gateway', 'worker', 'http,gateway,worker']
// A short wait for acknowledgements, so that the sweeps for them run meanwhile.
const env = { CARILLON_ACK_SECONDS: '2', CARILLON_LOG_LEVEL: 'warn' }

/** What can be done to a cluster: each of its nodes of one kind, or what all of them need. */
export interface Blows {
  /** By what it does: http, gateway, worker. */
  nodes: readonly Member[]
  killing(member: Member): Blow
  killingAll(): Blow
  restarting(member: Member): Blow
  freezing(member: Member): Blow
  killingNats(): Blow
  freezingNats(ms: number): Blow
  crashingPostgres(ms: number): Blow
  freezingPostgres(ms: number): Blow
}

/** Longer than others wait for a node's heart-beat. */
const FROZEN_MS = 8_000

/** Besieges a cluster; who was not frozen must not have been taken for dead. */
export const besiege = async (
  t: TestContext,
  { blowsOf, ...siege }: { clients: number; devices: number; blowsOf(blows: Blows): Blow[] },
): Promise<void> => {
  const chance = new Chance()
  const cluster = await startCluster(t, parts, { env })
  const frozen = new Set<Member>()
  const blows = blowsOf({
    nodes: cluster.members.slice(0, -1),
    killing: (member) => killing(member, chance),
    killingAll: () => killingAll(cluster),
    restarting,
    freezing: (member) => {
      frozen.add(member)
      return freezing(member, FROZEN_MS)
    },
    killingNats: () => killingNats(cluster, chance),
    freezingNats: (ms) => freezingNats(cluster, ms),
    crashingPostgres: (ms) => crashingPostgres(cluster, ms),
    freezingPostgres: (ms) => freezingPostgres(cluster, ms),
  })
  const besieged = { doors: cluster.having('http'), gateways: cluster.having('gateway'), get log() { return cluster.log } }
  await survives(t, besieged, { ...siege, blows }, chance)
  const renewed = cluster.members.filter(({ log }) => log.includes('took this one for dead'))
  t.assert.deepEqual(new Set(renewed), frozen, 'those who came back under a new number')
}
