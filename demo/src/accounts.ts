import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { providerOfVendor, type VendorName, vendorNames } from '@carillon/protocol/names.ts'
import type { Caller } from '@carillon/sdk/caller.ts'
import { vendors } from '@carillon/simulators/vendors.ts'

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')
const pem = { type: 'pkcs8', format: 'pem' } as const

type Account = Omit<Parameters<Caller['setCertificate']>[0], 'provider'>

/** Accounts as the vendors' consoles would show them: made up, and well-formed, which is what simulators ask for. */
const made = (): Partial<Record<VendorName, Account>> => {
  const name = 'com.example.bells'
  const apple = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export(pem).toString()
  const google = {
    type: 'service_account', project_id: 'bells', private_key_id: hex(20),
    private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem).toString(),
    client_email: 'push@bells.iam.gserviceaccount.com', token_uri: 'https://oauth2.googleapis.com/token',
  }
  return {
    apns: { name, app_id: name, app_key: 'BELLSKEY01', app_secret: 'BELLSTEAM1', certificate: apple },
    fcm: { name, certificate: JSON.stringify(google) },
    huawei: { name, app_id: '104000001', app_secret: hex(32) },
    honor: { name, app_id: '104000002', app_key: '900000001', app_secret: hex(16) },
    xiaomi: { name, app_secret: randomBytes(24).toString('base64') },
    // Without its AppId, which reports would be held against: it is nothing a simulator could know.
    oppo: { name, app_key: hex(16), app_secret: hex(16) },
    // With an id, vivo reports pushes to many devices too; without, only those to a single one.
    vivo: { name, app_id: '100001', app_key: hex(16), app_secret: hex(16), options: { receipt_id: '1' } },
    flyme: { name, app_id: '100002', app_secret: hex(16) },
  }
}

/** Gives the app an account at each vendor; resolves to where each reports deliveries to. */
export const openAccounts = async (caller: Caller): Promise<Partial<Record<VendorName, string>>> => {
  const bells = made()
  const accounts = vendorNames.map((vendor) => [vendor, bells[vendor] ?? { name: 'bells', ...vendors[vendor].sample().certificate }] as const)
  for (const [vendor, account] of accounts) await caller.setCertificate({ provider: providerOfVendor[vendor], ...account })
  const listed = await caller.certificates()
  return Object.fromEntries(
    accounts.flatMap(([vendor]) => {
      const url = listed.find(({ provider }) => provider === providerOfVendor[vendor])?.receipt_url
      return url ? [[vendor, url]] : []
    }),
  )
}
