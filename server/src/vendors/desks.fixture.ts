import type { TestContext } from 'node:test'
import { Seal } from '../access/seal.ts'
import { setWebhook } from '../store/events.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import { type Op, type Store, StoreUnavailable } from '../store/store.ts'
import type { Accounts, OpenAccount } from './accounts.ts'
import { ToldSender, calm, noteLog, openAccount, roundsOf, startClock } from './desk.fixture.ts'
import { Desk } from './desk.ts'
import type { Vendor } from './vendor.ts'

/** A store that says whether it is at work, and may be cut off. */
class WatchedStore implements Store {
  readonly backlog = 0
  readonly calls: string[] = []
  underWay = 0
  isAway = false
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  read<A, R>(op: Op<A, R>, args: A): Promise<R> {
    return this.#watch(op.name, () => this.#store.read(op, args))
  }

  write<A, R>(op: Op<A, R>, args: A): Promise<R> {
    return this.#watch(op.name, () => this.#store.write(op, args))
  }

  onForeignWrite(): void {}

  close(): Promise<void> {
    return this.#store.close()
  }

  async #watch<R>(name: string, call: () => Promise<R>): Promise<R> {
    this.calls.push(name)
    this.underWay += 1
    try {
      if (this.isAway) throw new StoreUnavailable('cut off')
      return await call()
    } finally {
      this.underWay -= 1
    }
  }
}

/** Nodes with a desk each on one database, and one clock for all of them that stands still until it is moved. */
export const startDesks = async (t: TestContext, url: string, vendor: Vendor, count = 2) => {
  const clock = startClock(t) // first: a timer that was set by one clock is not cleared by another
  const stores = (await Promise.all(Array.from({ length: count }, () => openPostgres(url)))).map((store) => new WatchedStore(store))
  await stores[0]!.write(setWebhook, { app: 1, url: 'https://hook.example', secret: new Uint8Array(1), actor: 'test', now: 0 })
  const seal = new Seal(Buffer.alloc(32, 7))
  const account = openAccount()
  const start = (store: WatchedStore) => {
    const sender = new ToldSender()
    const { log, logged } = noteLog()
    let replaced: (account: OpenAccount) => void = () => {}
    const accounts = { onReplaced: (listener: typeof replaced) => (replaced = listener), of: async () => ({ name: '', accounts: [account] }) }
    const desk = new Desk({
      store, clock, log, sender, accounts: accounts as unknown as Accounts, origins: {}, rates: {}, receiptUrl: () => undefined, seal, shared: true, chance: () => 0,
    })
    return { desk, sender, store, logged, replaced: (old: OpenAccount) => replaced(old), ...roundsOf(desk, vendor, account) }
  }
  const nodes = stores.map((store) => start(store))
  /** All that can go on without time passing has happened, the stores' part included. */
  const settle = async (): Promise<void> => {
    do await calm()
    while (stores.some(({ underWay }) => underWay > 0))
  }
  const pass = async (ms: number, stepMs = ms): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await clock.pass(stepMs)
      await settle()
    }
  }
  await settle()
  t.after(async () => {
    await Promise.all(nodes.map(({ desk }) => desk.close()))
    await Promise.all(stores.map((store) => store.close()))
  })
  return { nodes, clock, pass, settle, account, start, stores }
}
