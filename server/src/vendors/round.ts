import { type Grounds, groundsIn, plainly } from '@carillon/protocol/sentences/reasons.ts'
import type { Cell } from '../metrics-kinds.ts'
import { unknownCodes, vendorAnswers, vendorRequests } from '../metrics.ts'
import type { Handing, Outcome, Target } from '../push/channel.ts'
import type { OpenAccount } from './accounts.ts'
import type { Desk } from './desk.ts'
import { unanswered, withWait } from './grounds.ts'
import { type Again, type Attempt, type Placed, judge } from './judge.ts'
import type { Lane } from './lane.ts'
import type { Exchanged } from './send.ts'
import { nextDay } from './next-day.ts'
import type { Addressed, Preparation, Vendor, VendorPush, Verdict } from './vendor.ts'

const SENT: Outcome = { kind: 'sent' }
const FIRST: Attempt = { variant: '', renewed: false, unknowns: 0, batch: Infinity }
// Less than 2 ms of sending.
const DEVICES_A_TURN = 25
/** What is to be asked once more after longer than this is let go meanwhile: it would keep others of its lane waiting. */
const LONGEST_SLEEP_MS = 5_000
/** A vendor that says nothing of when. */
const LIMITED_MS = 1_000
/** Nobody knows what happened, so nobody knows when it is over. */
const SURPRISE_MS = 60_000

/** One batch on its way through a vendor: its requests, and what each answer means for its addresses and for the lane. */
export class Round {
  readonly #desk: Desk
  readonly #vendor: Vendor
  readonly #account: OpenAccount
  readonly #push: VendorPush
  readonly #handing: Handing
  readonly #lane: Lane
  #outcomes: Outcome[] = []
  /** Failures of this round in a row: later ones wait longer. */
  #failures = 0
  /** What is counted for every request is looked up once a round. */
  readonly #requests: Partial<Record<Exchanged['kind'], Cell>> = {}
  readonly #answers: Partial<Record<Verdict['kind'], Cell>> = {}

  constructor(desk: Desk, vendor: Vendor, account: OpenAccount, push: VendorPush, handing: Handing) {
    this.#desk = desk
    this.#vendor = vendor
    this.#account = account
    this.#push = push
    this.#handing = handing
    this.#lane = desk.lane(vendor, account)
  }

  async send(targets: readonly Target[]): Promise<Outcome[]> {
    const { regionOf, limits } = this.#vendor
    const { until } = this.#handing
    const lane = this.#lane
    this.#outcomes = new Array<Outcome>(targets.length)
    const placed = targets.map(({ address, deviceId, badge, index }, place): Placed => ({ token: address!, deviceId, badge, place, index }))
    const hearing = this.#desk.hear(this.#account, placed, until)
    if (hearing && !(await hearing)) {
      this.#notNow(placed)
      return this.#outcomes
    }
    const sending: Promise<void>[] = []
    let inTurn = targets.length > 1 ? DEVICES_A_TURN : 0
    const awake = this.#awake(placed)
    const regions = regionOf ? Map.groupBy(awake, ({ token }) => regionOf(token, this.#account)) : new Map([['', awake]])
    for (const [region, addresses] of regions) {
      for (let at = 0; at < addresses.length; at += limits.batch) {
        const some = addresses.slice(at, at + limits.batch)
        // One waits for room and the others behind it: a thousand that wait would cost more than sending them.
        const isWaiting = !lane.enterNow(some.length, until)
        if (isWaiting && !(await lane.enter(some.length, until))) {
          this.#notNow(some)
          continue
        }
        // After a wait, too: what made room was one of many answers that are being read, and those come first. A single
        // push waits for nobody.
        if (isWaiting || inTurn >= DEVICES_A_TURN) {
          await this.#desk.turns.take()
          inTurn = 0
        }
        inTurn += some.length
        sending.push(this.#request(region, some, FIRST))
      }
    }
    await Promise.all(sending)
    await this.#desk.restsTold()
    return this.#outcomes
  }

  /** For those that have their place in the lane; what is asked once more waits for another one. */
  async #request(region: string, addresses: readonly Placed[], attempt: Attempt): Promise<void> {
    const lane = this.#lane
    let again: Again[] = []
    try {
      again = await this.#turn(region, addresses, attempt)
    } catch (error) {
      this.#surprised(addresses, error)
    } finally {
      lane.leave()
    }
    for (const { waitMs, ...next } of again) {
      const at = this.#desk.clock.now() + waitMs
      if (waitMs > LONGEST_SLEEP_MS || at >= this.#handing.until) {
        this.#all(this.#awake(next.addresses), { kind: 'later', ...plainly('no_time'), at })
        continue
      }
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      const repeated: Promise<void>[] = []
      for (let at = 0; at < next.addresses.length; at += next.attempt.batch) {
        const some = next.addresses.slice(at, at + next.attempt.batch)
        if (await lane.enter(some.length, this.#handing.until)) repeated.push(this.#request(region, some, next.attempt))
        else this.#notNow(some)
      }
      await Promise.all(repeated)
    }
  }

  /** One request and its answer; resolves to what is to be asked once more. */
  async #turn(region: string, asked: readonly Placed[], attempt: Attempt): Promise<Again[]> {
    const { tokens } = this.#desk
    const access = tokens.current(this.#vendor, this.#account, region) ?? (await tokens.get(this.#vendor, this.#account, region))
    if (typeof access !== 'string') return this.#judge(asked, attempt, asked.map(() => withoutAccess(access)))
    // Getting a token and storing a body may each take as long as a request.
    if (this.#isTooLate) return this.#notNow(asked)
    const addresses = this.#awake(asked) // others may have been answered while these waited
    if (addresses.length === 0) return []
    const to = { push: this.#push, account: this.#account, addresses, region, access, variant: attempt.variant }
    const { prepare } = this.#vendor
    const prepared = prepare?.isFor(to) ? await this.#prepare(prepare, to) : ''
    if (typeof prepared !== 'string') {
      if (prepared.kind === 'renew') this.#desk.tokens.drop(this.#account, region, access)
      return this.#judge(addresses, attempt, addresses.map(() => prepared))
    }
    if (this.#isTooLate) return this.#notNow(addresses)
    const addressed: Addressed = { ...to, prepared }
    let isHeldBack = false
    const mayBegin = (): boolean => !(isHeldBack = this.#isTooLate || this.#awake(addresses).length < addresses.length)
    const exchanged = this.#counted(await this.#desk.exchange(this.#vendor, this.#account, region, this.#vendor.request(addressed), mayBegin))
    if (isHeldBack) return this.#notNow(this.#awake(addresses))
    if (exchanged.kind !== 'reply') return this.#unanswered(addresses, exchanged)
    const { reply, retryAfterMs, over } = exchanged
    const verdicts = this.#vendor.read(reply, addressed)
    if (verdicts.some(({ reconnect }) => reconnect)) this.#desk.retire(this.#account, region, over)
    if (verdicts.length === addresses.length && verdicts.every(({ kind }) => kind === 'sent')) {
      await this.#allSent(addresses)
      return []
    }
    if (verdicts.some(({ kind }) => kind === 'renew')) this.#desk.tokens.drop(this.#account, region, access)
    return this.#judge(addresses, attempt, verdicts, retryAfterMs)
  }

  async #prepare(prepare: Preparation, to: Omit<Addressed, 'prepared'>): Promise<string | Verdict> {
    const { prepared, clock } = this.#desk
    return prepared.closed(this.#account.key) ?? prepared.get(`${this.#account.key} ${to.region} ${to.variant} ${this.#push.taskId}`, async () => {
      const exchanged = this.#counted(await this.#desk.exchange(this.#vendor, this.#account, to.region, prepare.request(to)))
      // Nothing was sent to anybody yet.
      if (exchanged.kind !== 'reply') return withWait({ kind: 'down', ...unanswered(exchanged) }, exchanged)
      const { reply, over } = exchanged
      const read = prepare.read(reply)
      if ('prepared' in read) return read.prepared
      if (read.reconnect) this.#desk.retire(this.#account, to.region, over)
      if (read.kind === 'adapt' && read.batch !== undefined) await this.#desk.closeBodies(this.#account, read, nextDay(clock.now()))
      return withWait(read, exchanged)
    })
  }

  #counted(exchanged: Exchanged): Exchanged {
    const { kind } = exchanged
    const cell = (this.#requests[kind] ??= vendorRequests.of(this.#vendor.name, kind))
    cell.value += 1
    return exchanged
  }

  #countAnswers(kind: Verdict['kind'], count: number): void {
    const cell = (this.#answers[kind] ??= vendorAnswers.of(this.#vendor.name, kind))
    cell.value += count
  }

  /** Whether the lane was paused, or the time ran out, while this one had its turn. */
  get #isTooLate(): boolean {
    return !this.#lane.takesWork(this.#handing.until)
  }

  /** Without those that the vendor asked to leave alone: they come back when their time is over. */
  #awake(addresses: readonly Placed[]): readonly Placed[] {
    const { resting } = this.#desk
    if (resting.isEmpty) return addresses
    return addresses.filter((address) => {
      const at = resting.until(this.#account.key, address.deviceId)
      if (at !== undefined) this.#set(address, { kind: 'later', ...plainly('resting'), at })
      return at === undefined
    })
  }

  #notNow(addresses: readonly Placed[]): Again[] {
    const { trouble, resumesAt } = this.#lane
    this.#all(addresses, { kind: 'later', ...(trouble ? groundsIn(trouble) : plainly('no_time')), at: resumesAt })
    return []
  }

  /** What is known of some of them stays known, and other requests of the batch go on. */
  #surprised(addresses: readonly Placed[], error: unknown): void {
    const { log, clock } = this.#desk
    log.error({ err: error, vendor: this.#vendor.name, task: this.#push.taskId }, 'handing over to a vendor failed in a way nobody foresaw; it is tried again')
    const at = clock.now() + SURPRISE_MS
    for (const { place } of addresses) this.#outcomes[place] ??= { kind: 'later', ...plainly('unforeseen'), at }
  }

  async #unanswered(addresses: readonly Placed[], exchanged: Exclude<Exchanged, { kind: 'reply' }>): Promise<Again[]> {
    const { kind, retryAfterMs } = exchanged
    const grounds = unanswered(exchanged)
    this.#desk.fails(this.#lane, this.#account, grounds)
    this.#all(addresses, { kind: kind === 'lost' ? 'lost' : 'later', ...grounds, at: this.#againAt(retryAfterMs) })
    if (retryAfterMs !== undefined) await this.#desk.pause(this.#lane, this.#account, this.#desk.clock.now() + retryAfterMs, grounds, false)
    return []
  }

  /** The usual reply, judged in short. */
  #allSent(addresses: readonly Placed[]): Promise<unknown> | undefined {
    this.#countAnswers('sent', addresses.length)
    for (const { index, place } of addresses) {
      this.#handing.sent(index)
      this.#outcomes[place] = SENT
    }
    this.#failures = 0
    this.#lane.works()
    return this.#desk.bury(this.#lane, this.#account, addresses.length, [])
  }

  /** Does what an answer means; resolves to what is to be asked once more. */
  async #judge(addresses: readonly Placed[], attempt: Attempt, verdicts: readonly Verdict[], retryAfterMs?: number): Promise<Again[]> {
    const { clock, log } = this.#desk
    const now = clock.now()
    const limitedMs = LIMITED_MS * (1 + this.#failures)
    const times = { now, asOf: this.#push.now, retryAfterMs, limitedMs, downUntil: this.#againAt() }
    const { answers, outcomes, again, rests, dead, whole, heard, givenUp } = judge(addresses, attempt, verdicts, times)
    for (const { kind } of answers) this.#countAnswers(kind, 1)
    for (const { address, outcome } of outcomes) {
      if (outcome.kind === 'sent') this.#handing.sent(address.index)
      this.#set(address, outcome)
    }
    for (const { deviceId, until } of rests) this.#desk.rest(this.#account, deviceId, until)
    for (const why of givenUp) {
      unknownCodes.of(this.#vendor.name).value += 1
      log.warn({ vendor: this.#vendor.name, task: this.#push.taskId, why }, 'a vendor keeps answering what nobody knows; the push counts as refused')
    }
    if (whole.size === 0) {
      this.#failures = 0
      this.#lane.works()
    }
    for (const [kind, { until, grounds }] of whole) {
      if (kind === 'down') this.#fails(grounds)
      if (until > now) await this.#desk.pause(this.#lane, this.#account, until, grounds, kind === 'denied' || kind === 'exhausted')
    }
    await this.#desk.bury(this.#lane, this.#account, heard, dead)
    return again
  }

  #fails(grounds: Grounds): void {
    this.#failures += 1
    this.#desk.fails(this.#lane, this.#account, grounds)
  }

  #againAt(retryAfterMs = 0): number {
    return Math.max(this.#desk.againAt(this.#lane, this.#failures + 1), this.#desk.clock.now() + retryAfterMs)
  }

  #all(addresses: readonly Placed[], outcome: Outcome): void {
    for (const address of addresses) this.#set(address, outcome)
  }

  #set({ place }: Placed, outcome: Outcome): void {
    this.#outcomes[place] = outcome
  }
}

const ABOUT_LANE: ReadonlySet<Verdict['kind']> = new Set(['denied', 'limited', 'exhausted', 'down'])

const NO_TOKEN = { why: 'no access token in the answer' }

/** Where there is no access token nothing was asked of the push: an answer nobody knows is the vendor's trouble, not the push's end. */
const withoutAccess = (verdict: Verdict): Verdict =>
  ABOUT_LANE.has(verdict.kind)
    ? verdict
    : { ...('why' in verdict ? verdict : NO_TOKEN), kind: 'down', reason: 'no_access_token' }
