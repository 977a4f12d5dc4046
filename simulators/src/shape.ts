/** What fields of a message may hold, said as data: each simulator states its vendor's table of fields with these. */

export type Rule = (value: unknown) => boolean
export interface Shape {
  readonly [field: string]: Rule | Shape
}

/** Vendors count characters, not UTF-16 units: an emoji is one. */
export const lengthOf = (text: string): number => Array.from(text).length

export const text =
  (least = 0, most = Infinity): Rule =>
  (value) =>
    typeof value === 'string' && lengthOf(value) >= least && lengthOf(value) <= most

export const bytes =
  (most: number): Rule =>
  (value) =>
    typeof value === 'string' && Buffer.byteLength(value) <= most

export const matching =
  (pattern: RegExp): Rule =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

export const int =
  (least = -(2 ** 31), most = 2 ** 31 - 1): Rule =>
  (value) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most

export const flag: Rule = (value) => typeof value === 'boolean'

export const oneOf =
  (...allowed: readonly unknown[]): Rule =>
  (value) =>
    allowed.includes(value)

export const list =
  (rule: Rule, least = 0, most = Infinity): Rule =>
  (value) =>
    Array.isArray(value) && value.length >= least && value.length <= most && value.every(rule)

export const shaped =
  (shape: Shape): Rule =>
  (value) =>
    wrongField(value, shape) === undefined

/** A JSON object written as text. */
export const objectText: Rule = (value) => typeof value === 'string' && isObject(parsed(value))

export const webAddress =
  (most: number, ...schemes: readonly string[]): Rule =>
  (value) => {
    if (typeof value !== 'string' || value.length > most || !URL.canParse(value)) return false
    return schemes.includes(new URL(value).protocol.slice(0, -1))
  }

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** undefined for what is no JSON. */
export const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The path of the first field that breaks its rule. An absent field breaks none; an unknown one is not looked at. */
export const wrongField = (value: unknown, shape: Shape, path = ''): string | undefined => {
  if (!isObject(value)) return path === '' ? 'body' : path
  for (const [field, rule] of Object.entries(shape)) {
    const held = value[field]
    if (held === undefined) continue
    const at = path === '' ? field : `${path}.${field}`
    const wrong = typeof rule === 'function' ? (rule(held) ? undefined : at) : wrongField(held, rule, at)
    if (wrong !== undefined) return wrong
  }
  return undefined
}
