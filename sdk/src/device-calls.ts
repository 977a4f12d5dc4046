import type {
  Bind,
  Register,
  SetPush,
  TokenById,
  TokenByLogin,
  TokenByUser,
  Unbind,
} from '@carillon/protocol/bodies.ts'
import type { CertificateRecord, ListedDevice, TokenRecord } from './answers.ts'
import { type Asked, call, type Place } from './call.ts'

/** `push_token` is needed only where the access token was not issued for a device. */
interface OfDevice {
  push_token?: string
}

/** Fields that have a default need not be sent. */
type Sparing<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>

/**
 * What an app on a device asks of the server, as its user. A login is remembered: the calls after it are made with its
 * access token. To go on after a restart, keep the token and give it as `accessToken`.
 */
export class DeviceCalls {
  readonly #place: Place

  constructor(place: Place) {
    this.#place = { ...place }
  }

  get accessToken(): string | undefined {
    return this.#place.accessToken
  }

  /** By mobile number, email or username. With a `device_guid` the answer has a push token: then `connectDevice`. */
  login(login: TokenByLogin): Promise<TokenRecord> {
    return this.#login('/token/login', login)
  }

  loginByName(login: TokenByUser): Promise<TokenRecord> {
    return this.#login('/token/user', login)
  }

  loginById(login: TokenById): Promise<TokenRecord> {
    return this.#login('/token/id', login)
  }

  /** Ends the access token, and pushes to the device it was issued for. */
  async logout(): Promise<void> {
    await this.#ask('/token/logout', { method: 'POST' })
    this.#place.accessToken = undefined
  }

  register(user: Register): Promise<{ user_id: number }> {
    return this.#ask('/user/register/v2', { body: user })
  }

  changePassword(oldPassword: string, password: string): Promise<void> {
    return this.#ask('/user/change_password', { body: { old_password: oldPassword, password } })
  }

  /** The address a vendor's SDK gave this device. */
  bindVendorToken(bind: Sparing<Bind, 'environment'>): Promise<void> {
    return this.#ask('/user/token/bind', { body: bind })
  }

  /** Of one provider, or all. */
  unbindVendorTokens(unbind: Unbind = {}): Promise<void> {
    return this.#ask('/user/token/unbind', { body: unbind })
  }

  /** What the maker's SDK needs to start; secrets are left out. */
  certificate(query: { provider: number; environment?: 0 | 1 }): Promise<CertificateRecord> {
    return this.#ask('/push/certificate', { query })
  }

  tags(device: OfDevice = {}): Promise<string[]> {
    return this.#tags('GET', { query: device })
  }

  addTags(tags: string[], device: OfDevice = {}): Promise<string[]> {
    return this.#tags('POST', { body: { tags, ...device } })
  }

  removeTags(tags: string[], device: OfDevice = {}): Promise<string[]> {
    return this.#tags('DELETE', { body: { tags, ...device } })
  }

  async removeAllTags(device: OfDevice = {}): Promise<void> {
    await this.#ask('/user/push/tag/all', { method: 'DELETE', body: device })
  }

  setAlias(alias: string, device: OfDevice = {}): Promise<void> {
    return this.#ask('/user/push/alias', { body: { alias, ...device } })
  }

  removeAlias(device: OfDevice = {}): Promise<void> {
    return this.#ask('/user/push/alias', { method: 'DELETE', body: device })
  }

  /** Tells the server what the badge really shows, for instance 0 when the app was opened. */
  setBadge(badge: number, device: OfDevice = {}): Promise<void> {
    return this.#ask('/user/push/badge', { body: { badge, ...device } })
  }

  /** Push on or off for this user, on all devices, and the quiet hours: none, if none are given. */
  setPush(push: SetPush): Promise<void> {
    return this.#ask('/user/push', { body: push })
  }

  devices(): Promise<ListedDevice[]> {
    return this.#ask('/user/device/list')
  }

  removeDevice(pushToken: string): Promise<void> {
    return this.#ask('/user/device/remove', { body: { push_token: pushToken } })
  }

  #ask<D>(path: string, asked?: Asked): Promise<D> {
    return call<D>(this.#place, path, asked)
  }

  async #login(path: string, body: object): Promise<TokenRecord> {
    const record = await this.#ask<TokenRecord>(path, { body })
    this.#place.accessToken = record.token
    return record
  }

  async #tags(method: 'GET' | 'POST' | 'DELETE', asked: Asked): Promise<string[]> {
    return (await this.#ask<{ tags: string[] }>('/user/push/tag', { method, ...asked })).tags
  }
}
