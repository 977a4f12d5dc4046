import { badField, Refused } from '@carillon/protocol/errors.ts'
import type { Clock } from '../clock.ts'
import { getApp, getAppById } from '../store/apps.ts'
import { groupExists } from '../store/groups.ts'
import type { App, Scope, ScopeKind } from '../store/scope.ts'
import type { Store } from '../store/store.ts'
import { Together } from '../store/together.ts'
import { type DeviceProof, type DeviceHolder, findDeviceCallers, findToken, type StoredToken } from '../store/tokens.ts'
import { userExists } from '../store/users.ts'
import type { Changes } from './changes.ts'
import { headerId } from './ids.ts'
import { Recent } from './recent.ts'
import { withDefaults } from './settings.ts'
import { hashToken } from './token.ts'

const DEVICES_AT_ONCE = 100

/** The security headers of a call as they came; undefined where absent. */
export interface CallerTexts {
  appId: string | undefined
  accessToken: string | undefined
  groupId?: string | undefined
  userId?: string | undefined
}

/** Who is calling, and in which scope: every door asks here. */
export class Access {
  readonly #store: Store
  readonly #clock: Clock
  readonly #apps: Recent<App>
  readonly #tokens: Recent<StoredToken>
  readonly #devices: Together<DeviceProof, DeviceHolder | undefined>

  constructor({ store, clock, changes }: { store: Store; clock: Clock; changes: Changes }) {
    this.#store = store
    this.#clock = clock
    this.#apps = new Recent(clock, 1_000)
    this.#tokens = new Recent(clock, 10_000)
    this.#devices = new Together(DEVICES_AT_ONCE, (proofs) => store.read(findDeviceCallers, { proofs, now: clock.now() }))
    changes.on('token', (id) => this.#tokens.drop(id))
    changes.on('user', () => this.#tokens.clear())
    changes.on('app', (id) => this.#apps.drop(id))
  }

  async app(appId: string | undefined): Promise<App> {
    if (!appId?.trim()) throw badField('header app_id', 'is required')
    const app = await this.#apps.get(appId, async () => {
      const stored = await this.#store.read(getApp, { appId })
      return stored && withDefaults(stored)
    })
    if (!app) throw new Refused('appUnknown')
    return app
  }

  /** The one place where a scope is decided. */
  async scope({ appId, accessToken, groupId, userId }: CallerTexts): Promise<Scope> {
    const app = await this.app(appId)
    if (!accessToken?.trim()) throw new Refused('tokenMissing')
    const token = await this.#token(accessToken, app)
    const group = groupId?.trim() ? headerId('group_id', groupId) : undefined
    const user = userId?.trim() ? headerId('user_id', userId) : undefined
    if (group !== undefined && user !== undefined) {
      throw badField('headers group_id and user_id', 'cannot be sent together: a call has one scope')
    }
    if (token.kind === 'user') {
      if (group !== undefined) throw new Refused('notAllowed', 'header group_id needs an admin token')
      if (user !== undefined && user !== token.user_id) {
        throw new Refused('notAllowed', 'header user_id names another user than the access-token')
      }
      return scopeOf(app, 'user', token.user_id!, token)
    }
    if (group !== undefined) {
      if (!(await this.#store.read(groupExists, { app: app.id, id: group }))) throw new Refused('groupUnknown')
      return scopeOf(app, 'group', group, token)
    }
    if (user !== undefined) {
      if (!(await this.#store.read(userExists, { app: app.id, id: user }))) throw new Refused('userUnknown')
      return scopeOf(app, 'user', user, token)
    }
    return scopeOf(app, 'app', 0, token)
  }

  /** Which app an access token is of, by its app_id. */
  async appOf(accessToken: string | undefined): Promise<string> {
    if (!accessToken?.trim()) throw new Refused('tokenMissing')
    const { app } = await this.#token(accessToken)
    return (await this.#store.read(getAppById, { id: app }))!.app_id
  }

  /** An admin of any app: what is asked is the node's, not an app's. */
  async operator(accessToken: string | undefined): Promise<void> {
    if (!accessToken?.trim()) throw new Refused('tokenMissing')
    const { kind } = await this.#token(accessToken)
    if (kind !== 'admin') throw new Refused('notAllowed', 'only an admin token may do this')
  }

  /**
   * The device behind a connection. Any living token of the device's owner will do: a push token is an address, and
   * what proves the owner is the access token.
   */
  device(pushToken: string, accessToken: string): Promise<DeviceHolder | undefined> {
    return this.#devices.ask({ pushTokenHash: hashToken(pushToken), hash: hashToken(accessToken) })
  }

  async #token(text: string, app?: App): Promise<StoredToken> {
    // Kept for a second under its own text: hashing it again for every call would cost more than all the rest here.
    const token = await this.#tokens.get(text, () => this.#store.read(findToken, { hash: hashToken(text) }))
    if (!token || (app && token.app !== app.id)) throw new Refused('tokenInvalid')
    if (token.expires_at !== null && token.expires_at <= this.#clock.now()) throw new Refused('tokenExpired')
    return token
  }
}

const scopeOf = (app: App, kind: ScopeKind, id: number, token: StoredToken): Scope => ({
  app,
  kind,
  id,
  token: {
    id: token.id, kind: token.kind, name: token.name, userId: token.user_id, deviceId: token.device_id, expiresAt: token.expires_at,
  },
})
