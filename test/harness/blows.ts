import { setTimeout as pause } from 'node:timers/promises'
import type { Chance } from './chance.ts'
import type { Cluster, Member } from './cluster.ts'
import type { Blow } from './crash.ts'

const LONGEST_DEATH_MS = 1_000
const SURELY_NOTICED_MS = 5_000
const CANNOT_STORE = 50300

const nameOf = ({ parts }: Member): string => `the node of ${parts.join(' and ')}`

/** kill -9 of one node: whoever calls another one sees nothing of it. */
export const killing = (member: Member, chance: Chance): Blow => ({
  name: `kill -9 of ${nameOf(member)}`,
  strike: async () => {
    await member.kill()
    await pause(chance.below(LONGEST_DEATH_MS))
    await member.start()
  },
  excuses: ({ door, code }) => door === member && typeof code === 'string',
})

/** kill -9 of all nodes at once, as when the power fails. */
export const killingAll = ({ members }: Cluster): Blow => ({
  name: 'kill -9 of all nodes',
  strike: async () => {
    await Promise.all(members.map((member) => member.kill()))
    await Promise.all(members.map((member) => member.start()))
  },
  excuses: ({ code }) => typeof code === 'string',
})

/** SIGTERM, and a new start: nobody's call is dropped. Where nobody takes a connection, callers go to the next node. */
export const restarting = (member: Member): Blow => ({
  name: `the restart of ${nameOf(member)}`,
  strike: async () => {
    const { code } = await member.node.stop()
    if (code !== 0) throw new Error(`${nameOf(member)} ended with ${code}`)
    await member.start()
  },
  excuses: ({ door, code }) => door === member && code === 'nobody there',
})

/** One node keeps its connections and does nothing for so long; after 5 s the others take it for dead. */
export const freezing = (member: Member, ms: number): Blow => ({
  name: `the freezing of ${nameOf(member)}`,
  strike: async () => {
    member.freeze()
    await pause(ms)
    member.thaw()
  },
  excuses: ({ door }) => door === member,
  logs: /took this one for dead|it goes on in a moment/,
})

/** The store crashes and is away for so long. Nothing is accepted meanwhile, and whoever calls is told so. */
export const crashingPostgres = ({ postgres }: Cluster, ms: number): Blow => ({
  name: 'the crash of PostgreSQL',
  strike: async () => {
    await postgres.crash()
    await pause(ms)
    await postgres.restart()
  },
  excuses: ({ code }) => code === CANNOT_STORE,
  ...(ms > SURELY_NOTICED_MS && { shows: CANNOT_STORE }),
  logs: /PostgreSQL|StoreUnavailable/,
})

/** The store keeps its connections and does nothing for so long. Whoever is not kept waiting is told so. */
export const freezingPostgres = ({ postgres }: Cluster, ms: number): Blow => ({
  name: 'a frozen PostgreSQL',
  strike: async () => {
    await postgres.freeze()
    await pause(ms)
    await postgres.thaw()
  },
  excuses: ({ code }) => code === CANNOT_STORE,
  logs: /PostgreSQL|StoreUnavailable/,
})

/** NATS is killed and comes back knowing nobody. Callers see nothing of it. */
export const killingNats = ({ nats }: Cluster, chance: Chance): Blow => ({
  name: 'kill -9 of NATS',
  strike: async () => {
    await nats.kill()
    await pause(chance.below(LONGEST_DEATH_MS))
    await nats.restart()
  },
  excuses: () => false,
})

/** NATS keeps its connections and says nothing for so long. */
export const freezingNats = ({ nats }: Cluster, ms: number): Blow => ({
  name: 'a frozen NATS',
  strike: async () => {
    nats.freeze()
    await pause(ms)
    nats.thaw()
  },
  excuses: () => false,
})
