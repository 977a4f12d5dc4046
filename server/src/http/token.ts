import { TokenRecord } from '@carillon/protocol/answers.ts'
import { TokenByAdmin, TokenById, TokenByLogin, TokenByUser } from '@carillon/protocol/bodies.ts'
import { issueToken, loginById, loginByLoginName, loginByName } from '../access/login.ts'
import type { AccessParts } from '../access/parts.ts'
import { logout } from '../access/users.ts'
import { some, tokenRecord } from './examples.ts'
import { type Route, route } from './route.ts'

export const tokenRoutes = (parts: AccessParts): Route[] => [
  route({
    method: 'POST',
    path: '/token/id',
    who: 'app',
    noun: 'tokens',
    summary: 'Logs a user in by user id and password.',
    body: TokenById,
    answer: TokenRecord,
    refuses: ['wrongPassword'],
    example: {
      body: { user_id: some.user_id, password: some.password, device_guid: some.device_guid },
      answer: tokenRecord,
    },
    handle: async ({ app, body, address }) => loginById(parts, app, body, address),
  }),
  route({
    method: 'POST',
    path: '/token/login',
    who: 'app',
    noun: 'tokens',
    summary: 'Logs a user in by mobile number, email or username, tried in this order, and password.',
    body: TokenByLogin,
    answer: TokenRecord,
    refuses: ['wrongPassword'],
    example: {
      body: { login_name: some.email, password: some.password, device_guid: some.device_guid },
      answer: tokenRecord,
    },
    handle: async ({ app, body, address }) => loginByLoginName(parts, app, body, address),
  }),
  route({
    method: 'POST',
    path: '/token/user',
    who: 'app',
    noun: 'tokens',
    summary: 'Logs a user in by username and password.',
    body: TokenByUser,
    answer: TokenRecord,
    refuses: ['wrongPassword'],
    example: {
      body: { name: some.username, password: some.password, device_guid: some.device_guid },
      answer: tokenRecord,
    },
    handle: async ({ app, body, address }) => loginByName(parts, app, body, address),
  }),
  route({
    method: 'POST',
    path: '/token/admin',
    who: 'admin',
    noun: 'tokens',
    summary: "A user's token record without a password, for back ends that keep their own accounts.",
    body: TokenByAdmin,
    answer: TokenRecord,
    example: { body: { user_id: some.user_id, device_guid: some.device_guid }, answer: tokenRecord },
    handle: async ({ scope, body }) => issueToken(parts, scope, body.user_id, body.device_guid),
  }),
  route({
    method: 'POST',
    path: '/token/logout',
    who: 'any',
    noun: 'tokens',
    summary: 'Ends the access token this is called with, and vendor pushes to the device it was issued for.',
    handle: async ({ scope }) => logout(parts, scope),
  }),
]
