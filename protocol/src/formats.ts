/** A check of text beyond its length: every one linear in the text, which is a caller's. */
export interface Format {
  accepts(text: string): boolean
  /** The end of a sentence that starts with the field's path. */
  must: string
}

const isMobile = (text: string): boolean => /^\+?[0-9]{5,20}$/.test(text)

const isEmail = (text: string): boolean => {
  const at = text.indexOf('@')
  return at > 0 && at < text.length - 1 && text.indexOf('@', at + 1) < 0 && !/\s/.test(text)
}

/** The URL parser forgives white space inside and around an address; devices and vendors do not. */
const isWebAddress = (text: string): boolean => {
  if (/[\s\\]/.test(text) || !/^https?:\/\//i.test(text)) return false
  return URL.canParse(text)
}

/** An IANA name such as Asia/Shanghai. Intl also takes offsets like +08:00, which know nothing of summer time. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const formats: Record<string, Format> = {
  badge: {
    accepts: (text) => /^\+?[0-9]{1,9}$/.test(text),
    must: 'must be 1 to 9 digits, with + in front to add to the badge',
  },
  mobile: { accepts: isMobile, must: 'must be 5 to 20 digits, with an optional + in front' },
  email: { accepts: isEmail, must: 'must be an email address: exactly one @ with text on both sides' },
  'web-address': { accepts: isWebAddress, must: 'must be an http or https URL' },
  'time-zone': { accepts: isTimeZone, must: 'must be the name of a time zone, such as Asia/Shanghai' },
}
