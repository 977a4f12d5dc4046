import { Type } from '@carillon/protocol/type.ts'
import type { TEnumValue } from 'typebox'

/** How a field is shown and judged. All of it stands in the schema, so that forms and checks cannot disagree. */
export interface Wording {
  /** As the vendor's own console calls it. */
  title: string
  description: string
  /** The same in Chinese, here because only this vendor says it; a title only where that is no name of the vendor's. */
  zh: { title?: string; help: string }
  /** A value outside this pattern is a problem; `must` says what would be right. */
  pattern?: string
  must?: string
  /** Never shown again. */
  secret?: true
  /** A value outside this pattern only warns. */
  usual?: { pattern: string; words: string }
}

/** Ids and secrets travel in headers, paths and signatures: what an editor added around them breaks there, late. */
export const word = (wording: Wording) =>
  Type.String({ pattern: '^[\\x21-\\x7e]{1,1024}$', must: 'be visible ASCII characters without spaces', ...wording })

/** Text of several lines or with spaces in it. The limit keeps parsers away from bodies no credential has. */
export const text = (wording: Wording) =>
  Type.String({ maxLength: 65_536, must: 'be text of at most 65536 characters', ...wording })

export const choice = (values: readonly TEnumValue[], wording: Wording) =>
  Type.Optional(Type.Enum([...values], { must: `be one of ${values.join(', ')}`, ...wording }))

export const flag = (wording: Wording) => Type.Optional(Type.Boolean({ must: 'be true or false', ...wording }))

/** The name where the vendor has no use for it. */
export const label = Type.Optional(
  Type.String({
    title: 'Name',
    description: 'Your own name for this record; a device may bind its vendor token by it.',
    zh: { title: '名称', help: '此记录的名称；设备可按名称绑定厂商令牌。' },
    maxLength: 128,
    must: 'be at most 128 characters',
  }),
)

/** Vendors add classes now and then, so one that is not in the list only warns. */
export const category = (classes: readonly string[], wording: Pick<Wording, 'title' | 'description' | 'zh'>) =>
  Type.Optional(
    word({ ...wording, usual: { pattern: `^(${classes.join('|')})$`, words: `one of ${classes.join(', ')}` } }),
  )

export const defaultChannel = Type.Optional(
  word({
    title: 'Default bar channel',
    description: "Android's notification channel for messages that name none. The app must have created it.",
    zh: { title: '默认通知渠道', help: '消息未指定时使用的 Android 通知渠道，须由应用事先创建。' },
  }),
)
