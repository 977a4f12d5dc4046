import {
  bytes,
  flag,
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

/** Huawei's rules for one message of its v1 and v2 interface. */

export interface HuaweiMessage {
  data?: string
  notification?: { title?: string; body?: string }
  android?: {
    ttl?: string
    bi_tag?: string
    urgency?: string
    collapse_key?: unknown
    data?: string
    notification?: Record<string, unknown> & { title?: string; body?: string; importance?: string; style?: number }
  }
  token: string[]
}

const MOST_BYTES = 4096
const MOST_SECONDS = 1_296_000

const categories = [
  'IM',
  'VOIP',
  'SUBSCRIPTION',
  'TRAVEL',
  'HEALTH',
  'WORK',
  'ACCOUNT',
  'EXPRESS',
  'FINANCE',
  'DEVICE_REMINDER',
  'MAIL',
  'PLAY_VOICE',
  'MARKETING',
]

const button: Shape = {
  name: text(1, 40),
  action_type: int(0, 4),
  intent_type: int(0, 1),
  intent: text(),
  data: text(0, 1024),
}

const androidNotification: Shape = {
  title: text(),
  body: text(),
  image: webAddress(Infinity, 'https'),
  click_action: { type: oneOf(1, 2, 3), intent: text(), action: text(), url: webAddress(Infinity, 'https') },
  style: oneOf(0, 1, 3),
  big_title: text(),
  big_body: text(),
  inbox_content: list(text(0, 1024), 0, 5),
  badge: { class: text(), add_num: int(1, 99), set_num: int(0, 99) },
  sound: text(),
  default_sound: flag,
  channel_id: text(),
  importance: oneOf('LOW', 'NORMAL', 'HIGH'),
  tag: text(),
  notify_id: int(),
  group: text(),
  when: matching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/),
  foreground_show: flag,
  use_default_vibrate: flag,
  use_default_light: flag,
  visibility: oneOf('VISIBILITY_UNSPECIFIED', 'PRIVATE', 'PUBLIC', 'SECRET'),
  buttons: list(shaped(button), 0, 3),
  vibrate_config: list(matching(/^\d+(\.\d+)?s?$/), 0, 10),
  profile_id: bytes(64),
  auto_clear: int(),
}

const request: Shape = {
  validate_only: flag,
  message: {
    data: text(),
    notification: { title: text(), body: text(), image: webAddress(Infinity, 'https') },
    android: {
      ttl: matching(/^\d+(\.\d+)?s?$/),
      bi_tag: text(),
      receipt_id: text(),
      category: oneOf(...categories),
      urgency: oneOf('HIGH', 'NORMAL'),
      target_user_type: oneOf(0, 1),
      data: text(),
      notification: androidNotification,
    },
  },
}

const blank = (value: unknown): boolean => value === undefined || value === ''

/** The code and the reason a request is turned down with; undefined when it is taken. Cheap checks come first. */
export const faultOf = (body: unknown, highLevel: boolean): [code: string, why: string] | undefined => {
  if (!isObject(body)) return ['80100003', 'Incorrect message structure']
  const { message } = body
  if (!isObject(message))
    return ['80300010', 'Number of tokens in the message body exceeds the default value: message is missing']
  const { token, ...rest } = message
  if (rest['topic'] !== undefined || rest['condition'] !== undefined) {
    return ['80100001', 'Exactly one of token, topic and condition is allowed, and only token is known here']
  }
  if (
    !Array.isArray(token) ||
    token.length < 1 ||
    token.length > 1000 ||
    !token.every((one) => typeof one === 'string' && one !== '')
  ) {
    return ['80300010', 'The number of tokens must be 1 to 1000']
  }
  if (Buffer.byteLength(JSON.stringify({ ...body, message: rest })) > MOST_BYTES) {
    return ['80300008', `The message body exceeds ${MOST_BYTES} bytes without its tokens`]
  }
  const wrong = wrongField(body, request)
  if (wrong !== undefined) return ['80100001', `Parameter error: ${wrong}`]
  return faultOfMessage(message as unknown as HuaweiMessage, highLevel)
}

const faultOfMessage = (
  { data, notification, android }: HuaweiMessage,
  highLevel: boolean,
): [string, string] | undefined => {
  const shown = android?.notification
  if (android?.collapse_key !== undefined && !int(-1, 100)(android.collapse_key))
    return ['80100013', 'collapse_key must be -1 to 100']
  const seconds = android?.ttl === undefined ? 1 : Number.parseFloat(android.ttl)
  if (seconds > MOST_SECONDS) return ['80100001', `ttl exceeds ${MOST_SECONDS}s`]
  if (seconds <= 0) return ['80100004', 'The expiry is before the current time']
  if (!highLevel && (android?.urgency === 'HIGH' || shown?.importance === 'HIGH'))
    return ['80300011', 'No permission to send high-level messages']
  if (notification === undefined && shown === undefined) {
    return blank(android?.data ?? data) ? ['80100003', 'Neither data nor notification'] : undefined
  }
  if (blank(shown?.title ?? notification?.title) || blank(shown?.body ?? notification?.body))
    return ['80100001', 'title and body are required']
  const carried = android?.data ?? data
  if (carried !== undefined && !objectText(carried))
    return ['80100001', 'data beside a notification must be a JSON string']
  return faultOfShown(shown)
}

const faultOfShown = (shown: Record<string, unknown> | undefined): [string, string] | undefined => {
  const click = shown?.['click_action']
  if (!isObject(click)) return ['80100001', 'click_action is required']
  if (click['type'] === undefined) return ['80100001', 'click_action.type is required']
  if (click['type'] === 1 && blank(click['intent']) && blank(click['action']))
    return ['80100001', 'intent or action is required when type is 1']
  if (click['type'] === 2 && blank(click['url'])) return ['80100001', 'url is required when type is 2']
  if (shown?.['style'] === 1 && (blank(shown['big_title']) || blank(shown['big_body'])))
    return ['80100001', 'style 1 needs big_title and big_body']
  if (shown?.['style'] === 3 && shown['inbox_content'] === undefined) return ['80100001', 'style 3 needs inbox_content']
  return undefined
}
