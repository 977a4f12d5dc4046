import type { Scope } from '../store/scope.ts'

export const COMMAND_LINE = 'command line'

/** Who did it, for the audit log: the token's holder, also when an admin acts as a user. */
export const actorOf = ({ token }: Scope): string => {
  if (token.kind === 'user') return `user ${token.userId}`
  return token.name === null ? `admin token ${token.id}` : `admin token ${token.id} (${token.name})`
}
