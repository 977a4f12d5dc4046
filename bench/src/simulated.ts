import { fileURLToPath } from 'node:url'
import { providerOfVendor, spokenName, type VendorName } from '@carillon/protocol/names.ts'
import { type Identity, makeIdentity } from '@carillon/simulators/client.fixture.ts'
import type { FaultOrder } from '@carillon/simulators/misbehave.ts'
import type { Carillon } from '../../test/harness/carillon.ts'
import { makeAccounts, vendorNames, vendorToken } from '../../test/harness/vendor-world.ts'
import { startOn, startOnCopy } from './carillon.ts'
import { importLines } from './crowd.ts'
import type { Sample } from './job.ts'
import { asClient, type Running, startProcess } from './process.ts'
import type { Scratch } from './scratch.ts'

const RATE = 1_000_000 // above what anything here reaches: what the vendors allow is not what is measured

/** A prepared data folder: an app with an account at every vendor, and devices that only vendors reach. */
export interface Phones {
  data: string
  admin: string
  accounts: ReturnType<typeof makeAccounts>
  /** What the simulators show in the TLS handshake. */
  identity: Identity
  tokens: Record<VendorName, string[]>
}

/** So many devices at each vendor, tagged with its name; the first `warmUp` of them also with `warm-` and its name. */
export const gatherPhones = async (
  scratch: Scratch,
  counts: Partial<Record<VendorName, number>>,
  warmUp: number,
): Promise<Phones> => {
  const data = scratch.newFolder()
  const accounts = makeAccounts()
  const { carillon, stop } = await startOn(scratch, data)
  for (const vendor of vendorNames) {
    const body = { provider: providerOfVendor[vendor], environment: 1, ...accounts.certificates[vendor] }
    await carillon.ok('/push/certificate', { method: 'PUT', token: carillon.admin, body })
  }
  await stop()
  const tokensOf = (vendor: VendorName) => Array.from({ length: counts[vendor] ?? 0 }, () => vendorToken(vendor))
  const tokens = Object.fromEntries(vendorNames.map((vendor) => [vendor, tokensOf(vendor)])) as Phones['tokens']
  const phones = vendorNames.flatMap((vendor) => tokens[vendor].map((token, i) => ({ vendor, token, isWarm: i < warmUp })))
  await importLines(scratch, data, 'user', phones.length, (i) => `{"name":"owner-${i}"}\n`)
  await importLines(scratch, data, 'device', phones.length, (i) => {
    const { vendor, token, isWarm } = phones[i]!
    const platform = vendor === 'apns' ? 'ios' : 'android'
    const tags = isWarm ? [vendor, `warm-${vendor}`] : [vendor]
    const provider = providerOfVendor[vendor]
    const device = { name: `owner-${i}`, device_guid: `phone-${i}`, platform, tags, tokens: [{ provider, environment: 1, token }] }
    return `${JSON.stringify(device)}\n`
  })
  return { data, admin: carillon.admin, accounts, identity: await makeIdentity('/CN=localhost'), tokens }
}

/** The eight vendors in a process of their own, on the clients' core. */
export interface Simulated extends Running {
  urls: Record<VendorName, string>
  /** Where the certificate they show is kept. */
  certificate: string
  order(order: FaultOrder): Promise<void>
}

const program = fileURLToPath(new URL('./peers/simulators.ts', import.meta.url))

export const startSimulated = async (scratch: Scratch, { accounts, identity }: Phones): Promise<Simulated> => {
  // Kept for inspection: nothing is asked for afterwards.
  const options = scratch.file(JSON.stringify({ accounts: accounts.known, tls: identity, keep: 1 }))
  const running = await startProcess(scratch, ...asClient(process.execPath, [program, options]))
  const { urls, inspectUrl } = JSON.parse(running.said) as { urls: Simulated['urls']; inspectUrl: string }
  return {
    ...running,
    urls,
    certificate: scratch.file(identity.cert),
    order: async (order) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${inspectUrl}/order`, { method: 'POST', headers, body: JSON.stringify(order) })
      if (!response.ok) throw new Error(`an order was refused: ${await response.text()}`)
    },
  }
}

/** Measures the server, on a copy of the folder, with the simulators in the vendors' place; both end with it. */
export const withVendors = async (
  { scratch }: { scratch: Scratch },
  phones: Phones,
  measure: (carillon: Carillon, simulated: Simulated) => Promise<Sample>,
): Promise<Sample> => {
  const simulated = await startSimulated(scratch, phones)
  const env: NodeJS.ProcessEnv = { NODE_EXTRA_CA_CERTS: simulated.certificate }
  for (const vendor of vendorNames) {
    const name = spokenName(vendor).toUpperCase()
    env[`CARILLON_VENDOR_URL_${name}`] = simulated.urls[vendor]
    env[`CARILLON_VENDOR_RATE_${name}`] = String(RATE)
  }
  const { carillon, stop } = await startOnCopy(scratch, phones, env)
  const sample = await measure(carillon, simulated)
  await stop()
  await simulated.stop()
  return sample
}
