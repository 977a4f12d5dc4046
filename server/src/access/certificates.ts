import { badField } from '@carillon/protocol/errors.ts'
import type { Warning } from '@carillon/protocol/sentences/warnings.ts'
import { type CertificatePlace, type CertificateSecrets, certificateSeat, putCertificate } from '../store/certificates.ts'
import type { Store } from '../store/store.ts'
import type { Seal } from './seal.ts'

export interface CertificateFields {
  app_id: string
  app_key: string
  app_secret: string
  certificate: string
  name: string
  options: Record<string, unknown>
}

export interface CheckedFields {
  problems: readonly { field: string; expected: string }[]
  warnings: readonly Warning[]
  expiresAt: number | null
}

const OPTIONS_LIMIT = 16_384

/** Checks, seals and stores a certificate; resolves to what is unusual about it. */
export const storeCertificate = async (
  { store, seal, check }: { store: Store; seal: Seal; check(): CheckedFields },
  { place, fields, actor, now }: { place: CertificatePlace; fields: CertificateFields; actor: string; now: number },
): Promise<readonly Warning[]> => {
  const { app_id, app_key, app_secret, certificate, name, options } = fields
  if (Buffer.byteLength(JSON.stringify(options)) > OPTIONS_LIMIT) throw badField('options', 'must be under 16 KiB of JSON')
  const { problems, warnings, expiresAt } = check()
  const [problem] = problems
  if (problem) throw badField(problem.field, problem.expected)
  const secrets = JSON.stringify({ app_secret, certificate, options } satisfies CertificateSecrets)
  const sealed = seal.seal(secrets, certificateSeat(place))
  await store.write(putCertificate, { place, fields: { name, app_id, app_key, secrets: sealed, expires_at: expiresAt }, actor, now })
  return warnings
}
