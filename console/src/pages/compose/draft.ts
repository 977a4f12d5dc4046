import type { FieldPath } from './fields.ts'

/** The lists an audience can be given by. */
export const listKinds = ['tag', 'alias', 'user_id', 'push_token'] as const
export type ListKind = (typeof listKinds)[number]
export type AudienceKind = 'all' | ListKind

/** A request as it is being written: texts, as the form has them. Lists of the kinds not chosen are kept beside. */
export interface Draft {
  readonly kind: AudienceKind
  readonly lists: Readonly<Record<ListKind, readonly string[]>>
  readonly values: Readonly<Partial<Record<FieldPath, string>>>
}

export const emptyDraft: Draft = {
  kind: 'tag',
  lists: { tag: [], alias: [], user_id: [], push_token: [] },
  values: {},
}

/** What a field holds; '' where nothing does. */
export const valueOf = (draft: Draft, path: FieldPath): string => draft.values[path] ?? ''

/** Blank as the interface means it: such a field is as good as absent. */
export const isBlank = (text: string): boolean => text.trim() === ''

export const withValue = (draft: Draft, path: FieldPath, value: string): Draft => ({
  ...draft,
  values: { ...draft.values, [path]: value },
})

/** The same request to others. */
export const withAudience = (draft: Draft, kind: AudienceKind, items: readonly string[] = []): Draft => ({
  ...draft,
  kind,
  lists: kind === 'all' ? draft.lists : { ...draft.lists, [kind]: items },
})

/** Whether anything was written that would be missed. The id of the request is made by itself. */
export const hasContent = ({ lists, values }: Draft): boolean =>
  Object.values(lists).some((items) => items.length > 0) ||
  Object.entries(values).some(([path, value]) => path !== 'setting.request_id' && !isBlank(value))

/** An id nobody else makes: who sends twice with it has sent once. */
export const newRequestId = (
  random: (bytes: Uint8Array<ArrayBuffer>) => void = (bytes) => crypto.getRandomValues(bytes),
): string => {
  const bytes = new Uint8Array(12)
  random(bytes)
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
