/** Settings of one app, as PUT /app/setting and `carillon app set` know them; defaults in access/settings.ts. */
export interface AppSettings {
  push_enabled: boolean
  registration_enabled: boolean
  /** Who may give a device its alias. */
  alias_by: 'user' | 'admin'
  password_min_length: number
  token_days: number
  inbox_limit: number
  retention_days: number
  /** Quiet hours of users who have set none of their own, in time_zone; equal hours mean none. */
  no_push_start_hour: number
  no_push_end_hour: number
  time_zone: string
}

export interface App {
  id: number
  app_id: string
  name: string
  settings: AppSettings
}

export type ScopeKind = 'app' | 'group' | 'user'

/** The part of an app a call sees and reaches. Made in one place only: access/access.ts. */
export interface Scope {
  app: App
  kind: ScopeKind
  /** The group's or the user's id; 0 for the whole app. */
  id: number
  /** The access token the caller showed. */
  token: {
    id: number
    kind: 'admin' | 'user'
    name: string | null
    userId: number | null
    deviceId: number | null
    expiresAt: number | null
  }
}
