import type { Notify } from '@carillon/protocol/notify.ts'
import { type Draft, isBlank, type ListKind, valueOf } from './draft.ts'
import { type Field, type FieldPath, fields } from './fields.ts'
import { parseText } from './json-text.ts'

type Fields = Record<string, unknown>

/** What a field's text stands for. What cannot be read stays the text it is: nothing is lost before it is mended. */
const read = (field: Field, text: string): unknown => {
  switch (field.is) {
    case 'text':
    case 'choice':
      return text
    case 'choices':
      return text.split(',')
    case 'yes or no':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'number choice':
    case 'whole number':
    case 'seconds':
      return integer(text)
    case 'object': {
      const parsed = parseText(text)
      return 'value' in parsed ? parsed.value : text
    }
  }
}

/** An id beyond what a number holds keeps all its digits. */
const integer = (text: string): number | bigint | string => {
  if (!/^-?[0-9]+$/.test(text)) return text
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

const itemsOf = (draft: Draft, kind: ListKind): unknown[] => {
  const items = draft.lists[kind]
  return kind === 'user_id' ? items.map(integer) : [...items]
}

/** The message alone, with what is not blank. */
export const messageOf = (draft: Draft): Fields => objectUnder(draft, 'message')

/** The setting alone, with what is not blank. */
export const settingOf = (draft: Draft): Fields => objectUnder(draft, 'setting')

export const audienceOf = (draft: Draft): unknown =>
  draft.kind === 'all' ? 'all' : { [draft.kind]: itemsOf(draft, draft.kind) }

const objectUnder = (draft: Draft, top: 'message' | 'setting'): Fields => {
  const result: Fields = {}
  for (const [path, field] of fields) {
    const [first, ...rest] = path.split('.')
    const text = valueOf(draft, path)
    if (first !== top || isBlank(text)) continue
    const leaf = rest.pop()!
    const holder = rest.reduce((object, key) => (object[key] ??= {}) as Fields, result)
    holder[leaf] = read(field, text)
  }
  return result
}

/** The request that a draft stands for, as it is sent. */
export const requestOf = (draft: Draft): Notify => {
  const setting = settingOf(draft)
  const request = {
    audience: audienceOf(draft),
    message: messageOf(draft),
    ...(Object.keys(setting).length > 0 && { setting }),
  }
  // check.ts says what of it the server would not take; nothing is sent before that is mended.
  return request as Notify
}

/** A value as the form writes it; undefined where the field cannot hold it. */
export const textOf = (field: Field, value: unknown, write: (value: unknown) => string): string | undefined => {
  switch (field.is) {
    case 'text':
      return typeof value === 'string' ? value : undefined
    case 'choice':
      return typeof value === 'string' && field.of.includes(value) ? value : undefined
    case 'choices':
      return Array.isArray(value) && value.every((item) => field.of.includes(item as string))
        ? value.join(',')
        : undefined
    case 'yes or no':
      return typeof value === 'boolean' ? String(value) : undefined
    case 'number choice':
      return field.of.includes(String(value)) && typeof value === 'number' ? String(value) : undefined
    case 'whole number':
    case 'seconds':
      return Number.isSafeInteger(value) ? String(value) : undefined
    case 'object':
      return write(value)
  }
}

/** Whether a path is one of the message's that the person sees or the app gets: what a message must hold one of. */
export const contents: readonly FieldPath[] = [
  'message.title',
  'message.body',
  'message.big_text',
  'message.attachment_url',
  'message.ext',
  'message.badge',
  'message.ios.content_available',
]
