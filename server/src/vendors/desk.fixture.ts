import type { TestContext } from 'node:test'
import { pino } from 'pino'
import type { Handing, Target } from '../push/channel.ts'
import type { Store } from '../store/store.ts'
import type { Accounts, OpenAccount } from './accounts.ts'
import { Desk, type DeskParts } from './desk.ts'
import type { Exchanged } from './exchange.ts'
import { Round } from './round.ts'
import { type Vendor, type VendorPush, type VendorRequest, type Verdict, defineVendor } from './vendor.ts'
import xiaomi from './xiaomi.ts'

export const NOW = Date.UTC(2026, 10, 15, 6)

/** All that can go on without time passing has happened. */
export const calm = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate)
}

/** A clock that stands still until it is moved, and the timers with it. */
export const startClock = (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = {
    at: NOW,
    now: (): number => clock.at,
    pass: async (ms: number): Promise<void> => {
      clock.at += ms
      t.mock.timers.tick(ms)
      await calm()
    },
  }
  return clock
}

/** A vendor whose answers are verdicts as they are, and whose requests name their addresses. */
export const plainVendor = (more: Partial<Vendor> = {}): Vendor => {
  const { credentials, options } = xiaomi
  return defineVendor({
    name: 'xiaomi', title: 'Plain', credentials, options, protocol: 'h1',
    limits: { batch: 1, concurrency: 100, perSecond: 1_000_000, counts: 'requests', timeoutMs: 10_000 },
    carries: () => true,
    request: ({ addresses, access, variant, prepared }) => ({
      origin: 'https://plain.example', method: 'POST', path: '/send', headers: {},
      body: JSON.stringify({ to: addresses.map(({ token }) => token), access, variant, prepared }),
    }),
    sight: ({ body }) => ({ shown: body, size: body.length, most: Infinity }),
    read: ({ body }) => JSON.parse(body) as Verdict[],
    ...more,
  })
}

/** Access tokens that say what they are; an answer of the vendor is the token and how long it is good for, or a verdict. */
export const plainAccess: Vendor['access'] = {
  request: ({ app_secret }, region) => ({ origin: 'https://plain.example', method: 'POST', path: '/token', headers: {}, body: `${app_secret} ${region}` }),
  read: ({ body }, now) => {
    const answer = JSON.parse(body) as Verdict | { value: string; renewMs: number; endsMs: number }
    return 'value' in answer ? { value: answer.value, renewAt: now + answer.renewMs, endsAt: now + answer.endsMs } : answer
  },
}

/** Bodies are stored by their variant. */
export const plainPreparation: Vendor['prepare'] = {
  isFor: () => true,
  request: ({ variant, access }) => ({ origin: 'https://plain.example', method: 'POST', path: '/prepare', headers: {}, body: JSON.stringify({ variant, access }) }),
  read: ({ body }) => JSON.parse(body) as { prepared: string } | Verdict,
}

export const openAccount = (more: Partial<OpenAccount> = {}): OpenAccount => ({
  app: 1, vendor: 'xiaomi', environment: 1, key: 'xiaomi 1 1', name: 'com.example.app', app_id: '', app_key: '', app_secret: 'secret', certificate: '', options: {},
  ...more,
})

export const reply = (body: unknown, { status = 200, retryAfterMs, over = 1 }: { status?: number; retryAfterMs?: number; over?: number } = {}): Exchanged => ({
  kind: 'reply', reply: { status, headers: {}, body: JSON.stringify(body) }, over, ...(retryAfterMs !== undefined && { retryAfterMs }),
})

/** What was asked of the vendor. */
export interface Errand extends VendorRequest {
  key: string
}

/** Who a request is for, and in which form. */
export const sentTo = ({ body }: Pick<VendorRequest, 'body'>) => JSON.parse(body) as { to: string[]; access: string; variant: string; prepared: string }

/** A sender that keeps what it is asked and answers as it is told: at first, everything is taken. */
export class ToldSender {
  readonly asked: Errand[] = []
  readonly retired: string[] = []
  answer: (errand: Errand) => Exchanged | Promise<Exchanged> = (errand) => reply(sentTo(errand).to.map(() => ({ kind: 'sent' })))

  async exchange(request: VendorRequest, { key }: { key: string }, _mayBegin?: () => boolean): Promise<Exchanged> {
    const errand = { ...request, key }
    this.asked.push(errand)
    return this.answer(errand)
  }

  retire(key: string, over?: number): void {
    this.retired.push(over === undefined ? key : `${key} over ${over}`)
  }

  /** The paths that were asked, in order. */
  get paths(): string[] {
    return this.asked.map(({ path }) => path)
  }
}

/** Keeps what is written by its name, and stores nothing. */
export class NotingStore implements Store {
  readonly written: { name: string; args: unknown }[] = []
  readonly backlog = 0

  async read(): Promise<never> {
    throw new Error('nothing is stored here')
  }

  write<A, R>(op: (tx: never, args: A) => Promise<R>, args: A): Promise<R> {
    this.written.push({ name: op.name, args })
    return Promise.resolve(undefined as R)
  }

  named(name: string): unknown[] {
    return this.written.filter((one) => one.name === name).map(({ args }) => args)
  }

  onForeignWrite(): void {}
  async close(): Promise<void> {}
}

/** Sends rounds of one account through a desk. */
export const roundsOf = (desk: Desk, vendor: Vendor, account: OpenAccount) => {
  const sent: number[] = []
  const send = (tokens: readonly string[], { to = account, taskId = 7, untilMs = 15_000 }: { to?: OpenAccount; taskId?: number; untilMs?: number } = {}) => {
    const now = desk.clock.now()
    const push: VendorPush = { taskId, message: { title: 'Hello' }, setting: {}, appName: 'Demo', now, expiresAt: now + 86_400_000, receiptUrl: undefined }
    const handing: Handing = { batchId: 1, environment: 1, until: now + untilMs, sent: (index) => void sent.push(index), by: () => {} }
    const targets = tokens.map((address, index): Target => ({ index, deviceId: index + 1, badge: null, address }))
    return new Round(desk, vendor, to, push, handing).send(targets)
  }
  return { send, sent, lane: () => desk.lane(vendor, account) }
}

/** A log that can be read. */
export const noteLog = () => {
  const logged: { level: number; msg: string }[] = []
  return { logged, log: pino({ base: undefined }, { write: (line: string) => void logged.push(JSON.parse(line)) }) }
}

/** A desk with a told sender. Rounds of one account are sent by `send`. */
export const startDesk = (t: TestContext, vendor: Vendor, parts: Partial<DeskParts> = {}) => {
  const clock = startClock(t)
  const sender = new ToldSender()
  const store = new NotingStore()
  const { logged, log } = noteLog()
  const accounts = { onReplaced: () => {} } as unknown as Accounts
  const desk = new Desk({ store, clock, log, sender, accounts, origins: {}, rates: {}, receiptUrl: () => undefined, chance: () => 0, ...parts })
  const account = openAccount()
  return { desk, sender, store, clock, account, logged, ...roundsOf(desk, vendor, account) }
}
