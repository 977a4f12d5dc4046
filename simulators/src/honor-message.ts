import {
  int,
  isObject,
  list,
  matching,
  objectText,
  oneOf,
  shaped,
  text,
  webAddress,
  wrongField,
  type Shape,
} from './shape.ts'

/** Honor's rules for one message. How many tokens and bytes it takes is not published: these are Huawei's numbers. */

const MOST_TOKENS = 1000
const MOST_BYTES = 4096
const MOST_SECONDS = 1_296_000

const shape: Shape = {
  data: text(),
  notification: { title: text(), body: text(), image: webAddress(Infinity, 'https') },
  android: {
    ttl: matching(/^\d+s?$/),
    biTag: text(),
    data: text(),
    targetUserType: oneOf(0, 1),
    notification: {
      title: text(),
      body: text(),
      clickAction: { type: oneOf(1, 2, 3), intent: text(), action: text(), url: webAddress(Infinity, 'https') },
      image: webAddress(Infinity, 'https'),
      style: oneOf(0, 1),
      bigTitle: text(),
      bigBody: text(),
      importance: oneOf('LOW', 'NORMAL'),
      badge: { badgeClass: text(), addNum: int(1, 99), setNum: int(0, 99) },
      when: matching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/),
      notifyId: int(),
      tag: text(),
      group: text(),
      buttons: list(
        shaped({
          name: text(1, 40),
          actionType: int(0, 2),
          intentType: int(0, 1),
          intent: text(),
          data: text(0, 1024),
        }),
        0,
        3,
      ),
    },
  },
}

export interface HonorMessage {
  data?: string
  notification?: { title?: string; body?: string }
  android?: { ttl?: string; biTag?: string; data?: string; notification?: Record<string, unknown> }
}

const blank = (value: unknown): boolean => value === undefined || value === ''

/** Why a request can never be taken, in words; undefined when it can. */
export const faultOf = (body: unknown): string | undefined => {
  if (!isObject(body)) return 'the body is not a JSON object'
  const { token, ...rest } = body
  if (!Array.isArray(token) || token.length < 1 || token.length > MOST_TOKENS)
    return `token must hold 1 to ${MOST_TOKENS}`
  if (!token.every((one) => typeof one === 'string' && one !== '')) return 'token must hold texts'
  if (Buffer.byteLength(JSON.stringify(rest)) > MOST_BYTES)
    return `the body exceeds ${MOST_BYTES} bytes without its tokens`
  const wrong = wrongField(rest, shape)
  if (wrong !== undefined) return `${wrong} is invalid`
  const { data, notification, android } = rest as HonorMessage
  const seconds = android?.ttl === undefined ? 1 : Number.parseInt(android.ttl)
  if (seconds < 1 || seconds > MOST_SECONDS) return `ttl must be 1s to ${MOST_SECONDS}s`
  const shown = android?.notification
  const carried = android?.data ?? data
  if (notification === undefined && shown === undefined)
    return blank(carried) ? 'neither data nor notification' : undefined
  if (blank(shown?.['title'] ?? notification?.title) || blank(shown?.['body'] ?? notification?.body))
    return 'title and body are required'
  if (carried !== undefined && !objectText(carried)) return 'data beside a notification must be JSON text'
  const click = shown?.['clickAction']
  if (!isObject(click) || click['type'] === undefined) return 'clickAction is required'
  if (click['type'] === 1 && blank(click['intent']) && blank(click['action']))
    return 'intent or action is required when click type=1'
  if (click['type'] === 2 && blank(click['url'])) return 'url is required when click type=2'
  if (shown?.['style'] === 1 && (blank(shown['bigTitle']) || blank(shown['bigBody'])))
    return 'style=1 needs bigTitle and bigBody'
  return undefined
}
