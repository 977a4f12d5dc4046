import { CarillonError } from '@carillon/sdk/call.ts'
import { fieldOf } from '../../api/failure.ts'
import { isMissing, type Problem, problemsOf } from './check.ts'
import {
  type AudienceKind,
  type Draft,
  emptyDraft,
  hasContent,
  newRequestId,
  valueOf,
  withAudience,
  withValue,
} from './draft.ts'
import { type FieldPath, type Holder, holders } from './fields.ts'

/** What was sent last. */
export interface Sent {
  taskId: number
  requestId: string
  /** To one device, to look at it first. */
  trial: boolean
}

/** What the server did not take, and the field it named. */
export interface Refusal {
  path: string | undefined
  error: unknown
}

/** Where the content came from, when it was not typed. */
export type Origin = { from: 'nothing' | 'json' } | { from: 'task' | 'purged task'; task: number; tokensLost?: boolean }

export interface Composing {
  readonly draft: Draft
  readonly problems: readonly Problem[]
  /** Fields that one has been in: what is wrong there may be said. */
  readonly touched: ReadonlySet<string>
  /** Sending was tried: everything that is wrong is said. */
  readonly tried: boolean
  readonly refusal: Refusal | undefined
  readonly sent: Sent | undefined
  /** What stood here before other content took its place. */
  readonly replaced: Draft | undefined
  readonly origin: Origin | undefined
  readonly opened: readonly Holder[]
}

const requestId: FieldPath = 'setting.request_id'

/** The notification being written. It outlives the page, not the session: nothing of it is put into storage. */
export class DraftStore {
  #state: Composing
  #listeners = new Set<() => void>()
  /** The id of the request was typed, and is not ours to change. */
  #ownId = false

  constructor() {
    const draft = withValue(emptyDraft, requestId, newRequestId())
    this.#state = {
      draft,
      problems: problemsOf(draft, Date.now()),
      touched: new Set(),
      tried: false,
      refusal: undefined,
      sent: undefined,
      replaced: undefined,
      origin: undefined,
      opened: [],
    }
  }

  get = (): Composing => this.#state

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  setValue(path: FieldPath, value: string): void {
    if (path === requestId) this.#ownId = true
    this.#change(withValue(this.#state.draft, path, value), path)
  }

  setAudience(kind: AudienceKind, items?: readonly string[]): void {
    const { draft } = this.#state
    this.#change(withAudience(draft, kind, items ?? (kind === 'all' ? [] : draft.lists[kind])), 'audience')
  }

  /** Other content in place of this one, which can be brought back. */
  replace(draft: Draft, origin: Origin): void {
    const { draft: before } = this.#state
    this.#ownId = valueOf(draft, requestId) !== '' && valueOf(draft, requestId) !== valueOf(before, requestId)
    const whole = valueOf(draft, requestId) === '' ? withValue(draft, requestId, newRequestId()) : draft
    const opened = holders.filter((holder) =>
      Object.keys(whole.values).some((path) => path.startsWith(`message.${holder}.`)),
    )
    const replaced = hasContent(before) ? before : undefined
    this.#put({ tried: false, refusal: undefined, touched: new Set(), replaced, origin, opened })
    this.#change(whole)
  }

  /** Says where content came from, or that there was none. */
  tell(origin: Origin | undefined): void {
    this.#put({ origin, replaced: undefined })
  }

  bringBack(): void {
    const { replaced } = this.#state
    if (!replaced) return
    this.#ownId = false
    this.#put({ replaced: undefined, origin: undefined, tried: false, refusal: undefined })
    this.#change(withValue(replaced, requestId, newRequestId()))
  }

  /** An empty sheet. */
  startOver(): void {
    this.replace(emptyDraft, { from: 'nothing' })
    this.#put({ sent: undefined })
  }

  /** From now on it is another request, though it may read the same. */
  renewId(): void {
    this.#ownId = false
    this.#change(withValue(this.#state.draft, requestId, newRequestId()), requestId)
  }

  touch(path: string): void {
    if (!this.#state.touched.has(path)) this.#put({ touched: new Set(this.#state.touched).add(path) })
  }

  open(opened: readonly Holder[]): void {
    this.#put({ opened })
  }

  /** Looks again, by the present time, before something is sent; true when nothing that matters is wrong. */
  trySending(matters: (problem: Problem) => boolean = () => true): boolean {
    const problems = problemsOf(this.#state.draft, Date.now())
    const isRight = !problems.some(matters)
    this.#put({ problems, refusal: undefined, ...(!isRight && { tried: true, opened: this.#openedFor(problems) }) })
    return isRight
  }

  refuse(error: unknown): void {
    const path = fieldOf(error)
    this.#put({ refusal: { path, error }, opened: this.#openedFor(path === undefined ? [] : [{ path }]) })
  }

  succeed(sent: Sent): void {
    this.#put({ sent, tried: false, refusal: undefined, replaced: undefined, origin: undefined })
  }

  /** A problem in a part that is folded away would not be seen. */
  #openedFor(problems: readonly { path: string }[]): readonly Holder[] {
    const { opened } = this.#state
    const needed = holders.filter((holder) => problems.some(({ path }) => path.startsWith(`message.${holder}.`)))
    return [...opened, ...needed.filter((holder) => !opened.includes(holder))]
  }

  #change(changed: Draft, path?: string): void {
    const { sent, refusal } = this.#state
    // What was sent is done with: whatever differs from it is a new request, and must not be taken for the old one.
    const isUsed = sent !== undefined && valueOf(changed, requestId) === sent.requestId
    const draft = isUsed && !this.#ownId ? withValue(changed, requestId, newRequestId()) : changed
    const named = refusal?.path
    // A refusal stands until what it names is changed; one that names nothing, until anything is.
    const isAnswered = path === undefined || named === undefined || isAbout(path, named) || path.startsWith(`${named}.`)
    this.#put({ draft, problems: problemsOf(draft, Date.now()), ...(isAnswered && { refusal: undefined }) })
  }

  #put(changed: Partial<Composing>): void {
    this.#state = { ...this.#state, ...changed }
    for (const listener of this.#listeners) listener()
  }
}

/** Whether a refusal is about a field: it names the field, an item of it, or a list of the audience. */
const isAbout = (path: string, named: string | undefined): boolean =>
  named !== undefined && (path === 'audience' ? /^audience\b/.test(named) : named.replace(/\[.*$/, '') === path)

/** What is to be said at a field: the server's refusal, or a problem that is not merely something still to come. */
export const problemAt = (path: string, composing: Composing): Problem | Refusal | undefined => {
  const { refusal, problems, touched, tried } = composing
  if (isAbout(path, refusal?.path)) return refusal
  const problem = problems.find((each) => each.path === path)
  return problem && (tried || (touched.has(path) && !isMissing(problem))) ? problem : undefined
}

/** Whether the draft as it stands has been sent already. */
export const isSent = ({ draft, sent }: Composing): boolean =>
  sent !== undefined && sent.requestId === valueOf(draft, requestId)

/** Whether the server can have taken it though we do not know: asking again with the same id is harmless. */
export const isUnknown = (refusal: Refusal | undefined): boolean =>
  refusal?.error instanceof CarillonError && (refusal.error.status === 0 || refusal.error.status >= 500)
