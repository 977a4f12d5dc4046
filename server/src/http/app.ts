import { AppSettingPut } from '@carillon/protocol/bodies.ts'
import { Default, Int } from '@carillon/protocol/types.ts'
import { Type } from 'typebox'
import { actorOf } from '../access/actor.ts'
import type { Changes } from '../access/changes.ts'
import { readSetting, withDefaults } from '../access/settings.ts'
import type { Clock } from '../clock.ts'
import { setAppSettings } from '../store/apps.ts'
import { auditRows } from '../store/audit.ts'
import type { Store } from '../store/store.ts'
import { type Route, route } from './route.ts'

const AuditQuery = Type.Object({
  before: Default(Int(1, Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER),
  limit: Default(Int(1, 500), 50),
})

export const appRoutes = ({ store, clock, changes }: {
  store: Store
  clock: Clock
  changes: Pick<Changes, 'announce'>
}): Route[] => [
  route({
    method: 'GET',
    path: '/app/setting',
    who: 'admin',
    summary: "The app's settings.",
    handle: async ({ app }) => app.settings,
  }),
  route({
    method: 'PUT',
    path: '/app/setting',
    who: 'admin',
    summary: "Changes some of the app's settings; what is not sent stays as it is.",
    body: AppSettingPut,
    handle: async ({ scope, app, body }) => {
      const change = Object.assign({}, ...Object.entries(body).map(([key, value]) => readSetting(key, value)))
      const actor = actorOf(scope)
      const settings = await store.write(setAppSettings, { app: app.id, change, actor, now: clock.now() })
      await changes.announce()
      return withDefaults({ ...app, settings }).settings
    },
  }),
  route({
    method: 'GET',
    path: '/app/audit',
    who: 'admin',
    summary: 'Who did what, the newest first; the next page begins before the last id of this one.',
    query: AuditQuery,
    handle: async ({ app, query }) => {
      const rows = await store.read(auditRows, { app: app.id, ...query })
      return rows.map(({ id, at, actor, action, detail }) => ({ id, at, actor, action, detail }))
    },
  }),
]
