import { createHash, randomBytes } from 'node:crypto'
import { accessTokens } from './access-tokens.ts'
import { formOf } from './form.ts'
import { isChinese, ofOneTarget, receiptEvents, refusals, registrationId } from './oppo-codes.ts'
import { faultOf, fromForm, invalid, missing, type Fault } from './oppo-message.ts'
import { isObject, parsed } from './shape.ts'
import { defineSimulator, type Answer, type Handled } from './simulator.ts'

/** OPPO Push, for OPPO, OnePlus and realme: forms with JSON inside, and an access token among their fields. */

export interface OppoAccount {
  appKey: string
  masterSecret: string
  /** In message ids and receipts. */
  appId: string
}

const TOKEN_MS = 24 * 3600_000
const CLOCK_MS = 10 * 60_000
const MOST_TARGETS = 1000

const base = '/server/v1/message/notification/'
const json = { 'content-type': 'application/json;charset=UTF-8' }
const answer = (code: number, message: string, data?: unknown): Answer => ({
  status: 200,
  headers: json,
  body: JSON.stringify({ code, message, ...(data !== undefined && { data }) }),
})
const refusal = (code: string | number): Answer => answer(Number(code), refusals[code]!)

interface Unicast {
  target_type?: unknown
  target_value?: unknown
  verify_registration_id?: unknown
  notification?: unknown
}

/** What a batch answers of one entry. */
interface Result {
  messageId: string
  registrationId: string
  errorCode?: number
  errorMessage?: string
}

/** The single messages of a unicast or a batch; undefined when they cannot be read. */
const messagesOf = (path: string, form: Readonly<Record<string, string>>): Unicast[] | undefined => {
  const one = path === `${base}unicast`
  const read = parsed(form[one ? 'message' : 'messages'] ?? '')
  const messages = one ? [read] : read
  return Array.isArray(messages) && messages.length > 0 && messages.every(isObject) ? messages : undefined
}

const targetsOf = (path: string, form: Readonly<Record<string, string>>): string[] => {
  if (path === `${base}broadcast`) return (form['target_value'] ?? '').split(';').filter((target) => target !== '')
  if (path !== `${base}unicast` && path !== `${base}unicast_batch`) return []
  return (messagesOf(path, form) ?? [])
    .map(({ target_value: target }) => target)
    .filter((target) => typeof target === 'string')
}

declare module './simulator.ts' {
  interface Accounts {
    oppo?: readonly OppoAccount[]
  }
}

export default defineSimulator<OppoAccount, { banner: boolean }>({
  name: 'oppo',
  title: 'OPPO Push',
  http1: true,
  streams: 100,
  outcomes: {
    ...Object.fromEntries(
      Object.keys(refusals).map((code) => [code, code === '10000' ? 'dead_' : `E${code.replace('-', 'M')}_`]),
    ),
    ...receiptEvents,
    offline: 'offline_',
  },
  dead: '10000',
  options: {
    /** Whether the app holds the right to notify_level 16. */
    banner: false,
  },

  sample() {
    const account = { appKey: 'oppo-key', masterSecret: randomBytes(16).toString('hex'), appId: 'ZngA' }
    const { appKey, masterSecret, appId } = account
    return { account, certificate: { name: 'oppo', app_id: appId, app_key: appKey, app_secret: masterSecret } }
  },
  sampleToken: (beginning) => beginning + randomBytes(16).toString('hex'),

  start({ now, accounts, options, outcomeOf, sendReceipt }) {
    const issued = accessTokens<{ appId: string }>(now, TOKEN_MS)
    const stored = new Map<string, Record<string, unknown>>()
    const storedOnce = new Map<string, string>()
    const shownOnce = new Set<string>()

    const authorize = (form: Readonly<Record<string, string>>): Answer => {
      const { app_key: key = '', sign = '', timestamp = '' } = form
      if (key === '') return refusal(15)
      const account = accounts === 'any' ? undefined : accounts.find(({ appKey }) => appKey === key)
      if (accounts !== 'any' && !account) return refusal(14)
      if (sign === '') return refusal(17)
      if (timestamp === '') return refusal(18)
      if (!/^\d{13}$/.test(timestamp) || Math.abs(Number(timestamp) - now()) > CLOCK_MS) return refusal(19)
      const right =
        account &&
        createHash('sha256')
          .update(key + timestamp + account.masterSecret)
          .digest('hex')
      if (account ? sign !== right : !/^[0-9a-f]{64}$/.test(sign)) return refusal(16)
      const value = randomBytes(12).toString('hex')
      issued.issue({ appId: account?.appId ?? 'Any' }, value)
      return answer(0, 'success', { auth_token: value, create_time: now() })
    }

    const newId = (appId: string) => `${appId}-1-1-${randomBytes(12).toString('hex')}`

    /** What is wrong with one target, or with what it was sent; undefined when it is taken. */
    const faultOfTarget = (target: string, chinese: boolean): Fault | undefined => {
      if (!registrationId.test(target) || isChinese(target) !== chinese) return [10000, refusals['10000']!]
      const word = outcomeOf(target)
      return word !== undefined && ofOneTarget.has(word) ? [Number(word), refusals[word]!] : undefined
    }

    const faultOfUnicast = (message: Unicast, chinese: boolean): Fault | undefined => {
      const { target_type: type, target_value: target, verify_registration_id: verify, notification } = message
      if (type === undefined) return missing('target_type')
      if (type !== 2) return invalid('target_type')
      if (typeof target !== 'string' || target === '') return missing('target_value')
      if (verify !== undefined && typeof verify !== 'boolean') return invalid('verify_registration_id')
      if (!isObject(notification)) return missing('notification')
      return faultOf(notification, false, options.banner) ?? faultOfTarget(target, chinese)
    }

    /** A repeated app_message_id is accepted like any other, and shows nothing a second time. */
    const isNew = (appId: string, target: string, appMessageId: string | undefined): boolean => {
      if (appMessageId === undefined) return true
      const key = `${appId} ${target} ${appMessageId}`
      if (shownOnce.has(key)) return false
      shownOnce.add(key)
      return true
    }

    interface Delivery {
      target: string
      messageId: string
      taskId: string
      notification: Record<string, unknown>
    }
    /** What one request asks to report to the same address goes there in one call. */
    const report = (appId: string, deliveries: readonly Delivery[]) => {
      const reported = deliveries.filter(
        ({ target, notification }) => outcomeOf(target) !== 'offline' && notification['call_back_url'] !== undefined,
      )
      for (const [url, ofUrl] of Map.groupBy(reported, ({ notification }) => notification['call_back_url'] as string)) {
        const events = Map.groupBy(ofUrl, ({ target, messageId }) => `${messageId} ${eventOf(target)}`)
        const body = [...events.values()].map((same) => {
          const { messageId, taskId, notification } = same[0]!
          const registrationIds = same.map(({ target }) => target).join(', ')
          const param = notification['call_back_parameter']
          return {
            messageId,
            appId,
            taskId,
            registrationIds,
            eventTime: `${now()}`,
            param,
            eventType: eventOf(same[0]!.target),
          }
        })
        sendReceipt({ url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
      }
    }
    const eventOf = (target: string): string => {
      const word = outcomeOf(target)
      return word !== undefined && word in receiptEvents ? word : 'push_arrive'
    }

    /** The region whose server was reached: that of the first target, since one origin may stand for both. */
    const reached = (targets: readonly string[]) => isChinese(targets[0] ?? '')

    const unicast = (path: string, form: Readonly<Record<string, string>>, appId: string): Handled => {
      const messages = messagesOf(path, form)
      const tokens = targetsOf(path, form)
      const push = { tokens, taken: [] as string[], fields: messages }
      const field = path === `${base}unicast` ? 'message' : 'messages'
      if (form[field] === undefined) return { ...answer(...missing(field)), push }
      if (!messages || messages.length > MOST_TARGETS) return { ...answer(...invalid(field)), push }
      const deliveries: Delivery[] = []
      const chinese = reached(tokens)
      const results = messages.map((message): Result => {
        const fault = faultOfUnicast(message, chinese)
        const messageId = newId(appId)
        const target = message.target_value as string
        if (fault) return { messageId, registrationId: target, errorCode: fault[0], errorMessage: fault[1] }
        const notification = message.notification as Record<string, unknown>
        if (isNew(appId, target, notification['app_message_id'] as string | undefined)) {
          deliveries.push({ target, messageId, taskId: messageId, notification })
        }
        return { messageId, registrationId: target }
      })
      report(appId, deliveries)
      push.taken = deliveries.map(({ target }) => target)
      if (field === 'messages') return { ...answer(0, 'success', results), push }
      const { messageId, errorCode, errorMessage } = results[0]!
      return { ...(errorCode === undefined ? answer(0, '', { messageId }) : answer(errorCode, errorMessage!)), push }
    }

    const save = (form: Readonly<Record<string, string>>, appId: string): Answer => {
      const { auth_token: _, sdk_version: _version, ...fields } = form
      const notification = fromForm(fields)
      const fault = faultOf(notification, true, options.banner)
      if (fault) return answer(...fault)
      const appMessageId = notification['app_message_id'] as string | undefined
      const known = appMessageId === undefined ? undefined : storedOnce.get(`${appId} ${appMessageId}`)
      const id = known ?? randomBytes(12).toString('hex')
      stored.set(`${appId} ${id}`, notification)
      if (appMessageId !== undefined) storedOnce.set(`${appId} ${appMessageId}`, id)
      return answer(0, 'success', { message_id: id })
    }

    const broadcast = (form: Readonly<Record<string, string>>, appId: string): Handled => {
      const tokens = targetsOf(`${base}broadcast`, form)
      const { message_id: id = '', target_type: type } = form
      const notification = stored.get(`${appId} ${id}`)
      const push = { tokens, taken: [] as string[], fields: { message_id: id, notification } }
      if (id === '' || type === undefined || tokens.length === 0) return { ...refusal(40), push }
      if (type !== '2' || tokens.length > MOST_TARGETS) return { ...refusal(41), push }
      if (!notification) return { ...refusal(31), push }
      const taskId = newId(appId)
      const chinese = reached(tokens)
      const faults = tokens.flatMap((target) => {
        const fault = faultOfTarget(target, chinese)
        return fault ? [{ target, code: fault[0] }] : []
      })
      const good = tokens.filter((target) => !faults.some((fault) => fault.target === target))
      const deliveries = good.map((target) => ({ target, messageId: id, taskId, notification }))
      report(appId, deliveries)
      const byCode = Object.fromEntries(
        [...Map.groupBy(faults, ({ code }) => `${code}`)].map(([code, of]) => [code, of.map(({ target }) => target)]),
      )
      return { ...answer(0, 'success', { message_id: id, task_id: taskId, ...byCode }), push: { ...push, taken: good } }
    }

    return {
      tokensOf: (request) => targetsOf(request.path, formOf(request) ?? {}),
      handle(request) {
        if (!request.path.startsWith('/server/v1/')) return { status: 404, body: '' }
        if (request.method !== 'POST') return refusal(12)
        const form = formOf(request)
        if (!form) return refusal(40)
        if (request.path === '/server/v1/auth') return authorize(form)
        const tokens = targetsOf(request.path, form)
        const turnedAway = (code: string): Handled => ({
          ...refusal(code),
          ...(tokens.length > 0 && { push: { tokens, taken: [], fields: null } }),
        })
        // Public clients show it in a header of the same name, too.
        const shown = form['auth_token'] ?? request.headers['auth_token'] ?? ''
        if (shown === '') return turnedAway('29')
        const access = issued.find(shown)
        if (!access || access.expired) return turnedAway('11')
        const ordered = tokens
          .map(outcomeOf)
          .find((word) => word !== undefined && word in refusals && !ofOneTarget.has(word))
        if (ordered !== undefined) return turnedAway(ordered)
        const { appId } = access.owner
        if (request.path === `${base}unicast` || request.path === `${base}unicast_batch`)
          return unicast(request.path, form, appId)
        if (request.path === `${base}save_message_content`) return save(form, appId)
        return request.path === `${base}broadcast` ? broadcast(form, appId) : refusal(20)
      },
      troubles: {
        limited: () => refusal(13),
        down: (status) => ({ status, body: '' }),
        expired: () => refusal(11),
      },
    }
  },
})
