import { createHmac, randomBytes, randomInt, randomUUID } from 'node:crypto'
import { accessTokens } from './access-tokens.ts'
import { allowance } from './allowance.ts'
import { formOf, saysJson } from './form.ts'
import { faultOf, type HuaweiMessage } from './huawei-message.ts'
import { DEAD, hexToken } from './sample-token.ts'
import { isObject, parsed } from './shape.ts'
import { defineSimulator, type Answer, type Handled, type SimulatorRequest } from './simulator.ts'

/** Huawei Push Kit, REST v1 (by app) and v2 (by project), with its OAuth service. */

export interface HuaweiAccount {
  /** The OAuth client id, digits; v1 has it in its path. */
  appId: string
  appSecret: string
  /** v2 has it in its path. */
  projectId?: string
}

const TOKEN_SECONDS = 3600
const TOKENS_PER_WINDOW = 1000
const WINDOW_MS = 5 * 60_000
const RECEIPTS_PER_CALL = 100

/** Every code a request can be turned down with, in the vendor's words. */
const refusals: Record<string, string> = {
  80100001: 'Incorrect parameter',
  80100002: 'The number of tokens must be 1',
  80100003: 'Incorrect message structure',
  80100004: 'The message expiration time is earlier than the current time',
  80100013: 'The collapse_key message field is invalid',
  80100016: 'The message contains sensitive information',
  80100017: 'A maximum of 100 topic-based messages can be sent at the same time',
  80100018: 'Invalid message signature',
  80200001: 'OAuth authentication error',
  80200003: 'OAuth token expired',
  80200005: 'JWT expired',
  80300002: 'The current app does not have the permission to send messages',
  80300008: 'The message body size exceeds the default value',
  80300010: 'The number of tokens in the message body exceeds the default value',
  80300011: 'You are not authorized to send high-priority notification messages',
  80300013: 'Invalid receipt URL',
  80600003: 'Failed to request the OAuth service',
  81000001: 'System internal error',
}

/** What a receipt can report instead of 0, delivered. */
const receiptStatuses = [2, 5, 6, 10, 14, 15, 22, 27, 31, 51, 102, 144, 201, 256, 259]

/** Which status goes with which code is not published; 80600003 and 81000001 are the server's own faults. */
const statusOf = (code: string): number => (/^80[13]/.test(code) ? 400 : code.startsWith('802') ? 401 : 500)

const noStore = { 'content-type': 'application/json;charset=UTF-8', 'cache-control': 'no-store' }
const json = { 'content-type': 'application/json;charset=UTF-8' }

const tokensOf = (request: SimulatorRequest): readonly string[] => {
  if (!sendPath.test(request.path)) return []
  const body = parsed(request.body)
  const tokens = isObject(body) && isObject(body['message']) ? body['message']['token'] : undefined
  return Array.isArray(tokens) ? tokens.filter((token) => typeof token === 'string') : []
}

const sendPath = /^\/(v[12])\/([^/]+)\/messages:send$/

declare module './simulator.ts' {
  interface Accounts {
    huawei?: readonly HuaweiAccount[]
  }
}

export default defineSimulator<
  HuaweiAccount,
  {
    receiptUser: string
    receiptKey: string
    receiptKeyIsBase64: boolean
    receiptVersion: number
    packageName: string
    highLevel: boolean
  }
>({
  name: 'huawei',
  title: 'Huawei Push Kit',
  http1: true,
  streams: 100,
  outcomes: {
    illegal: DEAD,
    offline: 'offline-',
    ...Object.fromEntries(Object.keys(refusals).map((code) => [code, `E${code}-`])),
    ...Object.fromEntries(receiptStatuses.map((status) => [`receipt ${status}`, `R${status}-`])),
  },
  dead: 'illegal',
  options: {
    /** Receipts are signed only where the console has both. */
    receiptUser: '',
    receiptKey: '',
    /** Newer configurations decode the key, older ones take its text. */
    receiptKeyIsBase64: true,
    /** 1 or 2, as chosen in the console. */
    receiptVersion: 1,
    packageName: 'com.example.app',
    /** Whether the app holds the right to importance and urgency HIGH. */
    highLevel: false,
  },

  sample() {
    const account = { appId: '104567891', appSecret: randomBytes(32).toString('hex') }
    return { account, certificate: { name: 'huawei', app_id: account.appId, app_secret: account.appSecret } }
  },
  sampleToken: (beginning) => hexToken(beginning, 24),

  start({ now, accounts, options, outcomeOf, receiptUrl, sendReceipt }) {
    const issued = accessTokens<string>(now, TOKEN_SECONDS * 1000)
    const issuing = allowance(now, WINDOW_MS)
    const accountOf = (appId: string) =>
      accounts === 'any' ? undefined : accounts.find((account) => account.appId === appId)

    const authorize = (request: SimulatorRequest): Answer => {
      const form = formOf(request) ?? {}
      const { client_id: id = '', client_secret: secret = '' } = form
      if (form['grant_type'] !== 'client_credentials') return oauthError(20182, 'invalid grant_type')
      const account = accountOf(id)
      if (!/^[0-9]{1,64}$/.test(id) || (accounts !== 'any' && !account)) return oauthError(20002, 'invalid client_id')
      if (secret === '') return oauthError(20171, 'client_secret is empty')
      if (!/^[\x21-\x7e]+$/.test(secret)) return oauthError(20172, 'client_secret is malformed')
      if (account && account.appSecret !== secret) return oauthError(12304, 'invalid client_secret')
      if (!issuing.take(id, 1, TOKENS_PER_WINDOW)) return { status: 503, body: '' }
      const value = `CgB6e3x9${randomBytes(60).toString('base64')}/+==`
      issued.issue(id, value)
      const body = JSON.stringify({ access_token: value, expires_in: TOKEN_SECONDS, token_type: 'Bearer' })
      // The vendor escapes slashes: only a real JSON parser reads the token right.
      return { status: 200, headers: noStore, body: body.replaceAll('/', '\\/') }
    }

    /** The app that sends, or the code it is turned away with. */
    const senderOf = (request: SimulatorRequest, version: string, id: string): { appId: string } | { code: string } => {
      const shown = /^Bearer (\S+)$/.exec(request.headers['authorization'] ?? '')?.[1]
      const token = shown === undefined ? undefined : issued.find(shown)
      if (!token) return { code: '80200001' }
      if (token.expired) return { code: '80200003' }
      if (version === 'v1') return token.owner === id ? { appId: id } : { code: '80200001' }
      const ofProject = accounts === 'any' ? /^[0-9]+$/.test(id) : accountOf(token.owner)?.projectId === id
      return ofProject ? { appId: token.owner } : { code: '80300002' }
    }

    const report = (appId: string, requestId: string, biTag: string, tokens: readonly string[]) => {
      if (receiptUrl === undefined) return
      const statuses = tokens
        .filter((token) => outcomeOf(token) !== 'offline')
        .map((token) => {
          const result = Number(/^receipt (\d+)$/.exec(outcomeOf(token) ?? '')?.[1] ?? 0)
          return options.receiptVersion === 2
            ? {
                token,
                pushType: 0,
                appPackageName: options.packageName,
                biTag,
                requestId,
                deliveryStatus: { result, timestamp: now() },
              }
            : { token, biTag, status: result, timestamp: now(), clientId: appId, requestId }
        })
      for (let at = 0; at < statuses.length; at += RECEIPTS_PER_CALL) {
        const body = JSON.stringify({ statuses: statuses.slice(at, at + RECEIPTS_PER_CALL) })
        sendReceipt({ url: receiptUrl, headers: { ...json, ...signature() }, body })
      }
    }

    const signature = (): Record<string, string> => {
      const { receiptUser: user, receiptKey: secret } = options
      if (user === '' || secret === '') return {}
      const [timestamp, nonce] = [now(), randomUUID()]
      const key = Buffer.from(secret, options.receiptKeyIsBase64 ? 'base64' : 'utf8')
      const value = createHmac('sha256', key).update(`${timestamp}${nonce}${user}`).digest('base64')
      return { 'x-huawei-callback-id': `timestamp=${timestamp}; nonce=${nonce}; value=${value}` }
    }

    const push = (request: SimulatorRequest, version: string, id: string): Handled => {
      const requestId = `${now()}${randomInt(10 ** 8)
        .toString()
        .padStart(8, '0')}507`
      const body = saysJson(request) ? parsed(request.body) : undefined
      const tokens = tokensOf(request)
      const refuse = (code: string, why = refusals[code]!): Handled => ({
        status: statusOf(code),
        headers: json,
        body: JSON.stringify({ code, msg: why, requestId }),
        push: { tokens, taken: [], fields: body },
      })
      const sender = senderOf(request, version, id)
      if ('code' in sender) return refuse(sender.code)
      const fault = faultOf(body, options.highLevel)
      if (fault) return refuse(...fault)
      const { validate_only: checkOnly, message } = body as { validate_only?: boolean; message: HuaweiMessage }

      const ordered = tokens.map(outcomeOf).find((word) => word !== undefined && word in refusals)
      if (ordered !== undefined) return refuse(ordered)
      const illegal = tokens.filter((token) => outcomeOf(token) === 'illegal')
      if (illegal.length === tokens.length) return refuse('80300007', 'All the tokens are invalid')
      const good = tokens.filter((token) => !illegal.includes(token))
      if (!checkOnly) report(sender.appId, requestId, message.android?.bi_tag ?? '', good)
      const partly = JSON.stringify({ success: good.length, failure: illegal.length, illegal_tokens: illegal })
      const [code, msg] = illegal.length > 0 ? ['80100000', partly] : ['80000000', 'Success']
      return {
        status: 200,
        headers: json,
        body: JSON.stringify({ code, msg, requestId }),
        push: { tokens, taken: checkOnly ? [] : good, fields: body },
      }
    }

    return {
      tokensOf,
      handle(request) {
        if (request.method !== 'POST') return { status: 404, body: '' }
        if (/^\/oauth2\/v[23]\/token$/.test(request.path)) return authorize(request)
        const [, version, id] = sendPath.exec(request.path) ?? []
        return version === undefined || id === undefined ? { status: 404, body: '' } : push(request, version, id)
      },
      troubles: {
        limited: () => ({ status: 503, body: '' }),
        down: (status) => ({
          status,
          headers: json,
          body: JSON.stringify({ code: '81000001', msg: refusals['81000001'], requestId: `${now()}` }),
        }),
        expired: () => ({
          status: 401,
          headers: json,
          body: JSON.stringify({ code: '80200003', msg: refusals['80200003'], requestId: `${now()}` }),
        }),
      },
    }
  },
})

const oauthError = (subError: number, description: string): Answer => ({
  status: 400,
  headers: noStore,
  body: JSON.stringify({ error: 1101, sub_error: subError, error_description: description }),
})
