import { Refused } from '@carillon/protocol/errors.ts'
import type { Scope } from '../store/scope.ts'
import type { Access } from './access.ts'
import type { Throttle } from './throttle.ts'
import { hashToken } from './token.ts'

interface Parts {
  access: Access
  throttle: Throttle
}

/** Whose admin token this is. A token nobody has counts against the source address, as a wrong password does. */
export const openConsole = async (
  { access, throttle }: Parts,
  { appId, token, address }: { appId: string; token: string; address: string },
): Promise<Scope> => {
  const { id } = await access.app(appId)
  // Every text is an account of its own: nobody's failures lock out who has the right one.
  const account = `console ${id} ${Buffer.from(hashToken(token)).toString('base64')}`
  let scope: Scope | undefined
  await throttle.guess({ account, address }, async () => {
    scope = await known(access.scope({ appId, accessToken: token }))
    return scope !== undefined
  })
  if (!scope) throw new Refused('tokenInvalid')
  return admins(scope)
}

/** Whose session this is; without an app, the token's own: the page knows its session before it knows its app. */
export const findConsole = async (
  access: Access,
  appId: string | undefined,
  token: string | undefined,
): Promise<Scope> =>
  admins(await access.scope({ appId: appId ?? (await access.appOf(token)), accessToken: token }))

const admins = (scope: Scope): Scope => {
  if (scope.token.kind !== 'admin') throw new Refused('notAllowed', 'only an admin token opens the console')
  return scope
}

/** Undefined for a token nobody has; one that has expired was somebody's, and no guess. */
const known = async (scope: Promise<Scope>): Promise<Scope | undefined> => {
  try {
    return await scope
  } catch (error) {
    if (error instanceof Refused && error.kind === 'tokenInvalid') return undefined
    throw error
  }
}
