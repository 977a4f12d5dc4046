import { ConsoleSession, ConsoleSessionOrNull } from '@carillon/protocol/console-answers.ts'
import { SessionOpen } from '@carillon/protocol/console-bodies.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import type { Scope } from '../store/scope.ts'
import { Answered } from './answered.ts'
import { clearCookie, type Page, setCookie } from './cookie.ts'
import { some } from './examples.ts'
import { callerHeaders } from './headers.ts'
import { type Route, route } from './route.ts'

export interface SessionParts {
  /** Decides whose admin token this is; throws Refused, and slows down who guesses. */
  open(appId: string, token: string, address: string): Promise<Scope>
  /** The same for who has it already; without an app, the token's own. */
  find(appId: string | undefined, token: string): Promise<Scope>
}

const example = { app_id: 'demo', name: 'demo', token: { id: 1, name: 'first', expires_at: null } }

const mustBeOwn = ({ own }: Page): void => {
  if (!own) throw new Refused('notAllowed', 'only the console itself may do this')
}

/** The console's session: the admin token in a cookie that no script can read. */
export const sessionRoutes = ({ open, find }: SessionParts): Route[] => [
  route({
    method: 'POST',
    path: '/console/session',
    who: 'nobody',
    noun: 'tokens',
    summary:
      'Opens the console: the admin token is kept in the cookie `carillon_session`, which counts as access-token in ' +
      "calls of the server's own pages.",
    body: SessionOpen,
    answer: ConsoleSession,
    refuses: ['badParameter', 'appUnknown', 'tokenInvalid', 'tokenExpired', 'notAllowed', 'cannotStore'],
    example: { body: { app_id: 'demo', token: some.admin_token }, answer: example },
    handle: async ({ body, address, page }) => {
      mustBeOwn(page())
      const scope = await open(body.app_id, body.token, address)
      return new Answered(shown(scope), { 'set-cookie': setCookie(body.token, page().secure) })
    },
  }),
  route({
    method: 'GET',
    path: '/console/session',
    who: 'nobody',
    noun: 'tokens',
    summary:
      'Whose session this is; of which app, too, so that app_id need not be sent. null where nobody is signed in.',
    answer: ConsoleSessionOrNull,
    refuses: ['badParameter', 'appUnknown', 'tokenInvalid', 'tokenExpired', 'notAllowed'],
    example: { answer: null }, // as a call without credentials is answered
    handle: async ({ request, page }) => {
      const { appId, accessToken } = callerHeaders(request.rawHeaders)
      const token = accessToken ?? page().token()
      return token === undefined ? null : shown(await find(appId, token))
    },
  }),
  route({
    method: 'DELETE',
    path: '/console/session',
    who: 'nobody',
    noun: 'tokens',
    summary: 'Closes the console: takes the cookie back. The token itself stays valid.',
    refuses: ['notAllowed'],
    handle: async ({ page }) => {
      mustBeOwn(page())
      return new Answered(undefined, { 'set-cookie': clearCookie(page().secure) })
    },
  }),
]

const shown = ({ app, token }: Scope) => ({
  app_id: app.app_id,
  name: app.name,
  token: { id: token.id, name: token.name, expires_at: token.expiresAt },
})
