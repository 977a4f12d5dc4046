import { badField } from '@carillon/protocol/errors.ts'
import type { FastifyRequest } from 'fastify'

const NAME = 'carillon_session'

/** The token in the console's cookie; undefined where there is none, or where another page than ours makes the call. */
export const cookieToken = (request: FastifyRequest): string | undefined => {
  const { cookie } = request.raw.headers
  if (!cookie?.includes(NAME) || !isOwnPage(request)) return undefined
  const values = new Set<string>()
  for (const pair of cookie.split(';')) {
    const [name, value = ''] = pair.split('=', 2)
    if (name!.trim() === NAME) values.add(value.trim())
  }
  // A neighbouring host can add one to ours: which of two is the right one, nobody can tell.
  if (values.size > 1) throw badField(`cookie ${NAME}`, 'must be sent once')
  return values.values().next().value
}

export interface Page {
  /** No page of another origin is behind the call. */
  own: boolean
  /** It came over TLS, proxies accounted for. */
  secure: boolean
  /** What its cookie stands for. */
  token(): string | undefined
}

export const pageOf = (request: FastifyRequest): Page => ({
  own: isOwnPage(request),
  secure: request.protocol === 'https',
  token: () => cookieToken(request),
})

/**
 * Whether no page of another origin is behind a call. Browsers say so on connections they trust; elsewhere they name
 * the origin of all calls that need to be allowed, and app_id makes every call from elsewhere one of those.
 */
const isOwnPage = ({ raw, host }: FastifyRequest): boolean => {
  const site = raw.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = raw.headers
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
}

const attributes = (secure: boolean): string => `; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`

/** Of a session that ends with the browser. */
export const setCookie = (token: string, secure: boolean): string => `${NAME}=${token}${attributes(secure)}`

export const clearCookie = (secure: boolean): string => `${NAME}=; Max-Age=0${attributes(secure)}`
