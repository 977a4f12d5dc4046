import {
  bytes,
  int,
  isObject,
  lengthOf,
  list,
  matching,
  oneOf,
  parsed,
  text,
  webAddress,
  wrongField,
  type Shape,
} from './shape.ts'

/** Xiaomi's rules for one message: a flat form, whose numbers are text. */

export type Fault = [code: number, reason: string]

/** What the system reads of `extra.`; every other key belongs to the app. */
const systemKeys = new Set([
  'channel_id',
  'channel_name',
  'channel_description',
  'template_id',
  'template_param',
  'notify_effect',
  'intent_uri',
  'web_uri',
  'notify_foreground',
  'sound_uri',
  'ticker',
  'jobkey',
  'only_send_once',
  'flow_control',
  'notification_style_type',
  'notification_bigPic_uri',
  'callback',
  'callback.param',
  'callback.type',
])

const digits = (least: number, most: number) => (value: unknown) =>
  /^-?\d{1,16}$/.test(String(value)) && int(least, most)(Number(value))

const shape: Shape = {
  pass_through: oneOf('0', '1'),
  notify_type: digits(-1, 7),
  notify_id: digits(0, 2_147_483_647),
  time_to_live: digits(0, Number.MAX_SAFE_INTEGER),
  'extra.notify_effect': oneOf('1', '2', '3'),
  'extra.notify_foreground': oneOf('0', '1'),
  'extra.only_send_once': oneOf('0', '1'),
  'extra.notification_style_type': oneOf('1', '2'),
  'extra.notification_bigPic_uri': webAddress(Infinity, 'http', 'https'),
  'extra.jobkey': matching(/^[0-9A-Za-z-][0-9A-Za-z_-]{0,19}$/),
  'extra.sound_uri': matching(/^android\.resource:\/\/\S+$/),
}

const SCHEDULED_MS = 30 * 24 * 3600_000

/** Why the vendor turns a message down; undefined when it takes it. Lengths: "< 50" and "< 128" are meant literally. */
export const faultOf = (
  form: Readonly<Record<string, string>>,
  passThrough: boolean,
  now: number,
): Fault | undefined => {
  const blank = (field: string) => (form[field] ?? '').trim() === ''
  const wrong = wrongField(form, shape)
  if (wrong !== undefined) return [10017, `Illegal parameter: ${wrong}`]
  if (form['pass_through'] === '1') {
    if (!passThrough) return [10017, 'Pass-through messages are no longer supported']
    if (blank('payload')) return [65011, 'Payload is empty!']
  } else {
    if (blank('title') || blank('description')) return [65011, 'Title or Description is empty!']
    if (lengthOf(form['title']!) >= 50) return [10017, 'Illegal parameter: title is too long']
    if (lengthOf(form['description']!) >= 128) return [10017, 'Illegal parameter: description is too long']
  }
  if (lengthOf(form['payload'] ?? '') >= 4096) return [65009, 'Message is too long']
  if (form['time_to_send'] !== undefined && !digits(0, now + SCHEDULED_MS)(form['time_to_send']))
    return [10017, 'Illegal parameter: time_to_send']
  if (form['extra.notify_effect'] === '2' && blank('extra.intent_uri')) return [65011, 'intent_uri is empty!']
  if (form['extra.notify_effect'] === '3' && blank('extra.web_uri')) return [65011, 'web_uri is empty!']
  if (form['extra.notification_style_type'] === '2' && blank('extra.notification_bigPic_uri'))
    return [65011, 'notification_bigPic_uri is empty!']
  return faultOfTemplate(form) ?? faultOfCallback(form) ?? faultOfOwnKeys(form)
}

const faultOfTemplate = (form: Readonly<Record<string, string>>): Fault | undefined => {
  const param = form['extra.template_param']
  if (param === undefined) return undefined
  const values = parsed(param)
  if (!isObject(values) || !list(text(1, 128), 0, 9)(Object.values(values)))
    return [10017, 'Illegal parameter: template_param']
  return undefined
}

const faultOfCallback = (form: Readonly<Record<string, string>>): Fault | undefined => {
  const url = form['extra.callback']
  if (url !== undefined && !bytes(128)(url)) return [65037, 'Callback url is too long']
  if (url !== undefined && !webAddress(128, 'http', 'https')(url)) return [65038, 'Callback url is illegal']
  if (!bytes(64)(form['extra.callback.param'] ?? '')) return [65036, 'Callback param is too long']
  return undefined
}

const faultOfOwnKeys = (form: Readonly<Record<string, string>>): Fault | undefined => {
  const own = Object.entries(form).filter(
    ([key]) => key.startsWith('extra.') && !systemKeys.has(key.slice('extra.'.length)),
  )
  if (own.length > 10) return [65014, 'Too many key-values in extra']
  const sum = own.reduce((length, [key, value]) => length + lengthOf(key) - 'extra.'.length + lengthOf(value), 0)
  return sum > 1024 ? [65015, 'Key-values in extra are too long'] : undefined
}
