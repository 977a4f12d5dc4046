import { type AudienceKind, audienceKinds, type TaskState, taskStates } from '@carillon/protocol/names.ts'

/** What the list is narrowed to; it stands in the address, so that it can be sent to somebody. */
export interface TaskFilter {
  state?: TaskState
  audience_kind?: AudienceKind
  request_id?: string
  /** Unix milliseconds. */
  from?: number
  to?: number
}

const momentOf = (value: unknown): number | undefined => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined)

/** Reads it off the address: anybody may have typed that. */
export const taskFilter = (search: Record<string, unknown>): TaskFilter => {
  const read: TaskFilter = {
    state: taskStates.find((state) => state === search.state),
    audience_kind: audienceKinds.find((kind) => kind === search.audience_kind),
    request_id: ['string', 'number'].includes(typeof search.request_id) && search.request_id !== '' ? String(search.request_id).slice(0, 128) : undefined,
    from: momentOf(search.from),
    to: momentOf(search.to),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}
