import { type Draft, emptyDraft, listKinds } from './draft.ts'
import { type FieldPath, fields, type Holder, holders } from './fields.ts'
import { isObject, writeText } from './json-text.ts'
import { textOf } from './request.ts'

/** A draft made from a request, and the paths of what the form has no place for. */
export interface ReadRequest {
  draft: Draft
  left: string[]
}

/** Puts a request back into the form. Nothing is dropped in silence: what has no place, or the wrong type, is named. */
export const readRequest = (request: unknown): ReadRequest => {
  if (!isObject(request)) return { draft: emptyDraft, left: ['body'] }
  const { audience, message, setting, ...others } = request
  const left = Object.keys(others)
  const values: Partial<Record<FieldPath, string>> = {}
  readFields('message', message, values, left)
  readFields('setting', setting, values, left)
  return { draft: { ...readAudience(audience, left), values }, left }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

const readFields = (path: string, value: unknown, values: Partial<Record<FieldPath, string>>, left: string[]): void => {
  if (isAbsent(value)) return
  if (!isObject(value)) {
    left.push(path)
    return
  }
  for (const [key, inner] of Object.entries(value)) {
    const at = `${path}.${key}`
    const field = fields.get(at as FieldPath)
    if (isAbsent(inner)) continue
    if (path === 'message' && holders.includes(key as Holder)) {
      readFields(at, inner, values, left)
      continue
    }
    const text = field && textOf(field, inner, writeText)
    if (text === undefined) left.push(at)
    else values[at as FieldPath] = text
  }
}

const readAudience = (audience: unknown, left: string[]): Pick<Draft, 'kind' | 'lists'> => {
  const { lists } = emptyDraft
  if (audience === 'all') return { kind: 'all', lists }
  const given = isObject(audience) ? Object.keys(audience) : []
  const kind = listKinds.find((name) => given.includes(name))
  if (kind === undefined || given.length > 1) {
    if (!isAbsent(audience)) left.push('audience')
    return { kind: kind ?? emptyDraft.kind, lists }
  }
  const items: unknown = (audience as Record<string, unknown>)[kind]
  if (!Array.isArray(items)) {
    left.push(`audience.${kind}`)
    return { kind, lists }
  }
  const texts = items.map((item: unknown) => itemText(kind === 'user_id', item))
  texts.forEach((text, i) => text === undefined && left.push(`audience.${kind}[${i}]`))
  return { kind, lists: { ...lists, [kind]: [...new Set(texts.filter((text) => text !== undefined))] } }
}

/** An id is digits; one that no number holds was kept as written, and is written back so. */
const itemText = (isId: boolean, item: unknown): string | undefined => {
  if (!isId) return typeof item === 'string' ? item : undefined
  const digits = Array.isArray(item) || typeof item === 'string' ? '' : writeText(item)
  return /^-?[0-9]{1,19}$/.test(digits) ? digits : undefined
}
