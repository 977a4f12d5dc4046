import { createPublicKey, verify, X509Certificate } from 'node:crypto'
import type { PeerCertificate } from 'node:tls'
import type { Reason } from './apns-reasons.ts'
import { readJwt } from './jwt.ts'
import type { Connection } from './simulator.ts'

type Environment = 'production' | 'sandbox'

/** A team's signing key, or a certificate shown in the TLS handshake, and the topics it may push to. */
export type ApnsAccount = {
  topics: readonly string[]
  /** Left out: good in both. */
  environment?: Environment
} & (
  | { teamId: string; keyId: string; /** PEM of either half. */ key: string }
  | { /** PEM. */ certificate: string }
)

/** Who pushes: the topics it may push to, or any. */
export interface Provider {
  topics: readonly string[] | 'any'
}

interface Asked {
  connection: Connection
  authorization: string | undefined
  environment: Environment
  /** Unix milliseconds. */
  now: number
}

interface ProviderToken {
  teamId: string
  keyId: string
  issuedAtSeconds: number
  topics: readonly string[] | 'any'
  environment: Environment | undefined
}

const HOUR_SECONDS = 3600
const UPDATE_SECONDS = 20 * 60
const SIGNATURE_BYTES = 64
const KNOWN_TOKENS = 1000

/** Says who pushes over a connection, or the reason it may not. Each token's signature is verified once. */
export const apnsAccess = (accounts: readonly ApnsAccount[] | 'any') => {
  const given = accounts === 'any' ? [] : accounts
  const keys = given
    .filter((account) => 'key' in account)
    .map((account) => ({ ...account, publicKey: createPublicKey(account.key) }))
  const certificates = given
    .filter((account) => 'certificate' in account)
    .map((account) => ({ ...account, fingerprint: new X509Certificate(account.certificate).fingerprint256 }))
  const verified = new Map<string, ProviderToken | Reason>()
  /** The first token that was taken binds its connection. */
  const bound = new WeakMap<Connection, ProviderToken>()

  const verifyToken = (text: string): ProviderToken | Reason => {
    const jwt = readJwt(text)
    if (jwt?.header.alg !== 'ES256' || jwt.signature.length !== SIGNATURE_BYTES) return 'InvalidProviderToken'
    const { kid: keyId } = jwt.header
    const { iss: teamId, iat } = jwt.claims
    const issuedAtSeconds = secondsIn(iat)
    if (!isTenLetters(keyId) || !isTenLetters(teamId) || issuedAtSeconds === undefined) return 'InvalidProviderToken'
    if (accounts === 'any') return { teamId, keyId, issuedAtSeconds, topics: 'any', environment: undefined }
    const account = keys.find((key) => key.keyId === keyId && key.teamId === teamId)
    if (account === undefined) return 'InvalidProviderToken'
    const { publicKey, topics, environment } = account
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
    const genuine = verify('sha256', Buffer.from(jwt.input), key, jwt.signature)
    return genuine ? { teamId, keyId, issuedAtSeconds, topics, environment } : 'InvalidProviderToken'
  }

  const known = (text: string): ProviderToken | Reason => {
    const before = verified.get(text)
    if (before !== undefined) return before
    if (verified.size >= KNOWN_TOKENS) verified.clear()
    const token = verifyToken(text)
    verified.set(text, token)
    return token
  }

  const byToken = ({ connection, authorization, environment, now }: Asked): Provider | Reason => {
    if (authorization === undefined) return 'MissingProviderToken'
    const text = /^bearer (.+)$/i.exec(authorization)?.[1]
    const token = text === undefined ? 'InvalidProviderToken' : known(text)
    if (typeof token === 'string') return token
    if (token.environment !== undefined && token.environment !== environment) return 'BadEnvironmentKeyIdInToken'
    // "No more than one hour from the current time", so a clock that runs ahead is found out too.
    if (Math.abs(now / 1000 - token.issuedAtSeconds) > HOUR_SECONDS) return 'ExpiredProviderToken'
    const first = bound.get(connection)
    if (first === undefined) bound.set(connection, token)
    else if (first.teamId !== token.teamId) return 'InvalidProviderToken'
    else if (first.keyId !== token.keyId) return 'UnrelatedKeyIdInToken'
    else if (first !== token) {
      const apart = Math.abs(token.issuedAtSeconds - first.issuedAtSeconds)
      if (apart > 0 && apart < UPDATE_SECONDS) return 'TooManyProviderTokenUpdates'
      bound.set(connection, token)
    }
    return token
  }

  const byCertificate = (shown: PeerCertificate, { environment, now }: Asked): Provider | Reason => {
    const topic = (shown.subject as { UID?: string }).UID
    if (Date.parse(shown.valid_to) < now || Date.parse(shown.valid_from) > now) return 'BadCertificate'
    if (accounts === 'any') return topic === undefined ? 'BadCertificate' : { topics: [topic] }
    const account = certificates.find(({ fingerprint }) => fingerprint === shown.fingerprint256)
    if (account === undefined) return 'BadCertificate'
    const fits = account.environment === undefined || account.environment === environment
    return fits ? account : 'BadCertificateEnvironment'
  }

  return (asked: Asked): Provider | Reason => {
    const { clientCertificate } = asked.connection
    return clientCertificate ? byCertificate(clientCertificate, asked) : byToken(asked)
  }
}

/** A number, or a text of digits: one widely used client sends the latter and Apple takes it. */
const secondsIn = (iat: unknown): number | undefined => {
  if (typeof iat === 'string' && /^\d+$/.test(iat)) return Number(iat)
  return typeof iat === 'number' ? iat : undefined
}

const isTenLetters = (value: unknown): value is string => typeof value === 'string' && /^[A-Z0-9]{10}$/.test(value)
