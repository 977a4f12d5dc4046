import type { VendorName } from '@carillon/protocol/names.ts'
import { writeAudit } from './audit.ts'
import { laneOf } from './batches.ts'
import { wakeLane } from './claims.ts'
import { addChange } from './changes.ts'
import type { Tx } from './store.ts'

/** Where a certificate stands: one per app, vendor and environment. */
export interface CertificatePlace {
  app: number
  vendor: VendorName
  environment: number
}

/** What is sealed of a certificate, as JSON. */
export interface CertificateSecrets {
  app_secret: string
  certificate: string
  options: Record<string, unknown>
}

/** Secrets are sealed to this text, so that a row's secrets open nowhere else. */
export const certificateSeat = ({ app, vendor, environment }: CertificatePlace): string =>
  `certificate/${app}/${vendor}/${environment}`

export interface StoredCertificate extends CertificatePlace {
  id: number
  name: string
  app_id: string
  app_key: string
  secrets: Uint8Array
  expires_at: number | null
  updated_at: number
}

const columns = 'id, app, vendor, environment, name, app_id, app_key, secrets, expires_at, updated_at'

/** For those who push with it; what a person reads goes through showCertificate. */
export const getCertificate = async (
  tx: Tx,
  { app, vendor, environment }: CertificatePlace,
): Promise<StoredCertificate | undefined> =>
  tx.get<StoredCertificate>(
    `SELECT ${columns} FROM certificates WHERE app = ?1 AND vendor = ?2 AND environment = ?3`,
    app,
    vendor,
    environment,
  )

/** All of an app's, for those who push with them. */
export const certificatesOf = async (tx: Tx, { app }: { app: number }): Promise<StoredCertificate[]> =>
  tx.all<StoredCertificate>(`SELECT ${columns} FROM certificates WHERE app = ?1 ORDER BY vendor, environment`, app)

interface Noted {
  actor: string
  now: number
}

/** A certificate for somebody to see, and the note that they saw it: not one without the other. */
export const showCertificate = async (
  tx: Tx,
  { place, actor, whole, now }: Noted & { place: CertificatePlace; whole: boolean },
): Promise<StoredCertificate | undefined> => {
  const found = await getCertificate(tx, place)
  if (!found) return undefined
  const { app, vendor, environment } = place
  const detail = { vendor, environment, secrets: whole }
  await writeAudit(tx, { app, at: now, actor, action: 'certificate.read', detail })
  return found
}

export const putCertificate = async (
  tx: Tx,
  { place, fields, actor, now }: Noted & {
    place: CertificatePlace
    fields: Pick<StoredCertificate, 'name' | 'app_id' | 'app_key' | 'secrets' | 'expires_at'>
  },
): Promise<number> => {
  const { app, vendor, environment } = place
  const { name, app_id, app_key, secrets, expires_at } = fields
  const row = await tx.get<{ id: number }>(
    `INSERT INTO certificates (app, vendor, environment, name, app_id, app_key, secrets, expires_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
     ON CONFLICT (app, vendor, environment) DO UPDATE SET name = excluded.name, app_id = excluded.app_id,
       app_key = excluded.app_key, secrets = excluded.secrets, expires_at = excluded.expires_at,
       updated_at = excluded.updated_at
     RETURNING id`,
    app,
    vendor,
    environment,
    name,
    app_id,
    app_key,
    secrets,
    expires_at,
    now,
  )
  // What the old one was denied for does not concern the new one.
  await wakeLane(tx, { channel: vendor, lane: laneOf(app, environment), now })
  await addChange(tx, { kind: 'certificate', key: row!.id, now })
  await writeAudit(tx, { app, at: now, actor, action: 'certificate.put', detail: { vendor, environment, name } })
  return row!.id
}

/** False: there was none. */
export const deleteCertificate = async (
  tx: Tx,
  { place, actor, now }: Noted & { place: CertificatePlace },
): Promise<boolean> => {
  const { app, vendor, environment } = place
  const gone = await tx.get<{ id: number; name: string }>(
    'DELETE FROM certificates WHERE app = ?1 AND vendor = ?2 AND environment = ?3 RETURNING id, name',
    app,
    vendor,
    environment,
  )
  if (!gone) return false
  await addChange(tx, { kind: 'certificate', key: gone.id, now })
  const detail = { vendor, environment, name: gone.name }
  await writeAudit(tx, { app, at: now, actor, action: 'certificate.delete', detail })
  return true
}

export type ListedCertificate = Omit<StoredCertificate, 'secrets'>

/** All of an app's, with the note that somebody looked. */
export const showCertificates = async (
  tx: Tx,
  { app, actor, now }: Noted & { app: number },
): Promise<ListedCertificate[]> => {
  const found = await tx.all<ListedCertificate>(
    `SELECT id, app, vendor, environment, name, app_id, app_key, expires_at, updated_at
     FROM certificates WHERE app = ?1 ORDER BY vendor, environment`,
    app,
  )
  await writeAudit(tx, { app, at: now, actor, action: 'certificate.list', detail: { count: found.length } })
  return found
}
