import { AdminTokenList, AdminTokenMade } from '@carillon/protocol/token-answers.ts'
import { AdminTokenCreate, AdminTokenRef } from '@carillon/protocol/token-bodies.ts'
import { badField, Refused } from '@carillon/protocol/errors.ts'
import { refusalSentences } from '@carillon/protocol/sentences/refusals.ts'
import { actorOf } from '../access/actor.ts'
import { makeAdminToken } from '../access/apps.ts'
import type { Changes } from '../access/changes.ts'
import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { listAdminTokens, revokeToken } from '../store/tokens.ts'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'

/** Who may do everything in an app. */
export const adminTokenRoutes = ({ store, clock, changes }: {
  store: Store
  clock: Clock
  changes: Pick<Changes, 'announce'>
}): Route[] => [
  route({
    method: 'GET',
    path: '/app/token/list',
    who: 'admin',
    noun: 'apps',
    summary: 'The admin tokens of the app, without the tokens themselves: only their hashes are kept.',
    answer: AdminTokenList,
    example: { answer: [{ id: 1, name: 'first start', created_at: some.at, expires_at: null, current: true }] },
    handle: async ({ scope, app }) =>
      (await store.read(listAdminTokens, { app: app.id })).map((token) => ({ ...token, current: token.id === scope.token.id })),
  }),
  route({
    method: 'POST',
    path: '/app/token/create',
    who: 'admin',
    noun: 'apps',
    summary: 'Makes an admin token, shown this once.',
    body: AdminTokenCreate,
    answer: AdminTokenMade,
    example: { body: { name: 'back end' }, answer: { id: some.token_id, token: 'ca_0000000000000000000000000000000000000000000' } },
    handle: async ({ scope, app, body: { name = null, expires_at: expiresAt = null } }) => {
      if (expiresAt !== null && expiresAt <= clock.now()) throw badField('expires_at', 'must be in the future')
      return makeAdminToken({ store, clock }, app, { name, expiresAt, actor: actorOf(scope) })
    },
  }),
  route({
    method: 'POST',
    path: '/app/token/revoke',
    who: 'admin',
    noun: 'apps',
    summary: 'Ends an admin token, also the one this is called with. It is refused everywhere within a second.',
    body: AdminTokenRef,
    refuses: ['notFound'],
    example: { body: { id: some.token_id } },
    handle: async ({ scope, app, body: { id } }) => {
      const known = typeof id === 'number' && (await store.write(revokeToken, { app: app.id, id, actor: actorOf(scope), now: clock.now() }))
      if (!known) throw new Refused('notFound', refusalSentences.no_token())
      await changes.announce()
    },
  }),
]
