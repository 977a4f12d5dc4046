import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { type Config, ConfigError, settings } from './config.ts'

type TlsFiles = Pick<Config, 'tlsCert' | 'tlsKey'>

/** A certificate with its key, found good. */
export interface Pair {
  cert: string
  key: string
  context: SecureContext
  /** What devices may pin: base64 of the key's SubjectPublicKeyInfo. */
  publicKey: string
  validTo: string
}

/** Reads both files; what is wrong with them, all of it, is in `problems`. */
const readPair = ({ tlsCert, tlsKey }: TlsFiles, now: number): { pair?: Pair; problems: string[] } => {
  const problems: string[] = []
  const attempt = <T>(setting: { env: string }, file: string, what: string, read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      problems.push(`${setting.env} ${file} ${what}: ${(error as Error).message}`)
      return undefined
    }
  }
  const cert = attempt(settings.tlsCert, tlsCert, 'cannot be read', () => readFileSync(tlsCert, 'utf8'))
  const key = attempt(settings.tlsKey, tlsKey, 'cannot be read', () => readFileSync(tlsKey, 'utf8'))
  const certificate =
    cert === undefined
      ? undefined
      : attempt(settings.tlsCert, tlsCert, 'is not a certificate in PEM', () => new X509Certificate(cert))
  const privateKey =
    key === undefined
      ? undefined
      : attempt(settings.tlsKey, tlsKey, 'is not an unencrypted private key in PEM', () => createPrivateKey(key))
  if (certificate && certificate.validToDate.getTime() <= now) {
    problems.push(`${settings.tlsCert.env} ${tlsCert} expired on ${certificate.validTo}`)
  }
  if (certificate && privateKey && !certificate.checkPrivateKey(privateKey)) {
    problems.push(`${settings.tlsKey.env} ${tlsKey} is not the key of the certificate in ${tlsCert}`)
  }
  if (problems.length > 0 || cert === undefined || key === undefined || !certificate) return { problems }
  const context = attempt(settings.tlsCert, tlsCert, 'cannot be used', () => createSecureContext({ cert, key }))
  if (!context) return { problems }
  const { publicKey, validTo } = certificate
  return { pair: { cert, key, context, publicKey: spkiOf(publicKey), validTo }, problems }
}

const spkiOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'der' }).toString('base64')

/** What is wrong with the files of the settings, for whoever checks these before the start. */
export const tlsProblems = (files: TlsFiles, now: number): string[] =>
  files.tlsCert && files.tlsKey ? readPair(files, now).problems : []

/** The certificate both doors show, and how it is renewed while they are open. */
export class Tls {
  readonly #files: TlsFiles
  readonly #log: Logger
  readonly #renewed: ((pair: Pair) => void)[] = []
  #pair: Pair

  constructor(files: TlsFiles, log: Logger, now: number) {
    const { pair, problems } = readPair(files, now)
    if (!pair) throw new ConfigError(problems)
    this.#files = files
    this.#log = log
    this.#pair = pair
  }

  get pair(): Pair {
    return this.#pair
  }

  onRenewed(listener: (pair: Pair) => void): void {
    this.#renewed.push(listener)
  }

  /** Reads the files again. Connections live on with what they were opened with; a bad pair changes nothing. */
  reload(now: number): void {
    const { pair, problems } = readPair(this.#files, now)
    if (!pair) {
      this.#log.error({ problems }, 'the new certificate is not taken; the old one stays')
      return
    }
    this.#pair = pair
    for (const listener of this.#renewed) listener(pair)
    this.#log.info({ validTo: pair.validTo }, 'the certificate was read again')
  }
}
