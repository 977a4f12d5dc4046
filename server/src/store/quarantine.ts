import type { VendorName } from '@carillon/protocol/names.ts'
import { addEvent, addEvents } from './events.ts'
import { type Tx, list } from './store.ts'

/** An app's addresses at one vendor in one environment. */
export interface TokenPlace {
  app: number
  vendor: VendorName
  environment: number
}

export interface DeadToken {
  deviceId: number
  token: string
  /** A token bound after this moment is a new one, which the vendor did not speak of. */
  before: number
}

/** Tokens that are not used again until they are bound anew. How many there were. */
export const quarantineTokens = async (
  tx: Tx,
  { place: { app, vendor, environment }, tokens, now }: { place: TokenPlace; tokens: DeadToken[]; now: number },
): Promise<number> => {
  const spokenOf = Map.groupBy(tokens, ({ deviceId }) => deviceId)
  // By device and not by vendor: see addresses.ts.
  const held = await tx.all<{ device_id: number; token: string; bound_at: number }>(
    `SELECT device_id, token, bound_at FROM vendor_tokens
     WHERE device_id any_int(?1) AND vendor || '' = ?2 AND environment = ?3 AND quarantined_at IS NULL ORDER BY device_id for update`,
    list([...spokenOf.keys()]), vendor, environment,
  )
  const dead = held.filter((row) => spokenOf.get(row.device_id)!.some(({ token, before }) => token === row.token && row.bound_at <= before))
  if (dead.length === 0) return 0
  await tx.run(
    `UPDATE vendor_tokens SET quarantined_at = ?4 WHERE device_id any_int(?1) AND vendor || '' = ?2 AND environment = ?3`,
    list(dead.map(({ device_id }) => device_id)), vendor, environment, now,
  )
  const events = dead.map(({ device_id }) => ({ vendor, environment, device_id }))
  await addEvents(tx, { app, kind: 'device.token_dead', data: events, now })
  return dead.length
}

/** Takes back what was quarantined since then: so many at once are not dead, something else is wrong. How many. */
export const releaseTokens = async (
  tx: Tx,
  { place: { app, vendor, environment }, since, why, now }: { place: TokenPlace; since: number; why: string; now: number },
): Promise<number> => {
  const released = await tx.run(
    `UPDATE vendor_tokens SET quarantined_at = NULL WHERE app = ?1 AND vendor = ?2 AND environment = ?3 AND quarantined_at >= ?4`,
    app, vendor, environment, since,
  )
  await addEvent(tx, { app, kind: 'lane.tokens_dying', data: { vendor, environment, why, released }, now })
  return released
}

/** The devices that a vendor means by tokens; a token nobody has is left out. */
export const devicesOfTokens = async (
  tx: Tx,
  { app, vendor, tokens }: { app: number; vendor: VendorName; tokens: string[] },
): Promise<{ token: string; deviceId: number; environment: number }[]> => {
  const rows = await tx.all<{ token: string; device_id: number; environment: number }>(
    `SELECT token, device_id, environment FROM vendor_tokens
     WHERE app = ?1 AND vendor = ?2 AND environment IN (0, 1) AND token any_text(?3) ORDER BY device_id, environment`,
    app, vendor, list(tokens),
  )
  return rows.map(({ token, device_id, environment }) => ({ token, deviceId: device_id, environment }))
}

/** The vendor gave the device another token. One that another device holds stays there. */
export const replaceToken = async (
  tx: Tx,
  { place: { app, vendor, environment }, token, by, now }: { place: TokenPlace; token: string; by: string; now: number },
): Promise<boolean> => {
  const held = await tx.get('SELECT 1 AS one FROM vendor_tokens WHERE app = ?1 AND vendor = ?2 AND environment = ?3 AND token = ?4', app, vendor, environment, by)
  if (held) return false
  const replaced = await tx.run(
    `UPDATE vendor_tokens SET token = ?5, bound_at = ?6, quarantined_at = NULL WHERE app = ?1 AND vendor = ?2 AND environment = ?3 AND token = ?4`,
    app, vendor, environment, token, by, now,
  )
  return replaced > 0
}

/** For those who listen: a lane takes nothing for a while, because of something the operator can mend. */
export const tellLanePaused = async (
  tx: Tx,
  { place: { app, vendor, environment }, why, until, now }: { place: TokenPlace; why: string; until: number; now: number },
): Promise<void> => addEvent(tx, { app, kind: 'lane.paused', data: { vendor, environment, why, until }, now })
