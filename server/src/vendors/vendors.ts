import { type VendorName, vendorNames } from '@carillon/protocol/names.ts'
import { checkFields, type GivenFields } from './fields.ts'
import type { Checked, Environment, Vendor } from './vendor.ts'

const load = async (name: VendorName): Promise<[VendorName, Vendor]> => {
  const { default: vendor } = (await import(`./${name}.ts`)) as { default: Vendor }
  return [name, vendor]
}

/** Every vendor: the file of its name. */
export const vendors = Object.fromEntries(await Promise.all(vendorNames.map(load))) as Record<VendorName, Vendor>

/** Says what is wrong with a certificate before it is stored. Nobody is asked: the vendor may still refuse it. */
export const checkCredentials = (
  name: VendorName,
  environment: Environment,
  given: GivenFields,
  now: number,
): Checked => {
  const vendor = vendors[name]
  const { fields, found } = checkFields(vendor, given)
  const own = vendor.check?.(fields, environment, now) ?? {}
  const told = new Set(found.problems.map((problem) => problem.field))
  return {
    problems: [...found.problems, ...(own.problems ?? []).filter((problem) => !told.has(problem.field))],
    warnings: [...found.warnings, ...(own.warnings ?? [])],
    expiresAt: own.expiresAt ?? null,
  }
}
