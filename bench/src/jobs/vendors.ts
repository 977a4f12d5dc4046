import { setTimeout as pause } from 'node:timers/promises'
import type { VendorName } from '@carillon/protocol/names.ts'
import type { FaultOrder } from '@carillon/simulators/misbehave.ts'
import { vendorNames } from '../../../test/harness/vendor-world.ts'
import { alternate, ratios, type Bench, type Job, type Sample } from '../job.ts'
import { gatherPhones, type Phones, withVendors } from '../simulated.ts'
import { notifyVendors, sendThrough } from './vendor-sending.ts'

const HEALTHY: VendorName = 'apns'
const neighbours = vendorNames.filter((vendor) => vendor !== HEALTHY)
const NEIGHBOURS_EVERY_MS = 500

/** What each neighbour does to requests, by their share: what a vendor did on its worst days, all at once. */
const troubles: FaultOrder[] = [
  { fault: 'limited', retryAfterSeconds: 1, chance: 0.1 },
  { fault: 'status', status: 503, chance: 0.05 },
  { fault: 'silent', chance: 0.05 },
  { fault: 'goaway', chance: 0.02 },
  { fault: 'half-open', chance: 0.01 },
  { fault: 'garbage', chance: 0.01 },
]

export const vendors: Job = {
  name: 'vendors',
  about:
    `Devices a second through each vendor's simulator, its rate raised, from the call until all are counted as sent; and ` +
    `${HEALTHY} while all others are kept busy and misbehave (10 % 429, 5 % 503, 5 % no answer, 2 % GOAWAY, 1 % half-open, ` +
    `1 % garbage), against the same while they are well.`,
  run: async (bench) => {
    const [count, warmUp] = bench.quick ? [400, 100] : [4_000, 1_000]
    const [healthy, others] = bench.quick ? [1_000, 50] : [20_000, 300]
    bench.say(`  preparing ${count} devices at each vendor, and ${healthy} at ${HEALTHY}`)
    const each = await gatherPhones(bench.scratch, Object.fromEntries(vendorNames.map((vendor) => [vendor, count])), warmUp)
    const sizes = Object.fromEntries(neighbours.map((vendor) => [vendor, others]))
    const together = await gatherPhones(bench.scratch, { ...sizes, [HEALTHY]: healthy }, warmUp)
    const samples = await alternate(bench, {
      ...(Object.fromEntries(vendorNames.map((vendor) => [vendor, () => sendAlone(bench, each, vendor, warmUp)])) as Record<VendorName, () => Promise<Sample>>),
      'neighbours are well': () => sendAmong(bench, together, warmUp, []),
      'neighbours misbehave': () => sendAmong(bench, together, warmUp, troubles),
    })
    return {
      measured: 'devices a second; the client is the simulators',
      samples,
      rows: [
        {
          what: "a healthy vendor's lane while all others misbehave", unit: '×', better: 'more', firstBar: 0.9, goal: 0.95,
          values: ratios(samples['neighbours misbehave'], samples['neighbours are well']),
        },
      ],
    }
  },
}

const sendAlone = (bench: Bench, phones: Phones, vendor: VendorName, warmUp: number): Promise<Sample> =>
  withVendors(bench, phones, (carillon, simulated) =>
    sendThrough(carillon, simulated, vendor, { audience: { tag: [vendor] }, count: phones.tokens[vendor].length, warmUp }),
  )

/** The healthy lane, while the neighbours get a notification again and again, however they fare with it. */
const sendAmong = (bench: Bench, phones: Phones, warmUp: number, orders: readonly FaultOrder[]): Promise<Sample> =>
  withVendors(bench, phones, async (carillon, simulated) => {
    for (const order of orders) for (const vendor of neighbours) await simulated.order({ ...order, vendor })
    const stopped = new AbortController()
    const disturb = async (): Promise<void> => {
      while (!stopped.signal.aborted) {
        await notifyVendors(carillon, { tag: neighbours })
        await pause(NEIGHBOURS_EVERY_MS)
      }
    }
    const disturbing = disturb()
    const count = phones.tokens[HEALTHY].length
    const sample = await sendThrough(carillon, simulated, HEALTHY, { audience: { tag: [HEALTHY] }, count, warmUp })
    stopped.abort()
    await disturbing
    return sample
  })
