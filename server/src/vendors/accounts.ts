import type { VendorName } from '@carillon/protocol/names.ts'
import type { Logger } from 'pino'
import type { Seal } from '../access/seal.ts'
import { getAppById } from '../store/apps.ts'
import { certificateKey } from '../store/certificate-key.ts'
import { type CertificateSecrets, type StoredCertificate, certificateSeat, certificatesOf } from '../store/certificates.ts'
import type { Store } from '../store/store.ts'
import { readStored } from '../store/stored-json.ts'
import type { Account, Environment } from './vendor.ts'

/** An account at work: the certificate of one app at one vendor. A changed certificate is another account. */
export interface OpenAccount extends Account {
  app: number
  vendor: VendorName
  /** Unlike any other account's, those it replaced included. */
  key: string
}

export interface AppAccounts {
  /** What people call the app. */
  name: string
  accounts: readonly OpenAccount[]
}

/** Certificates, opened and kept until one changes. */
export class Accounts {
  readonly #store: Store
  readonly #seal: Seal
  readonly #log: Logger
  readonly #kept = new Map<number, Promise<AppAccounts>>()
  #replaced: (account: OpenAccount) => void = () => {}

  constructor({ store, seal, log }: { store: Store; seal: Seal; log: Logger }) {
    this.#store = store
    this.#seal = seal
    this.#log = log
  }

  /** All of an app's. */
  of(app: number): Promise<AppAccounts> {
    let kept = this.#kept.get(app)
    if (!kept) {
      kept = this.#read(app, [])
      this.#keep(app, kept)
    }
    return kept
  }

  async find(app: number, vendor: VendorName, environment: number): Promise<OpenAccount | undefined> {
    return (await this.of(app)).accounts.find((account) => account.vendor === vendor && account.environment === environment)
  }

  onReplaced(listener: (account: OpenAccount) => void): void {
    this.#replaced = listener
  }

  /** A certificate or an app has changed: all are read again. Those that are the same stay as they are. */
  readonly refresh = (): void => {
    for (const [app, kept] of this.#kept) {
      const next = kept.then(({ accounts }) => this.#read(app, accounts))
      this.#keep(app, next)
    }
  }

  #keep(app: number, accounts: Promise<AppAccounts>): void {
    this.#kept.set(app, accounts)
    // Not kept when the store could not be read: the next one asks again.
    accounts.catch(() => {
      if (this.#kept.get(app) === accounts) this.#kept.delete(app)
    })
  }

  async #read(app: number, before: readonly OpenAccount[]): Promise<AppAccounts> {
    const [named, rows] = await Promise.all([this.#store.read(getAppById, { id: app }), this.#store.read(certificatesOf, { app })])
    const accounts = rows.flatMap((row) => before.find(({ key }) => key === certificateKey(row)) ?? this.#open(row) ?? [])
    for (const account of before) if (!accounts.includes(account)) this.#replaced(account)
    return { name: named?.name ?? '', accounts }
  }

  #open(row: StoredCertificate): OpenAccount | undefined {
    const { app, vendor, environment, name, app_id, app_key } = row
    try {
      const secrets = readStored(this.#seal.open(row.secrets, certificateSeat(row))) as CertificateSecrets
      return { app, vendor, key: certificateKey(row), environment: environment as Environment, name, app_id, app_key, ...secrets }
    } catch (error) {
      this.#log.error({ err: error, app, vendor, environment }, 'a certificate cannot be opened; set it anew')
      return undefined
    }
  }
}
