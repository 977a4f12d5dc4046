import { DatabaseError } from 'pg'

/**
 * What a failed statement means.
 * again        nothing happened, because another transaction was in the way: the same one may well succeed now
 * crossed      a lock was waited for too long, see groups.ts
 * unavailable  the server cannot do it now
 * surprise     the statement itself is wrong
 */
export type FailureKind = 'again' | 'crossed' | 'unavailable' | 'surprise'

export class Failure extends Error {
  readonly kind: FailureKind
  /** The connection is of no use any more: it is gone, or leads to a server that does not write. */
  readonly broken: boolean

  constructor(message: string, kind: FailureKind, broken: boolean, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
    this.broken = broken
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
// 23505, a unique index: what an operation has looked for and not found, somebody has written since. The second time it
// finds it; on SQLite, where nobody writes in between, it is a surprise, and here too if it comes again and again.
const AGAIN = new Set(['40001', '40P01', '23505'])
// Shutting down, crashed, starting up; read-only: the other one of a pair is the primary now.
const BROKEN = /^(?:08|57P|25006)/
// This node left a transaction alone for too long, so the server took it back and hung up.
const LEFT_ALONE = '25P03'
// No room or memory or connections left, taking too long, I/O errors, damaged data.
const UNAVAILABLE = /^(?:53|57014|58|XX)/

const isSaid = (error: unknown): error is DatabaseError & { code: string } => error instanceof DatabaseError && typeof error.code === 'string'

/** What the driver threw, in our words. What the server did not say itself is about the connection. */
export const failureOf = (error: unknown): Failure => {
  const message = error instanceof Error ? error.message : String(error)
  if (!isSaid(error)) return new Failure(message, 'unavailable', true, error)
  const { code } = error
  if (code === LEFT_ALONE) return new Failure(message, 'again', true, error)
  if (AGAIN.has(code)) return new Failure(message, 'again', false, error)
  if (code === '55P03') return new Failure(message, 'crossed', false, error)
  if (BROKEN.test(code)) return new Failure(message, 'unavailable', true, error)
  return new Failure(message, UNAVAILABLE.test(code) ? 'unavailable' : 'surprise', false, error)
}
