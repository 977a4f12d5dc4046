import { setTimeout as pause } from 'node:timers/promises'
import type { Chance } from './chance.ts'
import type { Cluster, Member } from './cluster.ts'
import type { Blow } from './crash.ts'

const LONGEST_DEATH_MS = 1_000
const CANNOT_STORE = 50300

/** kill -9 of one node; callers of others see nothing of it. */
export const killing = (member: Member, chance: Chance): Blow => ({
  name: `kill -9 of ${member.parts.join('+')}`,
  strike: async () => {
    await member.kill()
    await pause(chance.below(LONGEST_DEATH_MS))
    await member.start()
  },
  excuses: ({ door, code }) => code === 'unanswered' && door === member,
})

/** The store crashes. Nothing is accepted meanwhile, and whoever calls is told so. */
export const crashingPostgres = ({ postgres }: Cluster, chance: Chance, longestMs = LONGEST_DEATH_MS): Blow => ({
  name: 'the crash of PostgreSQL',
  strike: async () => {
    await postgres.crash()
    await pause(chance.below(longestMs))
    await postgres.restart()
  },
  excuses: ({ code }) => code === CANNOT_STORE,
  logs: /PostgreSQL is not available|no connection to PostgreSQL|(?:it goes on in a moment|is taken up again|finds the batch)"/,
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
  name: 'frozen NATS',
  strike: async () => {
    nats.freeze()
    await pause(ms)
    nats.thaw()
  },
  excuses: () => false,
})

/** One node keeps its connections and does nothing for so long; after 5 s the others take it for dead. */
export const freezing = (member: Member, ms: number): Blow => ({
  name: `frozen ${member.parts.join('+')}`,
  strike: async () => {
    member.freeze()
    await pause(ms)
    member.thaw()
  },
  excuses: ({ door }) => door === member,
  logs: /took this one for dead/,
})
