import { badField } from '@carillon/protocol/errors.ts'

/** What a caller says about itself; undefined where a header is absent or blank. */
export interface CallerHeaders {
  appId: string | undefined
  accessToken: string | undefined
  groupId: string | undefined
  userId: string | undefined
  pushToken: string | undefined
}

const names = ['app_id', 'access-token', 'group_id', 'user_id', 'push-token'] as const

// Many proxies drop headers with an underscore, so each such name has a second spelling.
const spellings: Record<string, { field: number; bit: number } | undefined> = {
  __proto__: null as never,
  app_id: { field: 0, bit: 1 },
  'app-id': { field: 0, bit: 2 },
  'access-token': { field: 1, bit: 4 },
  group_id: { field: 2, bit: 8 },
  'group-id': { field: 2, bit: 16 },
  user_id: { field: 3, bit: 32 },
  'user-id': { field: 3, bit: 64 },
  'push-token': { field: 4, bit: 128 },
}

/**
 * Reads the security headers from the raw list: Node's parsed headers join or drop repeated ones, and two parties that
 * each read another one of two values is how a scope is smuggled in.
 */
export const callerHeaders = (raw: readonly string[]): CallerHeaders => {
  const found: (string | undefined)[] = [undefined, undefined, undefined, undefined, undefined]
  let seen = 0
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!
    if (name.length < 6 || name.length > 12) continue
    const spelling = spellings[name] ?? spellings[name.toLowerCase()]
    if (!spelling) continue
    const { field, bit } = spelling
    if (seen & bit) throw badField(`header ${names[field]}`, 'must be sent once')
    seen |= bit
    const value = textOf(raw[i + 1]!, names[field]!)
    const other = found[field]
    if (other !== undefined && other !== value) {
      throw badField(`header ${names[field]}`, 'is sent in two spellings with different values')
    }
    found[field] = value
  }
  return {
    appId: filled(found[0]),
    accessToken: filled(found[1]),
    groupId: filled(found[2]),
    userId: filled(found[3]),
    pushToken: filled(found[4]),
  }
}

const filled = (value: string | undefined): string | undefined => (value?.trim() ? value : undefined)

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Node hands header values over byte by byte (Latin-1); callers send UTF-8. */
const textOf = (value: string, name: string): string => {
  if (!/[\u0080-\u00ff]/.test(value)) return value
  try {
    return utf8.decode(Buffer.from(value, 'latin1'))
  } catch {
    throw badField(`header ${name}`, 'must be UTF-8')
  }
}
