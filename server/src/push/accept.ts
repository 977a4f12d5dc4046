import { createHash } from 'node:crypto'
import { Refused } from '@carillon/protocol/errors.ts'
import type { Audience, Notify } from '@carillon/protocol/notify.ts'
import { type StoredAudience, devicesOfPushTokens, readWindow } from '../store/audience.ts'
import type { NewBatch } from '../store/batches.ts'
import type { Scope } from '../store/scope.ts'
import type { Store } from '../store/store.ts'
import { acceptTask, findRequest } from '../store/tasks.ts'
import { notifications, plannedDevices, plannedPages, transitions } from '../metrics.ts'
import { batchesOf } from './page.ts'
import type { Path } from './path.ts'
import { roadsFor } from './roads.ts'
import { type Task, badgeRule, expiryOf, isUrgent } from './task.ts'

// An audience up to this size is planned in the transaction that accepts it: one write, and the push is on its way.
const PLANNED_AT_ONCE = 64

/** Stores a notification and says under which id. When this resolves, the task is on stable storage. */
export const accept = async (path: Path, scope: Scope, notify: Notify): Promise<number> => {
  const { store, clock, bus } = path
  if (!scope.app.settings.push_enabled) throw new Refused('pushSwitchedOff')
  const now = clock.now()
  const { message, setting = {} } = notify
  const requestId = setting.dry_run ? null : (setting.request_id ?? null)
  if (requestId !== null) {
    const earlier = await store.read(findRequest, { app: scope.app.id, scopeKind: scope.kind, scopeId: scope.id, requestId })
    if (earlier !== undefined) {
      notifications.repeated.value += 1
      return earlier
    }
  }

  const task: Task = {
    id: 0,
    app: scope.app.id,
    scopeKind: scope.kind,
    scopeId: scope.id,
    audience: await storedAudience(store, scope.app.id, notify.audience),
    message,
    setting,
    dryRun: setting.dry_run ?? false,
    acceptedAt: now,
    expiresAt: expiryOf(message, setting, now),
    inboxLimit: scope.app.settings.inbox_limit,
  }
  const planAt = Math.max(now, (setting.send_time ?? 0) * 1000)
  const batches = planAt > now ? null : await planAtOnce(path, task, now)
  const stored = await store.write(acceptTask, {
    task: {
      app: task.app,
      scopeKind: task.scopeKind,
      scopeId: task.scopeId,
      requestId,
      audience: JSON.stringify(task.audience),
      setting: JSON.stringify(setting),
      message: JSON.stringify(message),
      collapseId: setting.collapse_id ?? null,
      dryRun: task.dryRun,
      acceptedAt: now,
      planAt,
      expiresAt: task.expiresAt,
      urgent: isUrgent(task.audience),
      badge: badgeRule(message),
      inboxLimit: task.inboxLimit,
    },
    batches,
  })
  if (!stored.first) {
    notifications.repeated.value += 1
    return stored.id
  }
  notifications.accepted.value += 1
  transitions.accepted.value += 1
  if (stored.state !== 'accepted') transitions[stored.state].value += 1
  task.id = stored.id
  if (batches) path.onWritten(task, batches, stored.batches)
  else bus.nudge('tasks')
  return stored.id
}

const planAtOnce = async (path: Path, task: Task, now: number): Promise<NewBatch[] | null> => {
  const { store } = path
  // A small group in a large app may be far to seek: that is planning's work, not the caller's wait.
  if (task.scopeKind === 'group' && !('user_id' in task.audience) && !('device_id' in task.audience)) return null
  const question = { app: task.app, scopeKind: task.scopeKind, scopeId: task.scopeId, audience: task.audience }
  const devices = await store.read(readWindow, { question, from: 0, to: Number.MAX_SAFE_INTEGER, most: PLANNED_AT_ONCE })
  if (!devices) return null
  const { roads, tokens } = await roadsFor(store, path.vendors, task, devices)
  plannedPages.value += 1
  plannedDevices.value += devices.length
  const page = devices.at(-1)?.id ?? 0
  return batchesOf(task, page, devices, tokens, { ...path.planning, roads, now })
}

/** Ids beyond what Carillon makes match nothing and are left out; push tokens are looked up by their hash. */
const storedAudience = async (store: Store, app: number, audience: Audience): Promise<StoredAudience> => {
  if (audience === 'all') return { all: true }
  if (audience.tag) return { tag: audience.tag }
  if (audience.alias) return { alias: audience.alias }
  if (audience.user_id) return { user_id: audience.user_id.filter((id) => typeof id === 'number') }
  const tokens = audience.push_token ?? []
  const hashes = tokens.map((token) => createHash('sha256').update(token).digest())
  return { device_id: await store.read(devicesOfPushTokens, { app, hashes }), push_tokens: tokens.length }
}
