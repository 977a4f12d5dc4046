import { readFileSync } from 'node:fs'
import { storeCertificate } from '@carillon/server/access/certificates.ts'
import { LAST_PROVIDER, type VendorName, sequenceItems, vendorNames, vendorOfProvider } from '@carillon/protocol/names.ts'
import { inEnglish } from '@carillon/protocol/sentences/sentence.ts'
import { warningSentences } from '@carillon/protocol/sentences/warnings.ts'
import { systemClock } from '@carillon/server/clock.ts'
import { type Command, Failed, UsageError, actor, appNamed, required } from './command.ts'

/** A provider's number or its name. */
const vendorOf = (provider: string): VendorName => {
  const vendor = vendorOfProvider[Number(provider)] ?? vendorNames.find((name) => name === provider) ?? sequenceItems[provider]?.[0]
  if (!vendor || provider === 'ups') throw new UsageError(`--provider must be 1 to ${LAST_PROVIDER}, or one of ${vendorNames.join(', ')}`)
  return vendor
}

const environmentOf = (environment: string): 0 | 1 => {
  if (environment === '1' || environment === 'production') return 1
  if (environment === '0' || environment === 'development') return 0
  throw new UsageError('--environment must be 0 (development) or 1 (production)')
}

/** Text where it is text (.p8, .pem, .json), base64 where it is not (.p12). */
const fileContent = (file: string): string => {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new Failed(`--certificate-file: ${(error as Error).message}`)
  }
  const content = bytes.toString('utf8')
  return Buffer.from(content, 'utf8').equals(bytes) && !content.includes('\0') ? content : bytes.toString('base64')
}

export const certCommands: Command[] = [
  {
    name: 'cert set',
    usage: 'cert set --app APP_ID --provider P --environment E --name NAME [--app-id ID --app-key KEY --app-secret SECRET --certificate-file FILE]',
    help: [
      'Stores the credentials of a push provider, sealed. A running server uses them within a second.',
      `P is 1 to ${LAST_PROVIDER} or a name (${vendorNames.join(', ')}); E is 0 (development) or 1 (production).`,
      'docs/vendors.md says which value of the provider’s console goes where.',
    ].join('\n'),
    examples: [
      'carillon cert set --app shop --provider fcm --name fcm --certificate-file service-account.json',
      'carillon cert set --app shop --provider apns --environment 0 --name com.example.app --app-id TEAM --app-key KEY --certificate-file key.p8',
      'carillon cert set --app shop --provider xiaomi --name com.example.app --app-id 1 --app-key 2 --app-secret …',
    ],
    options: {
      app: { type: 'string' },
      provider: { type: 'string' },
      environment: { type: 'string', default: '1' },
      name: { type: 'string' },
      'app-id': { type: 'string' },
      'app-key': { type: 'string' },
      'app-secret': { type: 'string' },
      'certificate-file': { type: 'string' },
    },
    takes: 0,
    run: async (call) => {
      const { options, store, seal, print } = call
      const vendor = vendorOf(required(call, 'provider'))
      const environment = environmentOf(required(call, 'environment'))
      const file = options['certificate-file']
      const fields = {
        name: required(call, 'name'),
        app_id: options['app-id'] ?? '',
        app_key: options['app-key'] ?? '',
        app_secret: options['app-secret'] ?? '',
        certificate: file === undefined ? '' : fileContent(file),
        options: {},
      }
      const { checkCredentials } = await import('@carillon/server/vendors/vendors.ts') // only here: it takes a while to load
      const app = await appNamed(call, required(call, 'app'))
      const now = systemClock.now()
      const found = await storeCertificate(
        { store, seal, check: () => checkCredentials(vendor, environment, fields, now) },
        { place: { app: app.id, vendor, environment }, fields, actor, now },
      )
      const warnings = found.map((warning) => inEnglish(warningSentences, warning))
      const lines = [`${vendor} is set for ${app.app_id}`, ...warnings.map((text) => `warning: ${text}`)]
      print({ provider: vendor, environment, warnings }, lines.join('\n'))
    },
  },
]
