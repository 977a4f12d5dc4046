import { addChange } from './changes.ts'
import { addSize } from './sizes.ts'
import type { Tx } from './store.ts'

/**
 * Everything a device leaves behind, the device itself, and the word that ends its live connection. Ids are not used
 * again, so its places in blocks and in the ledger need no cleaning.
 */
export const eraseDeviceRows = async (tx: Tx, deviceId: number, now: number): Promise<void> => {
  await tx.run('DELETE FROM device_tags WHERE device_id = ?1', deviceId)
  await tx.run('DELETE FROM vendor_tokens WHERE device_id = ?1', deviceId)
  await tx.run('DELETE FROM inbox WHERE device_id = ?1', deviceId)
  await tx.run('DELETE FROM device_badges WHERE device_id = ?1', deviceId)
  await endDeviceTokens(tx, deviceId, now)
  const erased = await tx.get<{ app: number }>('DELETE FROM devices WHERE id = ?1 RETURNING app', deviceId)
  if (erased) await addSize(tx, erased.app, { devices: -1 })
  await addChange(tx, { kind: 'device', key: deviceId, now })
}

/** Ends the access tokens that were issued for one device. */
export const endDeviceTokens = async (tx: Tx, deviceId: number, now: number): Promise<void> => {
  const ended = await tx.all<{ id: number }>('DELETE FROM access_tokens WHERE device_id = ?1 RETURNING id', deviceId)
  for (const { id } of ended) await addChange(tx, { kind: 'token', key: id, now })
}

/**
 * Ends all tokens of a user but one (0: really all), and takes vendor pushes from the devices left without a token.
 * The device of the token that stays keeps them.
 */
export const endUserTokens = async (tx: Tx, userId: number, keep: number, now: number): Promise<void> => {
  const ended = await tx.all<{ id: number }>(
    'DELETE FROM access_tokens WHERE user_id = ?1 AND id <> ?2 RETURNING id',
    userId,
    keep,
  )
  for (const { id } of ended) await addChange(tx, { kind: 'token', key: id, now })
  await tx.run(
    `UPDATE devices SET logged_in = 0 WHERE user_id = ?1 AND logged_in = 1
       AND NOT EXISTS (SELECT 1 FROM access_tokens t WHERE t.id = ?2 AND t.device_id = devices.id)`,
    userId,
    keep,
  )
}
