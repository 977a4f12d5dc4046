import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { vendorOfProvider, type VendorName } from '@carillon/protocol/names.ts'
import type { CallOptions } from './carillon.ts'
import { startVendorWorld, type VendorWorld } from './vendor-world.ts'

/** A vendor's call to whoever sent the push. */
export interface Report {
  /** Of the receipt address. */
  path: string
  headers: Record<string, string>
  body: string
}

/** What a report was answered with. `code` is that of an envelope; undefined where it is the vendor's own form. */
interface Reported {
  status: number
  body: string
  code: number | undefined
}

/** An app's receipt addresses, as its list of certificates shows them. */
export const receiptUrls = async ({ carillon }: VendorWorld, options: CallOptions = {}): Promise<Map<VendorName, string | null>> => {
  const list = await carillon.ok<{ provider: number; receipt_url: string | null }[]>('/push/certificate/list', { token: carillon.admin, ...options })
  return new Map(list.map(({ provider, receipt_url }) => [vendorOfProvider[provider]!, receipt_url]))
}

/** Hands a report over as a vendor would. */
export const report = async (url: string, { headers, body }: Omit<Report, 'path'>): Promise<Reported> => {
  const response = await fetch(url, { method: 'POST', headers, body })
  const answer = await response.text()
  let code: number | undefined
  try {
    const { code: number, message } = JSON.parse(answer)
    if (typeof number === 'number' && message !== undefined) code = number
  } catch {
    // Some vendors want an empty answer.
  }
  return { status: response.status, body: answer, code }
}

/**
 * Stands at the public address of a server: the reports of all vendors pass through it, so that a test can see them and
 * hand them over again. Vendors whose console holds the address call it at /huawei and /honor.
 */
class ReceiptRelay {
  readonly reports: (Report & { vendor: string })[] = []
  readonly url: string
  /** The server's own address, and the receipt addresses that were pasted into consoles. */
  to = ''
  readonly consoles = new Map<string, string>()

  constructor(url: string) {
    this.url = url
  }

  /** Hands it over once more. */
  repeat({ path, headers, body }: Report): Promise<Reported> {
    return report(this.to + path, { headers, body })
  }

  /** The path of the server that a call to this path is meant for. */
  pathOf(path: string): string {
    const pasted = this.consoles.get(path.slice(1))
    return pasted === undefined ? path : new URL(pasted).pathname
  }
}

const HOP_HEADERS = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'])

const startRelay = async (t: { after(work: () => unknown): void }): Promise<ReceiptRelay> => {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const path = relay.pathOf(request.url!)
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter((entry): entry is [string, string] => !HOP_HEADERS.has(entry[0]) && typeof entry[1] === 'string'),
      )
      const call = { vendor: path.split('/')[3] ?? '', path, headers, body }
      relay.reports.push(call)
      const answer = await relay.repeat(call)
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const relay = new ReceiptRelay(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return relay
}

/** Vendors whose receipts are set up in their console; the others are told the address with every push. */
const CONSOLE_VENDORS = ['huawei', 'honor'] as const

/** All of a vendor world, with the relay at its public address. */
export const startRelayedWorld = async (
  t: { after(work: () => unknown): void },
  vendors?: readonly VendorName[],
): Promise<{ world: VendorWorld; relay: ReceiptRelay }> => {
  const relay = await startRelay(t)
  const pasted = Object.fromEntries(CONSOLE_VENDORS.map((vendor) => [vendor, `${relay.url}/${vendor}`]))
  const world = await startVendorWorld(t, { vendors, env: { CARILLON_PUBLIC_URL: relay.url }, simulators: { receiptUrls: pasted } })
  relay.to = world.carillon.http
  const urls = await receiptUrls(world)
  for (const vendor of CONSOLE_VENDORS) {
    const url = urls.get(vendor)
    if (url) relay.consoles.set(vendor, url)
  }
  return { world, relay }
}
