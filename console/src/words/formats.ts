import type { Language } from './dictionary.ts'

/** How a language writes numbers and times. */
export interface Formats {
  /** 12,345 */
  number(value: number): string
  /** 12K, 1.2万: for axes and tight places. */
  short(value: number): string
  /** 0.254 as 25% */
  percent(share: number): string
  /** 15 Nov 2026, 08:45:12 */
  dateTime(at: number): string
  date(at: number): string
  /** Sunday, 15 November 2026 at 08:45: where a mistake would be costly. */
  inFull(at: number): string
  /** 08:45 */
  time(at: number): string
  /** 08:45:12 */
  clock(at: number): string
  /** 3 minutes ago, in 2 hours */
  ago(at: number, now: number): string
  /** 512 B, 1.4 MB */
  bytes(count: number): string
}

const steps = [
  ['second', 1000, 60],
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', 86_400_000, 30],
  ['month', 2_592_000_000, 12],
  ['year', 31_536_000_000, Infinity],
] as const

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** The region comes from the browser where it speaks this language: dates differ between London and New York. */
const localeOf = (language: Language): string =>
  navigator.languages.find((tag) => tag.toLowerCase().startsWith(language)) ?? (language === 'zh' ? 'zh-CN' : 'en-GB')

export const formatsOf = (language: Language): Formats => {
  const locale = localeOf(language)
  const number = new Intl.NumberFormat(locale)
  const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const inFull = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' })
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const sizes = units.map(
    (unit) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 }),
  )
  return {
    number: (value) => number.format(value),
    short: (value) => short.format(value),
    percent: (share) => percent.format(share),
    dateTime: (at) => dateTime.format(at),
    date: (at) => date.format(at),
    inFull: (at) => inFull.format(at),
    time: (at) => time.format(at),
    clock: (at) => clock.format(at),
    ago: (at, now) => {
      const distance = Math.abs(at - now)
      const [unit, length] = steps.find(([, ms, many]) => distance < ms * many) ?? steps[5]
      return relative.format(Math.trunc((at - now) / length), unit)
    },
    bytes: (count) => {
      const step = count < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(count) / Math.log(1024)))
      return sizes[step]!.format(count / 1024 ** step)
    },
  }
}
