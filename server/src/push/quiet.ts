/** Hours of the day in which people are not disturbed; equal hours mean none. */
export interface QuietHours {
  start: number
  end: number
  timeZone: string
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Hour, minute and second of the day in a time zone. */
const timeOfDay = (at: number, timeZone: string): { hour: number; minute: number; second: number } => {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' })
    formats.set(timeZone, format)
  }
  const parts: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(at)) parts[type] = Number(value)
  return { hour: parts.hour ?? 0, minute: parts.minute ?? 0, second: parts.second ?? 0 }
}

const inside = (hour: number, start: number, end: number): boolean =>
  start < end ? hour >= start && hour < end : hour >= start || hour < end

/**
 * When quiet hours that hold now will end; undefined when they do not hold. Hours run from the start to just before the
 * end, over midnight when the end is smaller; equal hours mean none.
 */
export const quietUntil = (now: number, start: number, end: number, timeZone: string): number | undefined => {
  if (start === end) return undefined
  const { hour, minute, second } = timeOfDay(now, timeZone)
  if (!inside(hour, start, end)) return undefined
  const hoursLeft = (end - hour + 24) % 24
  const until = now - (now % 1000) + hoursLeft * 3_600_000 - minute * 60_000 - second * 1000
  // A clock change on the way moves the hour: land on the wanted one.
  const landed = timeOfDay(until, timeZone).hour
  const drift = ((landed - end + 36) % 24) - 12
  return drift === 0 ? until : until - drift * 3_600_000
}
