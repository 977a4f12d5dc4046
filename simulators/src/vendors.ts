import { type VendorName, vendorNames } from '@carillon/protocol/names.ts'
import type { Simulator } from './simulator.ts'

const load = async (name: VendorName): Promise<[VendorName, Simulator<unknown>]> => {
  const { default: simulator } = (await import(`./${name}.ts`)) as { default: Simulator<unknown> }
  return [name, simulator]
}

/** Every simulator: the file of its vendor's name. */
export const vendors = Object.fromEntries(await Promise.all(vendorNames.map(load))) as Record<VendorName, Simulator<unknown>>
