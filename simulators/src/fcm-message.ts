import { badField, badToken, errorAnswer, invalid, tooLarge } from './fcm-errors.ts'
import { isViolation, readAs, type Kind } from './proto-json.ts'
import type { Answer } from './simulator.ts'

const type = (name: string) => `type.googleapis.com/google.firebase.fcm.v1.${name}`
const fcmOptions: Kind = { fields: { analytics_label: 'string' } }

const androidNotification: Kind = {
  fields: {
    title: 'string', body: 'string', icon: 'string', color: 'string', sound: 'string', tag: 'string',
    body_loc_key: 'string', body_loc_args: { list: 'string' },
    title_loc_key: 'string', title_loc_args: { list: 'string' },
    click_action: 'string', channel_id: 'string', ticker: 'string', image: 'string',
    sticky: 'bool', event_time: 'timestamp', local_only: 'bool', notification_count: 'int32',
    default_sound: 'bool', default_vibrate_timings: 'bool', default_light_settings: 'bool',
    vibrate_timings: { list: 'duration' }, bypass_proxy_notification: 'bool',
    notification_priority: {
      oneOf: ['UNSPECIFIED', 'MIN', 'LOW', 'DEFAULT', 'HIGH', 'MAX'].map((name) => `PRIORITY_${name}`),
      type: type('AndroidNotification.NotificationPriority'),
    },
    visibility: {
      oneOf: ['VISIBILITY_UNSPECIFIED', 'PRIVATE', 'PUBLIC', 'SECRET'],
      type: type('AndroidNotification.Visibility'),
    },
    light_settings: {
      fields: {
        color: { fields: { red: 'float', green: 'float', blue: 'float', alpha: 'float' } },
        light_on_duration: 'duration',
        light_off_duration: 'duration',
      },
    },
    proxy: {
      oneOf: ['PROXY_UNSPECIFIED', 'ALLOW', 'DENY', 'IF_PRIORITY_LOWERED'],
      type: type('AndroidNotification.Proxy'),
    },
  },
}

const targets = ['token', 'fid', 'topic', 'condition'] as const

const request: Kind = {
  fields: {
    validate_only: 'bool',
    message: {
      oneof: { name: 'target', of: targets },
      fields: {
        name: 'string', token: 'string', fid: 'string', topic: 'string', condition: 'string',
        data: 'strings',
        notification: { fields: { title: 'string', body: 'string', image: 'string' } },
        android: {
          fields: {
            collapse_key: 'string', ttl: 'duration', restricted_package_name: 'string', data: 'strings',
            priority: { oneOf: ['NORMAL', 'HIGH'], type: type('AndroidMessagePriority'), anyCase: true },
            notification: androidNotification,
            fcm_options: fcmOptions,
            direct_boot_ok: 'bool', bandwidth_constrained_ok: 'bool', restricted_satellite_ok: 'bool',
          },
        },
        webpush: {
          fields: {
            headers: 'strings', data: 'strings', notification: 'struct',
            fcm_options: { fields: { link: 'string', analytics_label: 'string' } },
          },
        },
        apns: {
          fields: {
            headers: 'strings', payload: 'struct', live_activity_token: 'string',
            fcm_options: { fields: { analytics_label: 'string', image: 'string' } },
          },
        },
        fcm_options: fcmOptions,
      },
    },
  },
}

interface WithLabel {
  fcm_options?: { analytics_label?: string }
}

export interface FcmMessage extends Partial<Record<(typeof targets)[number], string>>, WithLabel {
  data?: Record<string, string>
  notification?: Record<string, string>
  android?: WithLabel & { ttl?: string; data?: Record<string, string>; notification?: Record<string, unknown> }
  webpush?: WithLabel
  apns?: WithLabel
}

export interface FcmRequest {
  message: FcmMessage
  validate_only?: boolean
}

const LONGEST_TTL_SECONDS = 2_419_200
const MESSAGE_BYTES = 4096
const TOPIC_MESSAGE_BYTES = 2048
const tokenShape = /^[\w:%.~-]{1,4096}$/
const topicShape = /^[\w.~%-]+$/
const labelShape = /^[\w.~%-]{1,50}$/
const isReserved = (key: string): boolean => key === 'from' || key === 'message_type' || /^(google|gcm)\./.test(key)

/** The request as Google reads it, or Google's answer to one it cannot read. */
export const readMessage = (body: string): FcmRequest | Answer => {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch (error) {
    return errorAnswer(400, 'INVALID_ARGUMENT', `Invalid JSON payload received. ${(error as Error).message}`)
  }
  const read = readAs(request, json, '')
  if (isViolation(read)) return badField(read.field, read.description)
  const { message, validate_only } = read.value as Partial<FcmRequest>
  return message === undefined ? badField('message', 'The message is not set.', true) : { message, validate_only }
}

/** What FCM itself does not take of a message that could be read. */
export const faultOf = (message: FcmMessage): Answer | undefined => {
  const { android = {}, topic } = message
  if (targets.every((target) => !message[target])) return invalid('Recipient of the message is not set.')
  const address = message.token ?? message.fid
  if (address !== undefined && !tokenShape.test(address)) return badToken()
  if (topic !== undefined && !topicShape.test(topic)) return badField('message.topic', 'Invalid topic name', true)
  const seconds = Number(android.ttl?.slice(0, -1) ?? 0)
  if (seconds < 0 || seconds > LONGEST_TTL_SECONDS) return badField('message.android.ttl', 'Invalid TTL', true)
  for (const [field, data] of [['message.data', message.data], ['message.android.data', android.data]] as const) {
    const reserved = Object.keys(data ?? {}).find(isReserved)
    if (reserved !== undefined) return badField(field, `Invalid data payload key: ${reserved}`, true)
  }
  const color = android.notification?.color
  if (color !== undefined && !/^#[0-9a-f]{6}$/i.test(color as string)) {
    return badField('message.android.notification.color', 'Color must be in the form #RRGGBB', true)
  }
  const labels = [message, android, message.apns, message.webpush].map((part) => part?.fcm_options?.analytics_label)
  if (labels.some((label) => label !== undefined && !labelShape.test(label))) return invalid('Invalid analytics label')
  const most = topic === undefined && message.condition === undefined ? MESSAGE_BYTES : TOPIC_MESSAGE_BYTES
  // What is said for Android alone stands in place of what is said for all.
  const data = { ...message.data, ...android.data }
  const notification = { ...message.notification, ...android.notification }
  return sizeOf(data) + sizeOf(notification) > most ? tooLarge() : undefined
}

/** Names and values alike. */
const sizeOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(String(value))
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item), 0)
  return Object.entries(value).reduce((sum, [name, inner]) => sum + Buffer.byteLength(name) + sizeOf(inner), 0)
}
