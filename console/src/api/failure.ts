import { type ErrorName, errors } from '@carillon/protocol/errors.ts'
import { CarillonError } from '@carillon/sdk/call.ts'

const { tokenMissing, tokenInvalid, tokenExpired, badParameter } = errors

/** Why a session is over, where that is what an error says. */
export const endOfSession = (error: unknown): 'expired' | 'ended' | undefined => {
  if (!(error instanceof CarillonError)) return undefined
  if (error.code === tokenExpired.code) return 'expired'
  return error.code === tokenMissing.code || error.code === tokenInvalid.code ? 'ended' : undefined
}

/** Which of the catalogue it is; undefined where it is no answer of the server. */
export const errorName = (error: unknown): ErrorName | undefined =>
  error instanceof CarillonError
    ? (Object.keys(errors) as ErrorName[]).find((name) => errors[name].code === error.code)
    : undefined

/** The field that a refusal names, by its path: `message.title`, `audience.tag[3]`. */
export const fieldOf = (error: unknown): string | undefined => {
  if (!(error instanceof CarillonError) || error.code !== badParameter.code) return undefined
  return /^(?!the |header |cookie )[a-z_]+(?:\.[a-z_]+|\[\d+\])*(?= )/i.exec(error.message)?.[0]
}

/** Whether asking again may help: nobody answered, or the server could not. */
export const mayPass = (error: unknown): boolean =>
  error instanceof CarillonError && (error.status === 0 || error.status === 429 || error.status >= 500)
