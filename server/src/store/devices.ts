import { raiseBadges, readBadges } from './badges.ts'
import { eraseDeviceRows } from './erase.ts'
import type { Platform, VendorName } from '@carillon/protocol/names.ts'
import { list, type Tx } from './store.ts'

/** "This device" of a user: by its push token, or else the one the access token was issued for. */
export interface DeviceOfUser {
  app: number
  userId: number
  deviceId: number | null
  pushTokenHash: Uint8Array | null
}

/** undefined: the user has no such device. */
export const findDevice = async (
  tx: Tx,
  { app, userId, deviceId, pushTokenHash }: DeviceOfUser,
): Promise<number | undefined> => {
  const row = pushTokenHash
    ? await tx.get<{ id: number }>(
        'SELECT id FROM devices WHERE push_token_hash = ?1 AND app = ?2 AND user_id = ?3',
        pushTokenHash,
        app,
        userId,
      )
    : await tx.get<{ id: number }>(
        'SELECT id FROM devices WHERE id = ?1 AND app = ?2 AND user_id = ?3',
        deviceId,
        app,
        userId,
      )
  return row?.id
}

/** The same for a change: notes that the device was heard of, and holds its row until the transaction ends. */
export const touchDevice = async (tx: Tx, device: DeviceOfUser, now: number): Promise<number | undefined> => {
  const id = await findDevice(tx, device)
  if (id === undefined) return undefined
  return (await tx.run('UPDATE devices SET seen_at = ?2 WHERE id = ?1', id, now)) ? id : undefined
}

interface Place {
  vendor: VendorName
  environment: number
}

/** A certificate's name. The vendor and the environment choose where it stands for several. */
interface Notifier {
  notifier: string
  vendor: VendorName | null
  environment: number
}

export type Bound = { ok: true } | { ok: false; why: 'device' | 'certificate' | 'ambiguous' }

/**
 * Gives the device its vendor token. A vendor token belongs to one device: whoever had it before loses it. Bound anew
 * it is out of quarantine, because the device itself says that it lives.
 */
export const bindVendorToken = async (
  tx: Tx,
  { device, by, token, platform, now }: {
    device: DeviceOfUser
    by: Notifier | Place
    token: string
    platform: Platform | null
    now: number
  },
): Promise<Bound> => {
  const place = 'notifier' in by ? await placeOfNotifier(tx, device.app, by) : by
  if (typeof place === 'string') return { ok: false, why: place }
  const { vendor, environment } = place
  const id = await touchDevice(tx, device, now)
  if (id === undefined) return { ok: false, why: 'device' }
  if (platform) await tx.run('UPDATE devices SET platform = ?2, logged_in = 1 WHERE id = ?1', id, platform)
  else {
    await tx.run(
      `UPDATE devices SET platform = CASE WHEN platform = 'other' THEN ?2 ELSE platform END, logged_in = 1
       WHERE id = ?1`,
      id,
      usualPlatform(vendor),
    )
  }
  await tx.run(
    'DELETE FROM vendor_tokens WHERE app = ?1 AND vendor = ?2 AND environment = ?3 AND token = ?4 AND device_id <> ?5',
    device.app,
    vendor,
    environment,
    token,
    id,
  )
  await tx.run(
    `INSERT INTO vendor_tokens (device_id, vendor, environment, app, token, bound_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT (device_id, vendor, environment)
     DO UPDATE SET token = excluded.token, bound_at = excluded.bound_at, quarantined_at = NULL`,
    id,
    vendor,
    environment,
    device.app,
    token,
    now,
  )
  return { ok: true }
}

/** A device that does not say what it is shows it by its vendor; only FCM serves more than one platform. */
const usualPlatform = (vendor: VendorName): Platform => {
  if (vendor === 'apns') return 'ios'
  return vendor === 'fcm' ? 'other' : 'android'
}

/** Where a certificate's name points. One name may stand for both environments of a vendor, not for two vendors. */
const placeOfNotifier = async (
  tx: Tx,
  app: number,
  { notifier, vendor, environment }: Notifier,
): Promise<Place | 'certificate' | 'ambiguous'> => {
  const named = await tx.all<Place>(
    'SELECT vendor, environment FROM certificates WHERE app = ?1 AND name = ?2 ORDER BY vendor, environment',
    app,
    notifier,
  )
  const places = vendor ? named.filter((place) => place.vendor === vendor) : named
  if (new Set(places.map((place) => place.vendor)).size > 1) return 'ambiguous'
  return places.find((place) => place.environment === environment) ?? places[0] ?? 'certificate'
}

/** Forgets the device's vendor tokens, of one vendor or all. False: no such device. */
export const unbindVendorTokens = async (
  tx: Tx,
  { device, vendor, now }: { device: DeviceOfUser; vendor: VendorName | null; now: number },
): Promise<boolean> => {
  const id = await touchDevice(tx, device, now)
  if (id === undefined) return false
  if (vendor) await tx.run('DELETE FROM vendor_tokens WHERE device_id = ?1 AND vendor = ?2', id, vendor)
  else await tx.run('DELETE FROM vendor_tokens WHERE device_id = ?1', id)
  return true
}

export const setAlias = async (
  tx: Tx,
  { device, alias, now }: { device: DeviceOfUser; alias: string; now: number },
): Promise<boolean> => {
  const id = await touchDevice(tx, device, now)
  if (id === undefined) return false
  await tx.run('UPDATE devices SET alias = ?2 WHERE id = ?1', id, alias)
  return true
}

/** Takes the alias away; with `alias`, only if it is that one. */
export const removeAlias = async (
  tx: Tx,
  { device, alias, now }: { device: DeviceOfUser; alias: string | null; now: number },
): Promise<boolean> => {
  const id = await touchDevice(tx, device, now)
  if (id === undefined) return false
  if (alias === null) await tx.run('UPDATE devices SET alias = NULL WHERE id = ?1', id)
  else await tx.run('UPDATE devices SET alias = NULL WHERE id = ?1 AND alias = ?2', id, alias)
  return true
}

/** Sets the badge the device really shows. */
export const setBadge = async (
  tx: Tx,
  { device, badge, now }: { device: DeviceOfUser; badge: number; now: number },
): Promise<boolean> => {
  const id = await touchDevice(tx, device, now)
  if (id === undefined) return false
  await raiseBadges(tx, { ids: [id], by: { set: badge } })
  return true
}

export const removeDevice = async (
  tx: Tx,
  { device, now }: { device: DeviceOfUser; now: number },
): Promise<boolean> => {
  const id = await touchDevice(tx, device, now)
  if (id === undefined) return false
  await eraseDeviceRows(tx, id, now)
  return true
}

/** Whether a user wants pushes at all, and the hours in which they wait. */
export const setUserPush = async (
  tx: Tx,
  { app, userId, enabled, quietStart, quietEnd, timeZone }: {
    app: number
    userId: number
    enabled: boolean
    quietStart: number | null
    quietEnd: number | null
    timeZone: string | null
  },
): Promise<void> => {
  await tx.run(
    `UPDATE users SET push_enabled = ?3, quiet_start = ?4, quiet_end = ?5, time_zone = ?6 WHERE id = ?1 AND app = ?2`,
    userId,
    app,
    enabled ? 1 : 0,
    quietStart,
    quietEnd,
    timeZone,
  )
}

export interface ListedDevice {
  id: number
  guid: string
  /** Sealed. */
  push_token: Uint8Array
  push_token_hash: Uint8Array
  platform: Platform
  alias: string | null
  presence_node: number | null
  created_at: number
  seen_at: number
  vendors: Place[]
  tags: string[]
  badge: number
}

/** The devices of a user that were heard of last. Vendor tokens in quarantine are not used, so they are not shown. */
export const listDevices = async (
  tx: Tx,
  { app, userId, limit }: { app: number; userId: number; limit: number },
): Promise<ListedDevice[]> => {
  const devices = await tx.all<Omit<ListedDevice, 'vendors' | 'tags' | 'badge'>>(
    `SELECT id, guid, push_token, push_token_hash, platform, alias, presence_node, created_at, seen_at
     FROM devices WHERE user_id = ?1 AND app = ?2 ORDER BY seen_at DESC, id DESC LIMIT ?3`,
    userId,
    app,
    limit,
  )
  const ids = devices.map(({ id }) => id)
  const vendors = await tx.all<Place & { device_id: number }>(
    `SELECT device_id, vendor, environment FROM vendor_tokens
     WHERE device_id any_int(?1) AND quarantined_at IS NULL ORDER BY vendor, environment`,
    list(ids),
  )
  const tags = await tx.all<{ device_id: number; tag: string }>(
    'SELECT device_id, tag FROM device_tags WHERE device_id any_int(?1) ORDER BY tag',
    list(ids),
  )
  const vendorsOf = Map.groupBy(vendors, (row) => row.device_id)
  const tagsOf = Map.groupBy(tags, (row) => row.device_id)
  const badges = await readBadges(tx, { ids })
  return devices.map((device, i) => ({
    ...device,
    vendors: (vendorsOf.get(device.id) ?? []).map(({ vendor, environment }) => ({ vendor, environment })),
    tags: (tagsOf.get(device.id) ?? []).map(({ tag }) => tag),
    badge: badges[i]!,
  }))
}
