import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after } from 'node:test'
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

const environments = ['development', 'production']

const numberOf = (name: (typeof providers)[number]): number => providers.indexOf(name) + 1
const nameFor = (provider: string, environment: number): string => `org.example.${provider}.${environments[environment]}`

/** Setting a record warns of an option nobody knows, and says for which provider: so a number shows whose it is. */
const taken: Record<string, string> = {}
for (const provider of providers) {
  for (const environment of [0, 1]) {
    const place = { provider: numberOf(provider), environment, name: nameFor(provider, environment) }
    const body = { ...place, ...credentials[provider], options: { colour: 'red' } }
    const { warnings } = await carillon.ok('/push/certificate', { method: 'PUT', token, body })
    taken[provider] = warnings.join('\n')
  }
}

type Certificate = Record<'app_id' | 'app_key' | 'app_secret' | 'certificate' | 'name', string>
const get = (query: string) => carillon.call<Certificate>(`/push/certificate${query}`, { token })
const nameAt = async (query: string): Promise<string> => (await get(query)).data.name

const holds = (field: keyof Certificate, value: string): Keeps => async () => {
  assert.equal((await get('?provider=1')).data[field], value)
}

const givesRecordOf = (provider: (typeof providers)[number]): Keeps => async () => {
  const { code, data } = await get(`?provider=${numberOf(provider)}`)
  assert.equal(code, 200)
  assert.equal(data.name, nameFor(provider, 1))
  assert.deepEqual({ ...data, ...credentials[provider] }, data)
  const title = { APNS: 'Apple', FCM: 'Firebase' }[provider as string] ?? provider
  assert.match(taken[provider]!, new RegExp(`not used for ${title}`, 'i'))
}

conform('certificate', {
  'the service, certificates': async () => {
    for (const provider of providers) {
      for (const environment of [0, 1]) {
        const query = `?provider=${numberOf(provider)}&environment=${environment}`
        assert.equal(await nameAt(query), nameFor(provider, environment))
      }
    }
  },
  'certificate record app_id': holds('app_id', credentials.APNS.app_id!),
  'certificate record app_key': holds('app_key', credentials.APNS.app_key!),
  'certificate record app_secret': holds('app_secret', credentials.APNS.app_secret!),
  'certificate record certificate': holds('certificate', signingKey),
  'certificate record name': holds('name', nameFor('APNS', 1)),
  'GET /push/certificate': async () => {
    for (const provider of providers) {
      const { status, code, message, data } = await get(`?provider=${numberOf(provider)}`)
      assert.deepEqual([status, code, message], [200, 200, null])
      for (const field of ['app_id', 'app_key', 'app_secret', 'certificate', 'name'] as const) {
        assert.equal(typeof data[field], 'string', `${provider} ${field}`)
      }
    }
  },
  'GET /push/certificate environment': async () => {
    for (const value of ['2', '-1', 'production', '1.0', '01']) {
      const { code, message } = await get(`?provider=1&environment=${value}`)
      assert.equal(code, 10002, value)
      assert.match(message!, /^environment must be/)
    }
  },
  'GET /push/certificate environment 0': async () => {
    assert.equal(await nameAt('?provider=1&environment=0'), nameFor('APNS', 0))
  },
  'GET /push/certificate environment 1': async () => {
    assert.equal(await nameAt('?provider=1&environment=1'), nameFor('APNS', 1))
  },
  'GET /push/certificate environment, default': async () => {
    assert.equal(await nameAt('?provider=1'), nameFor('APNS', 1))
    assert.equal(await nameAt('?provider=1&environment='), nameFor('APNS', 1))
  },
  'GET /push/certificate provider': async () => {
    for (const value of ['', '0', '9', '-1', 'apns', '1.0', undefined]) {
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
