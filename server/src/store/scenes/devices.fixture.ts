import { addressesOf } from '../addresses.ts'
import { type StoredAudience, deviceOfPushToken, devicesOfPushTokens, nextCandidate, readDevices, readWindow, usableTokens } from '../audience.ts'
import { raiseBadges, readBadges } from '../badges.ts'
import { putCertificate } from '../certificates.ts'
import { bindVendorToken, findDevice, listDevices, removeAlias, removeDevice, setAlias, setBadge, setUserPush, unbindVendorTokens } from '../devices.ts'
import { createGroup } from '../groups.ts'
import { importDevices, importUsers, knownNames } from '../imports.ts'
import { startNode, touchNode, writePresence } from '../nodes.ts'
import { NOW, addDevice, sha } from '../people.fixture.ts'
import { devicesOfTokens, quarantineTokens, releaseTokens, replaceToken } from '../quarantine.ts'
import type { ScopeKind } from '../scope.ts'
import { addTags, readTags, removeTags } from '../tags.ts'
import { deviceInScope } from '../trace.ts'
import type { Book } from './book.fixture.ts'

const audiences: StoredAudience[] = [
  { all: true }, { tag: ['t1'] }, { tag: ['t1', 'T1', 'nobody'] }, { alias: ['a'] }, { alias: ['a', 'A', 'ä'] }, { user_id: [2] },
  { user_id: [1, 2, 99] }, { user_id: [] }, { device_id: [1, 2, 99], push_tokens: 3 }, { device_id: [2], push_tokens: 1 }, { device_id: [], push_tokens: 0 },
]
const scopes: [ScopeKind, number][] = [['app', 0], ['user', 2], ['group', 1], ['group', 9]]

/** Devices with all they hold, and how audiences find them. */
export const devicesScene = async (book: Book): Promise<void> => {
  const names = ['ann', 'bob', 'Bob', 'cleo']
  await book.write(importUsers, { app: 1, users: names.map((name) => ({ name, mobile: null, email: null, emailKey: null, passwordHash: null })), now: NOW })
  await book.read(knownNames, { app: 1, names: ['bob', 'BOB', 'cleo'] })
  const device = (guid: string, more: object) => ({ userId: null, userName: null, guid, platform: 'android' as const, alias: null, tags: [], tokens: [], ...more })
  const devices = [
    device('g1', { userId: 1, tags: ['t1', 'T1'], alias: 'a', tokens: [{ vendor: 'fcm', environment: 1, token: 'f1' }] }),
    device('g2', { userName: 'bob', tags: ['t1'], alias: 'A', tokens: [{ vendor: 'apns', environment: 0, token: 'p2' }] }),
    device('g3', { userName: 'nobody' }),
    device('g4', { userName: 'Bob', alias: 'ä', tokens: [{ vendor: 'fcm', environment: 1, token: 'f1' }] }),
    device('g5', { userId: 99 }),
    device('g6', { userId: 4 }),
  ]
  const bytes = (length: number) => Uint8Array.from({ length: length * devices.length }, (_, i) => i * 7)
  await book.write(importDevices, { app: 1, devices, pushTokenHashes: bytes(32), pushTokens: bytes(20), now: NOW })
  await book.write(importDevices, { app: 1, devices: devices.slice(0, 2), pushTokenHashes: bytes(32).map((byte) => byte + 1), pushTokens: bytes(20), now: NOW })

  const mine = await addDevice(book.store, 2, 2, 'elsewhere')
  const bob = { app: 1, userId: 2, deviceId: 2, pushTokenHash: null }
  await book.read(findDevice, mine)
  await book.read(findDevice, { ...bob, pushTokenHash: sha('push elsewhere') })
  await book.read(findDevice, { ...bob, deviceId: null })
  await book.read(deviceInScope, { app: 2, scopeKind: 'user', scopeId: 2, pushTokenHash: sha('push elsewhere') })
  await book.read(deviceInScope, { app: 2, scopeKind: 'group', scopeId: 2, pushTokenHash: sha('push elsewhere') })
  await book.write(addTags, { device: bob, tags: ['x', 'é', 't1', 'X'], max: 4, now: NOW + 1 })
  await book.write(addTags, { device: bob, tags: ['y'], max: 4, now: NOW + 1 })
  await book.write(removeTags, { device: bob, tags: ['x', 'nothing'], now: NOW + 1 })
  await book.read(readTags, { device: bob })
  await book.write(setAlias, { device: bob, alias: 'A', now: NOW + 2 })
  await book.write(removeAlias, { device: bob, alias: 'a', now: NOW + 2 })
  await book.write(setBadge, { device: bob, badge: 5, now: NOW + 3 })
  await book.write(setUserPush, { app: 1, userId: 2, enabled: false, quietStart: 22, quietEnd: 7, timeZone: 'Asia/Tokyo' })
  const fields = { name: 'prod', app_id: '', app_key: '', secrets: Uint8Array.of(1), expires_at: null }
  await book.write(putCertificate, { place: { app: 1, vendor: 'fcm', environment: 1 }, fields, actor: 'x', now: NOW })
  for (const notifier of ['prod', 'Prod']) {
    await book.write(bindVendorToken, { device: bob, by: { notifier, vendor: null, environment: 1 }, token: 'f1', platform: null, now: NOW + 4 })
  }
  await book.write(bindVendorToken, { device: bob, by: { vendor: 'xiaomi', environment: 1 }, token: 'm', platform: 'android', now: NOW + 4 })
  await book.read(devicesOfTokens, { app: 1, vendor: 'fcm', tokens: ['f1', 'nobody'] })
  await book.write(unbindVendorTokens, { device: bob, vendor: 'xiaomi', now: NOW + 5 })
  const place = { app: 1, vendor: 'fcm', environment: 1 } as const
  await book.write(quarantineTokens, { place, tokens: [{ deviceId: 2, token: 'f1', before: NOW + 3 }, { deviceId: 2, token: 'F1', before: NOW + 9 }], now: NOW + 9 })
  await book.write(quarantineTokens, { place, tokens: [{ deviceId: 2, token: 'f1', before: NOW + 9 }], now: NOW + 9 })
  await book.read(addressesOf, { ids: [1, 2, 3], vendor: 'fcm', environment: 1 })
  await book.write(releaseTokens, { place, since: NOW + 9, why: 'too many', now: NOW + 10 })
  await book.read(addressesOf, { ids: [1, 2, 3], vendor: 'fcm', environment: 1 })
  await book.write(replaceToken, { place, token: 'f1', by: 'f2', now: NOW + 11 })
  await book.write(replaceToken, { place, token: 'f2', by: 'f2', now: NOW + 11 })
  await book.read(usableTokens, { ids: [2, 1, 99] })

  const node = await book.write(startNode, { now: NOW })
  await book.write(touchNode, { node })
  await book.write(writePresence, { node, arrived: [{ deviceId: 2, session: 4 }, { deviceId: 1, session: 9 }], left: [], now: NOW + 12 })
  await book.write(writePresence, { node, arrived: [{ deviceId: 2, session: 3 }], left: [{ deviceId: 1, session: 8 }], now: NOW + 13 })
  await book.read(listDevices, { app: 1, userId: 2, limit: 9 })
  await book.read(readDevices, { ids: [3, 2, 1, 99] })
  await book.read(devicesOfPushTokens, { app: 2, hashes: [sha('push elsewhere'), sha('other')] })
  await book.read(deviceOfPushToken, { app: 2, hash: sha('push elsewhere') })
  await book.read(deviceOfPushToken, { app: 1, hash: sha('push elsewhere') })
  await book.write(raiseBadges, { ids: [1, 255, 256, 1_000_000], by: { add: 3 } })
  await book.write(raiseBadges, { ids: [1, 2], by: { add: -4 } })
  await book.write(raiseBadges, { ids: [256], by: { set: 2_147_483_647 } })
  await book.write(raiseBadges, { ids: Array.from({ length: 300 }, (_, i) => i * 3), by: { add: 1 } })
  await book.write(raiseBadges, { ids: Array.from({ length: 80 }, (_, i) => 250 + i), by: { add: 999_999_999 } })
  await book.write(raiseBadges, { ids: [252, 256], by: { add: 1 } })
  await book.read(readBadges, { ids: [1_000_000, 1, 2, 256, 70_000] })

  await book.write(createGroup, { app: 1, name: 'g', members: [1, 2], now: NOW })
  for (const audience of audiences) {
    for (const [scopeKind, scopeId] of scopes) {
      const question = { app: 1, scopeKind, scopeId, audience }
      await book.read(readWindow, { question, from: 0, to: Number.MAX_SAFE_INTEGER, most: 10 })
      await book.read(nextCandidate, { question, from: 1 })
      await book.read(nextCandidate, { question, from: 1_000 })
    }
  }
  await book.read(readWindow, { question: { app: 1, scopeKind: 'app', scopeId: 0, audience: { all: true } }, from: 0, to: 1_000, most: 1 })
  await book.write(removeDevice, { device: bob, now: NOW })
  await book.write(removeDevice, { device: bob, now: NOW })
}
