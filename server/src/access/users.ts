import { Refused } from '@carillon/protocol/errors.ts'
import { refusalSentences } from '@carillon/protocol/sentences/refusals.ts'
import type { ChangePassword, Page, Register, RegisterBatch } from '@carillon/protocol/bodies.ts'
import type { App, Scope } from '../store/scope.ts'
import { logOut, revokeToken } from '../store/tokens.ts'
import {
  deleteUser,
  insertUsers,
  kickUser,
  listUsers,
  type NewUser,
  passwordOf,
  setDisabled,
  setPassword,
  takenName,
  type ListedUser,
} from '../store/users.ts'
import { actorOf } from './actor.ts'
import { idOf } from './ids.ts'
import { emailKey } from './login.ts'
import type { AccessParts } from './parts.ts'
import { checkPassword } from './password.ts'

type Registration = RegisterBatch['list'][number]

type Identity = Omit<NewUser, 'passwordHash'>

const identity = ({ username, mobile, email }: Registration): Identity => ({
  name: username,
  mobile: mobile ?? null,
  email: email ?? null,
  emailKey: email === undefined ? null : emailKey(email),
})

/** Somebody registers alone. */
export const register = async (parts: AccessParts, app: App, body: Register, address: string): Promise<number> => {
  if (!app.settings.registration_enabled) throw new Refused('notAllowed', 'registration is switched off for this app')
  checkPassword(body.password, app.settings.password_min_length)
  await parts.throttle.registration(address)
  const user = identity(body)
  // A look before the expensive hash; the insertion decides.
  const taken = await parts.store.read(takenName, { app: app.id, user })
  if (taken) throw new Refused('userExists', refusalSentences.taken({ field: taken }))
  const passwordHash = await parts.passwords.hash(body.password)
  const [made] = await parts.store.write(insertUsers, {
    app: app.id,
    users: [{ ...user, passwordHash }],
    now: parts.clock.now(),
  })
  if (!made!.ok) throw new Refused('userExists', refusalSentences.taken({ field: made!.taken }))
  return made!.id
}

export interface RegisteredRow {
  success: boolean
  /** Why not; null on success. */
  reason: string | null
  user_id: number | null
}

/** One row each, in their order. Hashes are computed one after the other, so that logins keep their share. */
export const registerBatch = async (
  parts: Pick<AccessParts, 'store' | 'clock' | 'passwords'>,
  app: App,
  list: readonly Registration[],
): Promise<RegisteredRow[]> => {
  const rows: RegisteredRow[] = []
  const users: NewUser[] = []
  const places: number[] = []
  for (const [place, row] of list.entries()) {
    const user = identity(row)
    const reason = tooWeak(row, app) ?? (await taken(parts, app, user))
    rows.push({ success: false, reason, user_id: null })
    if (reason !== null) continue
    const passwordHash = row.password === undefined ? null : await parts.passwords.hash(row.password, { patient: true })
    users.push({ ...user, passwordHash })
    places.push(place)
  }
  const made = await parts.store.write(insertUsers, { app: app.id, users, now: parts.clock.now() })
  made.forEach((result, i) => {
    rows[places[i]!] = result.ok
      ? { success: true, reason: null, user_id: result.id }
      : { success: false, reason: refusalSentences.taken({ field: result.taken }), user_id: null }
  })
  return rows
}

const tooWeak = ({ password }: Registration, app: App): string | null => {
  try {
    if (password !== undefined) checkPassword(password, app.settings.password_min_length)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

const taken = async ({ store }: Pick<AccessParts, 'store'>, app: App, user: Identity): Promise<string | null> => {
  const name = await store.read(takenName, { app: app.id, user })
  return name ? refusalSentences.taken({ field: name }) : null
}

/** All other tokens of the user end; the one that made the call stays. */
export const changePassword = async (
  parts: AccessParts,
  scope: Scope,
  body: ChangePassword,
  address: string,
): Promise<void> => {
  const { app, id, token } = scope
  checkPassword(body.password, app.settings.password_min_length)
  const user = await parts.store.read(passwordOf, { app: app.id, id })
  // A lane of its own: whoever comes here holds a token already, and is not locked out by guesses from outside.
  const right = await parts.throttle.guess({ account: `change ${id}`, address }, () =>
    parts.passwords.verify(body.old_password, user?.password_hash ?? null),
  )
  if (!right) throw new Refused('wrongPassword')
  const passwordHash = await parts.passwords.hash(body.password)
  const keepToken = token.kind === 'user' ? token.id : 0
  const verified = user!.password_hash
  const change = { ...named(parts, scope, id), passwordHash, verified, keepToken }
  if (!(await parts.store.write(setPassword, change))) throw new Refused('wrongPassword')
  await parts.changes.announce()
}

/** An admin sets it: nobody stays logged in. */
export const resetPassword = async (
  parts: AccessParts,
  scope: Scope,
  userId: number | bigint,
  password: string,
): Promise<void> => {
  const { app } = scope
  checkPassword(password, app.settings.password_min_length)
  const id = idOf(userId)
  if (!(await parts.store.read(passwordOf, { app: app.id, id }))) throw new Refused('userUnknown')
  const passwordHash = await parts.passwords.hash(password)
  const change = { ...named(parts, scope, id), passwordHash, verified: null, keepToken: 0 }
  await ended(parts, parts.store.write(setPassword, change))
}

export const disableUser = (parts: AccessParts, scope: Scope, userId: number | bigint): Promise<void> =>
  ended(parts, parts.store.write(setDisabled, { ...named(parts, scope, userId), disabled: true }))

export const enableUser = (parts: AccessParts, scope: Scope, userId: number | bigint): Promise<void> =>
  ended(parts, parts.store.write(setDisabled, { ...named(parts, scope, userId), disabled: false }))

/** Erases a person. */
export const eraseUser = (parts: AccessParts, scope: Scope, userId: number | bigint): Promise<void> =>
  ended(parts, parts.store.write(deleteUser, named(parts, scope, userId)))

const named = ({ clock }: AccessParts, scope: Scope, userId: number | bigint) => ({
  app: scope.app.id,
  id: idOf(userId),
  actor: actorOf(scope),
  now: clock.now(),
})

const ended = async ({ changes }: AccessParts, found: Promise<boolean>): Promise<void> => {
  if (!(await found)) throw new Refused('userUnknown')
  await changes.announce()
}

/** Ends the calling token. An admin who acts as somebody else does not mean their own token. */
export const logout = async (parts: AccessParts, scope: Scope): Promise<void> => {
  const { app, kind, token } = scope
  const now = parts.clock.now()
  if (token.kind === 'user') await parts.store.write(logOut, { tokenId: token.id, now })
  else if (kind === 'app') {
    await parts.store.write(revokeToken, { app: app.id, id: token.id, actor: actorOf(scope), now })
  } else throw new Refused('notAllowed', 'an admin token logs out without group_id and user_id')
  await parts.changes.announce()
}

/** Ends all tokens and connections of the user of the scope, or of one of the user's devices. */
export const kick = async (parts: AccessParts, scope: Scope, guid: string | undefined): Promise<void> => {
  const found = await parts.store.write(kickUser, { ...named(parts, scope, scope.id), guid: guid ?? null })
  if (!found) throw new Refused('notFound', 'device_guid names no device of this user')
  await parts.changes.announce()
}

/** A page of the app's users, in the order they came. */
export const pageOfUsers = async ({ store }: AccessParts, app: App, { page_num, page_size }: Page) => {
  const place = { app: app.id, offset: (page_num - 1) * page_size, limit: page_size }
  const { total, users } = await store.read(listUsers, place)
  return { total, list: users.map(shownUser) }
}

/** A user as lists show them. */
export const shownUser = ({ id, name, mobile, email, disabled, has_password, created_at }: ListedUser) => ({
  user_id: id,
  username: name,
  mobile,
  email,
  disabled: disabled === 1,
  has_password: has_password === 1,
  created_at,
})
