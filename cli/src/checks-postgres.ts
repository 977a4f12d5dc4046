import type { Config } from '@carillon/server/config.ts'
import { type NodeSeen, type ServerSeen, lookAtNodes, lookAtServer } from '@carillon/server/store/postgres/checkup.ts'
import { knownSchema } from '@carillon/server/store/postgres/migrate.ts'
import { PostgresStore } from '@carillon/server/store/postgres/postgres.ts'
import { type Finding, checkCertificates, checkKeyOpens, checkSchema, checkTasks, ok, warn, wrong } from './checks.ts'
import { checkNats, checkNodes, livingAt } from './checks-nodes.ts'

// Nodes are taken for silent after 5 s, by their own clocks.
const CLOCK_FINE_MS = 500
const CLOCK_MOST_MS = 2_000

type Settings = Pick<Config, 'databaseUrl' | 'databaseConnections' | 'natsUrl' | 'keyFile'>

/** What there is to say of PostgreSQL, NATS, the nodes and their work. Nothing is changed: the schema stays as it is. */
export const examinePostgres = async (config: Settings, clock: () => number): Promise<Finding[]> => {
  const store = new PostgresStore(config.databaseUrl, { readers: 1, writers: 1 })
  try {
    const before = clock()
    const server = await store.read(lookAtServer, {})
    const after = clock()
    const findings = [...checkServer(server), checkClock(server.now, before, after)]
    if (server.schema === undefined) return [...findings, ok('store', 'none yet; the first start makes it'), ...(await checkNats(config.natsUrl))]
    const nodes = await store.read(lookAtNodes, {})
    const living = livingAt(nodes, server.now)
    return [
      ...findings,
      checkSchema({ is: server.schema, known: knownSchema() }),
      checkConnections(server, living.length, config.databaseConnections),
      await checkKeyOpens(config, store),
      ...checkNodes(nodes, server.now),
      ...checkBeats(living, server.now),
      ...(await checkNats(config.natsUrl)),
      ...(await checkCertificates(store, server.now)),
      await checkTasks(store, living.some(({ parts }) => parts.includes('worker')), server.now),
    ]
  } catch (error) {
    const hint = 'while it cannot be reached every notification is refused: look at PostgreSQL, the network, CARILLON_DATABASE_URL'
    return [wrong('database', (error as Error).message, hint)]
  } finally {
    await store.close()
  }
}

const checkServer = ({ version, isStandby, unsafe }: ServerSeen): Finding[] => {
  const name = 'database'
  if (isStandby) return [wrong(name, `PostgreSQL ${version} follows another one and takes no changes`, 'CARILLON_DATABASE_URL must lead to the primary')]
  return [
    ok(name, `PostgreSQL ${version}`),
    ...unsafe.map((setting) => warn(name, `${setting} is off`, 'what was accepted can be lost when the machine loses power: switch it on')),
  ]
}

/** How far this machine's clock is from the database's, as far as can be told: the answer took its time. */
const checkClock = (there: number, before: number, after: number): Finding => {
  const name = 'clock'
  const middle = (before + after) / 2
  const apart = Math.max(0, Math.abs(there - middle) - (after - before) / 2)
  const text = `this machine is ${(apart / 1_000).toFixed(1)} s ${there > middle ? 'behind' : 'ahead of'} the database`
  const hint = 'let both follow NTP: a node whose clock is off is taken for dead, or does not notice that others are'
  if (apart > CLOCK_MOST_MS) return wrong(name, text, hint)
  if (apart > CLOCK_FINE_MS) return warn(name, text, hint)
  return ok(name, 'agrees with the database')
}

/** A node whose beats come from the future has a clock that is ahead. */
const checkBeats = (living: readonly NodeSeen[], now: number): Finding[] =>
  living
    .filter(({ beatAt }) => beatAt > now + CLOCK_FINE_MS)
    .map(({ id, address, beatAt }) => {
      const text = `node ${id} at ${address} is ${((beatAt - now) / 1_000).toFixed(1)} s ahead of the database`
      const hint = 'let that machine follow NTP: what is due for it comes too early, and its end is noticed too late'
      return beatAt > now + CLOCK_MOST_MS ? wrong('clock', text, hint) : warn('clock', text, hint)
    })

const checkConnections = ({ places, othersUse }: ServerSeen, nodes: number, each: number): Finding => {
  const name = 'connections'
  const needed = Math.max(nodes, 1) * each + othersUse
  const text = `${Math.max(nodes, 1)} × ${each} for nodes and ${othersUse} that others use now, of ${places}`
  const hint = 'raise max_connections of PostgreSQL, or lower CARILLON_DATABASE_CONNECTIONS: who finds no place refuses calls'
  if (needed > places) return wrong(name, text, hint)
  // A node that is being replaced, a command and a backup need some too.
  if (needed + each > places) return warn(name, `${text}: no room for one more node`, hint)
  return ok(name, text)
}
