const OPENS = 'intent:'
const MARK = '#Intent;'

/**
 * Whether the text reads `intent:…#Intent;`, then `key=value;` parts of which exactly one is
 * `component=package/activity;`, then `end` as the whole rest. Every step moves forward: linear in the text, which is
 * a caller's and may be as long as a message.
 */
export const isIntent = (text: string): boolean => {
  if (!text.startsWith(OPENS)) return false
  const mark = text.indexOf(MARK, OPENS.length)
  if (mark < 0) return false
  let at = mark + MARK.length
  let components = 0
  while (at < text.length) {
    const stop = text.indexOf(';', at)
    if (stop < 0) return components === 1 && text.slice(at) === 'end'
    const part = text.slice(at, stop)
    const equals = part.indexOf('=')
    if (equals < 1) return false
    if (part.slice(0, equals) === 'component') {
      if (!isComponent(part.slice(equals + 1))) return false
      components += 1
    }
    at = stop + 1
  }
  return false
}

const isComponent = (value: string): boolean => {
  const slash = value.indexOf('/')
  return slash > 0 && slash < value.length - 1 && value.indexOf('/', slash + 1) < 0 && !/\s/.test(value)
}
