import { flag, int, isObject, lengthOf, matching, oneOf, text, webAddress, wrongField } from './shape.ts'

/** vivo's rules for one message, whether it goes to one device or is kept for a list. */

const system = ['IM', 'ACCOUNT', 'TODO', 'DEVICE_REMINDER', 'ORDER', 'SUBSCRIPTION']
const operational = ['NEWS', 'CONTENT', 'MARKETING', 'SOCIAL']
const callbackKeys = ['callback', 'callback.param', 'callback.id']

export interface VivoRules {
  /** Older counting: a Chinese character is as long as two others. */
  wideCharactersCountTwice: boolean
  /** Whether the app may send system messages. */
  systemRight: boolean
  /** Whether production texts that look like a test are refused. */
  textReview: boolean
  /** Whether operational messages wait for the day. */
  hours: boolean
}

type Message = Readonly<Record<string, unknown>>

const MINUTE_MS = 60_000
const chinese = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/
const hourInChina = (now: number): number => Math.floor(now / 3600_000 + 8) % 24

/** The code of the first rule that is broken; undefined when the message is taken. */
export const faultOf = (message: Message, rules: VivoRules, now: number): number | undefined =>
  faultOfText(message, rules) ?? faultOfClick(message) ?? faultOfClass(message, rules, now) ?? faultOfRest(message, now)

const faultOfText = ({ notifyType, title, content, pushMode }: Message, rules: VivoRules): number | undefined => {
  const length = (value: string) =>
    rules.wideCharactersCountTwice
      ? Array.from(value).reduce((sum, one) => sum + (chinese.test(one) ? 2 : 1), 0)
      : lengthOf(value)
  if (!oneOf(1, 2, 3, 4)(notifyType)) return 10054
  if (typeof title !== 'string' || title.trim() === '') return 10055
  if (length(title) > 40) return 10056
  if (typeof content !== 'string' || content.trim() === '') return 10057
  if (length(content) > 100) return 10058
  if (!rules.textReview || pushMode === 1) return undefined
  if (/测试|[{}[\]]/.test(title + content)) return 10085
  return chinese.test(title) && chinese.test(content) ? undefined : 10104
}

/** Which of the codes from 10060 on stands for which fault of a click is not published. */
const faultOfClick = ({ skipType, skipContent }: Message): number | undefined => {
  if (skipType === undefined) return 10060
  if (!oneOf(1, 2, 3, 4)(skipType)) return 10061
  if (skipType === 1) return undefined
  if (typeof skipContent !== 'string' || skipContent === '') return skipType === 4 ? 10068 : 10062
  if (skipType === 2 && !webAddress(Infinity, 'http', 'https')(skipContent)) return 10063
  if (lengthOf(skipContent) > (skipType === 3 ? 1024 : 2048)) return skipType === 4 ? 10069 : 10064
  return undefined
}

const faultOfClass = ({ classification, category }: Message, rules: VivoRules, now: number): number | undefined => {
  if (classification !== undefined && !oneOf(0, 1)(classification)) return 10051
  if (classification === 1 && !rules.systemRight) return 10082
  if (category !== undefined && ![...system, ...operational].includes(category as string)) return 10096
  if (category !== undefined && (classification === 1 ? system : operational).includes(category as string) === false)
    return 10097
  const hour = hourInChina(now)
  return rules.hours && classification !== 1 && (hour >= 23 || hour < 7) ? 10071 : undefined
}

const faultOfRest = (message: Message, now: number): number | undefined => {
  const { timeToLive, networkType, clientCustomMap: own, extra, notifyId, timedDisplay, requestId } = message
  if (timeToLive !== undefined && !int(60)(timeToLive)) return 10059
  if (networkType !== undefined && !oneOf(-1, 1)(networkType)) return 10065
  if (own !== undefined) {
    if (!isObject(own) || !Object.values(own).every((value) => typeof value === 'string')) return 10066
    if (Object.entries(own).reduce((sum, [key, value]) => sum + lengthOf(key) + lengthOf(value as string), 0) > 1024)
      return 10067
  }
  if (extra !== undefined) {
    if (!isObject(extra) || Object.keys(extra).some((key) => !callbackKeys.includes(key))) return 10304
    if (extra['callback'] !== undefined && !webAddress(128, 'http', 'https')(extra['callback'])) return 10305
    if (extra['callback.param'] !== undefined && !text(0, 64)(extra['callback.param'])) return 10306
  }
  if (notifyId !== undefined && !int(1)(notifyId)) return 10095
  const flags = {
    foregroundShow: flag,
    sendOnline: flag,
    addBadge: flag,
    profileId: text(0, 64),
    pushMode: oneOf(0, 1),
  }
  if (wrongField(message, flags) !== undefined) return 10054
  if (timedDisplay !== undefined && !isWindow(timedDisplay, now)) return 10059
  return faultOfRequestId(requestId)
}

/** Public clients send a number, which the vendor takes for its digits. */
export const faultOfRequestId = (requestId: unknown): number | undefined => {
  if (typeof requestId !== 'string' && !Number.isSafeInteger(requestId)) return 10352
  const digits = String(requestId)
  return digits === '' ? 10352 : matching(/^.{1,64}$/su)(digits) ? undefined : 10353
}

/** Not before ten minutes from now, within a day, shorter than two hours, on one day in China. */
const isWindow = (window: unknown, now: number): boolean => {
  if (!isObject(window)) return false
  const { overtimeDisplay, showStartTime: start, showEndTime: end } = window
  if (overtimeDisplay !== undefined && typeof overtimeDisplay !== 'boolean') return false
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return false
  const [from, to] = [start as number, end as number]
  const day = (at: number) => Math.floor((at / 3600_000 + 8) / 24)
  return (
    from >= now + 10 * MINUTE_MS &&
    to > from &&
    to - from < 120 * MINUTE_MS &&
    to <= now + 24 * 60 * MINUTE_MS &&
    day(from) === day(to)
  )
}
