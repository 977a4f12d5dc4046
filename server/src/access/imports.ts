import { badField } from '@carillon/protocol/errors.ts'
import type { DeviceLine, UserLine } from '@carillon/protocol/imports.ts'
import { vendorOfProvider } from '@carillon/protocol/names.ts'
import { type DeviceGroup, type NewDevice, type UserGroup, knownNames } from '../store/imports.ts'
import type { App } from '../store/scope.ts'
import { idOf } from './ids.ts'
import { emailKey } from './login.ts'
import type { AccessParts } from './parts.ts'
import { checkPassword, isVerifiable } from './password.ts'
import type { PushTokens } from './push-tokens.ts'
import { pushTokenRow } from './token.ts'

/** Refuses a line whose fields do not go together. */
export const checkUserLine = ({ password, password_hash }: UserLine, app: App): void => {
  if (password !== undefined && password_hash !== undefined) {
    throw badField('password', 'must not stand beside password_hash')
  }
  if (password !== undefined) checkPassword(password, app.settings.password_min_length)
  if (password_hash !== undefined && !isVerifiable(password_hash)) {
    throw badField('password_hash', 'must be argon2 ($argon2id$v=19$…) or bcrypt ($2b$…), of a cost a login can bear')
  }
}

/** A group of users as the store takes it. Hashing is the slow part: it is left out for those who are there already. */
export const prepareUsers = async (
  { store, clock, passwords }: Pick<AccessParts, 'store' | 'clock' | 'passwords'>,
  app: App,
  lines: readonly UserLine[],
): Promise<UserGroup> => {
  const plain = lines.filter(({ password }) => password !== undefined).map(({ name }) => name)
  const known = new Set(plain.length === 0 ? [] : await store.read(knownNames, { app: app.id, names: plain }))
  const hashOf = ({ name, password, password_hash }: UserLine): Promise<string | null> | string | null =>
    password === undefined || known.has(name) ? (password_hash ?? null) : passwords.hash(password, { patient: true })
  const users = await Promise.all(
    lines.map(async (line) => ({
      name: line.name,
      mobile: line.mobile ?? null,
      email: line.email ?? null,
      emailKey: line.email === undefined ? null : emailKey(line.email),
      passwordHash: await hashOf(line),
    })),
  )
  return { app: app.id, users, now: clock.now() }
}

/** Refuses a line whose fields do not go together. */
export const checkDeviceLine = ({ user_id, name, tokens = [] }: DeviceLine): void => {
  if (user_id === undefined && name === undefined) throw badField('user_id', 'or name is required')
  if (user_id !== undefined && name !== undefined) throw badField('user_id', 'must not stand beside name')
  const places = tokens.map(({ provider, environment }) => `${provider} ${environment}`)
  const twice = places.findIndex((place, i) => places.indexOf(place) < i)
  if (twice >= 0) throw badField(`tokens[${twice}]`, 'repeats a provider and environment: a device has one token for each')
}

/** A group of devices as the store takes it, each with a push token of its own: the one its next login is told. */
export const prepareDevices = (
  { clock, seal, pushTokens }: Pick<AccessParts, 'clock' | 'seal'> & { pushTokens: PushTokens },
  app: App,
  lines: readonly DeviceLine[],
): DeviceGroup => {
  const hashes: Uint8Array[] = []
  const sealed: Uint8Array[] = []
  for (let i = 0; i < lines.length; i++) {
    const { token, hash } = pushTokens.next()
    hashes.push(hash)
    sealed.push(seal.seal(token, pushTokenRow(hash)))
  }
  const packed = (pieces: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(pieces))
  return {
    app: app.id,
    devices: lines.map(deviceOf),
    pushTokenHashes: packed(hashes),
    pushTokens: packed(sealed),
    now: clock.now(),
  }
}

const deviceOf = ({ user_id, name, device_guid, platform, tokens = [], tags = [], alias }: DeviceLine): NewDevice => ({
  userId: user_id === undefined ? null : idOf(user_id),
  userName: name ?? null,
  guid: device_guid,
  platform,
  alias: alias ?? null,
  tags,
  tokens: tokens.map(({ provider, environment, token }) => ({ vendor: vendorOfProvider[provider]!, environment, token })),
})
