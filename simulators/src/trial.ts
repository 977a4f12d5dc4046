import type { Handled, Options, ReceiptCall, Simulator, SimulatorRequest } from './simulator.ts'

/** Runs one simulator without a network, with a clock that is moved by hand: for tests of what it answers. */
export interface Trial<O> {
  clock: { now: number }
  options: O
  /** Ends a push to this token as the word says. */
  order(token: string, word: string): void
  /** What the simulator posted, in order. */
  receipts: ReceiptCall[]
  send(path: string, body: string, headers?: Record<string, string>, method?: string): Promise<Handled>
  tokensOf(path: string, body: string, headers?: Record<string, string>): readonly string[]
}

export const startTrial = <Account, O extends Options>(
  simulator: Simulator<Account, O>,
  {
    accounts,
    options = {},
    receiptUrl,
  }: { accounts: readonly Account[] | 'any'; options?: Partial<O>; receiptUrl?: string },
): Trial<O> => {
  const clock = { now: 1_700_000_000_000 }
  const set: O = { ...simulator.options, ...options }
  const orders = new Map<string, string>()
  const receipts: ReceiptCall[] = []
  const byPrefix = Object.entries(simulator.outcomes).filter(([, prefix]) => prefix !== '')
  const running = simulator.start({
    now: () => clock.now,
    accounts,
    options: set,
    outcomeOf: (token) => orders.get(token) ?? byPrefix.find(([, prefix]) => token.startsWith(prefix))?.[0],
    receiptUrl,
    sendReceipt: (call) => void receipts.push(call),
  })
  const requestOf = (path: string, body: string, headers: Record<string, string>, method: string): SimulatorRequest => {
    const url = new URL(path, 'http://localhost')
    const connection = { protocol: 'h1' as const, tls: false, clientCertificate: undefined, limitStreams() {} }
    return { method, path: url.pathname, query: url.searchParams, headers, repeated: [], body, connection }
  }
  return {
    clock,
    options: set,
    order: (token, word) => void orders.set(token, word),
    receipts,
    send: async (path, body, headers = {}, method = 'POST') => running.handle(requestOf(path, body, headers, method)),
    tokensOf: (path, body, headers = {}) => running.tokensOf(requestOf(path, body, headers, 'POST')),
  }
}
