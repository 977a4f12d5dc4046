import type { VendorName } from '@carillon/protocol/names.ts'
import apns from './apns.ts'
import fcm from './fcm.ts'
import { checkFields, type GivenFields } from './fields.ts'
import flyme from './flyme.ts'
import honor from './honor.ts'
import huawei from './huawei.ts'
import oppo from './oppo.ts'
import type { Checked, Environment, Vendor } from './vendor.ts'
import vivo from './vivo.ts'
import xiaomi from './xiaomi.ts'

export const vendors: Record<VendorName, Vendor> = { apns, fcm, flyme, honor, huawei, oppo, vivo, xiaomi }

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
