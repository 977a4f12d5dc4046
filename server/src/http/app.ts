import { AppSetting, AuditList } from '@carillon/protocol/answers.ts'
import { AppSettingPut, AuditQuery } from '@carillon/protocol/bodies.ts'
import { actorOf } from '../access/actor.ts'
import type { Changes } from '../access/changes.ts'
import { readSetting, withDefaults } from '../access/settings.ts'
import type { Clock } from '../clock.ts'
import { setAppSettings } from '../store/apps.ts'
import { auditRows } from '../store/audit.ts'
import type { Store } from '../store/store.ts'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'

export const appRoutes = ({ store, clock, changes }: {
  store: Store
  clock: Clock
  changes: Pick<Changes, 'announce'>
}): Route[] => [
  route({
    method: 'GET',
    path: '/app/setting',
    who: 'admin',
    noun: 'apps',
    summary: "The app's settings.",
    answer: AppSetting,
    example: {
      answer: {
        push_enabled: true,
        registration_enabled: true,
        alias_by: 'user',
        password_min_length: 8,
        token_days: 30,
        inbox_limit: 1000,
        retention_days: 30,
        no_push_start_hour: 0,
        no_push_end_hour: 0,
        time_zone: 'UTC',
      },
    },
    handle: async ({ app }) => app.settings,
  }),
  route({
    method: 'PUT',
    path: '/app/setting',
    who: 'admin',
    noun: 'apps',
    summary: "Changes some of the app's settings; what is not sent stays as it is.",
    body: AppSettingPut,
    answer: AppSetting,
    example: {
      body: { token_days: 90 },
      answer: {
        push_enabled: true,
        registration_enabled: true,
        alias_by: 'user',
        password_min_length: 8,
        token_days: 90,
        inbox_limit: 1000,
        retention_days: 30,
        no_push_start_hour: 0,
        no_push_end_hour: 0,
        time_zone: 'UTC',
      },
    },
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
    noun: 'apps',
    summary: 'Who did what, the newest first; the next page begins before the last id of this one.',
    query: AuditQuery,
    answer: AuditList,
    example: {
      query: { limit: 50 },
      answer: [{ id: 1, at: some.at, actor: 'admin token 1', action: 'app.set', detail: { token_days: 90 } }],
    },
    handle: async ({ app, query }) => {
      const rows = await store.read(auditRows, { app: app.id, ...query })
      return rows.map(({ id, at, actor, action, detail }) => ({ id, at, actor, action, detail }))
    },
  }),
]
