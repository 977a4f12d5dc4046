import type { Counters, Tally } from '@carillon/protocol/counters.ts'
import type { AudienceKind, ChannelName, Platform, StepName, TaskState } from '@carillon/protocol/names.ts'
import type { Audience, Message, Setting } from '@carillon/protocol/notify.ts'
import type { EventAnswer } from '@carillon/protocol/sentences/events.ts'
import type { Reason } from '@carillon/protocol/sentences/reasons.ts'
import type { Fate } from '@carillon/protocol/task-answers.ts'

/** What every login answers with. */
export interface TokenRecord {
  /** The access token. */
  token: string
  /** Unix milliseconds. */
  expire: number
  user_id: number
  /** The device's address, when the login named a device. */
  push_token?: string
  store_token: string
  access_key_secret: string
  /** 1: the device doors are TLS. */
  encrypt_type: 0 | 1
  public_key: string
}

export interface ListedDevice {
  push_token: string
  device_guid: string
  platform: Platform | null
  /** Connected and subscribed. */
  online: boolean
  providers: { provider: number; environment: 0 | 1 }[]
  tags: string[]
  alias: string | null
  badge: number
  /** Unix milliseconds, like every time that ends in _at. */
  created_at: number
  seen_at: number
}

export interface CertificateRecord {
  app_id: string
  app_key: string
  app_secret: string
  certificate: string
  name: string
}

export interface ListedCertificate {
  provider: number
  environment: 0 | 1
  name: string
  app_id: string
  app_key: string
  /** Where the credential has an end. */
  expires_at: number | null
  updated_at: number
  /** To be pasted into the provider's console; null where it sends no reports, or the public address is not set. */
  receipt_url: string | null
}

/** One app's way to a provider. */
export interface ListedLane {
  provider: number
  environment: 0 | 1
  state: 'open' | 'paused' | 'trying'
  /** Why it is not open, and until when. */
  why: string | null
  /** The same by its name. */
  reason: Reason | null
  until: number | null
  /** An alarm: since when so many tokens are called dead that none of it is believed. */
  tokens_dying_since: number | null
  requests_under_way: number
}

export interface AuditEntry {
  id: number
  at: number
  /** `admin token 3 (ci)`, `user 7` or `command line`. */
  actor: string
  action: string
  detail: Record<string, unknown>
}

export interface ListedEvent {
  id: number
  kind: string
  data: unknown
  at: number
  /** When it is told next; null once it was taken or given up. */
  due_at: number | null
  attempt: number
  delivered_at: number | null
  /** What the last attempt met. */
  answer: string | null
  /** The same by its name. */
  told: EventAnswer | null
}

export interface TaskSummary {
  task_id: number
  state: TaskState
  /** `app`, or `user 7`, or `group 3`. */
  scope: string
  dry_run: boolean
  accepted_at: number
  planned_for: number
  expires_at: number
  finished_at: number | null
  /** Its content is not kept any more; its counters are. */
  purged: boolean
}

export interface TaskListed extends TaskSummary {
  /** The beginning of what is shown. */
  title: string | null
  audience_kind: AudienceKind | null
  /** Over all channels; null where adding up takes too long: see `counters`. */
  sums: Tally | null
}

export interface TaskShown extends TaskSummary {
  /** Push tokens are not kept: how many were asked for, and how many were known. */
  audience: Audience | { push_token: { asked: number; known: number } } | null
  setting: Setting | null
  message: Message | null
  counters: Counters
  /** Places in inboxes. */
  waiting: number
  /** Deliveries by what became of them, such as `nativepush: received`. */
  reasons: Record<string, number>
  /** The same, for programs. */
  fates: Fate[]
}

export interface TraceShown {
  task_id: number
  state: TaskState
  /** What happened, for programs, and all of it in words. */
  steps: { at: number | null; what: StepName; channel?: ChannelName; why?: string; reason?: Reason; text: string }[]
}

export interface Paged<T> {
  total: number
  list: T[]
}

export interface ListedUser {
  user_id: number
  username: string
  mobile: string | null
  email: string | null
  disabled: boolean
  has_password: boolean
  created_at: number
}

export interface RegisteredRow {
  success: boolean
  /** Why not; null on success. */
  reason: string | null
  user_id: number | null
}

export interface ListedGroup {
  group_id: number
  name: string
  created_at: number
  member_count: number
}
