import type { VendorName } from '@carillon/protocol/names.ts'
import { listEvents, setWebhook } from '../events.ts'
import { createApp } from '../apps.ts'
import { odd } from '../odd-text.fixture.ts'
import { NOW, addDevice, addUser } from '../people.fixture.ts'
import { bindVendorToken } from '../devices.ts'
import { addressesOf } from '../addresses.ts'
import { type LaneNews, forgetAccount, lanesOf, lookAtLane, meetLanes, purgeLanes, quarantineBelieved, readLanes, takeTime } from '../shared-lanes.ts'
import { claimAccess, keepAccess, readAccess, refuseAccess } from '../vendor-access.ts'
import type { Book } from './book.fixture.ts'

const place = (vendor: VendorName) => ({ app: 1, vendor, environment: 1 })
const news = (vendor: VendorName, more: Partial<LaneNews> = {}): LaneNews =>
  ({ account: `${vendor} 1`, place: place(vendor), answers: 0, dead: 0, worked: false, underWay: 0, pause: null, noBodies: null, ...more })

/** Lanes that several nodes work in: their time, pauses, answers and access. */
export const lanesScene = async (book: Book): Promise<void> => {
  await book.write(createApp, { appId: 'one', name: 'One', actor: '', now: NOW })
  await book.write(setWebhook, { app: 1, url: 'https://hook.example', secret: Uint8Array.of(1), actor: '', now: NOW })
  const asked = { node: 'a', accounts: ['fcm 1', 'apns 1', 'nobody'], restsAfter: NOW - 1, now: NOW }
  const take = (vendor: VendorName, fromUs: number, lengthUs: number) =>
    book.write(takeTime, { node: 'a', place: place(vendor), account: `${vendor} 1`, fromUs, lengthUs, now: NOW })
  await take('fcm', NOW * 1_000, 10)
  await take('fcm', NOW * 1_000 - 5_000_000, 250_000)
  await take('fcm', NOW * 1_000 + 9_000_000, 1)
  await take('apns', 1, 1)

  const why = odd.join(' ')
  const meet = (some: LaneNews[], now = NOW) => book.write(meetLanes, { ...asked, news: some, rests: [], now })
  await meet([news('fcm', { answers: 49, dead: 20, underWay: 3 }), news('apns', { pause: { until: NOW + 60_000, why, failures: 0, tell: true } })])
  await meet([news('apns', { pause: { until: NOW + 1_000, why: 'shorter', failures: 5, tell: false } })])
  await meet([news('apns', { pause: { until: NOW + 70_000, why, failures: 0, tell: true } })])
  await take('apns', 1, 1)
  await meet([news('apns', { worked: true, noBodies: { until: NOW + 1, instead: '{"kind":"adapt"}' } })])
  await meet([news('apns', { worked: true, pause: { until: NOW + 80_000, why: 'a\0b', failures: 6, tell: true } })])
  await book.read(readLanes, asked)

  const userId = await addUser(book.store, 1, 'ann')
  const devices = await Promise.all([1, 2, 3].map((i) => addDevice(book.store, 1, userId, `guid ${i}`)))
  const ids = devices.map(({ deviceId }) => deviceId).sort((a, b) => a - b)
  const bury = async (deviceId: number) => {
    const token = `token ${deviceId}`
    const device = devices.find((one) => one.deviceId === deviceId)!
    await book.write(bindVendorToken, { device, by: { vendor: 'fcm', environment: 1 }, token, platform: null, now: NOW })
    return book.write(quarantineBelieved, { account: 'fcm 1', place: place('fcm'), tokens: [{ deviceId, token, before: NOW }], now: NOW })
  }
  await bury(ids[0]!)
  await meet([news('fcm', { answers: 1, dead: 0 })])
  await bury(ids[1]!)
  await book.read(addressesOf, { ids, vendor: 'fcm', environment: 1 })
  await meet([news('fcm', { answers: 60, dead: 1 })], NOW + 61_000)
  await bury(ids[2]!)
  await book.read(addressesOf, { ids, vendor: 'fcm', environment: 1 })
  await book.write(quarantineBelieved, { account: 'vivo 1', place: place('vivo'), tokens: [], now: NOW })
  await book.read(listEvents, { app: 1, before: 1_000, limit: 100 })

  const rest = (deviceId: number, until: number) => ({ account: 'fcm 1', deviceId, until })
  await book.write(meetLanes, { ...asked, news: [], rests: [rest(1, NOW + 10), rest(2, NOW + 2_000)] })
  await book.write(meetLanes, { ...asked, news: [], rests: [rest(1, NOW + 5), rest(2, NOW + 3_000)], now: NOW + 1 })
  await book.read(readLanes, { ...asked, restsAfter: NOW, now: NOW + 1 })
  for (const [account, devices] of [['fcm 1', [1, 2, 3]], ['fcm 1', []], ['apns 1', [1]], ['nobody', [1]]] as const) {
    for (const now of [NOW + 1, NOW + 10]) await book.read(lookAtLane, { node: 'a', account, devices: [...devices], now })
  }
  await book.read(lanesOf, { app: 1, now: NOW + 1 })
  await book.read(lanesOf, { app: 2, now: NOW + 1 })

  const seat = { account: 'fcm 1', region: 'eu' }
  const claim = (more: Partial<Parameters<typeof claimAccess>[1]> = {}) =>
    book.write(claimAccess, { ...seat, after: 0, dropped: 0, anew: false, alone: false, now: NOW, until: NOW + 30_000, ...more })
  await book.read(readAccess, seat)
  for (const more of [{}, {}, { alone: true }, { now: NOW + 30_000, until: NOW + 60_000 }]) await claim(more)
  await book.write(keepAccess, { ...seat, token: Uint8Array.of(0, 255), renewAt: NOW + 100_000, endsAt: NOW + 200_000, now: NOW + 31_000 })
  await book.read(readAccess, seat)
  for (const more of [{}, { after: NOW + 31_000 }, { after: NOW + 31_000 }]) await claim(more)
  await book.write(refuseAccess, { ...seat, refusal: '{"kind":"denied"}', until: NOW + 40_000 })
  for (const more of [{}, { anew: true, after: NOW + 31_000 }, { after: NOW + 31_000, dropped: NOW + 31_000, now: NOW + 60_000 }]) await claim(more)
  await book.read(readAccess, seat)
  for (const now of [NOW, NOW + 90_000]) {
    await book.write(keepAccess, { ...seat, token: Uint8Array.of(1), renewAt: now + 1, endsAt: now + 2, now })
    await book.read(readAccess, seat)
  }

  await book.write(purgeLanes, { now: NOW + 10 })
  await book.write(forgetAccount, { account: 'fcm 1' })
  await book.read(readAccess, seat)
  await book.read(lanesOf, { app: 1, now: NOW })
  await book.write(purgeLanes, { now: NOW + 8 * 86_400_000 })
  await book.read(lanesOf, { app: 1, now: NOW })
}
