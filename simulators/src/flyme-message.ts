import {
  bytes,
  int,
  isObject,
  list,
  matching,
  oneOf,
  shaped,
  text,
  webAddress,
  wrongField,
  type Rule,
  type Shape,
} from './shape.ts'

/** Meizu's rules for one message. */

/** The vendor's own clients send true and false where the table says 1 and 0. */
const bit: Rule = oneOf(0, 1, true, false)
const clock = matching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)

const pushTime: Shape = { offLine: bit, validTime: int(1, 72) }

const notification: Shape = {
  noticeBarInfo: { noticeMsgType: oneOf(0, 1), noticeBarType: oneOf(0, 2), title: text(1, 32), content: text(1, 100) },
  noticeExpandInfo: {
    noticeExpandType: oneOf(0, 1, 2),
    noticeExpandContent: text(),
    noticeExpandImgUrl: webAddress(Infinity, 'http', 'https'),
  },
  clickTypeInfo: {
    clickType: oneOf(0, 1, 2, 3),
    activity: text(0, 1000),
    url: text(0, 1000),
    parameters: isObject,
    customAttribute: bytes(1000),
  },
  pushTimeInfo: pushTime,
  advanceInfo: {
    suspend: bit,
    clearNoticeBar: bit,
    fixDisplay: bit,
    fixStartDisplayTime: clock,
    fixEndDisplayTime: clock,
    notificationType: { vibrate: bit, lights: bit, sound: bit },
    notifyKey: matching(/^[0-9A-Za-z_-]{1,8}$/),
  },
  extra: {
    callback: (value) => bytes(128)(value) && webAddress(128, 'http', 'https')(value),
    'callback.param': bytes(64),
    'callback.type': oneOf('1', '2', '3'),
  },
}

const vip: Shape = { subtitle: text(0, 16), timeTop: int(1800, 7200), titleColor: oneOf('#206CFF', '#E42D22') }

export interface FlymeMessage {
  noticeBarInfo?: { noticeMsgType?: number; title?: string; content?: string }
  extra?: Record<string, string>
}

const isWindow: Rule = (value) => {
  if (!isObject(value) || (value['fixDisplay'] !== 1 && value['fixDisplay'] !== true)) return true
  const { fixStartDisplayTime: start, fixEndDisplayTime: end } = value
  // Written as they are, these times sort as text.
  return typeof start === 'string' && typeof end === 'string' && start < end
}

/** What is wrong with a notification, by its field; undefined when it is taken. */
export const wrongInNotification = (message: unknown, isVip: boolean): string | undefined => {
  const wrong = wrongField(message, notification)
  if (wrong !== undefined) return wrong
  const {
    noticeBarInfo: bar,
    noticeExpandInfo: more,
    clickTypeInfo: click,
    advanceInfo,
    vipInfo,
  } = message as Record<string, Record<string, unknown> | undefined>
  if (bar?.['title'] === undefined) return 'noticeBarInfo.title'
  if (bar['content'] === undefined) return 'noticeBarInfo.content'
  const has = (record: Record<string, unknown> | undefined, field: string) =>
    record?.[field] !== undefined && record[field] !== ''
  if (more?.['noticeExpandType'] === 1 && !has(more, 'noticeExpandContent'))
    return 'noticeExpandInfo.noticeExpandContent'
  if (more?.['noticeExpandType'] === 2 && !(isVip && has(more, 'noticeExpandImgUrl')))
    return 'noticeExpandInfo.noticeExpandImgUrl'
  if (click?.['clickType'] === 1 && !has(click, 'activity')) return 'clickTypeInfo.activity'
  if (click?.['clickType'] === 2 && !has(click, 'url')) return 'clickTypeInfo.url'
  if (click?.['clickType'] === 3 && !has(click, 'customAttribute')) return 'clickTypeInfo.customAttribute'
  if (!isWindow(advanceInfo)) return 'advanceInfo.fixDisplay'
  return vipInfo !== undefined && !(isVip && shaped(vip)(vipInfo)) ? 'vipInfo' : undefined
}

/** A message that shows nothing. Its content may have 2000 bytes, or 3800 by a newer text. */
export const wrongInData = (message: unknown): string | undefined => {
  const wrong = wrongField(message, { title: text(0, 32), content: bytes(3800), pushTimeInfo: pushTime })
  if (wrong !== undefined) return wrong
  return isObject(message) && message['content'] !== undefined && message['content'] !== '' ? undefined : 'content'
}

export const pushIdList = list(text(1), 1, 100)
