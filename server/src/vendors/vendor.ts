import { Type, type TEnumValue, type TObject } from 'typebox'
import type { VendorName } from '@carillon/protocol/names.ts'

export const fieldNames = ['app_id', 'app_key', 'app_secret', 'certificate', 'name'] as const
export type FieldName = (typeof fieldNames)[number]

/** The five fields of a certificate, '' where blank, and its options without the blank ones. */
export interface Fields extends Record<FieldName, string> {
  options: Record<string, unknown>
}

/** 0 = development, 1 = production. Only Apple runs two services; elsewhere it just keeps two records apart. */
export type Environment = 0 | 1

/** Reads as one sentence: the field, then what would be right. Never holds a secret. */
export interface Problem {
  field: string
  expected: string
}

export interface Checked {
  /** What can never work. */
  problems: Problem[]
  /** What is unusual and may still work, in words for an operator. */
  warnings: string[]
  /** Unix milliseconds; null where the credential has no date. */
  expiresAt: number | null
}

export interface Vendor {
  name: VendorName
  /** What people call the service. */
  title: string
  /** The fields this vendor uses. A field that is not in here is not needed, and warns when given. */
  credentials: TObject
  /** What this vendor takes beside the five fields. */
  options: TObject
  /** What the schema of one field cannot say. A field the schemas already found wrong is not reported again. */
  check?(fields: Fields, environment: Environment, now: number): Partial<Checked>
}

export const defineVendor = (vendor: Vendor): Vendor => vendor

/** How a field is shown and judged. All of it stands in the schema, so that forms and checks cannot disagree. */
export interface Wording {
  /** As the vendor's own console calls it. */
  title: string
  description: string
  /** A value outside this pattern is a problem; `must` says what would be right. */
  pattern?: string
  must?: string
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
    maxLength: 128,
    must: 'be at most 128 characters',
  }),
)

/** Vendors add classes now and then, so one that is not in the list only warns. */
export const category = (classes: readonly string[], wording: Pick<Wording, 'title' | 'description'>) =>
  Type.Optional(
    word({ ...wording, usual: { pattern: `^(${classes.join('|')})$`, words: `one of ${classes.join(', ')}` } }),
  )

export const defaultChannel = Type.Optional(
  word({
    title: 'Default bar channel',
    description: "Android's notification channel for messages that name none. The app must have created it.",
  }),
)
