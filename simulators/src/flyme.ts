import { createHash, randomBytes } from 'node:crypto'
import { allowance, DAY_MS } from './allowance.ts'
import { pushIdList, wrongInData, wrongInNotification, type FlymeMessage } from './flyme-message.ts'
import { formOf } from './form.ts'
import { parsed } from './shape.ts'
import { defineSimulator, type Answer, type Handled, type SimulatorRequest } from './simulator.ts'

/** Meizu's Flyme push: signed forms, and a map of codes for the targets that failed. */

export interface FlymeAccount {
  /** Digits. */
  appId: string
  appSecret: string
}

/** Codes for a whole request. Several mean something else below, for one target. */
const refusals: Record<string, string> = {
  300: 'redirect',
  500: 'other error',
  1001: 'system error',
  1003: 'server busy',
  1005: 'parameter error',
  1006: 'sign error',
  110000: 'appId is illegal',
  110001: 'appKey is illegal',
  110002: 'pushId is not registered',
  110003: 'pushId is illegal',
  110004: 'parameter is empty',
  110009: 'the app is in the blacklist',
  110010: 'the app pushes too fast',
  110019: 'the app exceeds its daily pushes',
  110031: 'packageName is illegal',
  110032: 'taskId is illegal',
  110033: 'appSecret is illegal',
  110051: 'the app exceeds its limit',
  110053: 'pass-through exceeds its limit',
}

/** Codes for one target, and how tokens begin that meet them. */
const failures: Record<string, string> = {
  201: 'DENIED',
  501: 'DBERROR',
  513: 'FAILED',
  518: 'RATE',
  519: 'OVERLOAD',
  520: 'FOLD',
  110002: 'UNSUB',
  110003: 'BAD',
  110005: 'NOALIAS',
  110010: 'MUTED',
  110011: 'DAYCAP',
}

const base = '/garcia/api/server/push/'
const shownPath = `${base}varnished/pushByPushId`
const dataPath = `${base}unvarnished/pushByPushId`
const json = { 'content-type': 'application/json;charset=UTF-8' }

const refusal = (code: string, redirect = ''): Answer => ({
  status: 200,
  headers: json,
  body: JSON.stringify({ code, message: refusals[code]!, value: '', redirect }),
})

const signOf = (form: Readonly<Record<string, string>>, secret: string): string => {
  const pairs = Object.keys(form)
    .filter((field) => field !== 'sign')
    .sort()
    .map((field) => `${field}=${form[field]}`)
  return createHash('md5')
    .update(pairs.join('') + secret)
    .digest('hex')
}

const tokensOf = (request: SimulatorRequest): readonly string[] =>
  request.path === shownPath || request.path === dataPath
    ? (formOf(request)?.['pushIds'] ?? '').split(',').filter((token) => token !== '')
    : []

declare module './simulator.ts' {
  interface Accounts {
    flyme?: readonly FlymeAccount[]
  }
}

export default defineSimulator<
  FlymeAccount,
  {
    passThrough: boolean
    vip: boolean
    perMinute: number
    publicPerDay: number
    receiptAccessToken: string
  }
>({
  name: 'flyme',
  title: 'Meizu Flyme push',
  http1: true,
  streams: 100,
  outcomes: {
    ...failures,
    clicked: 'CLICK',
    offline: 'OFFLINE',
    ...Object.fromEntries(Object.keys(refusals).map((code) => [`all ${code}`, `E${code}-`])),
  },
  dead: '110002',
  options: {
    /** Whether this app may still send messages that show nothing. */
    passThrough: false,
    /** Whether it may send large pictures and the like. */
    vip: false,
    /** One device is shown so many of one app in a minute; the next ones are folded. */
    perMinute: 5,
    /** Public messages a device may get a day; 0 sets no limit. */
    publicPerDay: 0,
    /** What the console was told to show with every receipt. */
    receiptAccessToken: '',
  },

  sample() {
    const account = { appId: '100999', appSecret: randomBytes(16).toString('hex') }
    return { account, certificate: { name: 'flyme', app_id: account.appId, app_secret: account.appSecret } }
  },
  sampleToken: (beginning) => (beginning + randomBytes(32).toString('hex')).slice(0, 45),

  start({ now, accounts, options, outcomeOf, sendReceipt }) {
    const minutes = allowance(now, 60_000)
    const days = allowance(now, DAY_MS)

    /** The code a form is turned down with before its message is looked at. */
    const faultOfForm = (form: Readonly<Record<string, string>>): string | undefined => {
      if (['appId', 'pushIds', 'messageJson', 'sign'].some((field) => (form[field] ?? '') === '')) return '110004'
      const account = accounts === 'any' ? undefined : accounts.find(({ appId }) => appId === form['appId'])
      if (!/^\d+$/.test(form['appId']!) || (accounts !== 'any' && !account)) return '110000'
      const right = account ? form['sign'] === signOf(form, account.appSecret) : /^[0-9a-f]{32}$/.test(form['sign']!)
      return right ? undefined : '1006'
    }

    /** The code one target fails with, if it does. */
    const failureOf = (appId: string, token: string, isPublic: boolean): string | undefined => {
      const word = outcomeOf(token)
      if (word !== undefined && word in failures) return word
      if (!minutes.take(`${appId} ${token}`, 1, options.perMinute)) return '520'
      const limited = isPublic && options.publicPerDay > 0 && !days.take(`${appId} ${token}`, 1, options.publicPerDay)
      return limited ? '110011' : undefined
    }

    const report = (extra: Readonly<Record<string, string>>, msgId: string, tokens: readonly string[]) => {
      const url = extra['callback']
      if (url === undefined) return
      const asked = Number(extra['callback.type'] ?? '3')
      const param = extra['callback.param'] ?? ''
      const reached = tokens.filter((token) => outcomeOf(token) !== 'offline')
      const byType = { 1: reached, 2: reached.filter((token) => outcomeOf(token) === 'clicked') }
      const entries = Object.entries(byType)
        .filter(([type, targets]) => (asked & Number(type)) !== 0 && targets.length > 0)
        .map(([type, targets]) => [`${msgId}-${type}`, { param, type: Number(type), targets }] as const)
      if (entries.length === 0) return
      const body = new URLSearchParams({
        access_token: options.receiptAccessToken,
        cb: JSON.stringify(Object.fromEntries(entries)),
      })
      sendReceipt({
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
        body: body.toString(),
      })
    }

    const push = (request: SimulatorRequest): Handled => {
      const form = formOf(request) ?? {}
      const tokens = tokensOf(request)
      const message = parsed(form['messageJson'] ?? '')
      const fields = { appId: form['appId'], restrictedPackageNames: form['restrictedPackageNames'], message }
      const refuse = (code: string): Handled => ({
        ...refusal(code, code === '300' ? `https://server-api-push.meizu.com${request.path}` : ''),
        push: { tokens, taken: [], fields },
      })
      const fault = faultOfForm(form)
      if (fault !== undefined) return refuse(fault)
      const shown = request.path === shownPath
      if (!shown && !options.passThrough) return refuse('110053')
      const wrong = shown ? wrongInNotification(message, options.vip) : wrongInData(message)
      if (!pushIdList(tokens) || wrong !== undefined) return refuse('1005')
      const ordered = tokens.map(outcomeOf).find((word) => word?.startsWith('all '))
      if (ordered !== undefined) return refuse(ordered.slice('all '.length))

      const { noticeBarInfo, extra = {} } = message as FlymeMessage
      const isPublic = shown && (noticeBarInfo?.noticeMsgType ?? 0) === 0
      const results = tokens.map((token) => ({ token, code: failureOf(form['appId']!, token, isPublic) }))
      const taken = results.filter(({ code }) => code === undefined).map(({ token }) => token)
      const failed = Map.groupBy(
        results.filter(({ code }) => code !== undefined),
        ({ code }) => code!,
      )
      const value = Object.fromEntries([...failed].map(([code, same]) => [code, same.map(({ token }) => token)]))
      const msgId = randomBytes(16).toString('hex')
      if (shown) report(extra, msgId, taken)
      return {
        status: 200,
        headers: json,
        body: JSON.stringify({ code: '200', message: '', value, msgId }),
        push: { tokens, taken, fields },
      }
    }

    return {
      tokensOf,
      handle: (request) =>
        request.method === 'POST' && (request.path === shownPath || request.path === dataPath)
          ? push(request)
          : { status: 404, body: '' },
      troubles: {
        limited: () => refusal('110010'),
        down: (status) => ({ status, body: '' }),
      },
    }
  },
})
