import type { X509Certificate } from 'node:crypto'
import { Type } from 'typebox'
import { holdsCertificate, holdsPrivateKey, openIdentity, readPrivateKey } from './keys.ts'
import { defineVendor, label, text, word, type Checked, type Environment, type Fields, type Problem } from './vendor.ts'

const DAY_MS = 86_400_000
const SOON_DAYS = 30

// 1.2.840.113635.100.6.3.1 and .2 in DER: the certificate may be used for development, for production.
const ALLOWS = [1, 2].map((last) => Buffer.from(`060a2a864886f7636406030${last}`, 'hex'))
const ENVIRONMENTS = ['development', 'production'] as const

/** A .p8 key signs tokens; whatever comes with a certificate is shown in the TLS handshake. */
const isSigningKey = (certificate: string) => holdsPrivateKey(certificate) && !holdsCertificate(certificate)

const checkSigningKey = ({ app_key, app_secret, certificate }: Fields): Partial<Checked> => {
  const problems: Problem[] = []
  const warnings: string[] = []
  const ids = [['app_key', 'Key ID', app_key], ['app_secret', 'Team ID', app_secret]] as const
  for (const [field, title, value] of ids) {
    if (value === '') problems.push({ field, expected: `must not be blank: with a .p8 key it is the ${title}` })
    else if (!/^[A-Z0-9]{10}$/.test(value)) {
      warnings.push(`${field} has an unusual shape for "${title}", which is normally 10 capital letters and digits`)
    }
  }
  const key = readPrivateKey(certificate)
  if (key?.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    problems.push({
      field: 'certificate',
      expected: 'must be the .p8 file as Apple gave it: an EC P-256 private key in PEM, BEGIN and END lines included',
    })
  }
  return { problems, warnings }
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10)

const checkIdentity = (fields: Fields, environment: Environment, now: number): Partial<Checked> => {
  const identity = openIdentity(fields.certificate, fields.app_secret)
  if ('problem' in identity) return { problems: [identity.problem] }
  const { leaf } = identity
  // From the text: validToDate is made of whatever lies in memory when the time in the certificate is malformed.
  const beginsAt = Date.parse(leaf.validFrom)
  const expiresAt = Date.parse(leaf.validTo)
  if (Number.isNaN(beginsAt) || Number.isNaN(expiresAt)) {
    return { problems: [{ field: 'certificate', expected: 'must hold readable dates of its beginning and end' }] }
  }
  if (expiresAt <= now) {
    const expected = `must not be expired: this one ended on ${day(expiresAt)}`
    return { problems: [{ field: 'certificate', expected }], expiresAt }
  }
  const warnings = purposeWarnings(leaf, fields.app_id, environment)
  if (fields.app_key !== '') warnings.push('app_key is not used with a TLS certificate: a Key ID belongs to a .p8 key')
  if (fields.app_secret !== '' && holdsCertificate(fields.certificate)) {
    warnings.push('app_secret is not used with PEM text: a passphrase belongs to a .p12 file')
  }
  if (expiresAt < now + SOON_DAYS * DAY_MS) warnings.push(`certificate expires soon, on ${day(expiresAt)}`)
  if (beginsAt > now) warnings.push(`certificate is not valid before ${day(beginsAt)}`)
  return { warnings, expiresAt }
}

const purposeWarnings = (leaf: X509Certificate, bundleId: string, environment: Environment): string[] => {
  const warnings: string[] = []
  const topic = /^UID=(.+)$/m.exec(leaf.subject)?.[1]
  if (!topic) warnings.push('certificate names no app (UID) in its subject, as push certificates of Apple do')
  else if (bundleId !== '' && topic !== bundleId) {
    warnings.push(`certificate belongs to ${topic}, which is not app_id: Apple refuses pushes for another app`)
  }
  const allowed = ALLOWS.map((oid) => leaf.raw.includes(oid))
  if (!allowed[environment] && allowed[1 - environment]) {
    const [other, own] = [ENVIRONMENTS[1 - environment], ENVIRONMENTS[environment]]
    warnings.push(`certificate is made for ${other}, this record is for ${own}`)
  }
  return warnings
}

export default defineVendor({
  name: 'apns',
  title: 'Apple Push Notification service',
  credentials: Type.Object({
    app_id: word({
      title: 'Bundle ID',
      description: 'The Bundle ID of the app; pushes are addressed to it.',
      usual: { pattern: '^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$', words: 'a reversed domain such as com.example.app' },
    }),
    app_key: Type.Optional(
      word({ title: 'Key ID', description: 'With a .p8 key: its Key ID. With a TLS certificate: leave blank.' }),
    ),
    app_secret: Type.Optional(
      text({
        title: 'Team ID, or passphrase',
        description: 'With a .p8 key: the Team ID. With a .p12 file: its passphrase, if it has one.',
      }),
    ),
    certificate: text({
      title: 'Auth key (.p8), or push certificate',
      description:
        'The text of the .p8 file; or a .p12 file in base64; or PEM text with a certificate and its unencrypted key.',
    }),
    name: label,
  }),
  options: Type.Object({}),

  check(fields, environment, now) {
    if (fields.certificate === '') return {}
    return isSigningKey(fields.certificate) ? checkSigningKey(fields) : checkIdentity(fields, environment, now)
  },
})
