import { randomBytes, randomUUID } from 'node:crypto'
import { accessTokens } from './access-tokens.ts'
import { formOf, saysJson } from './form.ts'
import { faultOf, type HonorMessage } from './honor-message.ts'
import { DEAD, hexToken } from './sample-token.ts'
import { isObject, parsed } from './shape.ts'
import { defineSimulator, type Answer, type Handled, type SimulatorRequest } from './simulator.ts'

/** Honor Push: much like Huawei's v1, in camelCase, without a wrapper, and with whole numbers as codes. */

export interface HonorAccount {
  /** In the path of a push. */
  appId: string
  /** Another number than the app id: who asks for access tokens. */
  clientId: string
  clientSecret: string
}

const TOKEN_SECONDS = 3600

/** Codes that turn a whole request down; the HTTP status is the same number unless it is a fault of the payload. */
const refusals: Record<string, string> = {
  400: 'parameter error',
  401: 'unauthorized',
  403: 'push is not enabled for this app',
  404: 'no such app',
  429: 'too many requests',
  500: 'internal error',
  503: 'service unavailable',
  80100016: 'the message contains sensitive information',
}

/** The table of receipt statuses is not published: these are Huawei's, whose form the receipt shares. */
const receiptStatuses = [2, 5, 6, 10, 15, 102, 201]

const json = { 'content-type': 'application/json;charset=UTF-8' }

const sendPath = /^\/api\/v1\/([^/]+)\/sendMessage$/

const tokensOf = (request: SimulatorRequest): readonly string[] => {
  const body = sendPath.test(request.path) ? parsed(request.body) : undefined
  const tokens = isObject(body) ? body['token'] : undefined
  return Array.isArray(tokens) ? tokens.filter((token) => typeof token === 'string') : []
}

declare module './simulator.ts' {
  interface Accounts {
    honor?: readonly HonorAccount[]
  }
}

export default defineSimulator<HonorAccount, { deliveredStatus: number; payloadFaultStatus: number }>({
  name: 'honor',
  title: 'Honor Push',
  http1: true,
  streams: 100,
  outcomes: {
    expired: DEAD,
    failed: 'fail-',
    unsent: 'unsent-',
    offline: 'offline-',
    80000000: 'E80000000-',
    ...Object.fromEntries(Object.keys(refusals).map((code) => [code, `E${code}-`])),
    ...Object.fromEntries(receiptStatuses.map((status) => [`receipt ${status}`, `R${status}-`])),
  },
  dead: 'expired',
  options: {
    /** What a receipt says of a delivered push: 40000002 was seen in real calls, 0 is Huawei's. */
    deliveredStatus: 40000002,
    /** Which HTTP status comes with code 400 is not published: 200 or 400. */
    payloadFaultStatus: 200,
  },

  sample() {
    const account = { appId: '104436234', clientId: 'client-1', clientSecret: randomBytes(16).toString('hex') }
    const { appId, clientId, clientSecret } = account
    return { account, certificate: { name: 'honor', app_id: appId, app_key: clientId, app_secret: clientSecret } }
  },
  sampleToken: (beginning) => hexToken(beginning, 24),

  start({ now, accounts, options, outcomeOf, receiptUrl, sendReceipt }) {
    const issued = accessTokens<string>(now, TOKEN_SECONDS * 1000)

    const authorize = (request: SimulatorRequest): Answer => {
      const { grant_type: grant, client_id: id = '', client_secret: secret = '' } = formOf(request) ?? {}
      if (grant !== 'client_credentials') return oauthError(400, 'unsupported_grant_type', 'Unsupported grant_type')
      const known =
        accounts === 'any' || accounts.some((account) => account.clientId === id && account.clientSecret === secret)
      if (id === '' || secret === '' || !known)
        return oauthError(401, 'unauthorized_client', 'Invalid client or Invalid client credentials')
      const value = randomBytes(48).toString('base64url')
      issued.issue(id, value)
      return {
        status: 200,
        headers: json,
        body: JSON.stringify({ access_token: value, expires_in: TOKEN_SECONDS, token_type: 'Bearer' }),
      }
    }

    /** The code a sender is turned away with. */
    const turnedAway = (request: SimulatorRequest, appId: string): string | undefined => {
      const token = issued.find(/^Bearer (\S+)$/.exec(request.headers['authorization'] ?? '')?.[1] ?? '')
      if (!token || token.expired) return '401'
      if (accounts === 'any') return undefined
      if (!accounts.some((account) => account.appId === appId)) return '404'
      return accounts.some((account) => account.appId === appId && account.clientId === token.owner) ? undefined : '403'
    }

    const report = (appId: string, requestId: string, biTag: string, tokens: readonly string[]) => {
      const statuses = tokens
        .filter((token) => outcomeOf(token) !== 'offline')
        .map((token) => {
          const status = Number(/^receipt (\d+)$/.exec(outcomeOf(token) ?? '')?.[1] ?? options.deliveredStatus)
          return { biTag, appid: appId, token, status, timestamp: now(), requestId }
        })
      if (receiptUrl === undefined || statuses.length === 0) return
      sendReceipt({ url: receiptUrl, headers: json, body: JSON.stringify({ statuses }) })
    }

    const push = (request: SimulatorRequest, appId: string): Handled => {
      const body = saysJson(request) ? parsed(request.body) : undefined
      const tokens = tokensOf(request)
      const refuse = (code: string, message = refusals[code]!): Handled => ({
        status: code === '400' ? options.payloadFaultStatus : Number(code) < 1000 ? Number(code) : 200,
        headers: json,
        body: JSON.stringify({ code: Number(code), message }),
        push: { tokens, taken: [], fields: body },
      })
      const away = turnedAway(request, appId)
      if (away !== undefined) return refuse(away)
      if (!/^\d{13}$/.test(request.headers['timestamp'] ?? ''))
        return refuse('400', 'timestamp must be the time in milliseconds')
      const fault = faultOf(body)
      if (fault !== undefined) return refuse('400', fault)

      const words = tokens.map(outcomeOf)
      const ordered = words.find((word) => word !== undefined && word in refusals)
      if (ordered !== undefined) return refuse(ordered)
      const unsent = words.includes('unsent')
      const expireTokens = unsent ? [] : tokens.filter((token) => outcomeOf(token) === 'expired')
      const failTokens = unsent ? [] : tokens.filter((token) => outcomeOf(token) === 'failed')
      const good = unsent ? [] : tokens.filter((token) => !expireTokens.includes(token) && !failTokens.includes(token))
      const requestId = randomUUID()
      report(appId, requestId, (body as HonorMessage).android?.biTag ?? '', good)
      const code = words.includes('80000000') ? 80000000 : 200
      const data = { sendResult: good.length > 0, requestId, failTokens, expireTokens }
      return {
        status: 200,
        headers: json,
        body: JSON.stringify({ code, message: 'success', data }),
        push: { tokens, taken: good, fields: body },
      }
    }

    return {
      tokensOf,
      handle(request) {
        if (request.method !== 'POST') return { status: 405, body: '' }
        if (/^\/auth\/(token|realms\/developer\/protocol\/openid-connect\/token)$/.test(request.path))
          return authorize(request)
        const appId = sendPath.exec(request.path)?.[1]
        return appId === undefined ? { status: 404, body: '' } : push(request, appId)
      },
      troubles: {
        limited: () => ({ status: 503, body: '' }),
        down: (status) => ({
          status,
          headers: json,
          body: JSON.stringify({ code: status, message: 'internal error' }),
        }),
        expired: () => ({ status: 401, headers: json, body: JSON.stringify({ code: 401, message: refusals['401'] }) }),
      },
    }
  },
})

const oauthError = (status: number, error: string, description: string): Answer => ({
  status,
  headers: { ...json, 'cache-control': 'no-store' },
  body: JSON.stringify({ error, error_description: description }),
})
