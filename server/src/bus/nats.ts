import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, systemClock } from '../clock.ts'
import { nudges } from '../metrics.ts'
import type { Bus, BusState, Topic } from './bus.ts'
import { memoryBus } from './memory.ts'
import { Link } from './nats-link.ts'
import { natsServers } from '../config-nats.ts'

const GATHER_MS = 2 // what a topic is nudged within this goes out once
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
const STEADY_MS = 2_000 // a link that lasted less has not ended the trouble: pauses go on growing
const PING_MS = 1_000

export interface NatsOptions {
  log: Logger
  clock?: Clock
  /** From 0 to 1. */
  chance?: () => number
  /** Before every subject. Installations that share a NATS take different ones, or hear nudges that mean nothing to them. */
  prefix?: string
  pingMs?: number
}

export interface NatsBus extends Bus {
  /** Resolves when the server has done all it was asked before: who listens is heard by all nodes from then on. */
  flush(): Promise<void>
}

/** A topic as one word of a subject: what may mean something to NATS (spaces, dots, stars) is written as its bytes. */
const wordOf = (topic: string): string =>
  topic.replace(/[^A-Za-z0-9_-]/gu, (character) => [...Buffer.from(character)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join(''))

/**
 * The bus of many nodes. A node's own listeners are nudged in memory, with or without NATS; other nodes' through it,
 * while it can be reached. Resolves after the first try to reach it, whatever came of that, and goes on trying.
 */
export const natsBus = async (
  urls: string,
  { log, clock = systemClock, chance = Math.random, prefix = 'carillon', pingMs = PING_MS }: NatsOptions,
): Promise<NatsBus> => {
  const servers = natsServers(urls)
  const local = memoryBus(clock)
  const closing = new AbortController()
  const topics = new Map<string, { id: number; subject: string; topic: Topic; listeners: number }>()
  const gathered = new Set<Topic>()
  let ids = 0
  let link: Link | undefined
  let state: BusState = { connected: false, since: clock.now(), why: 'not tried yet' }
  let saidDeaf = false
  let gathering: NodeJS.Timeout | undefined

  const subjectOf = (topic: Topic): string => `${prefix}.${wordOf(topic)}`

  const send = (): void => {
    clearTimeout(gathering)
    gathering = undefined
    for (const topic of gathered) {
      const sent = state.connected && link!.publish(subjectOf(topic))
      nudges[sent ? 'sent' : 'lost'].value += 1
    }
    gathered.clear()
  }

  const heard = (subject: string): void => {
    const known = topics.get(subject)
    if (!known) return
    nudges.received.value += 1
    local.nudge(known.topic)
  }

  const nowHears = (): void => {
    state = { connected: true, since: clock.now() }
    if (saidDeaf) log.info('the bus hears other nodes again')
    saidDeaf = false
    // Something may have been missed.
    for (const { topic } of topics.values()) local.nudge(topic)
  }

  const nowDeaf = (why: string): void => {
    state = { connected: false, since: saidDeaf ? state.since : clock.now(), why }
    if (!saidDeaf) log.warn({ why }, 'the bus does not hear other nodes; until it does, they are heard of by looking each second')
    saidDeaf = true
  }

  const pause = (failures: number): Promise<void> => {
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures)
    // Shortened by up to a half, so that nodes do not come back all at once.
    return wait(longest * (1 - chance() / 2), undefined, { signal: closing.signal }).catch(() => {})
  }

  const firstTry = Promise.withResolvers<void>()
  const stayConnected = async (): Promise<void> => {
    let failures = 0
    // Not all nodes at the first server of a cluster.
    for (let turn = Math.floor(chance() * servers.length); !closing.signal.aborted; turn += 1) {
      const server = servers[turn % servers.length]!
      link = new Link({ server, subscriptions: () => topics.values(), heard, pingMs })
      const opened = await link.opened
      const openedAt = performance.now()
      if (opened) {
        nowHears()
        firstTry.resolve()
      }
      const why = await link.ended
      if (closing.signal.aborted) return
      if (opened && performance.now() - openedAt > STEADY_MS) failures = 0
      nowDeaf(`${server.host}:${server.port}: ${why}`)
      firstTry.resolve()
      await pause(failures)
      failures += 1
    }
  }
  const staying = stayConnected()
  await firstTry.promise

  return {
    nudge(topic) {
      if (closing.signal.aborted) return
      local.nudge(topic)
      gathered.add(topic)
      gathering ??= setTimeout(send, GATHER_MS)
    },
    on(topic, listener) {
      const off = local.on(topic, listener)
      if (closing.signal.aborted) return off
      const subject = subjectOf(topic)
      let known = topics.get(subject)
      if (!known) {
        known = { id: (ids += 1), subject, topic, listeners: 0 }
        topics.set(subject, known)
        link?.subscribe(known)
      }
      const mine = known
      mine.listeners += 1
      let listens = true
      return () => {
        off()
        if (!listens) return
        listens = false
        mine.listeners -= 1
        if (mine.listeners > 0) return
        topics.delete(subject)
        link?.unsubscribe(mine)
      }
    },
    state: () => state,
    flush: async () => {
      send()
      if (state.connected) await link?.flush()
    },
    async close() {
      if (closing.signal.aborted) return
      send()
      closing.abort()
      await local.close()
      await link?.close()
      await staying
      state = { connected: false, since: clock.now(), why: 'closed' }
    },
  }
}
