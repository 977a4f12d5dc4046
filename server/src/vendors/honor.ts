import type { Message } from '@carillon/protocol/notify.ts'
import { Type } from '@carillon/protocol/type.ts'
import { choice, label, word } from './credentials.ts'
import {
  androidOf, badgeOf, bodyOf, cutCharacters, dataOf, httpsPictureOf, integerOf, oauthTokenOf, objectOf, readObject,
  secondsLeft, sentenceOf, taskIdOf, titleOf, typeOf, withCode,
} from './message.ts'
import { defineVendor, type Addressed, type VendorReceipt, type Verdict } from './vendor.ts'

const TTL_MOST = 1_296_000 // seconds: 15 days
const BADGE_MOST = 99
const TITLE_MOST = 40
const BODY_MOST = 256
const MESSAGE_BYTES = 4096 // without the tokens; not published: as at Huawei

const HUAWEI_STYLE = 80_000_000
const taken = new Set([200, HUAWEI_STYLE]) // the second is what Huawei says, and Honor's service grew out of Huawei's

/** Codes of the body are numbers like those of HTTP; the body goes first. */
const codes: Record<number, Verdict> = {
  400: { kind: 'refused', why: 'the message is wrong' },
  401: { kind: 'renew', why: 'the access token was not accepted' },
  403: { kind: 'denied', why: 'the app may not send: push is not enabled, or the App ID is of another app' },
  404: { kind: 'denied', why: 'no such address: the App ID is wrong' },
  429: { kind: 'limited', why: 'too many requests' },
  503: { kind: 'limited', why: 'too many requests' },
}
/** A 400 without a code may come from anything between us and Honor: the message is not to blame for it. */
const { 400: _, ...statuses } = codes

const tokenStatuses: Record<number, Verdict> = {
  400: { kind: 'denied', why: 'the Client ID or Client Secret is wrong' },
  401: { kind: 'denied', why: 'the Client ID or Client Secret is wrong' },
  429: { kind: 'limited', why: 'too many access tokens were asked for' },
  503: { kind: 'limited', why: 'too many access tokens were asked for' },
}

/** Honor's statuses of receipts are not published; these two have been seen for delivered messages. */
const delivered = new Set([0, 40_000_002])

const riddle: Verdict = { kind: 'unknown', why: 'the answer is not understood' }

const find = (table: Record<number, Verdict>, code: number): Verdict | undefined =>
  table[code] ?? (code >= 500 && code < 600 ? { kind: 'down', why: 'Honor has trouble' } : undefined)

const byStatus = (table: Record<number, Verdict>, status: number, said = ''): Verdict =>
  withCode(find(table, status) ?? riddle, `HTTP ${status}`, said)

type Answer = ReturnType<typeof readObject>

const judge = (answer: Answer, status: number): Verdict => {
  const code = integerOf(answer?.code)
  if (code === undefined) return byStatus(statuses, status)
  const said = sentenceOf(answer?.message)
  const verdict = find(codes, code)
  // What somebody has to put right needs Honor's own words; those about an access token may repeat it.
  if (verdict) return withCode(verdict, code, ['refused', 'denied'].includes(verdict.kind) ? said : '')
  if (code > HUAWEI_STYLE) return withCode({ kind: 'refused', why: 'Honor refused it' }, code, said)
  const byHttp = byStatus(statuses, status)
  return byHttp.kind === 'unknown' ? withCode({ ...riddle, why: 'the code is in no table' }, code, said) : byHttp
}

const listOf = (value: unknown): Set<unknown> => new Set(Array.isArray(value) ? value : [])

const EXPIRED: Verdict = { kind: 'dead', why: 'the token is no longer valid' }
const FAILED: Verdict = { kind: 'refused', why: 'the push failed for this token' }

/** Taken as a whole: single tokens may still have failed. */
const judgeEach = (answer: Answer, code: number, addresses: Addressed['addresses']): Verdict[] => {
  const { sendResult, failTokens, expireTokens } = objectOf(answer?.data) ?? {}
  const [failed, expired] = [listOf(failTokens), listOf(expireTokens)]
  const nobodyNamed = failed.size === 0 && expired.size === 0
  return addresses.map(({ token }) => {
    if (expired.has(token)) return withCode(EXPIRED, `${code}, expireTokens`)
    if (failed.has(token)) return withCode(FAILED, `${code}, failTokens`)
    return sendResult === false && nobodyNamed
      ? withCode({ kind: 'down', why: 'Honor took the request and did not send it' }, `${code}, sendResult false`)
      : { kind: 'sent' }
  })
}

const shortened = (text: string, most: number): string =>
  cutCharacters(text, most) === text ? text : `${cutCharacters(text, most - 1)}…`

const badgeFor = (message: Message, badgeClass: string | undefined) => {
  const rule = badgeOf(message)
  if (!badgeClass || !rule) return undefined // without the class of the icon's activity a badge does nothing
  if ('set' in rule) return { badgeClass, setNum: Math.min(rule.set, BADGE_MOST) }
  return rule.add > 0 ? { badgeClass, addNum: Math.min(rule.add, BADGE_MOST) } : undefined
}

/** Honor has neither bar channels nor sounds. */
const notificationOf = ({ push, account }: Addressed) => {
  const { message, setting } = push
  const { click_action, intent, badge_class } = androidOf(message, 'honor')
  const title = shortened(titleOf(push), TITLE_MOST)
  return {
    title,
    body: shortened(bodyOf(push), BODY_MOST),
    importance: account.options.importance,
    clickAction: click_action === 'intent' && intent ? { type: 1, intent } : { type: 3 },
    badge: badgeFor(message, badge_class),
    image: httpsPictureOf(message),
    ...(message.big_text && { style: 1, bigTitle: title, bigBody: message.big_text }),
    tag: setting.collapse_id ?? message.ios?.apns_collapse_id,
    group: message.ios?.thread_id,
  }
}

type Shown = Partial<Record<'title' | 'body' | 'bigBody' | 'image', string>>

/** No status makes a token dead, as long as their meanings are not published. */
const receiptOf = (value: unknown): VendorReceipt[] => {
  const { biTag, token, status } = objectOf(value) ?? {}
  const taskId = taskIdOf(biTag)
  const result = integerOf(status)
  if (taskId === undefined || typeof token !== 'string' || result === undefined) return []
  if (delivered.has(result)) return [{ taskId, token, event: 'received' }]
  return [{ taskId, token, event: 'failed', why: `not delivered (${result})` }]
}

export default defineVendor({
  name: 'honor',
  title: 'Honor Push',
  credentials: Type.Object({
    app_id: word({
      title: 'App ID',
      description: 'The App ID on the push service page; it is part of the address messages are sent to.',
      zh: { help: '推送服务页面上的 App ID，是发送地址的一部分。' },
      usual: { pattern: '^[0-9]+$', words: 'digits' },
    }),
    app_key: word({
      title: 'Client ID',
      description: 'The Client ID on the same page; it differs from the App ID.',
      zh: { help: '同一页面上的 Client ID，与 App ID 不同。' },
    }),
    app_secret: word({
      title: 'Client Secret',
      description: 'The Client Secret; the App Secret does not work here.',
      zh: { help: 'Client Secret；此处不能使用 App Secret。' },
    }),
    name: label,
  }),
  options: Type.Object({
    importance: choice(['LOW', 'NORMAL'], {
      title: 'Importance',
      description: 'LOW marks marketing. NORMAL marks service and communication, a right that Honor grants.',
      zh: { title: '重要程度', help: 'LOW 为资讯营销类；NORMAL 为服务与通讯类，需荣耀授权。' },
    }),
    target_user_type: choice([0, 1], {
      title: 'Target user type',
      description: '1 sends test messages, which have a small daily allowance of their own; 0 real ones.',
      zh: { title: '目标用户类型', help: '1 为测试消息，每日另有少量配额；0 为正式消息。' },
    }),
  }),

  check({ app_id, app_key }) {
    const words = 'app_key is the same as app_id: Honor shows the Client ID as a value of its own'
    return app_id !== '' && app_id === app_key
      ? { warnings: [{ name: 'equals', values: { field: 'app_key', other: 'app_id', words } }] }
      : {}
  },

  protocol: 'h1',
  // What one request takes at most is not published: 1000 by analogy with Huawei, a tenth of it to be safe. Whether the
  // rate counts requests or devices is not either: by devices it is never too fast.
  limits: { batch: 100, concurrency: 8, perSecond: 3000, counts: 'devices', timeoutMs: 10_000 },
  carries: () => true,

  access: {
    request: ({ app_key, app_secret }) => ({
      origin: 'https://iam.developer.honor.com',
      method: 'POST',
      path: '/auth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: app_key,
        client_secret: app_secret,
      }).toString(),
    }),
    read({ status, body }, now) {
      const answer = readObject(body)
      const token = status < 300 ? oauthTokenOf(answer, now) : undefined
      // `error` is one word of OAuth; its description is free text that may repeat what was sent.
      return token ?? byStatus(tokenStatuses, status, /^\w{1,64}$/.exec(sentenceOf(answer?.error))?.[0])
    },
  },

  request: (to) => ({
    origin: 'https://push-api.cloud.honor.com',
    method: 'POST',
    path: `/api/v1/${encodeURIComponent(to.account.app_id)}/sendMessage`,
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      authorization: `Bearer ${to.access}`,
      timestamp: String(to.push.now),
    },
    body: JSON.stringify({
      data: JSON.stringify(dataOf(to.push, 'honor')),
      android: {
        ttl: `${Math.min(Math.max(secondsLeft(to.push), 1), TTL_MOST)}s`,
        biTag: String(to.push.taskId),
        targetUserType: to.account.options.target_user_type,
        notification: typeOf(to.push.message) === 'cmd' ? undefined : notificationOf(to),
      },
      token: [...new Set(to.addresses.map((address) => address.token))],
    }),
  }),

  sight({ body }) {
    const { token: _, ...message } = JSON.parse(body) as { token: unknown; android: { notification?: Shown } }
    const { title, body: text, bigBody, image } = message.android.notification ?? {}
    const size = Buffer.byteLength(JSON.stringify(message))
    return { title, body: text, bigText: bigBody, image, shown: message.android, size, most: MESSAGE_BYTES }
  },

  read({ status, body }, { addresses }) {
    const answer = readObject(body)
    const code = integerOf(answer?.code)
    if (code !== undefined && taken.has(code)) return judgeEach(answer, code, addresses)
    return Array<Verdict>(addresses.length).fill(judge(answer, status))
  },

  // The access token proves Client ID and Client Secret; the App ID only a message shows.
  probe: { token: 'carillon-credential-check', variant: '' },

  receipts: {
    read({ body }) {
      const reports = readObject(body)?.statuses
      return Array.isArray(reports) ? reports.flatMap(receiptOf) : 'malformed'
    },
    answer: '{"code":"0","message":"success"}',
  },
})
