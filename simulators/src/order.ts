import { type VendorName, vendorNames } from '@carillon/protocol/names.ts'
import type { FaultOrder } from './misbehave.ts'
import type { Options } from './simulator.ts'

/**
 * What can be ordered of the simulators.
 * fault    misbehaviour, see misbehave.ts
 * outcome  how pushes to one vendor token end, by a word of that vendor; null takes the order back
 * options  settings of one vendor
 */
export type Order =
  | FaultOrder
  | { vendor: VendorName; token: string; outcome: string | null }
  | { vendor: VendorName; options: Options }

/** What an order is checked against, of one vendor. */
export interface Orderable {
  outcomes: Readonly<Record<string, string>>
  options: Options
  hasAccessTokens: boolean
}

type Kind = 'text' | 'flag' | 'length' | 'share'

const checks: Record<Kind, { right: (value: unknown) => boolean; words: string }> = {
  text: { right: (value) => typeof value === 'string', words: 'a text' },
  flag: { right: (value) => typeof value === 'boolean', words: 'true or false' },
  length: { right: (value) => Number.isSafeInteger(value) && Number(value) >= 0, words: 'a whole number' },
  share: { right: (value) => typeof value === 'number' && value >= 0 && value <= 1, words: 'a number between 0 and 1' },
}

/** The fields of every fault, beside those all of them have. */
const faultFields: Record<FaultOrder['fault'], Record<string, Kind>> = {
  latency: { ms: 'length', spreadMs: 'length' },
  limited: { retryAfterSeconds: 'length' },
  status: { status: 'length', retryAfterSeconds: 'length', processed: 'flag' },
  hang: {},
  reset: { processed: 'flag' },
  silent: { processed: 'flag' },
  'half-open': { processed: 'flag' },
  goaway: { code: 'length', data: 'text' },
  refused: {},
  garbage: {},
  dead: {},
  expired: {},
}
const required: Record<string, readonly string[]> = { latency: ['ms'], status: ['status'] }
const common: Record<string, Kind> = {
  fault: 'text', vendor: 'text', on: 'text', token: 'text', times: 'length', chance: 'share',
}

export class BadOrder extends Error {}

const demand = (right: boolean, words: string): void => {
  if (!right) throw new BadOrder(words)
}

/** Reads an order that came from outside; what is wrong with it is thrown as a BadOrder, in words. */
export const readOrder = (from: unknown, orderable: (vendor: VendorName) => Orderable): Order => {
  demand(typeof from === 'object' && from !== null && !Array.isArray(from), 'An order is a JSON object.')
  const order = from as Record<string, unknown>
  const names: readonly string[] = vendorNames
  demand(order.vendor === undefined || names.includes(order.vendor as string), `vendor: one of ${names.join(', ')}.`)
  if ('fault' in order) return readFault(order, orderable)
  demand(order.vendor !== undefined, 'vendor: an order of an outcome or of options is for one vendor.')
  const { outcomes, options } = orderable(order.vendor as VendorName)
  return 'options' in order ? readOptions(order, options) : readOutcome(order, outcomes)
}

const readFault = (order: Record<string, unknown>, orderable: (vendor: VendorName) => Orderable): Order => {
  const known = typeof order.fault === 'string' && Object.hasOwn(faultFields, order.fault)
  demand(known, `fault: one of ${Object.keys(faultFields).join(', ')}.`)
  const fields: Record<string, Kind> = { ...common, ...faultFields[order.fault as FaultOrder['fault']] }
  for (const [name, value] of Object.entries(order)) {
    demand(Object.hasOwn(fields, name), `${name}: no field of a fault of kind ${order.fault}.`)
    const { right, words } = checks[fields[name]!]
    demand(right(value), `${name}: ${words}.`)
  }
  for (const name of required[order.fault as string] ?? []) demand(name in order, `${name}: ${order.fault} needs it.`)
  demand(order.on === undefined || order.on === 'push' || order.on === 'access', 'on: push or access.')
  const isExpiry = order.fault === 'expired'
  demand(!isExpiry || order.vendor !== undefined, 'vendor: expired is for one vendor.')
  const canExpire = !isExpiry || orderable(order.vendor as VendorName).hasAccessTokens
  demand(canExpire, `fault: ${order.vendor} has no access tokens.`)
  const status = Number(order.status ?? 500)
  demand(status >= 500 && status <= 599, 'status: 500 to 599.')
  return order as Order
}

const readOutcome = (order: Record<string, unknown>, outcomes: Orderable['outcomes']): Order => {
  const { token, outcome } = order
  demand(typeof token === 'string' && token !== '', 'token: the vendor token it is about.')
  const known = outcome === null || (typeof outcome === 'string' && Object.hasOwn(outcomes, outcome))
  demand(known, `outcome: one of ${Object.keys(outcomes).join(', ')}, or null.`)
  return order as Order
}

const readOptions = (order: Record<string, unknown>, options: Options): Order => {
  const asked = order.options
  demand(typeof asked === 'object' && asked !== null, 'options: a JSON object.')
  for (const [name, value] of Object.entries(asked as object)) {
    demand(Object.hasOwn(options, name), `options.${name}: not one of ${Object.keys(options).join(', ')}.`)
    demand(typeof value === typeof options[name], `options.${name}: a ${typeof options[name]}.`)
  }
  return order as Order
}
