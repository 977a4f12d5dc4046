import { type MessageType, type VendorName, sequenceItems } from '@carillon/protocol/names.ts'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import type { StoredAudience } from '../store/audience.ts'
import type { BadgeRule, TaskPlace } from '../store/batches.ts'
import type { AppSettings, ScopeKind } from '../store/scope.ts'
import { readStored } from '../store/stored-json.ts'
import type { TaskRow } from '../store/tasks.ts'
import type { Push, Vendors } from './channel.ts'
import type { QuietHours } from './quiet.ts'
import type { Plan } from './route.ts'

/** A task as the path works with it. */
export interface Task extends AppRules {
  id: number
  app: number
  scopeKind: ScopeKind
  scopeId: number
  audience: StoredAudience
  message: Message
  setting: Setting
  dryRun: boolean
  acceptedAt: number
  expiresAt: number
}

/** What the app has decided for all of its tasks. */
export interface AppRules {
  inboxLimit: number
  /** Of users who have none of their own. */
  quiet: QuietHours
}

export const rulesOf = ({ inbox_limit, no_push_start_hour: start, no_push_end_hour: end, time_zone: timeZone }: AppSettings): AppRules => ({
  inboxLimit: inbox_limit,
  quiet: { start, end, timeZone },
})

/** What was stored reads back exactly, odd numbers included. */
const parseStored = (text: string | null): unknown => readStored(text ?? '{}')

export const taskOf = (row: TaskRow, rules: AppRules): Task => ({
  id: row.id,
  app: row.app,
  scopeKind: row.scope_kind,
  scopeId: row.scope_id,
  audience: parseStored(row.audience) as StoredAudience,
  message: parseStored(row.message) as Message,
  setting: parseStored(row.setting) as Setting,
  dryRun: row.dry_run === 1,
  acceptedAt: row.accepted_at,
  expiresAt: row.expires_at,
  ...rules,
})

export const pushOf = (task: Task): Push => ({
  taskId: task.id,
  appId: task.app,
  message: task.message,
  setting: task.setting,
  acceptedAt: task.acceptedAt,
  expiresAt: task.expiresAt,
})

export const placeOfTask = (task: Task): TaskPlace => ({
  id: task.id,
  app: task.app,
  urgent: isUrgent(task.audience),
  badge: badgeRule(task.message),
  inboxLimit: task.inboxLimit,
})

const typeOf = (message: Message): MessageType => message.type ?? 'text'

const TITLE_SHOWN = 80

/** The beginning of what a person sees, for lists. */
export const shortTitle = ({ title, body, big_text }: Message): string | null => {
  const text = title ?? body ?? big_text ?? null
  return text !== null && text.length > TITLE_SHOWN ? Array.from(text.slice(0, 2 * TITLE_SHOWN)).slice(0, TITLE_SHOWN).join('') : text
}

const vendorsIn = (items: readonly string[]): VendorName[] => [...new Set(items.flatMap((item) => sequenceItems[item] ?? []))]

const DEFAULT_SEQUENCE = vendorsIn(['ups', 'fcm'])

/** Vendors in the order the caller wants them, each once. */
const sequenceOf = ({ ospush_sequence }: Setting): readonly VendorName[] =>
  ospush_sequence ? vendorsIn(ospush_sequence) : DEFAULT_SEQUENCE

/** Blank means +1, except for a pass-through message, which shows nothing. */
export const badgeRule = (message: Message): BadgeRule => {
  const text = message.badge ?? (typeOf(message) === 'cmd' ? undefined : '+1')
  if (text === undefined) return null
  return text.startsWith('+') ? { add: Number(text.slice(1)) } : { set: Number(text) }
}

/** Lists before `all` and tags: a broadcast delays nobody's single push. */
export const isUrgent = (audience: StoredAudience): boolean => !('all' in audience) && !('tag' in audience)

const DEFAULT_TTL_SECONDS = 86_400
// "Now or never" still needs the time to be handed over and acknowledged.
const NOW_MS = 15_000

const ttlOf = (setting: Setting): number => setting.time_to_live ?? DEFAULT_TTL_SECONDS

/** Time to live counts from the latest of acceptance, send_time and show_begin_time; nothing is shown after show_end_time. */
export const expiryOf = (message: Message, setting: Setting, acceptedAt: number): number => {
  const from = Math.max(acceptedAt, (setting.send_time ?? 0) * 1000, (message.show_begin_time ?? 0) * 1000)
  const ttl = ttlOf(setting)
  const end = from + (ttl === 0 ? NOW_MS : ttl * 1000)
  return message.show_end_time === undefined ? end : Math.min(end, message.show_end_time * 1000)
}

/** What routing needs of a task. */
export const planOf = async (task: Task, vendors: Vendors): Promise<Plan> => ({
  strategy: task.setting.distribution_strategy ?? 'combined',
  sequence: sequenceOf(task.setting),
  roads: await vendors.roads(task.app, task.message),
  inbox: ttlOf(task.setting) > 0,
  urgent: typeOf(task.message) === 'cmd' || task.setting.priority === 'high',
  quiet: task.quiet,
  dryRun: task.dryRun,
  expiresAt: task.expiresAt,
})
