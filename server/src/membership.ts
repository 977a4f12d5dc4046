import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Bus } from './bus/bus.ts'
import type { Clock } from './clock.ts'
import { BEAT_MS, SILENT_MS, beat, joinNode, leaveNode, livingNodes, reapNode, renewNode, silentNodes } from './store/heart-beats.ts'
import { startNode } from './store/nodes.ts'
import type { Store } from './store/store.ts'

/** Beats further apart than this, and others may seem silent that could not be heard for the same reason. */
const LATE_MS = SILENT_MS - 2 * BEAT_MS

/** This node among the others. */
export interface Membership {
  /** There are no others, and there never will be. */
  readonly alone: boolean
  /** This incarnation; another one after the others took it for dead although it was not. */
  readonly node: number
  /** Those that live, this one included. */
  readonly alive: readonly number[]
  /** Called when this node goes on under a new number, with the one it had. */
  onRenewed(listener: (before: number) => void): void
  /** What it still holds is the others' from now on. */
  leave(): Promise<void>
}

/** The only node of a store of its own: nobody to tell, and nobody to leave anything to. */
export const onlyNode = async (store: Store, clock: Clock): Promise<Membership> => {
  const node = await store.write(startNode, { now: clock.now() })
  return { alone: true, node, alive: [node], onRenewed: () => {}, leave: async () => {} }
}

interface Parts {
  store: Store
  clock: Clock
  log: Logger
  parts: readonly string[]
  /** Where its HTTP door will be, for people who look for it. */
  address: string
}

/** One of many on one store: says each second that it lives, hears who else does, and frees what silent ones held. */
export const oneOfMany = async ({ bus, ...parts }: Parts & { bus: Bus }): Promise<Membership> => {
  const { store, clock, address } = parts
  const member = new Member(parts, await store.write(joinNode, { parts: parts.parts, address, now: clock.now() }))
  await member.start()
  bus.on('nodes', () => void member.look())
  bus.nudge('nodes') // until the others know this one, its devices count as away there
  return member
}

export class Member implements Membership {
  readonly alone = false
  readonly #parts: Parts
  readonly #leaving = new AbortController()
  #node: number
  #alive: readonly number[]
  readonly #renewed: ((before: number) => void)[] = []
  #beating: Promise<void> = Promise.resolve()
  #looking: Promise<void> | undefined
  /** When the store took the last beat, and since when it has taken them all in time. */
  #storedAt = 0
  #steadySince = 0

  constructor(parts: Parts, node: number) {
    this.#parts = parts
    this.#node = node
    this.#alive = [node]
  }

  get node(): number {
    return this.#node
  }

  get alive(): readonly number[] {
    return this.#alive
  }

  /** Hears who lives before the next beat does. */
  async look(): Promise<void> {
    await this.#hear().catch(() => {}) // without the store: the next beat says so
  }

  onRenewed(listener: (before: number) => void): void {
    this.#renewed.push(listener)
  }

  async start(): Promise<void> {
    await this.#hear()
    this.#beating = this.#goOn()
  }

  async leave(): Promise<void> {
    this.#leaving.abort()
    await this.#beating
    await this.#looking
    const { store, clock, log } = this.#parts
    try {
      while ((await store.write(leaveNode, { node: this.#node, now: clock.now() })) === 'more');
    } catch (error) {
      log.warn({ err: error }, 'the other nodes could not be told that this one leaves; they notice by its silence')
    }
  }

  async #goOn(): Promise<void> {
    const { signal } = this.#leaving
    while (!signal.aborted) {
      await wait(BEAT_MS, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      // Not waited for: to free all that a dead node held may take longer than the others wait for a beat.
      if (await this.#beat()) this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    }
  }

  /** One beat, and what is due with it. */
  async turn(): Promise<void> {
    if (await this.#beat()) await this.#look()
  }

  /** False: it could not be stored. */
  async #beat(): Promise<boolean> {
    const { store, clock, log } = this.#parts
    try {
      if (!(await store.write(beat, { node: this.#node, now: clock.now() }))) await this.#renew()
      const now = clock.now()
      if (now - this.#storedAt > LATE_MS) this.#steadySince = now
      this.#storedAt = now
      return true
    } catch (error) {
      log.warn({ err: error }, 'a heart-beat could not be stored; after a few the other nodes take this one for dead')
      return false
    }
  }

  async #look(): Promise<void> {
    try {
      await this.#hear()
      await this.#reap()
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'the other nodes could not be looked at; it is tried again in a moment')
    }
  }

  async #hear(): Promise<void> {
    const { store, clock } = this.#parts
    const living = (await store.read(livingNodes, { now: clock.now() })).map(({ id }) => id)
    this.#alive = living.includes(this.#node) ? living : [...living, this.#node]
  }

  /** After a time without the store, or asleep, everybody looks silent, so whoever has just come back does not judge. */
  async #reap(): Promise<void> {
    const { store, clock, log } = this.#parts
    if (clock.now() - this.#steadySince < SILENT_MS + BEAT_MS || clock.now() - this.#storedAt > LATE_MS) return
    for (const node of await store.read(silentNodes, { now: clock.now() })) {
      let reaped = await store.write(reapNode, { node, now: clock.now() })
      if (reaped !== 'living') log.warn({ node }, 'a node is silent; what it held is free')
      while (reaped === 'more') reaped = await store.write(reapNode, { node, now: clock.now() })
    }
  }

  async #renew(): Promise<void> {
    const { store, clock, log, parts, address } = this.#parts
    const before = this.#node
    this.#node = await store.write(renewNode, { before, parts, address, now: clock.now() })
    log.error({ before, node: this.#node }, 'the other nodes took this one for dead; it goes on as a new one')
    for (const renewed of this.#renewed) renewed(before)
  }
}
