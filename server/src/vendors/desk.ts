import type { VendorName } from '@carillon/protocol/names.ts'
import { type Grounds, groundsIn } from '@carillon/protocol/sentences/reasons.ts'
import type { Logger } from 'pino'
import type { Seal } from '../access/seal.ts'
import type { Clock } from '../clock.ts'
import { laneAlarms, lanesIn } from '../metrics.ts'
import { backoffMs } from '../push/retry.ts'
import { GUARD_MS, Guard, TOKENS_DYING } from '../store/guard.ts'
import { type DeadToken, quarantineTokens, releaseTokens, tellLanePaused } from '../store/quarantine.ts'
import { forgetAccount, lanesOf, quarantineBelieved } from '../store/shared-lanes.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { AccessShelf } from './access-shelf.ts'
import { AccessTokens } from './access-tokens.ts'
import type { Accounts, OpenAccount } from './accounts.ts'
import { Lane, type LaneState, type LaneTrouble, laneState } from './lane.ts'
import { Prepared } from './prepared.ts'
import { OwnRate } from './rate.ts'
import { Resting } from './resting.ts'
import type { Exchanged, Sender, Sending } from './send.ts'
import { SharedLanes } from './shared-lanes.ts'
import { Turns } from './turns.ts'
import type { Vendor, VendorRequest, Verdict } from './vendor.ts'

export interface DeskParts {
  store: Store
  clock: Clock
  log: Logger
  sender: Pick<Sender, 'exchange' | 'retire'>
  accounts: Accounts
  /** Origins that take the place of a vendor's own, and rates that differ from its documented ones. */
  origins: Partial<Record<VendorName, string>>
  rates: Partial<Record<VendorName, number>>
  /** Where a vendor reports to about this app; undefined while the public address is not known. */
  receiptUrl(app: number, vendor: VendorName): string | undefined
  /** Seals the access tokens that are kept in the store; without it they are kept in memory alone. */
  seal?: Seal
  /** Other nodes send to the same vendors: rates, pauses and guards are theirs too. */
  shared?: boolean
  chance?(): number
}

/** What an operator sees of a lane. */
export interface LaneReport {
  app: number
  vendor: VendorName
  environment: number
  state: LaneState
  /** Why it is not open, and until when. */
  trouble: LaneTrouble | undefined
  /** Since when its dead tokens are not believed, because there are too many of them. */
  doubtedSince: number | undefined
  requestsUnderWay: number
}

/** What all vendors' channels share: accounts, access tokens, lanes, and the one sender. */
export class Desk {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly accounts: Accounts
  readonly tokens: AccessTokens
  readonly prepared: Prepared
  readonly turns = new Turns()
  readonly resting: Resting
  readonly receiptUrl: DeskParts['receiptUrl']
  readonly #sender: DeskParts['sender']
  readonly #origins: DeskParts['origins']
  readonly #rates: DeskParts['rates']
  readonly #chance: () => number
  readonly #shared: SharedLanes | undefined
  readonly #lanes = new Map<string, { lane: Lane; account: OpenAccount }>()
  readonly #sendings = new WeakMap<OpenAccount, Map<string, Sending>>()

  constructor(parts: DeskParts) {
    const { store, clock, log, sender, accounts, origins, rates, receiptUrl, seal } = parts
    const { shared = false, chance = Math.random } = parts
    this.store = store
    this.clock = clock
    this.log = log
    this.accounts = accounts
    this.receiptUrl = receiptUrl
    this.#sender = sender
    this.#origins = origins
    this.#rates = rates
    this.#chance = chance
    const shelf = seal && new AccessShelf({ store, seal, clock, alone: !shared })
    this.tokens = new AccessTokens(clock, this.exchange.bind(this), shelf)
    this.prepared = new Prepared(clock)
    this.resting = new Resting(clock)
    const { resting, prepared } = this
    this.#shared = shared ? new SharedLanes({ store, clock, log, resting, prepared }) : undefined
    accounts.onReplaced((account) => this.#close(account))
    lanesIn.read = () => this.#count()
    laneAlarms.read = () => this.#lanes.values().filter(({ lane }) => lane.guard.since !== undefined).toArray().length
  }

  /** `mayBegin` is asked right before it leaves, where it had to wait for its turn. */
  exchange(vendor: Vendor, account: OpenAccount, region: string, request: VendorRequest, mayBegin?: () => boolean): Promise<Exchanged> {
    return this.#sender.exchange(request, this.#sendingOf(vendor, account, region), mayBegin)
  }

  /** Made once for each account and region: opening an identity takes longer than sending a push. */
  #sendingOf(vendor: Vendor, account: OpenAccount, region: string): Sending {
    let byRegion = this.#sendings.get(account)
    if (!byRegion) this.#sendings.set(account, (byRegion = new Map()))
    let sending = byRegion.get(region)
    if (!sending) {
      const identity = vendor.identity?.(account)
      const replaced = this.#origins[vendor.name]
      sending = {
        protocol: vendor.protocol, key: `${account.key} ${region}`, timeoutMs: vendor.limits.timeoutMs,
        ...(identity && { identity }), ...(replaced !== undefined && { replaced }),
      }
      byRegion.set(region, sending)
    }
    return sending
  }

  /** The connection this came over gets no new requests. */
  retire(account: OpenAccount, region: string, over: number): void {
    this.#sender.retire(`${account.key} ${region}`, over)
  }

  /** A changed certificate has a lane of its own: what was wrong with the old one does not hold it up. */
  lane(vendor: Vendor, account: OpenAccount): Lane {
    const place = placeOf(account)
    let entry = this.#lanes.get(place)
    if (entry?.account !== account) {
      const perSecond = this.#rates[vendor.name] ?? vendor.limits.perSecond
      const lane =
        this.#shared?.open(account, vendor.limits, perSecond) ??
        new Lane(vendor.limits, this.clock, new OwnRate(perSecond), new Guard())
      entry = { lane, account }
      this.#lanes.set(place, entry)
    }
    return entry.lane
  }

  /** A lane nobody has used yet is open. */
  isOpen(vendor: VendorName, app: number, environment: number): boolean {
    return this.#lanes.get(placeOf({ vendor, app, environment }))?.lane.state !== 'paused'
  }

  /** An app's lanes in use: those of this node, and those that only others have used. */
  async reports(app: number): Promise<LaneReport[]> {
    await this.#shared?.meet()
    const own = [...this.#lanes.values()]
      .filter(({ account }) => account.app === app)
      .map(({ lane, account }) => ({
        app, vendor: account.vendor, environment: account.environment, state: lane.state, trouble: lane.trouble,
        doubtedSince: lane.guard.since,
        requestsUnderWay: lane.underWay + (this.#shared?.underWayElsewhere(account) ?? 0),
      }))
    return this.#shared ? [...own, ...(await this.#othersReports(app))] : own
  }

  async #othersReports(app: number): Promise<LaneReport[]> {
    const now = this.clock.now()
    const [{ accounts }, states] = await Promise.all([this.accounts.of(app), this.store.read(lanesOf, { app, now })])
    return states.flatMap(({ account, vendor, environment, pausedUntil, failures, doubtedAt, underWay, ...heard }) => {
      const isHere = this.#lanes.has(placeOf({ vendor, app, environment }))
      if (isHere || !accounts.some(({ key }) => key === account)) return []
      const state = laneState(pausedUntil, failures, now)
      const trouble = state === 'open' ? undefined : { until: pausedUntil, ...groundsIn(heard) }
      const doubtedSince = doubtedAt ?? undefined
      return [{ app, vendor, environment, state, trouble, doubtedSince, requestsUnderWay: underWay }]
    })
  }

  /** When to try again what failed on the vendor's side. */
  againAt(lane: Lane, failures: number): number {
    return Math.max(lane.resumesAt, this.clock.now() + backoffMs(failures, this.#chance()))
  }

  /** The vendor's side failed: after some in a row the lane is given a break. */
  fails(lane: Lane, account: OpenAccount, grounds: Grounds): void {
    if (!lane.fails(grounds, this.#chance())) return
    const { app, vendor, environment } = account
    const { why } = grounds
    this.log.warn({ app, vendor, environment, why }, 'a vendor fails again and again; its lane has a break')
    void this.#shared?.pause(account, { until: lane.trouble!.until, ...grounds, failures: lane.failures, tell: false })
  }

  /**
   * A pause that the operator can do something about is told, once until something has worked. It is awaited before its
   * pushes are settled: whoever sees that they wait can see why, on whichever node.
   */
  async pause(lane: Lane, account: OpenAccount, until: number, grounds: Grounds, tell: boolean): Promise<void> {
    const { why } = grounds
    const wasOpen = lane.pause(until, grounds)
    if (this.#shared) return this.#shared.pause(account, { until, ...grounds, failures: 0, tell: tell && wasOpen })
    if (!wasOpen || !tell || !lane.isNews(why)) return
    const { app, vendor, environment } = account
    this.log.error({ app, vendor, environment, why, until: new Date(until).toISOString() }, 'a lane is paused')
    await this.store.write(tellLanePaused, { place: account, why, until, now: this.clock.now() })
  }

  /** No more bodies can be stored with this account until then. */
  async closeBodies(account: OpenAccount, instead: Verdict, until: number): Promise<void> {
    this.prepared.close(account.key, instead, until)
    await this.#shared?.closeBodies(account, instead, until)
  }

  /** A device that its vendor asked to leave alone until then. */
  rest({ key }: OpenAccount, deviceId: number, until: number): void {
    this.resting.add(key, deviceId, until)
    this.#shared?.rest({ account: key, deviceId, until })
  }

  /**
   * Resolves when all is known here that other nodes were asked to wait for before now, in this lane and for these
   * devices; false: that was not to be had in time. Undefined: there are no others. Asked before each batch, because the
   * next one for a device may go through any node.
   */
  hear(account: OpenAccount, devices: readonly { deviceId: number }[], until: number): Promise<boolean> | undefined {
    return this.#shared?.hear(account, devices.map(({ deviceId }) => deviceId), until)
  }

  /** Resolves when other nodes can know which devices are to be left alone: whoever has a batch for them next asks. */
  async restsTold(): Promise<void> {
    await this.#shared?.restsTold
  }

  /**
   * Counts the answers of one reply; tokens it calls dead are not used again, unless there are too many of them.
   * Undefined: nothing is to be written.
   */
  bury(lane: Lane, account: OpenAccount, answers: number, tokens: DeadToken[]): Promise<unknown> | undefined {
    const now = this.clock.now()
    const { app, vendor, environment, key } = account
    const place = { app, vendor, environment }
    const judged = lane.guard.count(now, answers, tokens.length)
    // Also by an answer that calls none dead: with it there may be enough of them to judge.
    if (judged === 'tripped') return this.#shared ? this.#shared.meet() : this.#release(account, now)
    if (judged === 'doubted' || tokens.length === 0) return undefined
    if (this.#shared) return this.store.write(quarantineBelieved, { account: key, place, tokens, now })
    return this.store.write(quarantineTokens, { place, tokens, now })
  }

  /** Tells the other nodes what they should know. */
  async close(): Promise<void> {
    await this.#shared?.stop()
  }

  async #release({ app, vendor, environment }: OpenAccount, now: number): Promise<void> {
    const place = { app, vendor, environment }
    const released = await this.store.write(releaseTokens, { place, since: now - GUARD_MS, why: TOKENS_DYING, now })
    this.log.error({ app, vendor, environment, released }, TOKENS_DYING)
  }

  #close(account: OpenAccount): void {
    const place = placeOf(account)
    if (this.#lanes.get(place)?.account === account) this.#lanes.delete(place)
    this.#shared?.close(account)
    this.tokens.forget(account)
    for (const { key } of this.#sendings.get(account)?.values() ?? []) this.#sender.retire(key)
    this.store.write(forgetAccount, { account: account.key }).catch((error: unknown) => {
      // What is left of it is purged when it is over.
      if (error instanceof StoreUnavailable) return
      this.log.error({ err: error }, 'what was known of a replaced certificate could not be removed')
    })
  }

  #count(): Record<LaneState, number> {
    const counts = { open: 0, paused: 0, trying: 0 }
    for (const { lane } of this.#lanes.values()) counts[lane.state] += 1
    return counts
  }
}

const placeOf = ({ vendor, app, environment }: Pick<LaneReport, 'vendor' | 'app' | 'environment'>): string =>
  `${vendor} ${app} ${environment}`
