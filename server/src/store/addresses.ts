import { type Tx, list } from './store.ts'

/**
 * The vendor's addresses of these devices, as they are now. The vendor is no condition of an index here: PostgreSQL takes
 * a vendor for rare until a table is analyzed, and would walk all of its tokens.
 */
export const addressesOf = async (
  tx: Tx,
  { ids, vendor, environment }: { ids: number[]; vendor: string; environment: number },
): Promise<{ device_id: number; token: string }[]> =>
  tx.all(
    `SELECT device_id, token FROM vendor_tokens
     WHERE device_id any_int(?1) AND vendor || '' = ?2 AND environment = ?3 AND quarantined_at IS NULL`,
    list(ids), vendor, environment,
  )
