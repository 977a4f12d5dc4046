import { emptyCounters } from '@carillon/protocol/counters.ts'

/** The people and things of the examples: the reference tells one story, and its test makes them all before it is told. */
export const some = {
  user_id: 1007,
  username: 'ann',
  password: 'correct horse battery',
  mobile: '+4915100001007',
  email: 'ann@example.com',
  device_guid: 'phone-of-ann',
  admin_token: 'ca_admin-token',
  push_token: 'cp_push-token-of-phone-of-ann',
  vendor_token: 'regid-of-phone-of-ann',
  group_id: 2003,
  task_id: 3042,
  token_id: 4011,
  at: 1_794_712_124_464,
} as const

export const listedUser = {
  user_id: some.user_id,
  username: some.username,
  mobile: some.mobile,
  email: some.email,
  disabled: false,
  has_password: true,
  created_at: some.at,
} as const

export const foundDevice = {
  device_id: 501,
  push_token: some.push_token,
  device_guid: some.device_guid,
  user_id: some.user_id,
  username: some.username,
  platform: 'android' as const,
  online: true,
  alias: 'kitchen',
  tags: ['beta', 'de'],
  providers: [{ provider: 3, environment: 1 }],
  seen_at: some.at,
  created_at: some.at,
}

/** What a user has set with /user/push. */
export const wishes = { enabled: true, no_push_start_hour: 22, no_push_end_hour: 7, time_zone: 'Europe/Berlin' }

export const tokenRecord = {
  access_key_secret: 'ck_file-key',
  encrypt_type: 0,
  expire: some.at + 30 * 86_400_000,
  public_key: '',
  push_token: some.push_token,
  store_token: 'cs_file-token',
  token: 'cu_access-token',
  user_id: some.user_id,
} as const

export const counters = { ...emptyCounters(some.task_id), nativepush_target: 2, nativepush_sent: 2, nativepush_received: 1 }

export const taskSummary = {
  task_id: some.task_id,
  state: 'done',
  scope: 'app',
  dry_run: false,
  accepted_at: some.at,
  planned_for: null,
  expires_at: some.at + 86_400_000,
  finished_at: some.at + 180,
  purged: false,
} as const
