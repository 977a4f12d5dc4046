/** The one catalogue of what a caller can be told; docs/api/errors.md is held against it by a test. */
export const errors = {
  badParameter: { code: 10002, http: 400, says: 'a parameter is wrong' },
  tokenMissing: { code: 10003, http: 401, says: 'access-token is missing' },
  tokenInvalid: { code: 10008, http: 401, says: 'access-token is invalid or revoked' },
  tokenExpired: { code: 402, http: 401, says: 'access-token is expired: log in again' },
  wrongPassword: { code: 10020, http: 401, says: 'wrong user or password' },
  notAllowed: { code: 10010, http: 403, says: 'not allowed in this scope' },
  userExists: { code: 10004, http: 409, says: 'user already exists' },
  userUnknown: { code: 10000, http: 404, says: 'user does not exist' },
  imageTooLarge: { code: 12002, http: 400, says: 'attachment image is not under 1 MB' },
  listTooLong: { code: 12005, http: 400, says: 'list is longer than 500' },
  pushSwitchedOff: { code: 12006, http: 403, says: 'push is switched off for this app' },
  certificateUnknown: { code: 12010, http: 404, says: 'no such certificate' },
  notFound: { code: 12011, http: 404, says: 'no such task or device' },
  groupUnknown: { code: 20001, http: 404, says: 'group does not exist' },
  appUnknown: { code: 40000, http: 404, says: 'app_id does not exist' },
  pathUnknown: { code: 40400, http: 404, says: 'no such path' },
  methodUnknown: { code: 40500, http: 405, says: 'no such method on this path' },
  bodyTooLarge: { code: 41300, http: 413, says: 'body is over the limit' },
  notJson: { code: 41500, http: 415, says: 'content type is not application/json' },
  tooMany: { code: 42900, http: 429, says: 'too many requests' },
  fault: { code: 50000, http: 500, says: 'our fault' },
  cannotStore: { code: 50300, http: 503, says: 'cannot store now; nothing was accepted' },
} as const

export type ErrorName = keyof typeof errors

/**
 * A call that is refused for a reason the caller can act on. `message` is for the caller and never holds a secret;
 * `detail` is for the log.
 */
export class Refused extends Error {
  readonly kind: ErrorName
  readonly detail: string | undefined
  /** Seconds for Retry-After. */
  readonly retryAfter: number | undefined

  constructor(kind: ErrorName, message: string = errors[kind].says, more: { detail?: string; retryAfter?: number } = {}) {
    super(message)
    this.kind = kind
    this.detail = more.detail
    this.retryAfter = more.retryAfter
  }

  get code(): number {
    return errors[this.kind].code
  }

  get http(): number {
    return errors[this.kind].http
  }
}

/** The usual refusal of one field: its path, then what would be right. */
export const badField = (path: string, expected: string): Refused => new Refused('badParameter', `${path} ${expected}`)
