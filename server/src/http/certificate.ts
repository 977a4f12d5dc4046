import { Certificate, CertificateList, CertificateSet, CertificateTried } from '@carillon/protocol/answers.ts'
import { CertificateForms } from '@carillon/protocol/certificate-forms.ts'
import { CertificatePut, CertificateQuery } from '@carillon/protocol/bodies.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import { providerOfVendor, type VendorName, vendorOfProvider } from '@carillon/protocol/names.ts'
import { inEnglish } from '@carillon/protocol/sentences/sentence.ts'
import type { TriedTold } from '@carillon/protocol/sentences/tried.ts'
import { warningSentences } from '@carillon/protocol/sentences/warnings.ts'
import { actorOf } from '../access/actor.ts'
import { type CertificateFields, type CheckedFields, storeCertificate } from '../access/certificates.ts'
import type { Changes } from '../access/changes.ts'
import type { Seal } from '../access/seal.ts'
import type { Clock } from '../clock.ts'
import {
  type CertificatePlace,
  certificateSeat,
  type CertificateSecrets,
  deleteCertificate,
  showCertificate,
  showCertificates,
} from '../store/certificates.ts'
import type { Scope } from '../store/scope.ts'
import type { Store } from '../store/store.ts'
import { readStored } from '../store/stored-json.ts'
import type { Static } from 'typebox'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'

/** Holds what was sent against what the vendor needs, without asking the vendor. */
export type CheckCredentials = (vendor: VendorName, environment: 0 | 1, fields: CertificateFields) => CheckedFields

export const certificateRoutes = ({ store, clock, seal, changes, checkCredentials, tryCredentials, receiptUrl, forms }: {
  store: Store
  clock: Clock
  seal: Seal
  changes: Pick<Changes, 'announce'>
  checkCredentials: CheckCredentials
  /** Asks the vendor itself; undefined where there is no such certificate. */
  tryCredentials(place: CertificatePlace): Promise<{ ok: boolean; words: string; told: TriedTold } | undefined>
  /** Where this vendor reports deliveries to; null where it does not, or cannot. */
  receiptUrl(place: CertificatePlace): string | null
  /** What a person is asked for, vendor by vendor. */
  forms(): Static<typeof CertificateForms>
}): Route[] => [
  route({
    method: 'GET',
    path: '/push/certificate',
    who: 'any',
    noun: 'certificates',
    summary: "An app's record at a provider: whole for admins, the public part for users.",
    query: CertificateQuery,
    answer: Certificate,
    refuses: ['certificateUnknown'],
    example: {
      query: { provider: 3, environment: 1 },
      answer: { app_id: '', app_key: '', app_secret: '', certificate: '', name: 'com.example.app' },
    },
    handle: async ({ scope, query }) => {
      if (scope.kind === 'group') throw new Refused('notAllowed', 'a group has no certificates')
      const whole = scope.kind === 'app'
      const place = placeOf(scope, query)
      const found = await store.write(showCertificate, { place, whole, actor: actorOf(scope), now: clock.now() })
      if (!found) throw new Refused('certificateUnknown')
      const { app_id, app_key, name } = found
      if (!whole) return { app_id, app_key, app_secret: '', certificate: '', name }
      const secrets = readStored(seal.open(found.secrets, certificateSeat(place))) as CertificateSecrets
      return { app_id, app_key, ...secrets, name }
    },
  }),
  route({
    method: 'PUT',
    path: '/push/certificate',
    who: 'admin',
    noun: 'certificates',
    summary: 'Sets the record at a provider; it is used from then on.',
    body: CertificatePut,
    answer: CertificateSet,
    example: {
      body: { provider: 3, environment: 1, name: 'com.example.app', app_secret: 'AppSecretFromTheConsole==' },
      answer: { warnings: [], told: [] },
    },
    handle: async ({ scope, body }) => {
      const { app_id = '', app_key = '', app_secret = '', certificate = '', options = {}, name } = body
      const fields = { app_id, app_key, app_secret, certificate, name, options }
      const place = placeOf(scope, body)
      const warnings = await storeCertificate(
        { store, seal, check: () => checkCredentials(place.vendor, body.environment, fields) },
        { place, fields, actor: actorOf(scope), now: clock.now() },
      )
      await changes.announce()
      return { warnings: warnings.map((warning) => inEnglish(warningSentences, warning)), told: [...warnings] }
    },
  }),
  route({
    method: 'DELETE',
    path: '/push/certificate',
    who: 'admin',
    noun: 'certificates',
    summary: 'Forgets the record at a provider.',
    query: CertificateQuery,
    refuses: ['certificateUnknown'],
    example: { query: { provider: 3, environment: 1 } },
    handle: async ({ scope, query }) => {
      const place = placeOf(scope, query)
      const gone = await store.write(deleteCertificate, { place, actor: actorOf(scope), now: clock.now() })
      if (!gone) throw new Refused('certificateUnknown')
      await changes.announce()
    },
  }),
  route({
    method: 'POST',
    path: '/push/certificate/check',
    who: 'admin',
    noun: 'certificates',
    summary: 'Tries the record with its provider and says in words what is wrong. Nobody gets a push.',
    body: CertificateQuery,
    answer: CertificateTried,
    refuses: ['certificateUnknown'],
    example: {
      body: { provider: 3, environment: 1 },
      answer: {
        ok: true,
        message: 'Xiaomi Mi Push accepts these credentials',
        told: { name: 'accepted', values: { title: 'Xiaomi Mi Push' } },
      },
    },
    handle: async ({ scope, body }) => {
      const tried = await tryCredentials(placeOf(scope, body))
      if (!tried) throw new Refused('certificateUnknown')
      const { ok, words, told } = tried
      return { ok, message: words, told }
    },
  }),
  route({
    method: 'GET',
    path: '/push/certificate/form',
    who: 'admin',
    noun: 'certificates',
    summary: 'What each provider needs in a certificate, in words: for whoever draws a form.',
    answer: CertificateForms,
    example: {
      answer: [
        {
          provider: 4, vendor: 'flyme', title: 'Meizu', reports: true,
          fields: [
            {
              name: 'app_id', title: 'App ID', help: 'As the open platform shows it.',
              zh: { title: 'App ID', help: '与开放平台所示一致。' }, required: true, secret: false, multiline: false,
              kind: 'text', values: [],
            },
          ],
        },
      ],
    },
    handle: async () => forms(),
  }),
  route({
    method: 'GET',
    path: '/push/certificate/list',
    who: 'admin',
    noun: 'certificates',
    summary: "All of an app's records, without secrets, with the date a credential ends where it has one.",
    answer: CertificateList,
    example: {
      answer: [
        {
          provider: 3,
          environment: 1,
          name: 'com.example.app',
          app_id: '',
          app_key: '',
          expires_at: null,
          updated_at: some.at,
          receipt_url: null,
        },
      ],
    },
    handle: async ({ scope }) => {
      const found = await store.write(showCertificates, { app: scope.app.id, actor: actorOf(scope), now: clock.now() })
      return found.map(({ vendor, environment, name, app_id, app_key, expires_at, updated_at }) => ({
        provider: providerOfVendor[vendor],
        environment,
        name,
        app_id,
        app_key,
        expires_at,
        updated_at,
        receipt_url: receiptUrl({ app: scope.app.id, vendor, environment }),
      }))
    },
  }),
]

const placeOf = ({ app }: Scope, { provider, environment }: CertificateQuery): CertificatePlace => ({
  app: app.id,
  vendor: vendorOfProvider[provider]!,
  environment,
})
