import type { Tx } from './store.ts'

/** Which access to a vendor: an account, and a region where the vendor has several. */
export interface AccessSeat {
  account: string
  region: string
}

/** Tokens are sealed to this text, so that a row's token opens nowhere else. */
export const accessSeat = ({ account, region }: AccessSeat): string => `vendor_access/${account}/${region}`

export interface StoredAccess {
  /** Tells a token from the one before it. */
  madeAt: number
  /** Sealed. */
  token: Uint8Array | null
  renewAt: number
  endsAt: number
  askedUntil: number
  /** JSON. */
  refusal: string | null
  refusedUntil: number
}

interface Row {
  made_at: number
  token: Uint8Array | null
  renew_at: number
  ends_at: number
  asked_until: number
  refusal: string | null
  refused_until: number
}

const columns = 'made_at, token, renew_at, ends_at, asked_until, refusal, refused_until'

const accessOf = (row: Row): StoredAccess => ({
  madeAt: row.made_at, token: row.token, renewAt: row.renew_at, endsAt: row.ends_at, askedUntil: row.asked_until,
  refusal: row.refusal, refusedUntil: row.refused_until,
})

/** What all nodes know of an access. */
export const readAccess = async (tx: Tx, { account, region }: AccessSeat): Promise<StoredAccess | undefined> => {
  const row = await tx.get<Row>(
    `SELECT ${columns} FROM vendor_access WHERE account = ?1 AND region = ?2`, account, region,
  )
  return row && accessOf(row)
}

/**
 * Wants to be the one who asks for a new token; true when it is. Not while somebody else is asking (`alone`: there is
 * nobody else), nor when there is one by now that was made after `after` and needs no renewal, nor, unless `anew`, when
 * the vendor gave none lately. `dropped`: the vendor does not take the one made then any more.
 */
export const claimAccess = async (
  tx: Tx,
  { account, region, after, dropped, anew, alone, now, until }: AccessSeat & {
    after: number
    dropped: number
    anew: boolean
    alone: boolean
    now: number
    until: number
  },
): Promise<boolean> => {
  await tx.run(
    'INSERT INTO vendor_access (account, region) VALUES (?1, ?2) ON CONFLICT (account, region) DO NOTHING',
    account, region,
  )
  const row = (await tx.get<Row>(
    `SELECT ${columns} FROM vendor_access WHERE account = ?1 AND region = ?2 for update`, account, region,
  ))!
  if (row.made_at > after && row.renew_at > now) return false
  if ((!alone && row.asked_until > now) || (!anew && row.refused_until > now)) return false
  const isOver = dropped > 0 && row.made_at === dropped
  await tx.run(
    'UPDATE vendor_access SET asked_until = ?3, renew_at = ?4, ends_at = ?5 WHERE account = ?1 AND region = ?2',
    account, region, until, isOver ? 0 : row.renew_at, isOver ? 0 : row.ends_at,
  )
  return true
}

/** A new token for all nodes. When it counts as made. */
export const keepAccess = async (
  tx: Tx,
  { account, region, token, renewAt, endsAt, now }: AccessSeat & {
    token: Uint8Array
    renewAt: number
    endsAt: number
    now: number
  },
): Promise<number> => {
  const row = await tx.get<{ made_at: number }>(
    `INSERT INTO vendor_access (account, region, made_at, token, renew_at, ends_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT (account, region) DO UPDATE
       SET token = excluded.token, renew_at = excluded.renew_at, ends_at = excluded.ends_at,
         made_at = CASE WHEN vendor_access.made_at < excluded.made_at THEN excluded.made_at
                        ELSE vendor_access.made_at + 1 END,
         asked_until = 0, refusal = NULL, refused_until = 0
     RETURNING made_at`,
    account, region, now, token, renewAt, endsAt,
  )
  return row!.made_at
}

/** The vendor gave none: nobody asks again before `until`. */
export const refuseAccess = async (
  tx: Tx,
  { account, region, refusal, until }: AccessSeat & { refusal: string; until: number },
): Promise<void> => {
  await tx.run(
    'UPDATE vendor_access SET asked_until = 0, refusal = ?3, refused_until = ?4 WHERE account = ?1 AND region = ?2',
    account, region, refusal, until,
  )
}
