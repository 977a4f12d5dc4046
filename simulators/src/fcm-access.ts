import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { readJwt, type Jwt } from './jwt.ts'
import type { Answer, SimulatorRequest } from './simulator.ts'

/** A service account that may push for one project. */
export interface FcmAccount {
  projectId: string
  /** Also called the sender id; requests may name the project by it. */
  projectNumber?: string
  clientEmail: string
  privateKeyId: string
  /** PEM of either half of its key. */
  key: string
}

/** What an access token was given for. */
export interface Grant {
  /** 'any' where there are no accounts to tell. */
  account: FcmAccount | 'any'
  scopes: readonly string[]
  /** Unix milliseconds. */
  endsAt: number
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const GOOGLE_AUDIENCE = 'https://oauth2.googleapis.com/token'
const LIFETIME_SECONDS = 3600
const CLOCK_SECONDS = 300
/** RSA of 2048 bits, the least Google makes. */
const SIGNATURE_BYTES = 256

const json = { 'content-type': 'application/json; charset=utf-8' }
const refuse = (status: number, error: string, error_description: string): Answer => ({
  status,
  headers: json,
  body: JSON.stringify({ error, error_description }),
})
const badGrant = (words: string): Answer => refuse(400, 'invalid_grant', words)

/** Google's token endpoint: a signed statement in, an access token out. */
export const fcmAccess = (accounts: readonly FcmAccount[] | 'any', now: () => number) => {
  const given = accounts === 'any' ? [] : accounts
  const known = given.map((account) => ({ account, publicKey: createPublicKey(account.key) }))
  const grants = new Map<string, Grant>()

  /** Whose statement it is; only a signature that fits says so. */
  const ownerOf = ({ header, claims, input, signature }: Jwt): FcmAccount | 'any' | Answer => {
    if (accounts === 'any') return signature.length >= SIGNATURE_BYTES ? 'any' : badGrant('Invalid JWT Signature.')
    const ofEmail = known.filter(({ account }) => account.clientEmail === claims.iss)
    if (ofEmail.length === 0) return badGrant('Invalid grant: account not found')
    const owner = ofEmail.find(({ account, publicKey }) => {
      if (header.kid !== undefined && header.kid !== account.privateKeyId) return false
      return verify('sha256', Buffer.from(input), publicKey, signature)
    })
    return owner?.account ?? badGrant('Invalid JWT Signature.')
  }

  const problemOf = ({ header, claims }: Jwt, askedAt: string): Answer | undefined => {
    const { iss, sub, aud, iat, exp, scope } = claims
    const seconds = now() / 1000
    if (header.alg !== 'RS256') return badGrant('Invalid JWT: Failed audience or algorithm check.')
    if (typeof iss !== 'string' || iss === '') return badGrant('Invalid JWT: iss is missing.')
    if (aud !== GOOGLE_AUDIENCE && aud !== askedAt) return badGrant('Invalid JWT: Failed audience check.')
    const hasTimes = typeof iat === 'number' && typeof exp === 'number'
    if (!hasTimes || exp - iat > LIFETIME_SECONDS || exp <= seconds || iat > seconds + CLOCK_SECONDS) {
      return badGrant(
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. ' +
          'Check your iat and exp values in the JWT claim.',
      )
    }
    if (sub !== undefined && sub !== iss) {
      return refuse(401, 'unauthorized_client', 'Client is unauthorized to retrieve access tokens using this method.')
    }
    return typeof scope === 'string' && scope.trim() !== ''
      ? undefined
      : refuse(400, 'invalid_scope', 'Invalid OAuth scope or ID token audience provided.')
  }

  const issue = (account: FcmAccount | 'any', scope: string, lifetimeSeconds: number): Answer => {
    for (const [value, { endsAt }] of grants) if (endsAt + LIFETIME_SECONDS * 1000 < now()) grants.delete(value)
    const value = `ya29.${randomBytes(96).toString('base64url')}`
    grants.set(value, { account, scopes: scope.split(' '), endsAt: now() + lifetimeSeconds * 1000 })
    const body = JSON.stringify({ access_token: value, expires_in: lifetimeSeconds, token_type: 'Bearer' })
    return { status: 200, headers: json, body }
  }

  return {
    grantOf: (value: string): Grant | undefined => grants.get(value),

    token({ headers, path, body, connection }: SimulatorRequest, lifetimeSeconds: number): Answer {
      if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
        return refuse(400, 'invalid_request', 'Bad Request')
      }
      const form = new URLSearchParams(body)
      const grantType = form.get('grant_type') ?? ''
      if (grantType !== GRANT_TYPE) return refuse(400, 'unsupported_grant_type', `Invalid grant_type: ${grantType}`)
      const jwt = readJwt(form.get('assertion') ?? '')
      if (jwt === undefined) return badGrant('Invalid JWT: the assertion is not a JSON Web Token.')
      // A sender that was pointed here says so in its statement too.
      const askedAt = `${connection.tls ? 'https' : 'http'}://${headers.host ?? headers[':authority']}${path}`
      const problem = problemOf(jwt, askedAt)
      if (problem !== undefined) return problem
      const owner = ownerOf(jwt)
      return owner !== 'any' && 'status' in owner ? owner : issue(owner, String(jwt.claims.scope), lifetimeSeconds)
    },
  }
}
