import type { AnswerReason, Grounds } from '@carillon/protocol/sentences/reasons.ts'
import type { Exchanged } from './exchange.ts'
import type { Verdict } from './vendor.ts'

type Failure = Exclude<Verdict, { kind: 'sent' }>
type Answered = Grounds & { reason: AnswerReason }

/** Asked for twice, an access token that ran out counts as denied, and another form as refused. */
const reasons: Record<Failure['kind'], AnswerReason> = {
  dead: 'gone', refused: 'refused', denied: 'denied', renew: 'denied', limited: 'limited', exhausted: 'exhausted',
  down: 'down', adapt: 'refused', unknown: 'unknown',
}

/** A verdict as a reason: for the push it was about, and for the lane. */
export const groundsOf = ({ kind, why, said, reason = reasons[kind] }: Failure): Answered => ({
  why, reason, ...(said && { said }),
})

/** A verdict on what comes before a push, with what its answer asked to wait. */
export const withWait = (verdict: Verdict, { retryAfterMs }: Exchanged): Verdict => {
  if (!retryAfterMs) return verdict
  // What comes before a push is for all of its devices.
  if (verdict.kind === 'limited') return { ...verdict, alone: false, waitMs: retryAfterMs }
  return { ...verdict, retryAfterMs }
}

/** A request that got no answer, as a reason. */
export const unanswered = ({ kind, why }: Exclude<Exchanged, { kind: 'reply' }>): Answered => {
  const said = codeIn(why)
  return { why, reason: kind === 'lost' ? 'unanswered' : 'unreached', ...(said && { said }) }
}

/** The machine's own code for it, such as ECONNREFUSED or CERT_HAS_EXPIRED, which is the same in every language. */
export const codeIn = (words: string): string | undefined =>
  /\b(?:E[A-Z]{4,}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/.exec(words)?.[0]
