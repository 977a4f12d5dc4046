import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { channels, ownChannel, type VendorName } from '@carillon/protocol/names.ts'
import type { Fate } from './fates.ts'
import type { Event, ReceiptSent, Received } from './inspection.ts'
import { BadOrder, type Order } from './order.ts'
import { page } from './page.ts'

/** What can be seen and ordered of running simulators. */
export interface Inspected {
  /** The newest pushes, oldest first. */
  received(vendor?: VendorName): Received[]
  /** What became of the requests for every vendor token so far. */
  fates(vendor: VendorName): ReadonlyMap<string, Fate>
  receipts(vendor?: VendorName): ReceiptSent[]
  /** Calls back at every push and receipt until the answer is called. */
  watch(watcher: (event: Event) => void): () => void
  /** Misbehaviour, outcomes and options; throws a BadOrder, in words, when there is no such thing. */
  order(order: Order): void
  /** What is ordered and not used up. */
  orders(): Order[]
  forgetReceived(): void
  forgetOrders(): void
}

/** What people and programs see of the simulators from outside. */
type Door = (simulators: Inspected, asked: { vendor: VendorName | undefined; message: IncomingMessage }) => unknown

const doors: Record<string, Door> = {
  'GET /received': (simulators, { vendor }) => simulators.received(vendor),
  'DELETE /received': (simulators) => void simulators.forgetReceived(),
  'GET /receipts': (simulators, { vendor }) => simulators.receipts(vendor),
  'GET /fates': (simulators, { vendor }) => {
    if (vendor === undefined) throw new BadOrder('vendor: say which one.')
    return Object.fromEntries(simulators.fates(vendor))
  },
  'GET /order': (simulators) => simulators.orders(),
  'POST /order': async (simulators, { message }) => {
    // A page of another origin cannot send this type without asking first, and is never told yes.
    const isJson = message.headers['content-type']?.startsWith('application/json')
    if (!isJson) throw new BadOrder('Content-Type: application/json.')
    simulators.order(orderIn(await text(message)))
  },
  'DELETE /order': (simulators) => void simulators.forgetOrders(),
}

const orderIn = (body: string): Order => {
  try {
    return JSON.parse(body) as Order
  } catch {
    throw new BadOrder('An order is a JSON object.')
  }
}

const isVendor = (name: string): name is VendorName =>
  name !== ownChannel && channels.some((channel) => channel === name)

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}))
}

/** Everything as it happens, as server-sent events. */
const stream = (simulators: Inspected, response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(':\n\n')
  const stop = simulators.watch((event) => response.write(`data: ${JSON.stringify(event)}\n\n`))
  response.on('close', stop)
}

const answer = async (simulators: Inspected, message: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname, searchParams } = new URL(message.url ?? '/', 'http://simulators')
  const asked = `${message.method} ${pathname}`
  const vendor = searchParams.get('vendor') ?? undefined
  if (asked === 'GET /') {
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': page.policy }
    response.writeHead(200, headers).end(page.html)
    return
  }
  if (asked === 'GET /live') return stream(simulators, response)
  const door = doors[asked]
  if (door === undefined) return send(response, 404, { message: `Nothing answers ${asked}.` })
  if (vendor !== undefined && !isVendor(vendor)) return send(response, 400, { message: `vendor: ${vendor} is none.` })
  try {
    send(response, 200, await door(simulators, { vendor, message }))
  } catch (error) {
    if (!(error instanceof BadOrder)) throw error
    send(response, 400, { message: error.message })
  }
}

export const inspectOn = async ({ host, port, simulators }: { host: string; port: number; simulators: Inspected }) => {
  const server = createServer((message, response) => {
    answer(simulators, message, response).catch((error: Error) => {
      if (response.headersSent) response.destroy()
      else send(response, 500, { message: error.message })
    })
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, host, resolve)
  await promise
  return {
    port: (server.address() as AddressInfo).port,
    close: (): Promise<void> => {
      const { promise: closed, resolve: done } = Promise.withResolvers<void>()
      server.close(() => done())
      server.closeAllConnections()
      return closed
    },
  }
}
