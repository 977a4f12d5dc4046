import { flag, int, lengthOf, objectText, oneOf, text, webAddress, wrongField, type Rule, type Shape } from './shape.ts'

/** OPPO's rules for one notification. */

export type Fault = [code: number, message: string]

const time = int(0, Number.MAX_SAFE_INTEGER)
const categories = [
  'IM',
  'ACCOUNT',
  'TODO',
  'DEVICE_REMINDER',
  'ORDER',
  'SUBSCRIPTION',
  'NEWS',
  'CONTENT',
  'MARKETING',
  'SOCIAL',
]

const shape: Shape = {
  app_message_id: text(1),
  style: oneOf(1, 2, 3),
  title: text(1, 50),
  sub_title: text(0, 10),
  content: text(1),
  click_action_type: oneOf(0, 1, 2, 4, 5),
  click_action_activity: text(0, 500),
  click_action_url: text(0, 2000),
  action_parameters: (value) => text(0, 4000)(value) && objectText(value),
  show_time_type: oneOf(0, 1),
  show_start_time: time,
  show_end_time: time,
  off_line: flag,
  off_line_ttl: int(1),
  time_zone: text(),
  network_type: oneOf(0, 1),
  call_back_url: webAddress(200, 'http', 'https'),
  call_back_parameter: text(0, 100),
  channel_id: text(),
  category: text(),
  notify_level: oneOf(1, 2, 16),
  private_msg_template_id: text(1),
  private_title_parameters: objectText,
  private_content_parameters: objectText,
  badge_operation_type: oneOf(0, 1),
  badge_message_count: int(0, 99),
  notify_id: int(0),
  show_ttl: int(0, 86_400),
  big_picture_id: text(1),
  small_picture_id: text(1),
}

/** The longest content by style. Older pages allow 200 in style 1; the current one does not. */
const contentLengths: Record<number, number> = { 1: 50, 2: 128, 3: 50 }

export const missing = (field: string): Fault => [40, `Missing Required Arguments: ${field}`]
export const invalid = (field: string): Fault => [41, `Invalid Arguments: ${field}`]

/** Why the vendor turns a notification down; undefined when it takes it. `stored`: it is kept for a broadcast. */
export const faultOf = (
  notification: Readonly<Record<string, unknown>>,
  stored: boolean,
  banner: boolean,
): Fault | undefined => {
  const absent = (field: string) => notification[field] === undefined || notification[field] === ''
  for (const field of ['title', 'content']) if (absent(field)) return missing(field)
  const wrong = wrongField(notification, shape)
  if (wrong !== undefined) return invalid(wrong)
  const style = (notification['style'] ?? 1) as number
  if (style === 3 && !stored) return invalid('style 3 is for broadcasts')
  if (style === 3 && absent('big_picture_id')) return missing('big_picture_id')
  if (lengthOf(notification['content'] as string) > contentLengths[style]!) return invalid('content')
  const click = notification['click_action_type']
  if ((click === 1 || click === 4) && absent('click_action_activity')) return missing('click_action_activity')
  if ((click === 2 || click === 5) && absent('click_action_url')) return missing('click_action_url')
  if (notification['show_time_type'] === 1) {
    if (absent('show_start_time')) return missing('show_start_time')
    if (absent('show_end_time')) return missing('show_end_time')
    if ((notification['show_start_time'] as number) >= (notification['show_end_time'] as number))
      return invalid('show_end_time')
  }
  return faultOfClass(notification, banner)
}

const faultOfClass = (notification: Readonly<Record<string, unknown>>, banner: boolean): Fault | undefined => {
  const { category, notify_level: level } = notification
  if (category !== undefined && !categories.includes(category as string)) return [67, 'category is not allowed']
  if (level !== undefined && category === undefined) return [67, 'notify_level needs a category']
  if (level === 16 && !banner) return [67, 'notify_level 16 is not allowed']
  if (category === 'IM' && notification['private_msg_template_id'] === undefined)
    return [54, 'private_msg_template_id is null']
  return undefined
}

/** What the numbers and flags of a notification are when each is a form field of its own. */
export const fromForm = (form: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(form).map(([field, value]) => [field, typed(shape[field] as Rule | undefined, value)]),
  )

const typed = (rule: Rule | undefined, value: string): unknown => {
  if (rule === undefined || rule(value)) return value
  if (value === 'true' || value === 'false') return value === 'true'
  return /^-?\d{1,16}$/.test(value) ? Number(value) : value
}
