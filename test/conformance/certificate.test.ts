import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after } from 'node:test'
import { LAST_PROVIDER } from '@carillon/protocol/names.ts'
import { startCarillon } from '../harness/carillon.ts'
import { conform, type Keeps } from './conform.ts'
import { providers } from './rows.ts'

const carillon = await startCarillon({ after })
const token = carillon.admin

const pem = { type: 'pkcs8', format: 'pem' } as const
const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem) as string
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem) as string

/** What each provider needs, beside a name. */
const credentials: Record<(typeof providers)[number], Record<string, string>> = {
  APNS: { app_id: 'org.example.app', app_key: 'ABCDE12345', app_secret: 'TEAM123456', certificate: signingKey },
  Huawei: { app_id: '100200300', app_secret: 'a'.repeat(64) },
  Xiaomi: { app_id: '2882303', app_key: '5541773', app_secret: 'abcdefGHIJKLmnop0123==' },
  Meizu: { app_id: '110000', app_key: 'flyme-key', app_secret: 'b'.repeat(32) },
  VIVO: { app_id: '100001', app_key: 'c'.repeat(32), app_secret: 'd'.repeat(32) },
  OPPO: { app_key: 'oppo-key', app_secret: 'e'.repeat(32) },
  FCM: { app_id: 'example-app', app_key: 'push@example-app.iam.gserviceaccount.com', app_secret: rsaKey },
  Honor: { app_id: '104000', app_key: 'honor-client', app_secret: 'honor-secret' },
}

type Provider = (typeof providers)[number]
type Certificate = Record<'app_id' | 'app_key' | 'app_secret' | 'certificate' | 'name', string>

const numberOf = (provider: Provider): number => providers.indexOf(provider) + 1
const nameFor = (provider: Provider, environment: 0 | 1): string => `org.example.${provider}.${environment}`

/** Sets a record; resolves to what it warned of. */
const put = async (provider: Provider, environment: 0 | 1, options = {}): Promise<string[]> => {
  const place = { provider: numberOf(provider), environment, name: nameFor(provider, environment) }
  const body = { ...place, ...credentials[provider], options }
  return (await carillon.ok('/push/certificate', { method: 'PUT', token, body })).warnings
}

const get = (query: string) => carillon.call<Certificate>(`/push/certificate${query}`, { token })

const holds = (field: keyof Certificate, value: string): Keeps => async () => {
  await put('APNS', 1)
  assert.equal((await get('?provider=1')).data[field], value)
}

/** With a record in both environments, the one for `environment` answers. */
const gives = (environment: 0 | 1, query: string): Keeps => async () => {
  await put('APNS', 0)
  await put('APNS', 1)
  assert.equal((await get(query)).data.name, nameFor('APNS', environment))
}

const givesRecordOf = (provider: Provider): Keeps => async () => {
  // A warning of an option nobody knows says whose record it is.
  const warnings = await put(provider, 1, { colour: 'red' })
  const title = { APNS: 'Apple', FCM: 'Firebase' }[provider as string] ?? provider
  assert.match(warnings.join('\n'), new RegExp(`colour, not used for ${title}`, 'i'))
  const { code, data } = await get(`?provider=${numberOf(provider)}`)
  assert.equal(code, 200)
  assert.equal(data.name, nameFor(provider, 1))
  assert.deepEqual({ ...data, ...credentials[provider] }, data)
}

conform('certificate', {
  'the service, certificates': async () => {
    const places = providers.flatMap((provider) => ([0, 1] as const).map((environment) => ({ provider, environment })))
    for (const { provider, environment } of places) await put(provider, environment)
    for (const { provider, environment } of places) {
      const { data } = await get(`?provider=${numberOf(provider)}&environment=${environment}`)
      assert.equal(data.name, nameFor(provider, environment))
    }
  },
  'certificate record app_id': holds('app_id', credentials.APNS.app_id!),
  'certificate record app_key': holds('app_key', credentials.APNS.app_key!),
  'certificate record app_secret': holds('app_secret', credentials.APNS.app_secret!),
  'certificate record certificate': holds('certificate', signingKey),
  'certificate record name': holds('name', nameFor('APNS', 1)),
  'GET /push/certificate': async () => {
    for (const provider of providers) {
      await put(provider, 1)
      const { status, code, message, data } = await get(`?provider=${numberOf(provider)}`)
      assert.deepEqual([status, code, message], [200, 200, null])
      for (const field of ['app_id', 'app_key', 'app_secret', 'certificate', 'name'] as const) {
        assert.equal(typeof data[field], 'string', `${provider} ${field}`)
      }
    }
  },
  'GET /push/certificate environment': async () => {
    await put('APNS', 1)
    for (const value of ['2', '-1', 'production', '1.0', '01']) {
      const { code, message } = await get(`?provider=1&environment=${value}`)
      assert.equal(code, 10002, value)
      assert.match(message!, /^environment must be/)
    }
  },
  'GET /push/certificate environment 0': gives(0, '?provider=1&environment=0'),
  'GET /push/certificate environment 1': gives(1, '?provider=1&environment=1'),
  'GET /push/certificate environment, default': gives(1, '?provider=1'),
  'GET /push/certificate provider': async () => {
    await put('APNS', 1)
    for (const value of ['', '0', String(LAST_PROVIDER + 1), '-1', 'apns', '1.0', undefined]) {
      const query = value === undefined ? '' : `?provider=${value}`
      const { code, message } = await get(query)
      assert.equal(code, 10002, query)
      assert.match(message!, /^provider /)
    }
  },
  ...Object.fromEntries(
    providers.map((provider, i) => [`GET /push/certificate provider ${i + 1}`, givesRecordOf(provider)]),
  ),
})
