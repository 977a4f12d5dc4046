import { Type } from 'typebox'
import { readPrivateKey } from './keys.ts'
import { defaultChannel, defineVendor, label, text, word } from './vendor.ts'
import type { Checked, FieldName, Fields, Problem } from './vendor.ts'

const TOKEN_URI = 'https://oauth2.googleapis.com/token'
const RSA_BITS = 2048

interface ServiceAccount {
  project_id: string
  client_email: string
  private_key: string
}

/** Environment files often carry the line breaks of a key as the two characters \ and n. */
const withLineBreaks = (pem: string) => pem.replaceAll('\\n', '\n')

const parseObject = (json: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

const checkFile = ({ app_id, app_key, app_secret, certificate }: Fields): Partial<Checked> => {
  const wrong = (expected: string): Partial<Checked> => ({ problems: [{ field: 'certificate', expected }] })
  const file = parseObject(certificate)
  if (!file) return wrong("must be the service account's key file: JSON text that holds one object")
  if ('project_info' in file) {
    return wrong("must be the service account's key file: this is google-services.json, which belongs into the app")
  }
  if (file.type !== 'service_account') return wrong('must be a key file whose "type" is service_account')
  const missing = ['project_id', 'client_email', 'private_key'].filter(
    (key) => typeof file[key] !== 'string' || file[key].trim() === '',
  )
  if (missing.length > 0) return wrong(`must be a key file that holds ${missing.join(', ')}`)

  const account = file as unknown as ServiceAccount
  const warnings: string[] = []
  if (app_id !== '' && app_id !== account.project_id) {
    warnings.push('app_id is not the project_id in certificate, which counts')
  }
  if (app_key !== '' && app_key !== account.client_email) {
    warnings.push('app_key is not the client_email in certificate, which counts')
  }
  if (app_secret !== '') warnings.push('app_secret is not used when certificate holds the key file')
  if (typeof file.private_key_id !== 'string') warnings.push('certificate holds no private_key_id')
  if (file.token_uri !== undefined && file.token_uri !== TOKEN_URI) {
    warnings.push(`certificate names another token_uri than ${TOKEN_URI}`)
  }
  return withAccount('certificate', account, { problems: [], warnings })
}

/** The same three values pasted one by one. */
const checkPieces = ({ app_id, app_key, app_secret }: Fields): Partial<Checked> => {
  const problems: Problem[] = []
  const need = (field: FieldName, title: string) =>
    problems.push({ field, expected: `must not be blank: without the key file it is the ${title}` })
  if (app_id === '') need('app_id', 'Project ID')
  if (app_key === '') need('app_key', 'service account email')
  const account = { project_id: app_id, client_email: app_key, private_key: app_secret }
  return withAccount('app_secret', account, { problems, warnings: [] })
}

const withAccount = (
  keyField: FieldName,
  { project_id, client_email, private_key }: ServiceAccount,
  { problems, warnings }: Pick<Checked, 'problems' | 'warnings'>,
): Partial<Checked> => {
  const key = readPrivateKey(withLineBreaks(private_key))
  if (key?.asymmetricKeyType !== 'rsa') {
    problems.push({ field: keyField, expected: 'must hold an RSA private key in PEM, BEGIN and END lines included' })
  } else if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < RSA_BITS) {
    warnings.push(`${keyField} holds an RSA key shorter than the ${RSA_BITS} bits Google issues`)
  }
  if (project_id !== '' && !/^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(project_id)) {
    warnings.push('the Project ID has an unusual shape: normally 6 to 30 lower-case letters, digits and dashes')
  }
  if (client_email !== '' && !client_email.includes('@')) warnings.push('the service account email has no @ in it')
  return { problems, warnings }
}

export default defineVendor({
  name: 'fcm',
  title: 'Firebase Cloud Messaging',
  credentials: Type.Object({
    app_id: Type.Optional(
      word({ title: 'Project ID', description: 'project_id of the key file. Needed only without the file itself.' }),
    ),
    app_key: Type.Optional(
      word({
        title: 'Service account email',
        description: 'client_email of the key file. Needed only without the file itself.',
      }),
    ),
    app_secret: Type.Optional(
      text({ title: 'Private key', description: 'private_key of the key file. Needed only without the file itself.' }),
    ),
    certificate: Type.Optional(
      text({ title: 'Key file', description: 'The whole JSON file that "Generate new private key" downloads.' }),
    ),
    name: label,
  }),
  options: Type.Object({ default_channel_id: defaultChannel }),

  check(fields) {
    if (fields.certificate !== '') return checkFile(fields)
    if (fields.app_secret !== '') return checkPieces(fields)
    const expected = "must not be blank: it is the service account's key file (JSON)"
    return { problems: [{ field: 'certificate', expected }] }
  },
})
