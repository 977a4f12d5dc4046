import { randomUUID } from 'node:crypto'
import { groundsIn } from '@carillon/protocol/sentences/reasons.ts'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { TOKENS_DYING } from '../store/guard.ts'
import type { LaneState, NoBodies } from '../store/lane-states.ts'
import type { LaneNews, LaneTurn, Rest } from '../store/shared-lanes.ts'
import { lookAtLane, meetLanes, readLanes, takeTime } from '../store/shared-lanes.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import type { OpenAccount } from './accounts.ts'
import { Lane } from './lane.ts'
import type { Prepared } from './prepared.ts'
import type { Resting } from './resting.ts'
import { SharedGuard } from './shared-guard.ts'
import { SharedRate } from './shared-rate.ts'
import type { Limits, Verdict } from './vendor.ts'

/** What one node was told stops what the others have begun within twice this. */
const LOOK_MS = 400
/** The store was away: asked again after this. */
const AGAIN_MS = 250
/** Devices to be left alone are looked for so far back: nodes' clocks differ, and what they write takes a while. */
const OVERLAP_MS = 10_000

/** What is under way is told when it changes, and so often while it does not. */
const REPEAT_MS = 2_000

type Pause = NonNullable<LaneNews['pause']>

interface Shared {
  lane: Lane
  guard: SharedGuard
  account: OpenAccount
  /** As all nodes saw it last. */
  known: LaneState | undefined
  /** What had worked here by the time its trouble was heard of. */
  successes: number
  /** The others do not know of it yet. */
  pause: Pause | null
  noBodies: NoBodies | null
  /** What they were told to be under way here, and when. */
  underWay: { count: number; at: number }
}

interface Parts {
  store: Store
  clock: Clock
  log: Logger
  resting: Resting
  prepared: Prepared
}

/**
 * The lanes of this node among those of others. Each node tells through the store what it was answered and what it was
 * asked to wait for, and hears what the others were, a few times a second; what matters at once is told at once.
 */
export class SharedLanes {
  readonly #parts: Parts
  /** As the others know this node. */
  readonly #node = randomUUID()
  readonly #lanes = new Map<string, Shared>()
  #rests: Rest[] = []
  #restsTold: Promise<void> = Promise.resolve()
  /** Up to when devices to be left alone have been heard of. */
  #restsUntil = 0
  #current: Promise<boolean> = Promise.resolve(true)
  #next: Promise<boolean> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    void this.meet()
    this.#rest()
  }

  /** A lane that takes its time from the store, and learns there what others know before it sends anything. */
  open(account: OpenAccount, limits: Limits, perSecond: number): Lane {
    const { store, clock } = this.#parts
    const { key, app, vendor, environment } = account
    const asked = { node: this.#node, account: key, place: { app, vendor, environment } }
    const rate = new SharedRate(perSecond, clock, async (fromUs, lengthUs) => {
      try {
        const taken = await store.write(takeTime, { ...asked, fromUs, lengthUs, now: clock.now() })
        this.#learn(taken.state)
        return taken.endUs
      } catch (error) {
        this.#failed(error)
        throw error
      }
    })
    const guard = new SharedGuard()
    const lane = new Lane(limits, clock, rate, guard)
    const underWay = { count: 0, at: 0 }
    const unknown = { known: undefined, successes: 0, pause: null, noBodies: null }
    this.#lanes.set(key, { lane, guard, account, ...unknown, underWay })
    return lane
  }

  close({ key }: OpenAccount): void {
    this.#lanes.delete(key)
  }

  /** Requests under way in this lane on other nodes. */
  underWayElsewhere({ key }: OpenAccount): number {
    return this.#lanes.get(key)?.known?.underWay ?? 0
  }

  /** Tells the others of a pause; resolves when they can know. */
  async pause({ key }: OpenAccount, pause: Pause): Promise<void> {
    const shared = this.#lanes.get(key)
    if (!shared) return
    // However little longer than the one they know: what waits until its end must not be sent before.
    if (pause.until <= Math.max(this.#parts.clock.now(), shared.known?.pausedUntil ?? 0)) return
    const untold = shared.pause
    if (untold === null || untold.until < pause.until) {
      const { failures = 0, tell = false } = untold ?? {}
      shared.pause = { ...pause, failures: Math.max(failures, pause.failures), tell: tell || pause.tell }
    }
    await this.#tell()
  }

  /** Tells the others that no more bodies can be stored; resolves when they can know. */
  async closeBodies({ key }: OpenAccount, instead: Verdict, until: number): Promise<void> {
    const shared = this.#lanes.get(key)
    if (!shared) return
    shared.noBodies = { until, instead: JSON.stringify(instead) }
    await this.#tell()
  }

  /** Tells the others to leave a device alone. */
  rest(rest: Rest): void {
    this.#rests.push(rest)
    this.#restsTold = this.#tell()
  }

  /** Resolves when all of those were. */
  get restsTold(): Promise<void> {
    return this.#restsTold
  }

  /**
   * What the others were told of this lane and of these devices, whenever that was: they wrote it down before they let
   * go of what it was about. False: the store stayed away.
   */
  async hear({ key }: OpenAccount, devices: number[], until: number): Promise<boolean> {
    const { store, clock } = this.#parts
    do {
      try {
        const heard = await store.read(lookAtLane, { node: this.#node, account: key, devices, now: clock.now() })
        if (heard) this.#learn(heard.state)
        this.#learnRests(heard?.rests ?? [])
        return true
      } catch (error) {
        this.#failed(error)
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      }
    } while (this.#lanes.get(key)?.lane.takesWork(until))
    return false
  }

  /** What was told in vain is told once more at once, before anybody lets go of what it is about. */
  async #tell(): Promise<void> {
    if (!(await this.meet())) await this.meet()
  }

  /**
   * Tells and hears. What has just happened may have missed the meeting under way: that one is followed by another.
   * False: it failed, and what was to be told waits for the next one.
   */
  meet(): Promise<boolean> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      this.#current = this.#meet()
      return this.#current
    })
    return this.#next
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.meet()
  }

  #rest(): void {
    this.#timer = setTimeout(() => {
      void this.meet().then(() => {
        if (this.#timer) this.#rest()
      })
    }, LOOK_MS).unref()
  }

  async #meet(): Promise<boolean> {
    const { store, clock } = this.#parts
    const now = clock.now()
    const accounts = [...this.#lanes.keys()]
    const asked = { node: this.#node, accounts, restsAfter: this.#restsUntil - OVERLAP_MS, now }
    const news = [...this.#lanes.values()].flatMap((shared) => newsOf(shared, now) ?? [])
    const rests = this.#rests.splice(0)
    try {
      const hasNews = news.length > 0 || rests.length > 0
      const heard = hasNews
        ? await store.write(meetLanes, { ...asked, news, rests })
        : { ...(await store.read(readLanes, asked)), turns: [] }
      this.#restsUntil = now
      this.#learnRests(heard.rests)
      for (const turn of heard.turns) this.#log(turn, news.find(({ account }) => account === turn.account)!)
      for (const state of heard.lanes) this.#learn(state)
      return true
    } catch (error) {
      for (const one of news) this.#takeBack(one)
      this.#rests.unshift(...rests)
      this.#failed(error)
      return false
    }
  }

  /** The store says itself when it is away. */
  #failed(error: unknown): void {
    if (error instanceof StoreUnavailable) return
    this.#parts.log.error({ err: error }, 'lanes could not be shared with other nodes; it is tried again in a moment')
  }

  #learn(state: LaneState): void {
    const shared = this.#lanes.get(state.account)
    if (!shared) return
    const { known, lane, guard } = shared
    if (isTroubled(state) && !(known && isTroubled(known))) shared.successes = lane.successes
    shared.known = state
    const { account, noBodies } = state
    if (noBodies) this.#parts.prepared.close(account, JSON.parse(noBodies.instead) as Verdict, noBodies.until)
    guard.learn(state)
    if (!shared.pause) lane.learn(state)
    else lane.pause(state.pausedUntil, groundsIn(state))
  }

  #learnRests(rests: readonly Rest[]): void {
    for (const { account, deviceId, until } of rests) this.#parts.resting.add(account, deviceId, until)
  }

  #takeBack({ account, answers, dead, pause, noBodies }: LaneNews): void {
    const shared = this.#lanes.get(account)
    if (!shared) return
    shared.guard.takeBack({ answers, dead })
    shared.underWay.at = 0
    if (pause && !(shared.pause && shared.pause.until >= pause.until)) shared.pause = pause
    shared.noBodies ??= noBodies
  }

  #log({ told, released }: LaneTurn, { place, pause }: LaneNews): void {
    const { log } = this.#parts
    if (told) log.error({ ...place, why: pause!.why, until: new Date(pause!.until).toISOString() }, 'a lane is paused')
    if (released !== null) log.error({ ...place, released }, TOKENS_DYING)
  }
}

const isTroubled = ({ failures, isTold }: LaneState): boolean => failures > 0 || isTold

const newsOf = (shared: Shared, now: number): LaneNews | undefined => {
  const { lane, guard, account: { key, app, vendor, environment }, known, successes, pause, noBodies } = shared
  const { underWay } = lane
  const worked = known !== undefined && isTroubled(known) && lane.successes > successes
  const isMoved = underWay !== shared.underWay.count || (underWay > 0 && now - shared.underWay.at >= REPEAT_MS)
  const told = guard.tell()
  if (told.answers === 0 && !worked && !pause && !noBodies && !isMoved) return undefined
  shared.pause = null
  shared.noBodies = null
  shared.underWay = { count: underWay, at: now }
  return { account: key, place: { app, vendor, environment }, ...told, worked, underWay, pause, noBodies }
}
