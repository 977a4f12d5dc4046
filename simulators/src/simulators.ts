import { type VendorName, vendorNames } from '@carillon/protocol/names.ts'
import { inspectOn, type Inspected } from './inspect.ts'
import { Inspection } from './inspection.ts'
import { listen } from './listen.ts'
import { Misbehaviour } from './misbehave.ts'
import { readOrder } from './order.ts'
import { Receipts } from './receipts.ts'
import { serveFrom } from './serve.ts'
import type { Accounts } from './simulator.ts'
import { Station } from './station.ts'
import { vendors } from './vendors.ts'

export interface SimulatorsOptions {
  /** 0, the standard: any free ports. Otherwise the inspection's, with the vendors on those that follow. */
  port?: number
  host?: string
  /** PEM texts: the vendors speak TLS beside plain HTTP on the same ports. */
  tls?: { cert: string; key: string }
  accounts?: Accounts
  /** Where each vendor's console was told to send receipts. */
  receiptUrls?: Partial<Record<VendorName, string>>
  /** For misbehaviour by chance: the same seed and the same requests give the same troubles. */
  seed?: number
  /** How many pushes are kept for inspection. */
  keep?: number
  /** Unix milliseconds. */
  now?: () => number
}

export interface Simulators extends Inspected {
  /** Each vendor's origin: it takes the place of all its hosts. */
  urls: Record<VendorName, string>
  inspectUrl: string
  /** Forgets what was received, and every order. */
  clear(): void
  close(): Promise<void>
}

const KEEP = 1000

/** Starts every vendor's simulator, each on its own port, and the page that shows what they receive. */
export const startSimulators = async (options: SimulatorsOptions = {}): Promise<Simulators> => {
  const { port = 0, host = '127.0.0.1', tls, accounts = {}, receiptUrls = {}, now = Date.now } = options
  const inspection = new Inspection(options.keep ?? KEEP)
  const misbehaviour = new Misbehaviour(options.seed ?? 1)
  const receipts = new Receipts((receipt) => inspection.addReceipt(receipt), now)
  const timers = new Set<NodeJS.Timeout>()
  const later = (ms: number, run: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      run()
    }, ms)
    timers.add(timer)
  }

  const stations = {} as Record<VendorName, Station>
  for (const vendor of vendorNames) {
    stations[vendor] = new Station(vendors[vendor], {
      now,
      accounts: accounts[vendor] ?? 'any',
      receiptUrl: receiptUrls[vendor],
      sendReceipt: (call) => receipts.send(vendor, call),
    })
  }
  const portAfter = (steps: number): number => (port === 0 ? 0 : port + steps)
  const listenFor = async (vendor: VendorName, index: number) => {
    const station = stations[vendor]
    const { http1, streams, streamsWithCertificate = streams } = station.simulator
    const { running, fates } = station
    const kill = (token: string): void => station.kill(token)
    const serve = serveFrom({ vendor, running, misbehaviour, fates, inspection, now, later, kill })
    return listen({ host, port: portAfter(1 + index), tls, http1, streams, streamsWithCertificate, serve })
  }

  const forgetReceived = (): void => {
    inspection.clear()
    for (const vendor of vendorNames) stations[vendor].fates.clear()
  }
  const forgetOrders = (): void => {
    misbehaviour.clear()
    for (const vendor of vendorNames) stations[vendor].forgetOrders()
  }
  const listeners: { port: number; close(): Promise<void> }[] = []
  const simulators: Simulators = {
    urls: {} as Record<VendorName, string>,
    inspectUrl: '',
    received: (vendor) => inspection.received(vendor),
    fates: (vendor) => stations[vendor].fates.byToken,
    receipts: (vendor) => inspection.receipts(vendor),
    watch: (watcher) => inspection.watch(watcher),
    order(from) {
      const order = readOrder(from, (vendor) => stations[vendor].orderable)
      if ('fault' in order) misbehaviour.order(order)
      else if ('options' in order) stations[order.vendor].setOptions(order.options)
      else stations[order.vendor].setOutcome(order.token, order.outcome)
    },
    orders: () => misbehaviour.orders,
    forgetReceived,
    forgetOrders,
    clear() {
      forgetReceived()
      forgetOrders()
    },
    async close() {
      receipts.close()
      for (const timer of timers) clearTimeout(timer)
      await Promise.all(listeners.map((listener) => listener.close()))
    },
  }

  const named = host.includes(':') ? `[${host}]` : host
  const nameOf = (scheme: string, bound: number): string => `${scheme}://${named}:${bound}`
  try {
    listeners.push(await inspectOn({ host, port: portAfter(0), simulators }))
    simulators.inspectUrl = nameOf('http', listeners[0]!.port)
    for (const [index, vendor] of vendorNames.entries()) {
      const listener = await listenFor(vendor, index)
      listeners.push(listener)
      simulators.urls[vendor] = nameOf(tls ? 'https' : 'http', listener.port)
    }
  } catch (error) {
    await simulators.close()
    throw error
  }
  return simulators
}
