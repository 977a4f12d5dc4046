import type { VendorName } from '@carillon/protocol/names.ts'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { laneAlarms, lanesIn } from '../metrics.ts'
import { backoffMs } from '../push/retry.ts'
import { type DeadToken, quarantineTokens, releaseTokens, tellLanePaused } from '../store/quarantine.ts'
import type { Store } from '../store/store.ts'
import { AccessTokens } from './access-tokens.ts'
import type { Accounts, OpenAccount } from './accounts.ts'
import { Lane, type LaneState } from './lane.ts'
import { Prepared } from './prepared.ts'
import { Resting } from './resting.ts'
import type { Exchanged, Sender, Sending } from './send.ts'
import { Turns } from './turns.ts'
import type { Vendor, VendorRequest } from './vendor.ts'

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
  chance?(): number
}

/** What an operator sees of a lane. */
export interface LaneReport {
  app: number
  vendor: VendorName
  environment: number
  state: LaneState
  /** Why it is not open, and until when. */
  trouble: { until: number; why: string } | undefined
  /** Since when its dead tokens are not believed, because there are too many of them. */
  doubtedSince: number | undefined
  requestsUnderWay: number
}

const GUARD_MS = 60_000

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
  readonly #lanes = new Map<string, { lane: Lane; account: OpenAccount }>()
  readonly #sendings = new WeakMap<OpenAccount, Map<string, Sending>>()

  constructor({ store, clock, log, sender, accounts, origins, rates, receiptUrl, chance = Math.random }: DeskParts) {
    this.store = store
    this.clock = clock
    this.log = log
    this.accounts = accounts
    this.receiptUrl = receiptUrl
    this.#sender = sender
    this.#origins = origins
    this.#rates = rates
    this.#chance = chance
    this.tokens = new AccessTokens(clock, (vendor, account, region, request) => this.exchange(vendor, account, region, request))
    this.prepared = new Prepared(clock)
    this.resting = new Resting(clock)
    accounts.onReplaced((account) => this.#close(account))
    lanesIn.read = () => this.#count()
    laneAlarms.read = () => this.#lanes.values().reduce((count, { lane }) => count + (lane.guard.since === undefined ? 0 : 1), 0)
  }

  exchange(vendor: Vendor, account: OpenAccount, region: string, request: VendorRequest): Promise<Exchanged> {
    return this.#sender.exchange(request, this.#sendingOf(vendor, account, region))
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
      entry = { lane: new Lane(vendor.limits, this.clock, this.#rates[vendor.name] ?? vendor.limits.perSecond), account }
      this.#lanes.set(place, entry)
    }
    return entry.lane
  }

  /** A lane nobody has used yet is open. */
  isOpen(vendor: VendorName, app: number, environment: number): boolean {
    return this.#lanes.get(placeOf({ vendor, app, environment }))?.lane.state !== 'paused'
  }

  reports(app: number): LaneReport[] {
    return [...this.#lanes.values()]
      .filter(({ account }) => account.app === app)
      .map(({ lane, account }) => ({
        app, vendor: account.vendor, environment: account.environment, state: lane.state, trouble: lane.trouble,
        doubtedSince: lane.guard.since, requestsUnderWay: lane.underWay,
      }))
  }

  /** When to try again what failed on the vendor's side. */
  againAt(lane: Lane, failures: number): number {
    return Math.max(lane.resumesAt, this.clock.now() + backoffMs(failures, this.#chance()))
  }

  /** The vendor's side failed: after some in a row the lane is given a break. */
  fails(lane: Lane, { app, vendor, environment }: OpenAccount, why: string): void {
    if (lane.fails(why, this.#chance())) this.log.warn({ app, vendor, environment, why }, 'a vendor fails again and again; its lane has a break')
  }

  /** A pause that the operator can do something about is told, once until something has worked. */
  async pause(lane: Lane, account: OpenAccount, until: number, why: string, tell: boolean): Promise<void> {
    if (!lane.pause(until, why) || !tell || !lane.isNews(why)) return
    const { app, vendor, environment } = account
    this.log.error({ app, vendor, environment, why, until: new Date(until).toISOString() }, 'a lane is paused')
    await this.store.write(tellLanePaused, { place: account, why, until, now: this.clock.now() })
  }

  /**
   * Counts the answers of one reply; tokens it calls dead are not used again, unless there are too many of them.
   * Undefined: nothing is to be written.
   */
  bury(lane: Lane, account: OpenAccount, answers: number, tokens: DeadToken[]): Promise<unknown> | undefined {
    const now = this.clock.now()
    const { app, vendor, environment } = account
    const judged = lane.guard.count(now, answers, tokens.length)
    // Also by an answer that calls none dead: with it there may be enough of them to judge.
    if (judged === 'tripped') return this.#release(account, now)
    if (judged === 'doubted' || tokens.length === 0) return undefined
    return this.store.write(quarantineTokens, { place: { app, vendor, environment }, tokens, now })
  }

  async #release({ app, vendor, environment }: OpenAccount, now: number): Promise<void> {
    const why = 'more than a fifth of the answers of a minute call their token dead: most likely the certificate or its environment is wrong'
    const released = await this.store.write(releaseTokens, { place: { app, vendor, environment }, since: now - GUARD_MS, why, now })
    this.log.error({ app, vendor, environment, released }, why)
  }

  #close(account: OpenAccount): void {
    const place = placeOf(account)
    if (this.#lanes.get(place)?.account === account) this.#lanes.delete(place)
    this.tokens.forget(account)
    for (const { key } of this.#sendings.get(account)?.values() ?? []) this.#sender.retire(key)
  }

  #count(): Record<LaneState, number> {
    const counts = { open: 0, paused: 0, trying: 0 }
    for (const { lane } of this.#lanes.values()) counts[lane.state] += 1
    return counts
  }
}

const placeOf = ({ vendor, app, environment }: Pick<LaneReport, 'vendor' | 'app' | 'environment'>): string => `${vendor} ${app} ${environment}`
