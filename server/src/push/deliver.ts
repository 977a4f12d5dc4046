import { type ChannelName, type VendorName, ownChannel } from '@carillon/protocol/names.ts'
import { notHere, plainly } from '@carillon/protocol/sentences/reasons.ts'
import { countOutcomes, transitions } from '../metrics.ts'
import { readDevices } from '../store/audience.ts'
import type { BatchChannel, NewBatch, WrittenBatch } from '../store/batches.ts'
import { type ClaimedBatch, HOLD_MS, claimFromLane, claimHeld, claimOwn } from '../store/claims.ts'
import { type Change, type Settlement, settleBatch } from '../store/settlement.ts'
import { addressesOf } from '../store/addresses.ts'
import { expireTask } from '../store/endings.ts'
import { keepInInbox } from '../store/inbox.ts'
import type { Tx } from '../store/store.ts'
import { NOTHING, isPending, levelOf, unpackBadges, unpackIds } from '../store/ledger.ts'
import type { Channel, Outcome, Target } from './channel.ts'
import { type Here, batchesOf, tokensFor } from './page.ts'
import type { Path } from './path.ts'
import type { Receipts } from './receipts.ts'
import type { Plan } from './route.ts'
import { type Sorted, sortOutcomes } from './settle.ts'
import { type Task, placeOfTask, planOf, pushOf } from './task.ts'
import type { Tasks } from './tasks.ts'
import { countExpiry } from './upkeep.ts'

/** The own channel as deliver sees it: a channel, and what only live connections have. */
export interface OwnChannel extends Channel {
  /** The inbox of a device has something; does nothing when the device is not here. */
  wake(deviceId: number): void
  /** A push to it was not acknowledged in time: it counts as away until it shows itself. */
  timedOut(deviceId: number, taskId: number): void
}

/** What is being worked on: where the devices of a batch stand, and how it is guarded. */
interface Work {
  task: Task
  batchId: number
  attempt: number
  page: number
  channel: BatchChannel
  tried: ChannelName[]
  devices: ArrayLike<number>
  badges: Int32Array | null
}

const UNADDRESSED: Outcome = { kind: 'dead', ...plainly('no_vendor_token') }
const UNHEARD: Outcome = { kind: 'unknown', ...plainly('unmentioned') }
const CLAIMS_A_TURN = 16
const OWN_CLAIMS_A_TURN = 64
const PRODUCTION = 1
/**
 * What is left of a hold when the last request to a vendor begins: it may wait 15 s for its turn, 10 s for a connection
 * and 15 s for its answer, and then all is settled. A hold that runs out while requests are under way sends them twice.
 */
const SETTLING_MS = 45_000

/** Hands batches to their channels and settles what became of them. */
export class Deliver {
  readonly #path: Path
  readonly #own: OwnChannel
  readonly #tasks: Tasks
  readonly #receipts: Receipts
  readonly #chance: () => number

  constructor(path: Path, own: OwnChannel, tasks: Tasks, receipts: Receipts, chance: () => number = Math.random) {
    this.#path = path
    this.#own = own
    this.#tasks = tasks
    this.#receipts = receipts
    this.#chance = chance
  }

  /** Batches were stored: what a single node has for itself is handed over without being claimed, the rest is nudged. */
  async onWritten(task: Task, batches: readonly WrittenBatch[]): Promise<void> {
    const { bus, log } = this.#path
    const { alone } = this.#path.here()
    for (const batch of batches) {
      if (batch.channel === ownChannel && batch.state === 'waiting') batch.devices.forEach((id) => this.#own.wake(id))
      this.#nudge(batch.told)
      if (batch.dueAt === null || batch.channel === 'held') continue
      if (batch.channel !== ownChannel) bus.nudge('batches')
      else if (!alone) bus.nudge(`own:${batch.node ?? 0}`)
      else {
        const work = { ...batch, task, batchId: batch.id, attempt: 0 }
        try {
          await this.#handOwn(work, targetsOf(work))
        } catch (error) {
          log.error({ err: error, task: task.id, batch: batch.id }, 'handing over failed; the sweep for acknowledgements finds the batch')
        }
      }
    }
  }

  /** Nodes that were told something of their devices: "look now". */
  #nudge(nodes: readonly number[]): void {
    for (const node of nodes) this.#path.bus.nudge(`own:${node}`)
  }

  /** Takes what is due on the own channel and works it off. False when nothing was. */
  async deliverOwn(): Promise<boolean> {
    // An acknowledgement that has arrived but is not written yet must not look like a missing one.
    await this.#receipts.flush()
    const here = this.#path.here()
    const claimed = await this.#path.store.write(claimOwn, { node: here.node, limit: OWN_CLAIMS_A_TURN, ackAt: ackDue(here), now: here.now })
    // Read beforehand, so that they are handed over in their order, whichever of them is known already.
    await Promise.allSettled(claimed.map(({ task_id }) => this.#tasks.get(task_id)))
    await Promise.all(claimed.map((batch) => this.#deliverSafely(batch, here.now)))
    return claimed.length > 0
  }

  /** Takes what was held back until now and routes it. False when nothing was. */
  async routeHeld(): Promise<boolean> {
    const { node, now } = this.#path.here()
    const claimed = await this.#path.store.write(claimHeld, { node, limit: CLAIMS_A_TURN, now })
    for (const batch of claimed) await this.#deliverSafely(batch, now)
    return claimed.length > 0
  }

  /** The same for the next batch of one lane of a vendor. `taken` is called once there is one, with how many are in it. */
  async deliverFromLane(channel: VendorName, lane: number, taken: (devices: number) => void): Promise<boolean> {
    const { store, clock } = this.#path
    const now = clock.now()
    const batch = await store.write(claimFromLane, { channel, lane, node: this.#path.here().node, now })
    if (!batch) return false
    taken(batch.bytes.length)
    await this.#deliverSafely(batch, now)
    return true
  }

  async #deliverSafely(batch: ClaimedBatch, claimedAt: number): Promise<void> {
    try {
      await this.#deliver(batch, claimedAt)
    } catch (error) {
      this.#path.log.error({ err: error, task: batch.task_id, batch: batch.id }, 'delivering failed; the batch is taken up again when its hold ends')
    }
  }

  async #deliver(batch: ClaimedBatch, claimedAt: number): Promise<void> {
    const { clock, vendors } = this.#path
    const task = await this.#tasks.get(batch.task_id)
    const work: Work = {
      task,
      batchId: batch.id,
      attempt: batch.attempt,
      page: batch.page,
      channel: batch.channel,
      tried: batch.tried === '' ? [] : (batch.tried.split(',') as ChannelName[]),
      devices: unpackIds(batch.devices),
      badges: batch.badges && unpackBadges(batch.badges),
    }
    const open = targetsOf(work).filter(({ index }) => isPending(batch.bytes[index]!))
    if (task.expiresAt <= clock.now()) return void countExpiry(await this.#path.store.write(expireTask, { taskId: task.id, now: clock.now() }))
    if (batch.channel === 'held') return this.#routeHeld(work, open)
    if (batch.channel === ownChannel) {
      const unheard = open.filter(({ index }) => levelOf(batch.bytes[index]!) !== NOTHING)
      for (const { deviceId } of unheard) this.#own.timedOut(deviceId, task.id)
      return this.#handOwn(work, open.filter(({ index }) => levelOf(batch.bytes[index]!) === NOTHING), unheard)
    }
    const vendor = vendors.channel(batch.channel as VendorName)
    if (!vendor) return this.#settleOutcomes(work, open, open.map((): Outcome => ({ kind: 'refused', ...notHere(batch.channel) })))
    await this.#address(work, batch.environment, open)
    const reachable = open.filter(({ address }) => address !== null)
    let marked = 0
    const sent = (index: number): void => {
      marked += 1
      this.#receipts.sent({ app: task.app, channel: vendor.name, taskId: task.id, batchId: batch.id, index }, true)
    }
    const until = Math.min(claimedAt + HOLD_MS - SETTLING_MS, task.expiresAt)
    let certificate: string | null = null
    const by = (key: string): void => void (certificate = key)
    const handing = { batchId: batch.id, environment: batch.environment, until, sent, by }
    const handed = reachable.length > 0 ? await vendor.hand(pushOf(task), handing, reachable) : []
    countOutcomes(batch.channel, handed)
    // All taken: the marks that were gathered meanwhile close the batch, and there is nothing else to settle.
    if (marked === open.length && handed.every(({ kind }) => kind === 'sent')) return this.#receipts.flush()
    let next = 0
    const outcomes = open.map(({ address }): Outcome => (address === null ? UNADDRESSED : (handed[next++] ?? UNHEARD)))
    await this.#settleOutcomes(work, open, outcomes, { certificate })
  }

  /** Writes to live connections. What was written is only marked: its acknowledgement comes by the session. */
  async #handOwn(work: Work, targets: Target[], unheard: Target[] = []): Promise<void> {
    const outcomes: Outcome[] = targets.length > 0 ? await this.#own.hand(pushOf(work.task), { batchId: work.batchId, environment: PRODUCTION, until: work.task.expiresAt, sent: () => {}, by: () => {} }, targets) : []
    countOutcomes(ownChannel, outcomes)
    outcomes.forEach(({ kind }, i) => {
      if (kind !== 'written' && kind !== 'sent') return
      const place = { app: work.task.app, channel: ownChannel, taskId: work.task.id, batchId: work.batchId, index: targets[i]!.index } as const
      this.#receipts.sent(place, kind === 'sent')
    })
    // It is due again for its acknowledgements already; one with nothing left to hand over is closed below.
    const isHanded = outcomes.every(({ kind }) => kind === 'written' || kind === 'sent')
    if (isHanded && targets.length > 0 && unheard.length === 0) return
    const written = outcomes.some(({ kind }) => kind === 'written')
    await this.#settleOutcomes(
      work,
      [...targets, ...unheard],
      [...outcomes, ...unheard.map((): Outcome => ({ kind: 'away' }))],
      { ackAt: written ? ackDue(this.#path.here()) : null },
    )
  }

  async #settleOutcomes(
    work: Work,
    targets: Target[],
    outcomes: Outcome[],
    { ackAt = null, certificate = null }: { ackAt?: number | null; certificate?: string | null } = {},
  ): Promise<void> {
    const { store } = this.#path
    const here = this.#path.here()
    const { now } = here
    const sorted = sortOutcomes(targets, outcomes, { attempt: work.attempt, now, chance: this.#chance() })
    if (sorted.queued.length > 0) {
      const rows = sorted.queued.map((index) => ({ deviceId: work.devices[index]!, taskId: work.task.id, batchId: work.batchId, index }))
      this.#nudge(await store.write(keepInInbox, { rows }))
      for (const { deviceId } of rows) this.#own.wake(deviceId)
    }
    const { changes, children } = await this.#moveOn(work, sorted)
    const queuedAt = sorted.queued.length > 0 ? ackDue(here) : null
    const dueAt = [sorted.dueAt, ackAt, queuedAt].filter((at) => at !== null)
    await this.#settle(work, {
      changes: [...sorted.changes, ...changes],
      children,
      dueAt: dueAt.length > 0 ? Math.min(...dueAt) : work.attempt === 0 ? ackDue(here) : null,
      log: sorted.log,
      certificate,
    })
  }

  /** Finds the next channel for what cannot stay on this one; where there is none, the inbox or an end. */
  async #moveOn(work: Work, { onward }: Sorted): Promise<{ changes: Change[]; children: NewBatch[] }> {
    if (onward.length === 0) return { changes: [], children: [] }
    const placeOf = new Map(onward.map((place) => [work.devices[place.index]!, place]))
    const tried = [...work.tried, ...(isChannel(work.channel) ? [work.channel] : [])]
    const batches = await this.#route(work, [...placeOf.keys()].sort((a, b) => a - b), tried)
    const changes: Change[] = []
    const children: NewBatch[] = []
    for (const batch of batches) {
      const stays = batch.channel === ownChannel && batch.state === 'waiting' && work.channel === ownChannel
      const ends = batch.channel === 'none'
      for (const id of batch.devices) {
        const { index, state } = placeOf.get(id)!
        placeOf.delete(id)
        if (stays) changes.push({ index, state: 'waiting', sent: false })
        else changes.push({ index, state: ends && state === 'moved' ? 'refused' : state, sent: false })
      }
      if (!stays && !ends) children.push({ ...batch, badges: this.#badgesFor(work, batch.devices) })
    }
    // Devices that were erased meanwhile.
    for (const { index, state } of placeOf.values()) changes.push({ index, state: state === 'moved' ? 'cancelled' : state, sent: false })
    return { changes, children }
  }

  async #routeHeld(work: Work, open: Target[]): Promise<void> {
    const children = await this.#route(work, open.map(({ deviceId }) => deviceId), [])
    const changes = open.map(({ index }): Change => ({ index, state: 'moved', sent: false }))
    await this.#settle(work, { changes, children, dueAt: null, log: [], certificate: null })
  }

  async #route(work: Work, ids: number[], tried: ChannelName[]): Promise<NewBatch[]> {
    const plan = await planOf(work.task, this.#path.vendors)
    const { devices, tokens } = await this.#path.store.read(readRoads, { plan, ids })
    return batchesOf(plan, work.page, devices, tokens, this.#path.here(), tried)
  }

  async #settle(work: Work, what: Pick<Settlement, 'changes' | 'children' | 'dueAt' | 'log' | 'certificate'>): Promise<void> {
    const { store, clock, pulse } = this.#path
    const { settled, children, told, sent, finished } = await store.write(settleBatch, {
      ...what, batchId: work.batchId, attempt: work.attempt, task: placeOfTask(work.task), now: clock.now(),
    })
    if (!settled) return
    transitions.done.value += finished
    if (isChannel(work.channel)) pulse.moved(work.task.app, work.channel, { sent, received: 0 })
    pulse.targeted(work.task.app, children)
    this.#nudge(told)
    await this.onWritten(work.task, children)
    // It is in the inbox now: a device that came back while this was being written has not seen it there.
    for (const { index, state } of what.changes) if (state === 'waiting') this.#own.wake(work.devices[index]!)
  }

  /** Writes down where each is to be reached; what has no address any more stays without. */
  async #address(work: Work, environment: number, targets: readonly Target[]): Promise<void> {
    const ids = targets.map(({ deviceId }) => deviceId)
    const rows = await this.#path.store.read(addressesOf, { ids, vendor: work.channel, environment })
    const addresses = new Map(rows.map(({ device_id, token }) => [device_id, token]))
    for (const target of targets) target.address = addresses.get(target.deviceId) ?? null
  }

  #badgesFor(work: Work, ids: readonly number[]): Int32Array | null {
    const { badges } = work
    if (!badges) return null
    const places = new Map(Array.from(work.devices, (id, index) => [id, index]))
    return Int32Array.from(ids, (id) => badges[places.get(id)!] ?? 0)
  }
}

const ackDue = ({ now, ackMs }: Here): number => now + ackMs

/** The devices as they are now, with what they could be reached by. */
const readRoads = async (tx: Tx, { plan, ids }: { plan: Plan; ids: number[] }) => {
  const devices = await readDevices(tx, { ids })
  return { devices, tokens: await tokensFor(tx, plan, devices) }
}

const isChannel = (channel: BatchChannel): channel is ChannelName => channel !== 'held' && channel !== 'none'

// By hand: Array.from took 3.5 µs for the one device of most pushes.
const targetsOf = ({ devices, badges }: Pick<Work, 'devices' | 'badges'>): Target[] => {
  const targets: Target[] = []
  for (let index = 0; index < devices.length; index++) targets.push({ index, deviceId: devices[index]!, badge: badges?.[index] ?? null, address: null })
  return targets
}
