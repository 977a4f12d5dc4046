import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import { accessTokens } from './access-tokens.ts'
import { allowance, DAY_MS } from './allowance.ts'
import { saysJson } from './form.ts'
import { hexToken } from './sample-token.ts'
import { isObject, parsed } from './shape.ts'
import { defineSimulator, type Answer, type Handled, type SimulatorRequest } from './simulator.ts'
import { invalidStatuses, receiptKinds, refusals } from './vivo-codes.ts'
import { faultOf, faultOfRequestId, type VivoRules } from './vivo-message.ts'

/** vivo Push, for vivo and iQOO: single pushes, and stored bodies that lists of devices refer to. */

export interface VivoAccount {
  appId: number
  appKey: string
  appSecret: string
}

const CLOCK_MS = 10 * 60_000

type Body = Record<string, unknown>

const json = { 'content-type': 'application/json;charset=UTF-8' }
const answer = (body: Record<string, unknown>): Answer => ({ status: 200, headers: json, body: JSON.stringify(body) })
const refusal = (result: number): Answer => answer({ result, desc: refusals[result]! })
const serverError = (status: number): Answer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body: 'Internet server error!',
})

const bodyOf = (request: SimulatorRequest): Body | undefined => {
  const body = saysJson(request) ? parsed(request.body) : undefined
  return isObject(body) ? body : undefined
}

const tokensOf = (request: SimulatorRequest): readonly string[] => {
  const body = bodyOf(request)
  const named =
    request.path === '/message/send'
      ? [body?.['regId']]
      : request.path === '/message/pushToList'
        ? body?.['regIds']
        : []
  return Array.isArray(named) ? named.filter((token) => typeof token === 'string' && token !== '') : []
}

declare module './simulator.ts' {
  interface Accounts {
    vivo?: readonly VivoAccount[]
  }
}

export default defineSimulator<
  VivoAccount,
  {
    testDevices: string
    wideCharactersCountTwice: boolean
    systemRight: boolean
    textReview: boolean
    hours: boolean
    bodiesPerDay: number
    /** Access tokens asked for. */
    authsPerSecond: number
  }
>({
  name: 'vivo',
  title: 'vivo Push',
  http1: true,
  streams: 100,
  outcomes: {
    ...Object.fromEntries(Object.entries(invalidStatuses).map(([word, { prefix }]) => [word, prefix])),
    offline: 'offline-',
    ...Object.fromEntries(Object.keys(refusals).map((result) => [result, `E${result}-`])),
    ...Object.fromEntries(Object.keys(receiptKinds).map((kind) => [`receipt ${kind}`, `R${kind}-`])),
  },
  dead: 'uninstalled',
  options: {
    /** The only ones a test push reaches, joined by commas. */
    testDevices: '',
    wideCharactersCountTwice: false,
    systemRight: true,
    textReview: false,
    hours: false,
    /** How many bodies may be stored; the real figure is not published. */
    bodiesPerDay: 10_000,
    authsPerSecond: 10,
  } satisfies VivoRules & Record<string, unknown>,

  sample() {
    const account = { appId: 100004, appKey: 'vivo-key', appSecret: randomBytes(16).toString('hex') }
    const { appId, appKey, appSecret } = account
    return { account, certificate: { name: 'vivo', app_id: String(appId), app_key: appKey, app_secret: appSecret } }
  },
  sampleToken: (beginning) => hexToken(beginning, 24),

  start({ now, accounts, options, outcomeOf, receiptUrl, sendReceipt }) {
    const issued = accessTokens<number>(now, DAY_MS)
    const auths = allowance(now, 1000)
    const storing = allowance(now, DAY_MS)
    const stored = new Map<string, { appId: number; body: Body; endsAt: number }>()
    const newTaskId = () =>
      `${randomInt(1, 9)}${randomInt(10 ** 8)
        .toString()
        .padStart(8, '0')}${randomInt(10 ** 9)
        .toString()
        .padStart(9, '0')}`

    /** Written as text, an app id is tolerated here and nowhere else. */
    const authorize = (body: Body): Answer => {
      const field = (name: string) =>
        ['string', 'number'].includes(typeof body[name]) ? String(body[name]).trim() : ''
      const [appId, appKey, timestamp, sign] = [field('appId'), field('appKey'), field('timestamp'), field('sign')]
      if (appId === '') return refusal(10200)
      if (appKey === '') return refusal(10201)
      if (timestamp === '') return refusal(10203)
      if (sign === '') return refusal(10204)
      const account = accounts === 'any' ? undefined : accounts.find((known) => `${known.appId}` === appId)
      if (!/^\d{1,15}$/.test(appId) || (accounts !== 'any' && !account)) return refusal(10205)
      if (!auths.take(appId, 1, options.authsPerSecond)) return refusal(10093)
      if (account && account.appKey !== appKey) return refusal(10202)
      if (!/^\d{13}$/.test(timestamp) || Math.abs(Number(timestamp) - now()) > CLOCK_MS) return refusal(10207)
      const right =
        account &&
        createHash('md5')
          .update(appId + appKey + timestamp + account.appSecret)
          .digest('hex')
      if (account ? sign !== right : !/^[0-9a-f]{32}$/.test(sign)) return refusal(10206)
      const value = randomUUID()
      issued.issue(Number(appId), value)
      return answer({ result: 0, desc: '请求成功', authToken: value })
    }

    /** In a push it must be a number, and that of the access token. */
    const faultOfApp = ({ appId }: Body, owner: number): number | undefined => {
      if (appId === undefined) return 10200
      if (typeof appId !== 'number') return 10205
      return appId === owner ? undefined : 10094
    }

    /** Which status a token is turned down with, if it is. A test push reaches listed devices alone. */
    const invalidOf = (token: string, pushMode: unknown): { status: number; userid: string } | undefined => {
      const ordered = invalidStatuses[outcomeOf(token) ?? '']
      if (ordered) return { status: ordered.status, userid: token }
      return pushMode === 1 && !options.testDevices.split(',').includes(token)
        ? { status: 4, userid: token }
        : undefined
    }

    const orderedOf = (tokens: readonly string[]): number | undefined => {
      const word = tokens.map(outcomeOf).find((one) => one !== undefined && one in refusals)
      return word === undefined ? undefined : Number(word)
    }

    /** Production alone is reported. The console's address, asked for by its id, goes before the message's own. */
    const report = (taskId: string, { extra, pushMode }: Body, tokens: readonly string[], single: boolean) => {
      const asked = isObject(extra) ? (extra as Record<string, string>) : {}
      const reached = tokens.filter((token) => outcomeOf(token) !== 'offline')
      if (pushMode === 1 || reached.length === 0) return
      const param = asked['callback.param'] ?? ''
      if (asked['callback.id'] !== undefined) return reportByKind(taskId, param, reached)
      const delivered = reached.filter((token) => kindOf(token) === 0)
      const url = asked['callback']
      if (!single || url === undefined || delivered.length === 0) return
      sendReceipt({ url, headers: json, body: JSON.stringify({ [taskId]: { param, targets: delivered.join(',') } }) })
    }
    const reportByKind = (taskId: string, param: string, tokens: readonly string[]) => {
      if (receiptUrl === undefined) return
      for (const [kind, same] of Map.groupBy(tokens, kindOf)) {
        const entry = {
          param,
          targets: same.join(','),
          ackType: `${receiptKinds[kind] ?? 0}`,
          subAckType: `${kind}`,
          ackTime: now(),
        }
        sendReceipt({ url: receiptUrl, headers: json, body: JSON.stringify({ [taskId]: entry }) })
      }
    }
    const kindOf = (token: string): number => Number(/^receipt (\d+)$/.exec(outcomeOf(token) ?? '')?.[1] ?? 0)

    const send = (body: Body, owner: number): Handled => {
      const token = body['regId']
      const tokens = typeof token === 'string' && token !== '' ? [token] : []
      const refused = { tokens, taken: [], fields: body }
      const fault =
        faultOfApp(body, owner) ??
        (tokens.length === 0 ? 10050 : undefined) ??
        faultOf(body, options, now()) ??
        orderedOf(tokens)
      if (fault !== undefined) return { ...refusal(fault), push: refused }
      const invalidUser = invalidOf(tokens[0]!, body['pushMode'])
      if (invalidUser) return { ...answer({ result: 10302, desc: 'regId不合法', invalidUser }), push: refused }
      const taskId = newTaskId()
      report(taskId, body, tokens, true)
      return { ...answer({ result: 0, desc: '请求成功', taskId }), push: { tokens, taken: tokens, fields: body } }
    }

    const save = (body: Body, owner: number): Answer => {
      const fault = faultOfApp(body, owner) ?? faultOf(body, options, now())
      if (fault !== undefined) return refusal(fault)
      if (!storing.take(`${owner}`, 1, options.bodiesPerDay)) return refusal(10252)
      const taskId = newTaskId()
      stored.set(taskId, { appId: owner, body, endsAt: now() + DAY_MS })
      return answer({ result: 0, desc: '请求成功', taskId })
    }

    const faultOfList = (body: Body, owner: number): number | undefined => {
      const { regIds, taskId, requestId } = body
      if (
        !Array.isArray(regIds) ||
        regIds.length === 0 ||
        !regIds.every((one) => typeof one === 'string' && one !== '')
      )
        return 10150
      if (regIds.length < 2) return 10153
      if (regIds.length > 1000) return 10154
      if (typeof taskId !== 'string' || taskId === '') return 10151
      const known = stored.get(taskId)
      if (known?.appId !== owner) return 10152
      return now() >= known.endsAt ? 10155 : faultOfRequestId(requestId)
    }

    const sendToList = (body: Body, owner: number, tokens: readonly string[]): Handled => {
      const taskId = body['taskId'] as string
      const message = stored.get(taskId)?.body
      const fields = { ...body, message }
      const fault = faultOfApp(body, owner) ?? faultOfList(body, owner) ?? orderedOf(tokens)
      if (fault !== undefined) return { ...refusal(fault), push: { tokens, taken: [], fields } }
      const pushMode = body['pushMode'] ?? message!['pushMode']
      const invalidUsers = tokens.map((token) => invalidOf(token, pushMode)).filter((invalid) => invalid !== undefined)
      const taken = tokens.filter((token) => invalidOf(token, pushMode) === undefined)
      report(taskId, { ...message!, pushMode }, taken, false)
      const { requestId } = body
      return { ...answer({ result: 0, desc: '请求成功', requestId, invalidUsers }), push: { tokens, taken, fields } }
    }

    return {
      tokensOf,
      handle(request) {
        const { path } = request
        const paths = ['/message/auth', '/message/send', '/message/saveListPayload', '/message/pushToList']
        if (request.method !== 'POST' || !paths.includes(path)) return { status: 404, body: '' }
        const body = bodyOf(request)
        if (path === '/message/auth') return body ? authorize(body) : serverError(500)
        const tokens = tokensOf(request)
        const access = issued.find(request.headers['authtoken'] ?? '')
        if (!access || access.expired) {
          return {
            ...refusal(10000),
            ...(path !== '/message/saveListPayload' && { push: { tokens, taken: [], fields: body } }),
          }
        }
        if (!body) return serverError(500)
        if (path === '/message/send') return send(body, access.owner)
        return path === '/message/saveListPayload' ? save(body, access.owner) : sendToList(body, access.owner, tokens)
      },
      troubles: {
        limited: ({ path }) => refusal(path === '/message/auth' ? 10093 : 10072),
        down: serverError,
        expired: () => refusal(10000),
      },
    }
  },
})
