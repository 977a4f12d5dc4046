import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type ChannelName, type VendorName, ownChannel, vendorOfProvider } from '@carillon/protocol/names.ts'
import type { Message, Notify } from '@carillon/protocol/notify.ts'
import { pino } from 'pino'
import { memoryBus } from '../bus/memory.ts'
import { createApp } from '../store/apps.ts'
import { laneOf } from '../store/batches.ts'
import { bindVendorToken, setUserPush } from '../store/devices.ts'
import { logIn } from '../store/login.ts'
import { startNode, writePresence } from '../store/nodes.ts'
import type { AppSettings, Scope } from '../store/scope.ts'
import { type SqliteStore, openSqlite } from '../store/sqlite/sqlite.ts'
import { readTask } from '../store/tasks.ts'
import { deviceInScope } from '../store/trace.ts'
import { insertUsers } from '../store/users.ts'
import { accept } from './accept.ts'
import type { Channel, Handing, Outcome, Push, Target } from './channel.ts'
import { Deliver, type OwnChannel } from './deliver.ts'
import { Inbox } from './inbox.ts'
import { readCounters, traceTask } from './look.ts'
import type { Path } from './path.ts'
import { planNext } from './plan.ts'
import { Pulse } from './pulse.ts'
import { Receipts } from './receipts.ts'
import { type AppRules, rulesOf } from './task.ts'
import { Tasks } from './tasks.ts'
import { expireNext, purgeNext } from './upkeep.ts'

/** The operations the program runs, this folder's own included. */
const operations = new URL('../operations.ts', import.meta.url)

const vendorNames = Object.values(vendorOfProvider)

const sha = (text: string): Uint8Array => Uint8Array.from(createHash('sha256').update(text).digest())

/** A channel that remembers what it was handed and answers as it is told to. */
export class RecordingChannel implements Channel {
  readonly name: ChannelName
  readonly handed: { push: Push; target: Target }[] = []
  answer: (target: Target, push: Push) => Outcome = () => ({ kind: 'sent' })
  carries: (message: Message) => boolean = () => true

  constructor(name: ChannelName) {
    this.name = name
  }

  async hand(push: Push, _handing: Handing, targets: readonly Target[]): Promise<Outcome[]> {
    return targets.map((target) => {
      this.handed.push({ push, target })
      return this.answer(target, push)
    })
  }

  get devices(): number[] {
    return this.handed.map(({ target }) => target.deviceId)
  }
}

/** The own channel without sockets: devices that are online take what they are written. */
class RecordingOwn extends RecordingChannel implements OwnChannel {
  readonly woken: number[] = []
  readonly silent: number[] = []

  constructor() {
    super(ownChannel)
    this.answer = () => ({ kind: 'written' })
  }

  wake(deviceId: number): void {
    this.woken.push(deviceId)
  }

  timedOut(deviceId: number): void {
    this.silent.push(deviceId)
  }
}

export const ACK_MS = 11_000

/** The path on a real store, with channels that record and a clock that the test moves. */
export class Trial {
  readonly store: SqliteStore
  readonly clock = { at: 1_800_000_000_000, now: (): number => this.clock.at }
  readonly own = new RecordingOwn()
  readonly vendors = new Map<VendorName, RecordingChannel>()
  readonly receipts: Receipts
  readonly inbox: Inbox
  readonly path: Path
  readonly #deliver: Deliver
  readonly #handing: { batch: number; target: Target; taskId: number }[] = []
  app = 0
  node = 0
  inboxLimit = 1_000
  /** The app's quiet hours, in UTC. */
  quietHours: [start: number, end: number] = [0, 0]

  constructor(store: SqliteStore) {
    this.store = store
    const log = pino({ level: 'silent' })
    const pulse = new Pulse(this.clock)
    this.receipts = new Receipts(store, this.clock, log, pulse)
    const tasks = new Tasks(store, async () => this.rules)
    this.path = {
      store,
      bus: memoryBus(),
      clock: this.clock,
      log,
      pulse,
      vendors: {
        names: vendorNames,
        roads: async (_app, message) =>
          [...this.vendors].filter(([, channel]) => channel.carries(message)).map(([vendor]) => ({ vendor, environment: 1 })),
        channel: (name) => this.vendors.get(name),
        isOpen: () => true,
      },
      here: () => ({ node: this.node, alive: [this.node], alone: true, ackMs: ACK_MS, now: this.clock.now() }),
      onWritten: (task, batches) => this.#deliver.onWritten(task, batches),
    }
    this.inbox = new Inbox(this.path, tasks, async () => this.rules)
    const hand = this.own.hand.bind(this.own)
    this.own.hand = async (push, handing, targets) => {
      const outcomes = await hand(push, handing, targets)
      outcomes.forEach(({ kind }, i) => {
        if (kind !== 'written') return
        this.#handing.push({ batch: handing.batchId, target: targets[i]!, taskId: push.taskId })
      })
      return outcomes
    }
    this.#deliver = new Deliver(this.path, this.own, tasks, this.receipts, () => 0)
  }

  /** A new incarnation of the node. */
  async startNode(): Promise<void> {
    this.node = await this.store.write(startNode, { now: this.clock.now() })
  }

  get #settings(): AppSettings {
    const [start, end] = this.quietHours
    return { push_enabled: true, inbox_limit: this.inboxLimit, no_push_start_hour: start, no_push_end_hour: end, time_zone: 'UTC' } as AppSettings
  }

  get rules(): AppRules {
    return rulesOf(this.#settings)
  }

  get scope(): Scope {
    const settings = this.#settings
    return {
      app: { id: this.app, app_id: 'demo', name: 'Demo', settings },
      kind: 'app',
      id: 0,
      token: { id: 0, kind: 'admin', name: null, userId: null, deviceId: null, expiresAt: null },
    }
  }

  /** A device of a user of its own; `tokens` are its vendors. */
  async addDevice(options: { tokens?: VendorName[]; online?: boolean; user?: string } = {}): Promise<number> {
    const { tokens = [], online = false } = options
    const name = options.user ?? `user ${Math.random()}`
    const [user] = await this.store.write(insertUsers, {
      app: this.app, users: [{ name, mobile: null, email: null, emailKey: null, passwordHash: null }], now: this.clock.now(),
    })
    const userId = (user as { id: number }).id
    const pushTokenHash = sha(`push ${name}`)
    await this.store.write(logIn, {
      app: this.app,
      userId,
      token: { hash: sha(`token ${name}`), storeHash: sha(`store ${name}`), fileKey: sha('key'), expiresAt: this.clock.now() + 1e9 },
      device: { guid: name, pushTokenHash, pushToken: sha('sealed') },
      by: { actor: 'test' },
      now: this.clock.now(),
    })
    const id = (await this.store.read(deviceInScope, { app: this.app, scopeKind: 'app', scopeId: 0, pushTokenHash }))!
    for (const vendor of tokens) {
      await this.store.write(bindVendorToken, {
        device: { app: this.app, userId, deviceId: id, pushTokenHash: null },
        by: { vendor, environment: 1 }, token: `${vendor} ${id}`, platform: vendor === 'apns' ? 'ios' : 'android', now: this.clock.now(),
      })
    }
    if (online) await this.arrive(id)
    return id
  }

  addVendor(vendor: VendorName): RecordingChannel {
    const channel = new RecordingChannel(vendor)
    this.vendors.set(vendor, channel)
    return channel
  }

  /** Quiet hours of a device's user, in UTC. */
  async quiet(device: number, start: number, end: number): Promise<void> {
    const userId = await this.store.read(async (tx) => (await tx.get<{ user_id: number }>('SELECT user_id FROM devices WHERE id = ?', device))!.user_id, {})
    await this.store.write(setUserPush, { app: this.app, userId, enabled: true, quietStart: start, quietEnd: end, timeZone: 'UTC' })
  }

  async arrive(device: number, session = 1): Promise<void> {
    await this.store.write(writePresence, { node: this.node, arrived: [{ deviceId: device, session }], left: [], now: this.clock.now() })
  }

  async leave(device: number, session = 1): Promise<void> {
    await this.store.write(writePresence, { node: this.node, arrived: [], left: [{ deviceId: device, session }], now: this.clock.now() })
  }

  async notify(notify: Partial<Notify> = {}): Promise<number> {
    const id = await accept(this.path, this.scope, { audience: 'all', message: { title: 'Hello' }, ...notify })
    await this.run()
    return id
  }

  /** Plans and delivers until nothing is due. */
  async run(): Promise<void> {
    for (;;) {
      await new Promise(setImmediate) // what was handed over at once
      await this.receipts.flush()
      const planned = await planNext(this.path, async () => this.rules)
      let delivered = false
      while ((await this.#deliver.deliverOwn()) || (await this.#deliver.routeHeld())) delivered = true
      for (const vendor of this.vendors.keys()) {
        while (await this.#deliver.deliverFromLane(vendor, laneOf(this.app, 1), () => {})) delivered = true
      }
      const more = await expireNext(this.store, this.clock)
      if (!planned && !delivered && !more) break
    }
    await this.receipts.flush()
  }

  async advance(ms: number): Promise<void> {
    this.clock.at += ms
    await this.run()
  }

  /** All written pushes are acknowledged by their devices. */
  async acknowledge(): Promise<void> {
    for (const { batch, target, taskId } of this.#handing.splice(0)) {
      this.receipts.received({ app: this.app, channel: 'nativepush', taskId, batchId: batch, index: target.index })
    }
    await this.receipts.flush()
  }

  /** The counters that are not 0. */
  async tally(taskId: number): Promise<Record<string, number>> {
    const [row] = await readCounters(this.store, { app: this.app, scopeKind: 'app', scopeId: 0 }, [taskId])
    const { task_id: _, ...counters } = row!
    return Object.fromEntries(Object.entries(counters).filter(([, count]) => count > 0))
  }

  async state(taskId: number): Promise<string> {
    return (await this.store.read(readTask, { id: taskId }))!.state
  }

  async trace(taskId: number, device: number): Promise<string[]> {
    const task = (await this.store.read(readTask, { id: taskId }))!
    return (await traceTask(this.store, task, device)).map(({ text }) => text)
  }

  async waiting(device: number): Promise<number[]> {
    return (await this.inbox.read(this.app, device, 0, 10_000)).map(({ push }) => push.taskId)
  }

  async purge(retentionDays: number): Promise<void> {
    while (await purgeNext(this.store, this.clock, [{ id: this.app, retentionDays }]));
  }

  /** As after a crash: sessions and what was under way in memory are gone. */
  async restart(): Promise<void> {
    this.#handing.length = 0
    await this.startNode()
    await this.run()
  }
}

export const startTrial = async (t: TestContext): Promise<Trial> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-path-'))
  const store = await openSqlite(folder, { operations })
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  const trial = new Trial(store)
  const made = await store.write(createApp, { appId: 'demo', name: 'Demo', actor: 'test', now: trial.clock.now() })
  trial.app = (made as { id: number }).id
  await trial.startNode()
  return trial
}
