import { createHash } from 'node:crypto'
import { ownChannel, providerOfVendor, type ChannelName, type VendorName, vendorNames } from '@carillon/protocol/names.ts'
import type { Caller } from '@carillon/sdk/caller.ts'
import type { Server } from './server.ts'

/** One person with one device, which is reached one way. */
export interface Person {
  name: string
  channel: ChannelName
  /** '' on the own channel. */
  vendorToken: string
  tags: readonly string[]
}

/** How many of about a hundred devices are reached by each vendor. */
const shares: Partial<Record<VendorName, number>> = { apns: 22, fcm: 18, huawei: 14, xiaomi: 14, oppo: 11, vivo: 10, honor: 7, flyme: 4 }
const USUAL_SHARE = 5
const CONNECTED_MOST = 300
const CONNECTED_SHARE = 0.1
const PAGE = 500

/** Everybody, the same at every start, so that a data folder can be used again. */
export const invent = (count: number): Person[] => {
  const connected = Math.min(CONNECTED_MOST, Math.ceil(count * CONNECTED_SHARE))
  const vendors = vendorNames.flatMap((vendor) => Array.from({ length: shares[vendor] ?? USUAL_SHARE }, () => vendor))
  return Array.from({ length: count }, (_, i) => {
    const tags = [i % 2 === 0 ? 'news' : 'photos', i % 10 === 3 && 'beta', i % 20 === 7 && 'vip', i < connected && 'live']
      .filter((tag) => tag !== false)
    if (i < connected) return { name: `visitor ${i}`, channel: ownChannel, vendorToken: '', tags }
    // 37 is prime: neighbours differ, and a hundred or so in a row hold every share.
    const vendor = vendors[(i * 37) % vendors.length]!
    return { name: `owner ${i}`, channel: vendor, vendorToken: vendorToken(vendor, i), tags }
  })
}

const LENGTHS: Partial<Record<VendorName, number>> = { oppo: 32, flyme: 45 }

/** Of the vendor's usual length. */
const vendorToken = (vendor: VendorName, i: number): string =>
  createHash('sha256').update(`${vendor} ${i}`).digest('hex').slice(0, LENGTHS[vendor])

/** Brings them in as a team that moves here does: two files of JSON lines. */
export const moveIn = async (server: Server, people: readonly Person[]): Promise<void> => {
  const bring = (noun: string, lines: object[]): Promise<string> =>
    server.run([noun, 'import', '--app', 'demo', '-'], lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  await bring('user', people.map(({ name }) => ({ name })))
  await bring('device', people.map(({ name, channel, vendorToken: token, tags }) => ({
    name, device_guid: name, tags,
    platform: channel === ownChannel ? 'web' : channel === 'apns' ? 'ios' : 'android',
    ...(channel !== ownChannel && { tokens: [{ provider: providerOfVendor[channel], environment: 1, token }] }),
  })))
}

/** The ids the server gave them, by name. */
export const idsOf = async (caller: Caller): Promise<Map<string, number>> => {
  const ids = new Map<string, number>()
  for (let page = 1; ; page += 1) {
    const { list } = await caller.users({ page_num: page, page_size: PAGE })
    for (const { user_id, username } of list) if (username !== null) ids.set(username, user_id)
    if (list.length < PAGE) return ids
  }
}
