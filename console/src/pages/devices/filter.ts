import { type DeviceMatch, deviceMatches } from '@carillon/protocol/device-bodies.ts'
import { type VendorName, vendorNames } from '@carillon/protocol/names.ts'

/** What the list is narrowed to; it stands in the address, so that it can be sent to somebody. */
export interface DeviceFilter {
  search?: string
  /** How the search is meant; without it, in the first way that matches anything. */
  by?: DeviceMatch
  online?: boolean
  vendor?: VendorName
}

/** As long as the server takes. */
export const SEARCH_MAX = 512

/** Reads it off the address: anybody may have typed that. */
export const deviceFilter = (asked: Record<string, unknown>): DeviceFilter => {
  const search = searchText(asked.search, SEARCH_MAX)
  return given({
    search,
    by: search === undefined ? undefined : deviceMatches.find((match) => match === asked.by),
    online: typeof asked.online === 'boolean' ? asked.online : undefined,
    vendor: vendorNames.find((vendor) => vendor === asked.vendor),
  })
}

/** The router reads digits as a number; a blank search is none. */
export const searchText = (value: unknown, most: number): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = Array.from(String(value).trim()).slice(0, most).join('')
  return text === '' ? undefined : text
}

/** Without what is undefined: an address shows only what somebody chose. */
export const given = <T extends object>(filter: T): T =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as T
