import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { providerOfVendor, type VendorName } from '@carillon/protocol/names.ts'
import type { Received } from '@carillon/simulators/inspection.ts'
import type { Login } from '../harness/carillon.ts'
import type { VendorWorld } from '../harness/vendor-world.ts'

/** What the tests of single vendors ask of the world in the same way. */

/** Every push the vendor's simulator is sent while the work goes on, in order. */
export const pushesDuring = async (world: VendorWorld, vendor: VendorName, work: () => Promise<unknown>): Promise<Received[]> => {
  const pushes: Received[] = []
  const stop = world.simulators.watch((event) => {
    if ('received' in event && event.received.vendor === vendor) pushes.push(event.received)
  })
  await work().finally(stop)
  return pushes
}

export const toDevices = (...logins: Pick<Login, 'push_token'>[]) => ({ push_token: logins.map(({ push_token }) => push_token) })

/** Sends one message over the vendors, waits until it is done, and shows what this vendor got of it. */
export const pushed = async (
  world: VendorWorld,
  vendor: VendorName,
  message: Record<string, unknown>,
  { to = 'all', setting = {} }: { to?: unknown; setting?: Record<string, unknown> } = {},
): Promise<{ task: number; pushes: Received[] }> => {
  let task = 0
  const pushes = await pushesDuring(world, vendor, async () => (task = await world.send(message, to, setting)))
  return { task, pushes }
}

/** The counters of a task that are not 0, over all channels. */
export const counted = async ({ carillon }: VendorWorld, task: number): Promise<Record<string, number>> => {
  const counters = await carillon.counters(task)
  return Object.fromEntries(Object.entries(counters).filter(([name, count]) => name !== 'task_id' && count !== 0))
}

/** The same as soon as these are reached: receipts come when they come. */
export const countedOnce = (world: VendorWorld, task: number, reached: Record<string, number>): Promise<Record<string, number>> =>
  world.carillon.until(() => counted(world, task), (now) => Object.entries(reached).every(([name, count]) => now[name] === count))

/** Where the vendor may report to, as an operator reads it in the list of certificates. */
export const receiptUrlOf = async ({ carillon }: VendorWorld, vendor: VendorName): Promise<string> => {
  const list = await carillon.ok<{ provider: number; receipt_url: string }[]>('/push/certificate/list', { token: carillon.admin })
  return list.find(({ provider }) => provider === providerOfVendor[vendor])!.receipt_url
}

/** The device has this vendor token, as after a start of the app. */
export const bind = async ({ carillon }: VendorWorld, { token }: Login, vendor: VendorName, vendorToken: string): Promise<void> => {
  const body = { device_token: vendorToken, provider: providerOfVendor[vendor], environment: 1 }
  await carillon.ok('/user/token/bind', { token, body })
}

/** The app's lane at the vendor; undefined while nothing was sent over it. */
export const laneOf = async ({ carillon }: VendorWorld, vendor: VendorName): Promise<{ state: string; why: string | null; until: number | null } | undefined> => {
  const lanes = await carillon.ok<{ provider: number; state: string; why: string | null; until: number | null }[]>('/push/lane/list', { token: carillon.admin })
  return lanes.find(({ provider }) => provider === providerOfVendor[vendor])
}

/** What the vendor says of the credentials, in words. */
export const checkOf = ({ carillon }: VendorWorld, vendor: VendorName): Promise<{ ok: boolean; message: string }> =>
  carillon.ok('/push/certificate/check', { token: carillon.admin, body: { provider: providerOfVendor[vendor], environment: 1 } })

/** One number of /metrics, named as there, labels included; 0 while it is not told of. */
export const metric = async ({ carillon }: VendorWorld, name: string): Promise<number> => (await carillon.metrics()).get(name) ?? 0

/**
 * Where the vendors' consoles are told to send receipts. The simulators ask for the address at their start, when the
 * server's own is not known yet: this one leads there once it is.
 */
export const startReceiptDoor = async (t: { after(work: () => unknown): void }) => {
  const targets = new Map<string, string>()
  const forward = async (request: IncomingMessage): Promise<{ status: number; body: string }> => {
    const target = targets.get(request.url!)
    if (target === undefined) return { status: 404, body: '' }
    // What says something of the connection or the length is made anew.
    const own = Object.entries(request.headers).filter(([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name))
    const answer = await fetch(target, { method: 'POST', headers: Object.fromEntries(own) as Record<string, string>, body: await text(request) })
    return { status: answer.status, body: await answer.text() }
  }
  const server = createServer((request, response) => {
    forward(request).then(
      ({ status, body }) => response.writeHead(status).end(body),
      () => response.destroy(),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    urlFor: (vendor: VendorName): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${vendor}`,
    /** As an operator pastes it, from the list of certificates. */
    lead: async (world: VendorWorld, vendor: VendorName): Promise<void> => void targets.set(`/${vendor}`, await receiptUrlOf(world, vendor)),
  }
}

/** A number with all its digits; JavaScript's own keep about sixteen. */
export const exactly = (digits: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits)

/** Whether so many whole seconds are what is left of `most` that began at `from` or a little later. */
export const areLeftOf = (seconds: number, most: number, { from, push }: { from: number; push: Received }): boolean =>
  Number.isInteger(seconds) && seconds <= most && seconds >= most - Math.ceil((push.at - from) / 1000)

/** The same of a length in seconds that is written like "3600s". */
export const isLeftOf = (text: string, most: number, since: { from: number; push: Received }): boolean =>
  areLeftOf(Number(/^(\d+)s$/.exec(text)?.[1]), most, since)
