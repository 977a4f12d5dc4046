import { formats } from '@carillon/protocol/formats.ts'
import { isIntent } from '@carillon/protocol/intent.ts'
import { type Draft, isBlank, type ListKind, valueOf } from './draft.ts'
import { type Field, type FieldPath, fields, fieldsOf, type Holder, holders } from './fields.ts'
import { isItem } from './items.ts'
import { bytesOf, isDeeper, isObject, parseText } from './json-text.ts'
import { imageEndings, LIST_MAX, MESSAGE_BYTES, MESSAGE_DEPTH } from './limits.ts'
import { contents, messageOf } from './request.ts'

/** What the server would not take, said at the field it is about. `kind` names the sentence, `with` fills it in. */
export interface Problem {
  path: FieldPath | 'audience' | 'message'
  kind: ProblemKind
  with?: string
}

export type ProblemKind =
  | 'audienceMissing'
  | 'itemWrong'
  | 'tooManyItems'
  | 'nothingToShow'
  | 'messageTooLarge'
  | 'messageTooDeep'
  | 'tooLong'
  | 'notNumber'
  | 'notAddress'
  | 'notPicture'
  | 'pictureMissing'
  | 'notBadge'
  | 'notJson'
  | 'notObject'
  | 'intentMissing'
  | 'notIntent'
  | 'endPassed'
  | 'endBeforeBegin'
  | 'timePassed'

/** Those that only say that something is not there yet: no reproach before one wants to send. */
export const isMissing = ({ kind }: Problem): boolean =>
  ['audienceMissing', 'nothingToShow', 'pictureMissing', 'intentMissing'].includes(kind)

/** Everything that keeps a draft from being sent, by the protocol's own rules. `now` is Unix milliseconds. */
export const problemsOf = (draft: Draft, now: number): Problem[] => [
  ...audienceProblems(draft),
  ...[...fields].flatMap(([path, field]) => fieldProblems(path, field, valueOf(draft, path))),
  ...attachmentProblems(draft),
  ...timeProblems(draft, now),
  ...holders.flatMap((holder) => intentProblems(draft, holder)),
  ...wholeProblems(draft),
]

const audienceProblems = ({ kind, lists }: Draft): Problem[] => {
  if (kind === 'all') return []
  const items = lists[kind]
  if (items.length === 0) return [{ path: 'audience', kind: 'audienceMissing' }]
  if (items.length > LIST_MAX) return [{ path: 'audience', kind: 'tooManyItems' }]
  const wrong = wrongItem(kind, items)
  return wrong === undefined ? [] : [{ path: 'audience', kind: 'itemWrong', with: wrong }]
}

const wrongItem = (kind: ListKind, items: readonly string[]): string | undefined =>
  items.find((item) => !isItem(kind, item))

const fieldProblems = (path: FieldPath, field: Field, text: string): Problem[] => {
  if (isBlank(text)) return []
  const problem = (kind: ProblemKind, said?: string): Problem[] => [{ path, kind, with: said }]
  if (path === 'message.badge') return formats.badge!.accepts(text) ? [] : problem('notBadge')
  switch (field.is) {
    case 'text': {
      const { maxCharacters = Infinity, maxBytes = Infinity } = field
      const fits =
        text.length * 3 <= Math.min(maxCharacters, maxBytes) ||
        (Array.from(text).length <= maxCharacters && new TextEncoder().encode(text).length <= maxBytes)
      return fits ? [] : problem('tooLong', String(Math.min(maxCharacters, maxBytes)))
    }
    case 'whole number':
      return /^[0-9]{1,9}$/.test(text) && Number(text) <= field.most ? [] : problem('notNumber', String(field.most))
    case 'object': {
      const parsed = parseText(text)
      if (!('value' in parsed)) return problem('notJson', `${parsed.line}:${parsed.column} ${parsed.what}`)
      return isObject(parsed.value) ? [] : problem('notObject')
    }
    default:
      return [] // chosen from a list, or made by an input that holds nothing else
  }
}

const attachmentProblems = (draft: Draft): Problem[] => {
  const path = 'message.attachment_url'
  const address = valueOf(draft, path)
  const isImage = valueOf(draft, 'message.type') === 'image'
  if (isBlank(address)) return isImage ? [{ path, kind: 'pictureMissing' }] : []
  if (!isAddress(address)) return [{ path, kind: 'notAddress' }]
  return !isImage || isPicture(address) ? [] : [{ path, kind: 'notPicture' }]
}

/** Whether it is an address at all: http or https. */
export const isAddress = (text: string): boolean => formats['web-address']!.accepts(text)

/** Whether an address is a picture's: http or https, and its path ends as pictures' do. */
export const isPicture = (address: string): boolean => {
  if (!isAddress(address)) return false
  const path = new URL(address).pathname.toLowerCase()
  return imageEndings.some((ending) => path.endsWith(`.${ending}`))
}

const timeProblems = (draft: Draft, now: number): Problem[] => {
  const [send, begin, end] = (['setting.send_time', 'message.show_begin_time', 'message.show_end_time'] as const).map(
    (path) => {
      const text = valueOf(draft, path)
      return isBlank(text) ? undefined : Number(text)
    },
  )
  const problems: Problem[] = []
  // The server would send it at once. Who set a time did not mean that.
  if (send !== undefined && send * 1000 <= now) problems.push({ path: 'setting.send_time', kind: 'timePassed' })
  if (end !== undefined && end * 1000 <= now) problems.push({ path: 'message.show_end_time', kind: 'endPassed' })
  else if (end !== undefined && begin !== undefined && end <= begin) {
    problems.push({ path: 'message.show_end_time', kind: 'endBeforeBegin' })
  }
  return problems
}

/** A vendor's object without a click_action takes the one of `android`, so its intent is held to the same shape. */
const intentProblems = (draft: Draft, holder: Holder): Problem[] => {
  if (!('intent' in fieldsOf[holder])) return []
  const path = `message.${holder}.intent` as FieldPath
  const own = valueOf(draft, `message.${holder}.click_action` as FieldPath)
  const action = isBlank(own) ? valueOf(draft, 'message.android.click_action') : own
  if (action !== 'intent') return []
  const intent = valueOf(draft, path)
  if (isBlank(intent)) return isBlank(own) ? [] : [{ path, kind: 'intentMissing' }]
  return isIntent(intent) ? [] : [{ path, kind: 'notIntent' }]
}

const wholeProblems = (draft: Draft): Problem[] => {
  if (contents.every((path) => isBlank(valueOf(draft, path)))) return [{ path: 'message', kind: 'nothingToShow' }]
  const message = messageOf(draft)
  if (isDeeper(message, MESSAGE_DEPTH))
    return [{ path: 'message', kind: 'messageTooDeep', with: String(MESSAGE_DEPTH) }]
  return bytesOf(message) > MESSAGE_BYTES
    ? [{ path: 'message', kind: 'messageTooLarge', with: String(MESSAGE_BYTES) }]
    : []
}
