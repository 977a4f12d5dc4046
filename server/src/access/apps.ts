import { createApp, getApp } from '../store/apps.ts'
import type { App } from '../store/scope.ts'
import { createAdminToken } from '../store/tokens.ts'
import type { AccessParts } from './parts.ts'
import { withDefaults } from './settings.ts'
import { hashToken, newToken } from './token.ts'

type Writing = Pick<AccessParts, 'store' | 'clock'>

/** Makes an app, or finds the one that has this app_id already. */
export const makeApp = async (
  { store, clock }: Writing,
  { appId, name, actor }: { appId: string; name: string; actor: string },
): Promise<{ app: App; made: boolean }> => {
  const { ok: made } = await store.write(createApp, { appId, name, actor, now: clock.now() })
  return { app: withDefaults((await store.read(getApp, { appId }))!), made }
}

/** The text is shown once; the store keeps its hash. */
export const makeAdminToken = async (
  { store, clock }: Writing,
  app: App,
  { name, expiresAt, actor }: { name: string | null; expiresAt: number | null; actor: string },
): Promise<{ id: number; token: string }> => {
  const token = newToken('admin')
  const stored = { app: app.id, hash: hashToken(token), name, expiresAt, actor, now: clock.now() }
  const id = await store.write(createAdminToken, stored)
  return { id, token }
}
