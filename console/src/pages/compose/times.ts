const two = (part: number): string => String(part).padStart(2, '0')

/** Unix seconds as an <input type="datetime-local"> writes them: in the browser's own zone. */
export const inputOf = (seconds: string): string => {
  if (!/^[0-9]{1,12}$/.test(seconds)) return ''
  const at = new Date(Number(seconds) * 1000)
  if (at.getFullYear() > 9999) return ''
  const date = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`
  return `${date}T${time}${at.getSeconds() === 0 ? '' : `:${two(at.getSeconds())}`}`
}

/** And back; '' while the input does not hold a whole moment. */
export const secondsOf = (input: string): string => {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(input)) return ''
  const at = new Date(input).getTime() // a date and time without a zone is local time
  return Number.isNaN(at) || at < 0 ? '' : String(Math.floor(at / 1000))
}

const HOUR_MS = 3_600_000

/** A moment to begin with when one is wanted: the next full hour that is not too near. */
export const nextHour = (now: number): string => String((Math.ceil((now + HOUR_MS / 4) / HOUR_MS) * HOUR_MS) / 1000)

/** The browser's own time zone, by its name. */
export const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
