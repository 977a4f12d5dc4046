import { setTimeout as pause } from 'node:timers/promises'
import type { VendorName } from '@carillon/protocol/names.ts'
import type { Carillon } from '../../../test/harness/carillon.ts'
import { loopDelayMs } from '../carillon.ts'
import type { Sample } from '../job.ts'
import { type Took, timed } from '../process.ts'
import type { Simulated } from '../simulated.ts'

/** What every contender sends. */
export const shown = {
  title: 'Your order is on its way',
  body: 'It left the warehouse this morning and arrives tomorrow.',
  ext: { order: 4711 },
}

export const notifyVendors = (carillon: Carillon, audience: unknown): Promise<number> =>
  carillon.notify({ audience, setting: { distribution_strategy: 'ospush_only' }, message: shown })

/** Resolves when the counters say that the vendor took so many. */
export const untilSent = async (carillon: Carillon, task: number, vendor: VendorName, count: number): Promise<void> => {
  while ((await carillon.counters(task))[`${vendor}_sent`] !== count) await pause(50)
}

/** A sample of `count` devices that took so long, with processor times. */
export const sampleOf = (count: number, { seconds, cpu, simulatorsCpu }: Took): Sample => ({
  value: count / seconds,
  clientCpu: simulatorsCpu / seconds,
  seen: { 'µs of CPU a device': (cpu * 1e6) / count },
})

/** Devices a second of one vendor, from the call until they are counted as sent; after a first few. */
export const sendThrough = async (
  carillon: Carillon,
  simulated: Simulated,
  vendor: VendorName,
  { audience, count, warmUp }: { audience: unknown; count: number; warmUp: number },
): Promise<Sample> => {
  await untilSent(carillon, await notifyVendors(carillon, { tag: [`warm-${vendor}`] }), vendor, warmUp)
  await loopDelayMs(carillon)
  const took = await timed(carillon.pid, simulated.pid, async () =>
    untilSent(carillon, await notifyVendors(carillon, audience), vendor, count),
  )
  return { ...sampleOf(count, took), loopDelayMs: await loopDelayMs(carillon) }
}
