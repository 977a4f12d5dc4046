import { hash } from 'node:crypto'
import { Refused } from '@carillon/protocol/errors.ts'
import type { TaskState } from '@carillon/protocol/names.ts'
import type { Audience, Notify } from '@carillon/protocol/notify.ts'
import { type AudienceDevice, type AudienceQuestion, type StoredAudience, deviceOfPushToken, devicesOfPushTokens, readWindow } from '../store/audience.ts'
import { countPage, notifications, transitions } from '../metrics.ts'
import type { NewBatch, WrittenBatch } from '../store/batches.ts'
import type { Scope } from '../store/scope.ts'
import type { Tx } from '../store/store.ts'
import { type NewTask, findRequest, insertTask } from '../store/tasks.ts'
import { type Here, batchesOf, tokensFor } from './page.ts'
import type { Path } from './path.ts'
import type { Plan } from './route.ts'
import { type Task, badgeRule, expiryOf, planOf, rulesOf, shortTitle } from './task.ts'

// An audience up to this size is planned in the transaction that accepts it: one write, and the push is on its way.
const PLANNED_AT_ONCE = 64

interface Acceptance {
  task: Omit<NewTask, 'audience' | keyof Aim>
  audience: RequestedAudience
  plan: Plan
  here: Here
}

interface Accepted {
  id: number
  /** False: the request_id was used before, and nothing was stored. */
  first: boolean
  state: TaskState
  audience: StoredAudience
  /** Null when the audience is planned later. */
  batches: WrittenBatch[] | null
}

/** An audience before its push tokens are looked up; their hashes as hex, which is quicker to make and to send to a thread than bytes. */
export type RequestedAudience = Exclude<StoredAudience, { device_id: number[] }> | { pushTokenHashes: string[] }

const bytesOf = (hash: string): Uint8Array => Buffer.from(hash, 'hex')

/** The transaction of accepting: the task, its request_id and, where the audience is small, its batches. */
export const storeNotification = async (tx: Tx, { task, audience, plan, here }: Acceptance): Promise<Accepted> => {
  if (task.requestId !== null) {
    const earlier = await findRequest(tx, { ...task, requestId: task.requestId })
    if (earlier !== undefined) return { id: earlier, first: false, state: 'accepted', audience: { all: true }, batches: null }
  }
  const sole = await soleDevice(tx, task, audience)
  const stored = sole ? { device_id: sole.map(({ id }) => id), push_tokens: 1 } : await storedAudience(tx, task.app, audience)
  const question = { app: task.app, scopeKind: task.scopeKind, scopeId: task.scopeId, audience: stored }
  const batches = task.planAt > here.now ? null : await planAtOnce(tx, question, plan, here, sole)
  const made = await insertTask(tx, { task: { ...task, audience: JSON.stringify(stored), ...aimOf(question) }, batches })
  return { ...made, audience: stored }
}

/** The commonest audience, one push token of the app, is looked up and read in one go: one device, or none. */
const soleDevice = async (tx: Tx, { app, scopeKind }: Acceptance['task'], audience: RequestedAudience): Promise<AudienceDevice[] | undefined> => {
  if (scopeKind !== 'app' || !('pushTokenHashes' in audience) || audience.pushTokenHashes.length !== 1) return undefined
  const device = await deviceOfPushToken(tx, { app, hash: bytesOf(audience.pushTokenHashes[0]!) })
  return device ? [device] : []
}

/** `sole`: the devices of the audience, where they are known already. */
const planAtOnce = async (
  tx: Tx, question: AudienceQuestion, plan: Plan, here: Here, sole: AudienceDevice[] | undefined,
): Promise<NewBatch[] | null> => {
  // A small group in a large app may be far to seek: that is planning's work, not the caller's wait.
  if (question.scopeKind === 'group' && !('user_id' in question.audience) && !('device_id' in question.audience)) return null
  const devices = sole ?? await readWindow(tx, { question, from: 0, to: Number.MAX_SAFE_INTEGER, most: PLANNED_AT_ONCE })
  return devices ? batchesOf(plan, devices.at(-1)?.id ?? 0, devices, await tokensFor(tx, plan, devices), here) : null
}

type Aim = Pick<NewTask, 'audienceKind' | 'soleUser' | 'soleDevice'>

/** Whom it is for, in a form that tasks can be looked up by. */
const aimOf = ({ scopeKind, scopeId, audience }: AudienceQuestion): Aim => {
  const aim = { soleUser: null, soleDevice: null }
  if ('all' in audience) return { ...aim, audienceKind: 'all', soleUser: scopeKind === 'user' ? scopeId : null }
  if ('tag' in audience) return { ...aim, audienceKind: 'tag' }
  if ('alias' in audience) return { ...aim, audienceKind: 'alias' }
  const sole = (ids: number[]): number | null => (ids.length === 1 ? ids[0]! : null)
  if ('user_id' in audience) return { ...aim, audienceKind: 'user_id', soleUser: sole(audience.user_id) }
  return { ...aim, audienceKind: 'push_token', soleDevice: sole(audience.device_id) }
}

/** The audience as it is stored, its push tokens looked up. */
export const storedAudience = async (tx: Tx, app: number, audience: RequestedAudience): Promise<StoredAudience> => {
  if (!('pushTokenHashes' in audience)) return audience
  const { pushTokenHashes: hashes } = audience
  return { device_id: await devicesOfPushTokens(tx, { app, hashes: hashes.map(bytesOf) }), push_tokens: hashes.length }
}

/** Stores a notification and says under which id. When this resolves, the task is on stable storage. */
export const accept = async (path: Path, scope: Scope, notify: Notify): Promise<number> => {
  if (!scope.app.settings.push_enabled) throw new Refused('pushSwitchedOff')
  const here = path.here()
  const { message, setting = {} } = notify
  const dryRun = setting.dry_run ?? false
  const task: Task = {
    id: 0,
    app: scope.app.id,
    scopeKind: scope.kind,
    scopeId: scope.id,
    audience: { all: true },
    message,
    setting,
    dryRun,
    acceptedAt: here.now,
    expiresAt: expiryOf(message, setting, here.now),
    ...rulesOf(scope.app.settings),
  }
  const accepted = await path.store.write(storeNotification, {
    task: {
      app: task.app,
      scopeKind: task.scopeKind,
      scopeId: task.scopeId,
      requestId: dryRun ? null : (setting.request_id ?? null),
      setting: JSON.stringify(setting),
      message: JSON.stringify(message),
      title: shortTitle(message),
      collapseId: setting.collapse_id ?? null,
      dryRun,
      acceptedAt: here.now,
      planAt: Math.max(here.now, (setting.send_time ?? 0) * 1000),
      expiresAt: task.expiresAt,
      urgent: notify.audience !== 'all' && !notify.audience.tag,
      badge: badgeRule(message),
      inboxLimit: task.inboxLimit,
    },
    audience: requested(notify.audience),
    plan: await planOf(task, path.vendors),
    here,
  })
  if (!accepted.first) {
    notifications.repeated.value += 1
    return accepted.id
  }
  notifications.accepted.value += 1
  transitions.accepted.value += 1
  if (!dryRun) path.pulse.accepted(task.app)
  if (accepted.state !== 'accepted') transitions[accepted.state].value += 1
  task.id = accepted.id
  task.audience = accepted.audience
  if (accepted.batches) {
    countPage(accepted.batches)
    path.pulse.targeted(task.app, accepted.batches)
    void path.onWritten(task, accepted.batches)
  } else path.bus.nudge('tasks')
  return accepted.id
}

/** Ids beyond what Carillon makes match nothing and are left out; push tokens go on as their hashes only. */
export const requested = (audience: Audience): RequestedAudience => {
  if (audience === 'all') return { all: true }
  if (audience.tag) return { tag: audience.tag }
  if (audience.alias) return { alias: audience.alias }
  if (audience.user_id) return { user_id: audience.user_id.filter((id) => typeof id === 'number') }
  return { pushTokenHashes: (audience.push_token ?? []).map((token) => hash('sha256', token)) }
}
