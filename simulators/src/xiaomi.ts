import { randomBytes, randomInt } from 'node:crypto'
import { allowance, DAY_MS } from './allowance.ts'
import { formOf } from './form.ts'
import { DEAD, hexToken } from './sample-token.ts'
import { defineSimulator, type Handled, type SimulatorRequest } from './simulator.ts'
import { faultOf } from './xiaomi-message.ts'

/** Xiaomi's Mi Push: one static secret, forms, and receipts to an address each message names. */

export interface XiaomiAccount {
  appSecret: string
  packageName: string
}

/** Every code a request can be turned down with. 20301 stands here for reasons other than dead tokens. */
const refusals: Record<string, string> = {
  '-1': 'Unknown error',
  1: 'Internal error',
  10001: 'System error',
  10002: 'Service is busy',
  10003: 'Remote service error',
  10008: 'Parameter error',
  10012: 'Illegal request',
  10016: 'Missing required parameter',
  10017: 'Illegal parameter value',
  10018: 'Request is too long',
  10022: 'IP requests out of rate limit',
  10023: 'User requests out of rate limit',
  10024: 'User requests for this interface out of rate limit',
  10026: 'The application is in the blacklist',
  10027: 'The API is called too often',
  10028: 'The application calls the API too often',
  10029: 'Illegal device',
  10031: 'The application is in the blacklist, forbid to send messages',
  10034: 'Too many messages today',
  10036: 'Operation is forbidden',
  10037: 'Request is expired',
  20301: 'Failed to send',
  20607: 'Database error',
  21301: 'Invalid application secret.',
  21302: 'Token authentication failed',
  21303: 'Restricted',
  21305: 'Missing parameter',
  22000: 'Illegal application',
  22006: 'Illegal application id',
  22007: 'Illegal application key',
  22008: 'Illegal application secret',
  22022: 'Illegal application package name',
  22102: 'Failed to send the notification',
  26003: 'Internal call failed',
  26004: 'Broadcast too frequently',
  26006: 'Needs a manual review',
  27001: 'invalid channel info!',
  65003: 'Device is not found',
  65009: 'Message is too long',
  65011: 'Parameter is not given',
  65014: 'Too many key-values in extra',
  65015: 'Key-values in extra are too long',
  65036: 'Callback param is too long',
  65037: 'Callback url is too long',
  65038: 'Callback url is illegal',
  200001: 'Exceed the daily quota',
  200002: 'Exceed the QPS limit',
}

/** What a receipt can report beside delivered (1) and clicked (2), and what it carries then. */
const receipts: Record<string, { type: number; more: (token: string) => Record<string, unknown> }> = {
  'receipt 16': { type: 16, more: () => ({ barStatus: 'Unknown', errorCode: 1 }) },
  'receipt 16 replaced': {
    type: 16,
    more: (token) => ({ barStatus: 'Unknown', errorCode: 1, replaceTarget: { [token]: `new${token}` } }),
  },
  'receipt 32': { type: 32, more: () => ({ barStatus: 'Unknown' }) },
  'receipt 64': { type: 64, more: () => ({ barStatus: 'Unknown' }) },
  'receipt 128': { type: 128, more: () => ({ extra: { ack: '50000', quota: '50000' } }) },
  'receipt 128 device': { type: 128, more: () => ({ extra: { device_acked: '5', device_quota: '5' } }) },
  'receipt 1024': { type: 1024, more: () => ({}) },
}
/** A sum with any other bit is accepted, and nothing is ever reported. */
const CALLBACK_BITS = 1 | 2 | 16 | 32 | 64 | 128 | 1024

const paths = ['/v3/message/regid', '/v2/message/regid']
const json = { 'content-type': 'application/json;charset=UTF-8' }
const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Clients exist that end the list with a comma. */
const tokensOf = (request: SimulatorRequest): readonly string[] =>
  paths.includes(request.path)
    ? (formOf(request)?.['registration_id'] ?? '').split(',').filter((token) => token !== '')
    : []

declare module './simulator.ts' {
  interface Accounts {
    xiaomi?: readonly XiaomiAccount[]
  }
}

export default defineSimulator<
  XiaomiAccount,
  { passThrough: boolean; channels: string; channelRequired: boolean; dayQuota: number }
>({
  name: 'xiaomi',
  title: 'Xiaomi Mi Push',
  http1: true,
  streams: 100,
  outcomes: {
    bad: DEAD,
    clicked: 'click-',
    offline: 'offline-',
    ...Object.fromEntries(Object.keys(refusals).map((code) => [code, `E${code}-`])),
    ...Object.fromEntries(
      Object.keys(receipts).map((word) => [word, `R${word.slice('receipt '.length).replace(' ', '')}-`]),
    ),
  },
  dead: 'bad',
  options: {
    /** Whether this app may still send messages that show nothing. */
    passThrough: false,
    /** The approved channels, joined by commas; '' takes any. */
    channels: '',
    /** Whether the app has moved to the new message classes entirely, which leaves no default channel. */
    channelRequired: false,
    dayQuota: 50_000,
  },

  sample() {
    const account = { appSecret: randomBytes(24).toString('base64'), packageName: 'com.example.app' }
    return { account, certificate: { name: account.packageName, app_secret: account.appSecret } }
  },
  sampleToken: (beginning) => hexToken(beginning, 24),

  start({ now, accounts, options, outcomeOf, sendReceipt }) {
    const delivered = allowance(now, DAY_MS)
    const idOf = (kind: string) =>
      `${kind}dm${randomInt(10 ** 5)
        .toString()
        .padStart(5, '0')}${now().toString().slice(-12)}${alphabet[randomInt(36)]}${alphabet[randomInt(36)]}`

    /** An unknown secret and a secret in another form look the same to the vendor. */
    const secretOf = (request: SimulatorRequest): string | undefined => {
      const secret = /^key=(\S+)$/.exec(request.headers['authorization'] ?? '')?.[1]
      return accounts === 'any' || accounts.some((account) => account.appSecret === secret) ? secret : undefined
    }

    const faultOfTarget = (
      form: Record<string, string>,
      path: string,
      secret: string,
      tokens: readonly string[],
    ): [number, string] | undefined => {
      if (tokens.length === 0) return [10016, 'Missing required parameter: registration_id']
      if (tokens.length > 1000) return [10017, 'Illegal parameter: more than 1000 registration ids']
      const packages = (form['restricted_package_name'] ?? '').split(',').filter((name) => name !== '')
      if (packages.length === 0) return [65011, 'restricted_package_name is empty!']
      if (path.startsWith('/v2') && packages.length > 1)
        return [10017, 'Illegal parameter: one restricted_package_name only']
      const theirs = (name: string) =>
        accounts === 'any' || accounts.some((account) => account.appSecret === secret && account.packageName === name)
      if (!packages.every(theirs)) return [22022, refusals['22022']!]
      const channel = form['extra.channel_id'] ?? ''
      const unknown = options.channels !== '' && !options.channels.split(',').includes(channel)
      if (channel === '' ? options.channelRequired : unknown) return [27001, refusals['27001']!]
      return undefined
    }

    const report = (form: Record<string, string>, id: string, tokens: readonly string[]) => {
      const url = form['extra.callback']
      const asked = Number(form['extra.callback.type'] ?? 3)
      if (url === undefined || (asked & ~CALLBACK_BITS) !== 0) return
      const post = (type: number, targets: readonly string[], more: Record<string, unknown>) => {
        if ((asked & type) === 0 || targets.length === 0) return
        const param = form['extra.callback.param']
        const jobkey = form['extra.jobkey']
        const data = {
          [id]: {
            ...(param && { param }),
            type,
            targets: targets.join(','),
            ...(jobkey && { jobkey }),
            ...more,
            timestamp: now(),
          },
        }
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        sendReceipt({ url, headers, body: new URLSearchParams({ data: JSON.stringify(data) }).toString() })
      }
      const withWord = (word: string | undefined) => tokens.filter((token) => outcomeOf(token) === word)
      post(
        1,
        tokens.filter((token) => [undefined, 'clicked'].includes(outcomeOf(token))),
        { barStatus: 'Enable' },
      )
      post(2, withWord('clicked'), { barStatus: 'Enable' })
      for (const [word, { type, more }] of Object.entries(receipts)) {
        for (const token of withWord(word)) post(type, [token], more(token))
      }
    }

    const push = (request: SimulatorRequest): Handled => {
      const form = formOf(request) ?? {}
      const tokens = tokensOf(request)
      const answer = (body: Record<string, unknown>, taken: readonly string[]): Handled => ({
        status: 200,
        headers: json,
        body: JSON.stringify(body),
        push: { tokens, taken, fields: form },
      })
      const refuse = (code: number, reason = refusals[code]!) => {
        const description = code === 20301 ? '发送消息失败' : code === 21301 ? '认证失败' : reason
        return answer({ result: 'error', reason, trace_id: idOf('X'), code, description }, [])
      }
      const secret = secretOf(request)
      if (secret === undefined) return refuse(21301)
      const fault = faultOfTarget(form, request.path, secret, tokens) ?? faultOf(form, options.passThrough, now())
      if (fault) return refuse(...fault)

      const ordered = tokens.map(outcomeOf).find((word) => word !== undefined && word in refusals)
      if (ordered !== undefined) return refuse(Number(ordered))
      // A space is what an unencoded plus of a registration id turns into.
      const bad = tokens.filter((token) => outcomeOf(token) === 'bad' || /\s/.test(token))
      const good = tokens.filter((token) => !bad.includes(token))
      if (good.length === 0) return refuse(20301, 'No valid targets!')
      const before = delivered.used(secret)
      if (!delivered.take(secret, good.length, options.dayQuota)) {
        return refuse(200001, `Exceed the daily quota: quota ${options.dayQuota}, acked ${before}`)
      }
      const id = idOf('s')
      report(form, id, good)
      const data = {
        id,
        day_acked: `${before}`,
        day_quota: `${options.dayQuota}`,
        ...(bad.length > 0 && { bad_regids: bad.join(',') }),
      }
      const info = `Received push messages for ${tokens.length} REGID`
      return answer({ result: 'ok', trace_id: idOf('X'), code: 0, data, description: '成功', info }, good)
    }

    return {
      tokensOf,
      handle: (request) =>
        request.method === 'POST' && paths.includes(request.path) ? push(request) : { status: 404, body: '' },
      troubles: {
        limited: () => ({
          status: 200,
          headers: json,
          body: JSON.stringify({
            result: 'error',
            reason: refusals['200002'],
            trace_id: idOf('X'),
            code: 200002,
            description: refusals['200002'],
          }),
        }),
        down: (status) => ({ status, body: '' }),
      },
    }
  },
})
