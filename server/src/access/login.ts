import { Refused } from '@carillon/protocol/errors.ts'
import type { TokenById, TokenByLogin, TokenByUser } from '@carillon/protocol/bodies.ts'
import { refusalSentences } from '@carillon/protocol/sentences/refusals.ts'
import { type Candidate, findCandidate, type IssuedBy, logIn, type LoginBy } from '../store/login.ts'
import type { App, Scope } from '../store/scope.ts'
import { passwordOf } from '../store/users.ts'
import { actorOf } from './actor.ts'
import { idOf } from './ids.ts'
import type { AccessParts } from './parts.ts'
import { fileKeyRow, hashToken, newToken, pushTokenRow } from './token.ts'

const DAY_MS = 86_400_000

/** What every login answers with. */
export interface TokenRecord {
  access_key_secret: string
  encrypt_type: 0 | 1
  /** Unix milliseconds. */
  expire: number
  public_key: string
  /** Only when the login named a device. */
  push_token?: string
  store_token: string
  token: string
  user_id: number
}

export const loginById = (parts: AccessParts, app: App, body: TokenById, address: string): Promise<TokenRecord> =>
  login(parts, app, { by: { id: idOf(body.user_id) }, tried: `id ${body.user_id}`, ...body, address })

export const loginByName = (parts: AccessParts, app: App, body: TokenByUser, address: string): Promise<TokenRecord> =>
  login(parts, app, { by: { name: body.name }, tried: body.name, ...body, address })

/** login_name: a mobile number, an email or a username. */
export const loginByLoginName = (
  parts: AccessParts,
  app: App,
  body: TokenByLogin,
  address: string,
): Promise<TokenRecord> => {
  const by = { login: body.login_name, loginKey: emailKey(body.login_name) }
  return login(parts, app, { by, tried: body.login_name, ...body, address })
}

/** Emails are compared without case. */
export const emailKey = (email: string): string => email.toLowerCase()

/** An admin's way to a user's token: no password is asked. */
export const issueToken = async (
  parts: AccessParts,
  scope: Scope,
  userId: number | bigint,
  guid: string | undefined,
): Promise<TokenRecord> => {
  const issued = await issue(parts, scope.app, idOf(userId), guid, { actor: actorOf(scope) })
  if (issued === 'unknown') throw new Refused('userUnknown')
  if (issued === 'disabled') throw new Refused('notAllowed', refusalSentences.user_disabled())
  return issued
}

interface Login {
  by: LoginBy
  /** What was typed: the lane of a name nobody has, so that guessing at it looks the same as at a real one. */
  tried: string
  password: string
  device_guid?: string | undefined
  address: string
}

/** One answer for an unknown user, a wrong password, a disabled user and a locked account. */
const login = async (parts: AccessParts, app: App, { by, tried, password, device_guid, address }: Login) => {
  const found = await parts.store.read(findCandidate, { app: app.id, by, guid: device_guid ?? null })
  const account = found ? `user ${found.id}` : `app ${app.id} ${Buffer.from(hashToken(tried)).toString('base64')}`
  const guess = { account, ...(found?.device_id ? { knownDevice: String(found.device_id) } : {}), address }
  const right = await parts.throttle.guess(guess, async () => {
    const matches = await parts.passwords.verify(password, found?.password_hash ?? null)
    return matches && found?.disabled === 0
  })
  const issued = right && found ? await issueFor(parts, app, { ...found, password, device_guid }) : 'unknown'
  if (typeof issued === 'string') throw new Refused('wrongPassword')
  return issued
}

/** The password is known in plain only now: the moment to replace a hash that came from elsewhere with one of ours. */
const issueFor = async (
  parts: AccessParts,
  app: App,
  { id, password_hash, password, device_guid }: Candidate & Pick<Login, 'password' | 'device_guid'>,
): Promise<Issued> => {
  const renewed = password_hash === null ? null : await parts.passwords.renewed(password, password_hash)
  const issued = await issue(parts, app, id, device_guid, { passwordHash: password_hash, renewed })
  if (issued !== 'unknown') return issued
  // A login beside this one may have replaced the hash, and the password is still the same.
  const now = await parts.store.read(passwordOf, { app: app.id, id })
  if (!now?.password_hash || now.password_hash === password_hash) return 'unknown'
  if (!(await parts.passwords.verify(password, now.password_hash))) return 'unknown'
  return issue(parts, app, id, device_guid, { passwordHash: now.password_hash })
}

type Issued = TokenRecord | 'unknown' | 'disabled'

const issue = async (
  { store, clock, seal, changes, encryptType, publicKey }: AccessParts,
  app: App,
  userId: number,
  guid: string | undefined,
  by: IssuedBy,
): Promise<Issued> => {
  const now = clock.now()
  const [token, storeToken, fileKey] = [newToken('user'), newToken('store'), newToken('fileKey')]
  const hash = hashToken(token)
  const expiresAt = now + app.settings.token_days * DAY_MS
  const pushToken = newToken('push')
  const pushTokenHash = hashToken(pushToken)
  const stored = await store.write(logIn, {
    app: app.id,
    userId,
    token: { hash, storeHash: hashToken(storeToken), fileKey: seal.seal(fileKey, fileKeyRow(hash)), expiresAt },
    device:
      guid === undefined ? null : { guid, pushTokenHash, pushToken: seal.seal(pushToken, pushTokenRow(pushTokenHash)) },
    by,
    now,
  })
  if (!stored.ok) return stored.why
  if (stored.device) await changes.announce() // the device's older token has ended, or the device of its last owner
  return {
    access_key_secret: fileKey,
    encrypt_type: encryptType,
    expire: expiresAt,
    public_key: publicKey,
    ...(stored.device && { push_token: seal.open(stored.device.pushToken, pushTokenRow(stored.device.pushTokenHash)) }),
    store_token: storeToken,
    token,
    user_id: userId,
  }
}
